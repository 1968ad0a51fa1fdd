/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What float_ssim's CPU and GPU code share. */
#ifndef FEATURE_FLOAT_SSIM_H
#define FEATURE_FLOAT_SSIM_H

#include "engine/feature.h"

/* By how much it shrinks its images, and to what size. */
typedef struct SsimShrink {
    unsigned factor, w, h;
} SsimShrink;
SsimShrink float_ssim_shrink(const Feature *f);

extern const struct FeatureGpu float_ssim_gpu; /* float_ssim_gpu.c */

#endif
