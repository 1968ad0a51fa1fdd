/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What ssim's CPU and GPU code share. */
#ifndef FEATURE_SSIM_H
#define FEATURE_SSIM_H

typedef struct SsimResult {
    double sum, weight; /* both in raster order */
} SsimResult;

/* Sum of the window's taps that lie inside, at place `at` of n. */
double ssim_tap_sum(unsigned at, unsigned n);

/* The constants of the formula at a depth, before they are weighed. */
typedef struct SsimConstants {
    double luma, contrast;
} SsimConstants;
SsimConstants ssim_constants(unsigned bpc);

extern const struct FeatureGpu ssim_gpu; /* ssim_gpu.c */

#endif
