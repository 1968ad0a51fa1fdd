/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What psnr_hvs's CPU and GPU code share. */
#ifndef FEATURE_PSNR_HVS_H
#define FEATURE_PSNR_HVS_H

#include "engine/feature.h"
#include "feature/psnr_hvs/hvs_dsp.h"

/* One chain of single-precision additions per plane, through all blocks and coefficients in raster
 * order. The rounding errors of that order are part of the score. */
typedef struct HvsResult {
    float error[3];
} HvsResult;

/* Blocks along a side; samples past the last complete block are ignored. */
static inline unsigned hvs_block_count(unsigned side)
{
    return side < HVS_SIDE ? 0 : (side - HVS_SIDE) / HVS_STEP + 1;
}

const HvsTables *hvs_tables(const Feature *f, unsigned plane);

extern const struct FeatureGpu psnr_hvs_gpu; /* psnr_hvs_gpu.c */

#endif
