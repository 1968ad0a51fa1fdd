/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Row loops that compilers vectorise by themselves. float_scalar.c and float_simd.c both include
 * this file and compile it with different flags. */
#include <math.h>
#include <stdint.h>

#include "feature/common/float_rows.h"

#define LOAD(name, sample)                                                                         \
    static void name(float *out, const void *samples, size_t n, float scale, float offset)         \
    {                                                                                              \
        const sample *in = samples;                                                                \
        for (size_t i = 0; i < n; i++)                                                             \
            out[i] = in[i] * scale + offset;                                                       \
    }
LOAD(load_8, uint8_t)
LOAD(load_16, uint16_t)
#undef LOAD

static void multiply(float *out, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] * b[i];
}

static void subtract(float *out, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] - b[i];
}

static void distance(float *out, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = fabsf(a[i] - b[i]);
}

static void split(float *restrict even, float *restrict odd, const float *restrict in, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        even[i] = in[2 * i];
        odd[i] = in[2 * i + 1];
    }
}
