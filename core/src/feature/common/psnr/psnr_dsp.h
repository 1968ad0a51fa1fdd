/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Row sums of the psnr family. All are exact integers, so any order gives the same. */
#ifndef FEATURE_PSNR_DSP_H
#define FEATURE_PSNR_DSP_H

#include <stdint.h>

typedef struct MomentSums {
    uint64_t value;  /* sum of samples */
    uint64_t square; /* sum of squares, each rounded to 24 significant bits */
} MomentSums;

typedef struct PsnrDsp {
    /* Sum of squared differences of two rows of w samples. */
    uint64_t (*sse_row)(const void *ref, const void *dist, unsigned w);

    /* The same with every square rounded to single precision (24 bits), as float_psnr has it. Up to
     * 12 bits a square has no more than that. w is below 2^21. */
    uint64_t (*float_sse_row)(const void *ref, const void *dist, unsigned w);

    /* Adds a row of w samples (below 2^21) to `sums`. */
    void (*moment_row)(MomentSums *sums, const void *row, unsigned w);
} PsnrDsp;

/* `bpc` is 8, 10, 12 or 16. */
void psnr_dsp_init(PsnrDsp *dsp, unsigned bpc, unsigned cpu);

#endif
