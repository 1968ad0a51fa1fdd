/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A plane of samples as rows of single-precision numbers, made when they are asked for. The last
 * few stay valid, so that filters slide down a picture without a float copy of it. */
#ifndef FEATURE_COMMON_FLOAT_ROWS_H
#define FEATURE_COMMON_FLOAT_ROWS_H

#include <stddef.h>

#include "feature/common/float_dsp.h"
#include "feature/common/resample.h"

/* The float features know 8, 10, 12 and 16 bits: 0, or -EINVAL after a log line that names the
 * feature. */
int float_rows_check_depth(const char *feature, unsigned bpc);

typedef struct FloatRowsParams {
    const FloatDsp *dsp;
    unsigned w, h; /* of the plane of samples */
    unsigned bpc;
    float offset;               /* added to sample / 2^(bpc - 8) */
    unsigned window;            /* neighbouring rows that must stay valid together */
    const Resampler *resampler; /* NULL: the plane keeps its size. Must outlive the rows */
} FloatRowsParams;

typedef struct FloatRows FloatRows;

int float_rows_create(FloatRows **out, const FloatRowsParams *params);
void float_rows_destroy(FloatRows *rows);

/* Turns to another plane. */
void float_rows_bind(FloatRows *rows, const void *samples, ptrdiff_t stride);

/* Turns to the difference of two planes, `from` less `minus`. */
void float_rows_bind_difference(FloatRows *rows, const void *from, ptrdiff_t from_stride,
                                const void *minus, ptrdiff_t minus_stride);

/* Row `y` of the (resampled) plane, MEM_ALIGN-aligned. */
const float *float_rows_get(FloatRows *rows, unsigned y);

#endif
