/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The next scale of float_ms_ssim: a 9x9 low-pass, then every other sample of every other row. The
 * image arrives row by row and leaves so. */
#ifndef FEATURE_SSIM_HALVE_H
#define FEATURE_SSIM_HALVE_H

#include <stdbool.h>

#include "feature/common/float_rows.h"
#include "feature/common/ssim/ssim_dsp.h"

enum { HALVE_TAPS = 9 };

typedef struct SsimHalve {
    const FloatDsp *rows;
    const SsimDsp *dsp;
    unsigned w, h;  /* of the image that comes in; what goes out is half of it, rounded up */
    unsigned taken; /* rows in so far */
    unsigned given; /* rows out so far */
    float *line;    /* a row with its reflected borders */
    float *even[HALVE_TAPS], *odd[HALVE_TAPS]; /* row y, parted, is in slot y % 9 */
} SsimHalve;

/* w and h are above 9; -ENOMEM. Free it in any case. */
int ssim_halve_init(SsimHalve *halve, const FloatDsp *rows, const SsimDsp *dsp, unsigned w,
                    unsigned h);
void ssim_halve_free(SsimHalve *halve);

void ssim_halve_start(SsimHalve *halve);
void ssim_halve_push(SsimHalve *halve, const float *row);

/* Writes the next row of the smaller image, if the rows that it needs are there. */
bool ssim_halve_pull(SsimHalve *halve, float *out);

#endif
