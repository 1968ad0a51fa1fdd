/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What float_psnr's CPU and GPU code share. */
#ifndef FEATURE_FLOAT_PSNR_H
#define FEATURE_FLOAT_PSNR_H

#include <stdint.h>

typedef struct FloatPsnrResult {
    uint64_t sse; /* in sample steps, see float_squares.h */
} FloatPsnrResult;

extern const struct FeatureGpu float_psnr_gpu; /* float_psnr_gpu.c */

#endif
