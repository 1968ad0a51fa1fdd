/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What float_motion's CPU and GPU code share. */
#ifndef FEATURE_FLOAT_MOTION_H
#define FEATURE_FLOAT_MOTION_H

#include "feature/float_motion/float_motion_frame.h"

typedef struct FloatMotionResult {
    double step; /* from the frame before; of the first frame it means nothing */
} FloatMotionResult;

/* NULL: every score is 0, nothing is measured. */
const FloatMotionSetup *float_motion_setup(const Feature *f);

extern const struct FeatureGpu float_motion_gpu; /* float_motion_gpu.c */

#endif
