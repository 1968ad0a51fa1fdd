/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* motion: what its parts share. */
#ifndef FEATURE_MOTION_MOTION_H
#define FEATURE_MOTION_MOTION_H

#include <stdbool.h>
#include <stdint.h>

typedef struct MotionOptions {
    bool debug, force_zero, five_frame_window, moving_average;
    double blend_factor, blend_offset, fps_weight, max_val;
} MotionOptions;

/* Frames that lie between the two that are compared, plus one. */
static inline unsigned motion_distance(const MotionOptions *o)
{
    return o->five_frame_window ? 2 : 1;
}

typedef struct MotionResult {
    uint64_t sad; /* sum of magnitudes of the blurred difference; of no meaning where there is no
                   * earlier frame to compare with */
} MotionResult;

extern const struct FeatureGpu motion_gpu; /* motion_gpu.c */

#endif
