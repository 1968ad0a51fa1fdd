/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What float_ansnr's CPU and GPU code share. */
#ifndef FEATURE_FLOAT_ANSNR_H
#define FEATURE_FLOAT_ANSNR_H

typedef struct AnsnrResult {
    float signal, noise; /* each row from left to right, then the rows from the top */
} AnsnrResult;

#define ANSNR_HEAVY_DIVISOR 571

extern const struct FeatureGpu float_ansnr_gpu; /* float_ansnr_gpu.c */

#endif
