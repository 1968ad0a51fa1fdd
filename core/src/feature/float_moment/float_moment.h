/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What float_moment's CPU and GPU code share. */
#ifndef FEATURE_FLOAT_MOMENT_H
#define FEATURE_FLOAT_MOMENT_H

#include "feature/common/psnr/psnr_dsp.h"

typedef struct FloatMomentResult {
    MomentSums ref, dist; /* in sample steps, see float_squares.h */
} FloatMomentResult;

extern const struct FeatureGpu float_moment_gpu; /* float_moment_gpu.c */

#endif
