/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The work on blocks of psnr_hvs. */
#ifndef FEATURE_PSNR_HVS_DSP_H
#define FEATURE_PSNR_HVS_DSP_H

#include <stddef.h>
#include <stdint.h>

enum {
    HVS_SIDE = 8, /* of a block */
    HVS_STEP = 7, /* from one block to the next: they share a row or a column */
    HVS_COEFS = 64,
    HVS_GROUP = 16, /* blocks side by side that are worked on in one call */
};

/* How well a frequency is seen, and its square for masking; by rows, vertical frequency first. */
typedef struct HvsTables {
    float csf[HVS_COEFS], mask[HVS_COEFS];
} HvsTables;

/* Up to HVS_GROUP blocks of two planes, from the top left sample of the first. */
typedef struct HvsBlocks {
    const void *ref, *dist;
    ptrdiff_t ref_stride, dist_stride;
    unsigned count;
} HvsBlocks;

/* Weighted squared error of each coefficient of each block. Most are zero. */
typedef struct HvsTerms {
    float term[HVS_COEFS][HVS_GROUP];
    uint32_t seen[2][HVS_GROUP]; /* bit k % 32 of seen[k / 32]: term k is not zero */
} HvsTerms;

typedef struct HvsDsp {
    /* Fills the first blocks->count columns of `out`; the others hold anything. */
    void (*blocks)(HvsTerms *out, const HvsBlocks *blocks, const HvsTables *tables);
} HvsDsp;

void hvs_dsp_init(HvsDsp *dsp, unsigned bpc, unsigned cpu);

#endif
