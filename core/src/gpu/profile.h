/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Where the time goes on the device, for those who ask with VMAF_GPU_PROFILE=1: passes then run one
 * after the other, each between two stamps, and the averages are printed when the stream ends. */
#ifndef GPU_PROFILE_H
#define GPU_PROFILE_H

#include "gpu/graph.h"

typedef struct Profile Profile;

/* *out stays NULL, which is fine everywhere, when nobody asked or the device has no clock. */
int profile_create(Profile **out, const Graph *graph);
void profile_destroy(Profile *profile); /* prints */

/* Stamps for one command buffer: 0 before the first pass, then one after each. */
int profile_stamps(const Profile *profile, GpuStamps **stamps);
/* Adds up what such a command buffer noted; `owners` as it was recorded for. */
void profile_add(Profile *profile, GpuStamps *stamps, FeatureSet owners);

#endif
