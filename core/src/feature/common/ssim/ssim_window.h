/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SSIM on the CPU, for float_ssim and float_ms_ssim (ssim uses only the names of the maps). An
 * 11x11 Gaussian window slides over two images, over all positions that lie inside them, and the
 * similarity of the two neighbourhoods is summed up. The images arrive row by row. */
#ifndef FEATURE_SSIM_WINDOW_H
#define FEATURE_SSIM_WINDOW_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/decimal.h"
#include "engine/picture.h"
#include "feature/common/float_rows.h"

/* ---- row functions ---- */

/* The five maps that the window filters: images A and B, and their products. */
enum { SSIM_A, SSIM_B, SSIM_AA, SSIM_BB, SSIM_AB, SSIM_MAPS };

/* Similarity of two neighbourhoods: luminance, contrast, structure. */
typedef struct SsimTerms {
    double *l, *c, *s;
} SsimTerms;

/* Row functions, chosen for the CPU. Their outputs do not depend on each other, and within an
 * output the order of operations is the one written here, so any vector width gives the same
 * bits. */
typedef struct SsimDsp {
    /* out[i] = single(sum over k, in double and in order, of single(rows[k][i] * taps[k])).
     * With rows[k] = row + k this filters horizontally. `out` must not overlap any row. */
    void (*weigh)(float *out, const float *const *rows, const float *taps, unsigned count,
                  size_t n);

    /* sums[i] += single(row[i] * tap) */
    void (*add)(double *sums, const float *row, float tap, size_t n);

    /* The terms of n neighbourhoods from the window's means of the five maps. */
    void (*terms)(const SsimTerms *out, const float *const maps[SSIM_MAPS], size_t n);
} SsimDsp;

void ssim_dsp_init(SsimDsp *dsp, unsigned cpu);

/* ---- the window ---- */

enum { SSIM_WINDOW = 11 };

/* Sums over all positions of the window, each in double and in raster order, starting at 0. */
typedef struct SsimSums {
    double lcs, l, c, s;
} SsimSums;

/* The sums divided by the number of positions, rounded to single precision. An image smaller than
 * the window has no positions: the means are NaN if one side is just one sample too short, else
 * zero. */
typedef struct SsimMeans {
    float lcs, l, c, s;
} SsimMeans;
SsimMeans ssim_means(const SsimSums *sums, unsigned w, unsigned h);

typedef struct SsimWindow {
    const FloatDsp *rows;
    const SsimDsp *dsp;
    unsigned w;
    unsigned taken;                        /* rows so far */
    float *square[3];                      /* A*A, B*B, A*B of the current row */
    float *across[SSIM_MAPS][SSIM_WINDOW]; /* row y, filtered horizontally, is in slot y % 11 */
    float *mean[SSIM_MAPS];                /* filtered both ways */
    SsimTerms terms;
    SsimSums sums;
    void *block; /* the memory that all pointers above point into */
} SsimWindow;

/* Prepares a window for images of width w. Returns -ENOMEM if there is no memory. Call
 * ssim_window_free in any case. */
int ssim_window_init(SsimWindow *win, const FloatDsp *rows, const SsimDsp *dsp, unsigned w);
void ssim_window_free(SsimWindow *win);

/* Begins a new pair of images. */
void ssim_window_start(SsimWindow *win);
/* Takes the next row of both images. */
void ssim_window_push(SsimWindow *win, const float *a, const float *b);
/* The sums of one position alone: position x of the row that the last call of ssim_window_push
 * completed. */
SsimSums ssim_window_position(const SsimWindow *win, unsigned x);

/* ---- the score ---- */

typedef struct SsimOptions {
    bool enable_lcs, enable_db, clip_db;
    int scale; /* float_ssim only */
} SsimOptions;

#define SSIM_OPTIONS                                                                               \
    BOOL_OPTION(SsimOptions, enable_lcs, "enable_lcs", NULL, false,                                \
                "also output luminance, contrast and structure"),                                  \
        BOOL_OPTION(SsimOptions, enable_db, "enable_db", NULL, false, "output the score in dB"),   \
        BOOL_OPTION(SsimOptions, clip_db, "clip_db", NULL, false,                                  \
                    "with enable_db: cap the score by what the picture size allows")

/* Returns the score, converted to dB if the options say so. In dB, NaN and scores above 1 become
 * the cap. */
static inline double ssim_score(double score, const SsimOptions *opt, const FrameShape *shape)
{
    if (!opt->enable_db)
        return score;
    double cap = INFINITY;
    if (opt->clip_db) {
        const double peak = (double)((1u << shape->bpc) - 1);
        const double mse = 0.5 / ((double)shape->w[0] * shape->h[0]);
        cap = ceil(10.0 * decimal_log(peak * peak / mse));
    }
    const double db = -10.0 * decimal_log(1.0 - score);
    return db < cap ? db : cap;
}

#endif
