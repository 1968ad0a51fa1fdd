/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SSIM of two images that arrive row by row: an 11x11 Gaussian window slides over both, wherever it
 * lies inside the image, and the likeness of the two neighbourhoods is summed up. */
#ifndef FEATURE_SSIM_WINDOW_H
#define FEATURE_SSIM_WINDOW_H

#include "feature/common/float_rows.h"
#include "feature/common/ssim/ssim_dsp.h"

enum { SSIM_WINDOW = 11 };

/* Sums over all positions of the window, each in double and in raster order, from 0. */
typedef struct SsimSums {
    double lcs, l, c, s;
} SsimSums;

/* The sums over the number of positions, rounded to single precision. An image smaller than the
 * window has none: NaN if a side lacks just one sample, else a zero. */
typedef struct SsimMeans {
    float lcs, l, c, s;
} SsimMeans;
SsimMeans ssim_means(const SsimSums *sums, unsigned w, unsigned h);

typedef struct SsimWindow {
    const FloatDsp *rows;
    const SsimDsp *dsp;
    unsigned w;
    unsigned taken;                        /* rows so far */
    float *square[3];                      /* A*A, B*B, A*B of the row at hand */
    float *across[SSIM_MAPS][SSIM_WINDOW]; /* row y, filtered along the row, is in slot y % 11 */
    float *mean[SSIM_MAPS];                /* filtered both ways */
    SsimTerms terms;
    SsimSums sums;
    void *block; /* holds all of the above */
} SsimWindow;

/* For images of width w; -ENOMEM. Free it in any case. */
int ssim_window_init(SsimWindow *win, const FloatDsp *rows, const SsimDsp *dsp, unsigned w);
void ssim_window_free(SsimWindow *win);

void ssim_window_start(SsimWindow *win);
void ssim_window_push(SsimWindow *win, const float *a, const float *b);

#endif
