/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Separable filters over float rows, borders reflected, vertical pass first; and ordered totals. */
#ifndef FEATURE_COMMON_FLOAT_FILTER_H
#define FEATURE_COMMON_FLOAT_FILTER_H

#include "feature/common/float_dsp.h"
#include "feature/common/float_rows.h"

enum { FILTER_MAX_TAPS = 65 };

typedef struct FloatFilter {
    unsigned count; /* odd */
    float taps[FILTER_MAX_TAPS];
} FloatFilter;

static inline unsigned filter_reach(const FloatFilter *filter)
{
    return filter->count / 2;
}

/* A row with room for reflected samples on both sides: NULL when out of memory. Free with
 * float_line_free. The n samples start at a MEM_ALIGN boundary. */
float *float_line_alloc(unsigned n);
void float_line_free(float *line);

/* Reflects `reach` < n samples on both sides of a line. */
void float_line_reflect(float *line, unsigned n, unsigned reach);

/* out = line filtered along its n samples, which get reflected for it. */
void float_filter_across(const FloatDsp *dsp, const FloatFilter *filter, float *out, float *line,
                         unsigned n);

/* Row `y` of a w x h plane, filtered both ways; `line` is working memory. */
void float_filter_row(const FloatDsp *dsp, const FloatFilter *filter, float *out, float *line,
                      FloatRows *rows, unsigned y, unsigned w, unsigned h);

/* The sum of a plane as the float features define it: each row from left to right, then the rows'
 * sums from the top down, all in single precision. Rows are kept until there are enough of them to
 * be added side by side. */
enum { FLOAT_TOTAL_ROWS = 8 };

typedef struct FloatTotal {
    const FloatDsp *dsp;
    unsigned width, waiting;
    size_t pitch;
    float *rows;
    float sum;
} FloatTotal;

int float_total_init(FloatTotal *total, const FloatDsp *dsp, unsigned width);
void float_total_free(FloatTotal *total);

/* Starts a plane of rows of `width` samples, no more than at init. */
void float_total_start(FloatTotal *total, unsigned width);
float *float_total_row(FloatTotal *total); /* where to write the next row; then float_total_add */
void float_total_add(FloatTotal *total);
float float_total_finish(FloatTotal *total);

#endif
