/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Row arithmetic of the SSIM family. Outputs are independent of each other; within an output the
 * order of operations is the one written here, so any vector width gives the same bits. */
#ifndef FEATURE_SSIM_DSP_H
#define FEATURE_SSIM_DSP_H

#include <stddef.h>

/* What the window gathers about two images A and B. */
enum { SSIM_A, SSIM_B, SSIM_AA, SSIM_BB, SSIM_AB, SSIM_MAPS };

/* Likeness of two neighbourhoods: luminance, contrast, structure. */
typedef struct SsimTerms {
    double *l, *c, *s;
} SsimTerms;

typedef struct SsimDsp {
    /* out[i] = single(sum over k, in double and in order, of single(rows[k][i] * taps[k])).
     * With rows[k] = row + k this filters along a row. `out` overlaps no row. */
    void (*weigh)(float *out, const float *const *rows, const float *taps, unsigned count,
                  size_t n);

    /* sums[i] += single(row[i] * tap) */
    void (*add)(double *sums, const float *row, float tap, size_t n);

    /* The terms of n neighbourhoods from the window's means of A, B and their products. */
    void (*terms)(const SsimTerms *out, const float *const maps[SSIM_MAPS], size_t n);
} SsimDsp;

void ssim_dsp_init(SsimDsp *dsp, unsigned cpu);

#endif
