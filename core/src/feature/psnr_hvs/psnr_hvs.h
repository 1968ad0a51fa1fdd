/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Private declarations of psnr_hvs. */
#ifndef FEATURE_PSNR_HVS_H
#define FEATURE_PSNR_HVS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/feature.h"

enum {
    HVS_SIDE = 8, /* side of a block */
    HVS_STEP = 7, /* distance of neighbouring blocks: they share a row or a column */
    HVS_COEFS = 64,
    HVS_BATCH = 16, /* neighbouring blocks that are handled in one call */
};

/* How sensitive the eye is to each frequency, and how much each one masks. By rows, vertical
 * frequency first. */
typedef struct HvsTables {
    float csf[HVS_COEFS], mask[HVS_COEFS];
} HvsTables;

/* Up to HVS_BATCH neighbouring blocks of two planes. The pointers are those of the top left sample
 * of the first block. */
typedef struct HvsBlocks {
    const void *ref, *dist;
    ptrdiff_t ref_stride, dist_stride;
    unsigned count;
} HvsBlocks;

/* Weighted squared error of each coefficient of each block. Most are zero. */
typedef struct HvsTerms {
    float term[HVS_COEFS][HVS_BATCH];
    uint32_t seen[2][HVS_BATCH]; /* bit k % 32 of seen[k / 32]: term k is not zero */
} HvsTerms;

/* Row functions, chosen for the CPU. */
typedef struct HvsDsp {
    /* Fills the first blocks->count columns of `out`; the other columns are undefined. */
    void (*blocks)(HvsTerms *out, const HvsBlocks *blocks, const HvsTables *tables);
} HvsDsp;

void hvs_dsp_init(HvsDsp *dsp, unsigned bpc, unsigned cpu);

/* The error of each plane: one chain of single-precision additions through all blocks and
 * coefficients in raster order. The rounding errors of that order are part of the score. */
typedef struct HvsResult {
    float error[3];
} HvsResult;

/* Number of blocks along a side. Samples behind the last complete block are ignored. */
static inline unsigned hvs_block_count(unsigned side)
{
    return side < HVS_SIDE ? 0 : (side - HVS_SIDE) / HVS_STEP + 1;
}

/* The tables of a plane (0: luma). They belong to the feature. */
const HvsTables *hvs_tables(const Feature *f, unsigned plane);

extern const struct FeatureGpu psnr_hvs_gpu; /* psnr_hvs_gpu.c */

#endif
