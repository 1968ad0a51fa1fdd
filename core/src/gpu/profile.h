/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Time measurement on the device. The passes of a timed frame run one after the other, each between
 * two time stamps. A few frames are timed for reports. With VMAF_GPU_PROFILE=1 all frames are
 * timed, and the averages are printed when the stream ends. With VMAF_GPU_PROFILE=frames each frame
 * is timed as a whole, and its passes run side by side as usual.
 *
 * A stream owns its profile; the stream's lock guards it. */
#ifndef GPU_PROFILE_H
#define GPU_PROFILE_H

#include "gpu/graph.h"

typedef struct Profile Profile;

int profile_create(Profile **out, const Graph *graph);
void profile_destroy(Profile *profile); /* prints if asked to; NULL is fine */

/* True if the stream's frame of this number is timed. The timed frames share one slot, so that
 * their commands are recorded once. */
bool profile_wants(const Profile *profile, uint64_t frame, unsigned slot_count);

bool profile_by_frame(const Profile *profile);
/* Creates the stamps for the commands of one frame: stamp 0 before the first pass, then one after
 * each pass, or (timing whole frames) one after the last. NULL: the device has no clock. */
int profile_stamps(const Profile *profile, FeatureSet owners, GpuStamps **stamps);
/* Adds the times that finished commands recorded. `owners` must be the set that they were recorded
 * for. */
void profile_add(Profile *profile, GpuStamps *stamps, FeatureSet owners);
/* The time that the passes of a feature took in all timed frames, in microseconds, and the number
 * of those frames. */
double profile_time(const Profile *profile, unsigned feature, uint64_t *frames);

#endif
