/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Where the time goes on the device. The passes of a timed frame run one after the other, each between
 * two stamps. Few frames are timed, for reports; all of them for those who ask with VMAF_GPU_PROFILE=1,
 * and then the averages are printed when the stream ends. With VMAF_GPU_PROFILE=frames each frame is timed as a whole,
 * passes side by side as ever. */
#ifndef GPU_PROFILE_H
#define GPU_PROFILE_H

#include "gpu/graph.h"

typedef struct Profile Profile;

int profile_create(Profile **out, const Graph *graph);
void profile_destroy(Profile *profile); /* prints if asked to; NULL is fine */

/* Whether the frame that runs in this slot, after so many of the stream, is to be timed. The frames
 * chosen share one slot, so that their commands are recorded once. */
bool profile_wants(const Profile *profile, uint64_t frame, unsigned slot_count);

bool profile_by_frame(const Profile *profile);
/* Stamps for the commands of one frame: 0 before the first pass, then one after each, or after the last only, by frame.
 * NULL when the device has no clock. */
int profile_stamps(const Profile *profile, FeatureSet owners, GpuStamps **stamps);
/* Adds up what such commands noted; `owners` as they were recorded for. */
void profile_add(Profile *profile, GpuStamps *stamps, FeatureSet owners);
/* What the passes of a feature took, in microseconds, and in how many frames. */
double profile_time(const Profile *profile, unsigned feature, uint64_t *frames);

#endif
