/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The work on blocks of psnr_hvs. */
#ifndef FEATURE_PSNR_HVS_H
#define FEATURE_PSNR_HVS_H

#include <stddef.h>
#include <stdint.h>

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

#endif
