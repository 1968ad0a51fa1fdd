/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Row sums for psnr, float_psnr and float_moment. All are exact integers, so any order of additions
 * gives the same result. */
#ifndef FEATURE_PSNR_DSP_H
#define FEATURE_PSNR_DSP_H

#include <stdint.h>

#include "engine/picture.h"

typedef struct MomentSums {
    uint64_t value;  /* sum of samples */
    uint64_t square; /* sum of squares, each rounded to 24 significant bits */
} MomentSums;

/* Row functions, chosen for the CPU. */
typedef struct PsnrDsp {
    /* Sum of squared differences of two rows of w samples. */
    uint64_t (*sse_row)(const void *ref, const void *dist, unsigned w);

    /* Sum of squared differences with every square rounded to single precision (24 bits), for
     * float_psnr. Up to 12 bits per sample, squares fit 24 bits. w is below 2^21. */
    uint64_t (*float_sse_row)(const void *ref, const void *dist, unsigned w);

    /* Adds a row of w samples (below 2^21) to `sums`. */
    void (*moment_row)(MomentSums *sums, const void *row, unsigned w);
} PsnrDsp;

/* `bpc` is 8, 10, 12 or 16. */
void psnr_dsp_init(PsnrDsp *dsp, unsigned bpc, unsigned cpu);

/* Sums of squares in single precision, kept as integers.
 *
 * float_psnr and float_moment are defined as sums, in double and in raster order, of
 * single-precision squares. In units of a sample step every square is an integer below 2^32, so as
 * long as the sum stays below FLOAT_SQUARES_EXACT it is exact, its order does not matter, and row
 * sums may be added as integers. Only large 16-bit frames that are bright (or very different)
 * exceed it. For these the sum in raster order is the definition; it is an integer, too. */
#define FLOAT_SQUARES_EXACT (UINT64_C(1) << 53)

/* Sum of (a - b)^2 over the luma of 16-bit pictures, in raster order. If `b` is NULL it counts as
 * 0. */
uint64_t float_squares_in_order(const VmafPicture *a, const VmafPicture *b);

#endif
