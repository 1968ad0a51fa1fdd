/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Private declarations of float_motion, shared by its CPU and its GPU code: mean absolute
 * difference of the blurred reference and the blurred reference before it. */
#ifndef FEATURE_FLOAT_MOTION_H
#define FEATURE_FLOAT_MOTION_H

#include <stdbool.h>

#include "engine/feature.h"
#include "feature/common/float_rows.h"

/* Constants of a clip. */
typedef struct FloatMotionSetup {
    FrameShape shape;
    unsigned planes;         /* 1: luma; 3: chroma too */
    bool half_size;          /* add the measure of half-size planes */
    const FloatFilter *blur; /* one tap: no blur */
    FloatDsp dsp;
} FloatMotionSetup;

typedef struct FloatMotionResult {
    double step; /* difference from the frame before; meaningless for the first frame */
} FloatMotionResult;

/* The setup of a feature after its init. NULL if its options make every score 0, so that nothing is
 * measured. */
const FloatMotionSetup *float_motion_setup(const Feature *f);

extern const struct FeatureGpu float_motion_gpu; /* float_motion_gpu.c */

#endif
