/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_ssim and float_ms_ssim on the GPU. */
#ifndef FEATURE_SSIM_GPU_H
#define FEATURE_SSIM_GPU_H

#include "engine/feature.h"

extern const struct FeatureGpu float_ssim_gpu, float_ms_ssim_gpu; /* ssim_gpu.c */

/* By how much float_ssim shrinks its images, and to what size. */
typedef struct SsimShrink {
    unsigned factor, w, h;
} SsimShrink;
SsimShrink float_ssim_shrink(const Feature *f);

enum { MS_SSIM_SCALES = 5 };

#endif
