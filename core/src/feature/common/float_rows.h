/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Rows of single-precision numbers, for the float features: arithmetic over rows (FloatDsp), a
 * plane as rows made on demand (FloatRows), separable filters (FloatFilter), and sums in a fixed
 * order (FloatTotal). Objects belong to one measure and are used by one thread at a time; a
 * FloatDsp or FloatFilter may be shared once it is filled. */
#ifndef FEATURE_COMMON_FLOAT_ROWS_H
#define FEATURE_COMMON_FLOAT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "feature/common/resample.h"

/* ---- FloatDsp
 *
 * Every operation is rounded on its own, in the order written here. Outputs are independent of each
 * other, so any vector width gives the same bits. No function touches more than the `n` elements it
 * is asked for. */

enum { FLOAT_GROUP = 4 };

typedef struct FloatDsp {
    /* out[i] = samples[i] * scale + offset. Exact for scales of 2^(8 - bpc) and offsets of 0 and
     * -128. */
    void (*load)(float *out, const void *samples, size_t n, float scale, float offset);

    /* out[i] = ((0 + taps[0] * rows[0][i]) + taps[1] * rows[1][i]) + …
     * With rows[k] = row + k this is the horizontal pass of a filter. `out` overlaps no row. */
    void (*weigh)(float *out, const float *const *rows, const float *taps, unsigned count,
                  size_t n);

    /* FLOAT_GROUP rows of a vertical pass at once: out[i] is what weigh makes from rows + i. The
     * rows they share are read once. */
    void (*weigh_group)(float *const out[FLOAT_GROUP], const float *const *rows, const float *taps,
                        unsigned count, size_t n);

    /* Like weigh with four taps, for two filters over the same rows. */
    void (*weigh4x2)(float *out_a, float *out_b, const float *const *rows, const float *taps_a,
                     const float *taps_b, size_t n);

    void (*multiply)(float *out, const float *a, const float *b, size_t n); /* a * b */
    void (*subtract)(float *out, const float *a, const float *b, size_t n); /* a - b */
    void (*distance)(float *out, const float *a, const float *b, size_t n); /* |a - b| */

    /* even[i] = in[2i], odd[i] = in[2i + 1], i < n. */
    void (*split)(float *even, float *odd, const float *in, size_t n);

    /* sums[k] = the sum of rows[k] from left to right, starting at 0. The order is part of the
     * result: several rows may be summed side by side, but never the samples of one row. */
    void (*row_sums)(float *sums, const float *const *rows, unsigned count, size_t n);
} FloatDsp;

/* Fills the table with the best routines that `cpu` (enum CpuFlag) allows. `bpc` decides what
 * `load` reads: bytes at 8, else 16-bit words. */
void float_dsp_init(FloatDsp *dsp, unsigned bpc, unsigned cpu);

/* ---- FloatRows: a plane of samples as rows of floats, made when they are asked for. The last few
 * stay valid, so that filters slide down a picture without a float copy of it. */

/* The float features support 8, 10, 12 and 16 bits: 0, or -EINVAL after an error that names the
 * feature. */
int float_rows_check_depth(const char *feature, unsigned bpc);

typedef struct FloatRowsParams {
    const FloatDsp *dsp;
    unsigned w, h; /* size of the plane of samples */
    unsigned bpc;
    float offset;               /* added to sample / 2^(bpc - 8) */
    unsigned window;            /* neighbouring rows that must stay valid together */
    const Resampler *resampler; /* NULL: the plane keeps its size. Must outlive the rows */
} FloatRowsParams;

typedef struct FloatRows FloatRows;

/* 0 or -ENOMEM. Destroy takes NULL. */
int float_rows_create(FloatRows **out, const FloatRowsParams *params);
void float_rows_destroy(FloatRows *rows);

/* Makes the rows read another plane from now on. The caller owns it. */
void float_rows_bind(FloatRows *rows, const void *samples, ptrdiff_t stride);

/* Makes the rows read the difference of two planes, `from` - `minus`. */
void float_rows_bind_difference(FloatRows *rows, const void *from, ptrdiff_t from_stride,
                                const void *minus, ptrdiff_t minus_stride);

/* Row `y` of the (resampled) plane, MEM_ALIGN-aligned. Any `window` neighbouring rows are
 * valid at the same time. */
const float *float_rows_get(FloatRows *rows, unsigned y);

/* ---- FloatFilter: a separable filter, vertical pass first, reflected at the borders */

enum { FILTER_MAX_TAPS = 65 };

typedef struct FloatFilter {
    unsigned count; /* odd */
    float taps[FILTER_MAX_TAPS];
} FloatFilter;

static inline unsigned filter_reach(const FloatFilter *filter)
{
    return filter->count / 2;
}

/* Allocates a row with room for reflected samples on both sides; NULL when out of memory. The n
 * samples start at a MEM_ALIGN boundary. Free it with float_line_free, which takes NULL. */
float *float_line_alloc(unsigned n);
void float_line_free(float *line);

/* Reflects `reach` < n samples on both sides of a line. */
void float_line_reflect(float *line, unsigned n, unsigned reach);

/* Filters the n samples of a line horizontally into `out`, after reflecting the line's borders. */
void float_filter_across(const FloatDsp *dsp, const FloatFilter *filter, float *out, float *line,
                         unsigned n);

/* Row `y` of a w x h plane, filtered both ways. `line` is working memory. */
void float_filter_row(const FloatDsp *dsp, const FloatFilter *filter, float *out, float *line,
                      FloatRows *rows, unsigned y, unsigned w, unsigned h);

/* ---- Gaussian taps for a FloatFilter. Their number depends on the scale of a pyramid (float_vif,
 * SpEED); the longest filter, at scale 0 and the largest factor, has FILTER_MAX_TAPS. */

/* True for the factors that are allowed. One within 1e-3 of these passes and is used unchanged. */
bool gauss_factor_allowed(double factor);

/* The number of taps at `scale` 0…4 of a kernel stretched by `factor`: odd, at least 3. */
unsigned gauss_length(unsigned scale, double factor);

/* Fills `count` taps, whose sum is 1 up to rounding, for the standard deviation `deviation`. */
void gauss_fill(float *taps, unsigned count, float deviation);

/* ---- FloatTotal: the sum of a plane as the float features define it. Each row is summed from left
 * to right, then the rows' sums from the top down, all in single precision. Rows are collected
 * until there are enough of them to be summed side by side. */

enum { FLOAT_TOTAL_ROWS = 8 };

typedef struct FloatTotal {
    const FloatDsp *dsp;
    unsigned width, waiting;
    size_t pitch;
    float *rows;
    float sum;
} FloatTotal;

/* 0 or -ENOMEM. */
int float_total_init(FloatTotal *total, const FloatDsp *dsp, unsigned width);
void float_total_free(FloatTotal *total);

/* Starts a plane with rows of `width` samples, at most the width given to init. */
void float_total_start(FloatTotal *total, unsigned width);
/* Write each row to float_total_row, then call float_total_add. */
float *float_total_row(FloatTotal *total);
void float_total_add(FloatTotal *total);
/* The sum of all rows added since the start. */
float float_total_finish(FloatTotal *total);

#endif
