/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What psnr measures in a frame. */
#ifndef FEATURE_PSNR_H
#define FEATURE_PSNR_H

#include <stdint.h>

typedef struct PsnrResult {
    uint64_t sse[3]; /* sum of squared differences of each plane; 0 for one that is not measured */
} PsnrResult;

extern const struct FeatureGpu psnr_gpu; /* psnr_gpu.c */

#endif
