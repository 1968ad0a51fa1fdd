/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Row sums, written so that compilers turn them into vector code by themselves. psnr_scalar.c
 * includes this file for the baseline, psnr_simd.c for each instruction set. */
#ifndef FEATURE_PSNR_ROWS_H
#define FEATURE_PSNR_ROWS_H

#include "feature/common/psnr/psnr_dsp.h"

/* The number of squares of 12-bit numbers whose sum fits 32 bits. */
#define RUN_12 256
/* The number of squares of 8-bit numbers whose sum fits 32 bits, rounded down to a whole number of
 * vectors. */
#define RUN_8 32768

/* Number of independent sums in double, because a compiler may not split a sum by itself. */
#define LANES 16

static unsigned shorter(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

#define DEFINE_SSE(bits, type, run)                                                                \
    static uint64_t sse_row_##bits(const void *ref, const void *dist, unsigned w)                  \
    {                                                                                              \
        const type *a = ref, *b = dist;                                                            \
        uint64_t total = 0;                                                                        \
        for (unsigned x = 0; x < w; x += run) {                                                    \
            const unsigned end = x + shorter(run, w - x);                                          \
            uint32_t sum = 0;                                                                      \
            for (unsigned i = x; i < end; i++) {                                                   \
                const int16_t d = (int16_t)(a[i] - b[i]);                                          \
                sum += (uint32_t)(d * d);                                                          \
            }                                                                                      \
            total += sum;                                                                          \
        }                                                                                          \
        return total;                                                                              \
    }

DEFINE_SSE(8, uint8_t, RUN_8)
DEFINE_SSE(12, uint16_t, RUN_12)

static uint64_t sse_row_16(const void *ref, const void *dist, unsigned w)
{
    const uint16_t *a = ref, *b = dist;
    uint64_t total = 0;
    for (unsigned x = 0; x < w; x++) {
        const uint32_t d = (uint32_t)a[x] - b[x];
        /* Modulo 2^32. This is right also for negative d, because the square fits 32 bits. */
        total += (uint32_t)(d * d);
    }
    return total;
}

/* Adds up the lanes. A double holds the sum of a row of squares exactly, so any order will do. */
static uint64_t add_lanes(const double *lane)
{
    double sum = 0;
    for (unsigned i = 0; i < LANES; i++)
        sum += lane[i];
    return (uint64_t)sum;
}

static uint64_t float_sse_row_16(const void *ref, const void *dist, unsigned w)
{
    const uint16_t *a = ref, *b = dist;
    double lane[LANES] = { 0 };
    unsigned x = 0;
    for (; x + LANES <= w; x += LANES) {
        for (unsigned i = 0; i < LANES; i++) {
            const float d = (float)((int)a[x + i] - (int)b[x + i]);
            lane[i] += (double)(d * d);
        }
    }
    for (; x < w; x++) {
        const float d = (float)((int)a[x] - (int)b[x]);
        lane[0] += (double)(d * d);
    }
    return add_lanes(lane);
}

#define DEFINE_MOMENT(bits, type, run)                                                             \
    static void moment_row_##bits(MomentSums *sums, const void *row, unsigned w)                   \
    {                                                                                              \
        const type *v = row;                                                                       \
        for (unsigned x = 0; x < w; x += run) {                                                    \
            const unsigned end = x + shorter(run, w - x);                                          \
            uint32_t value = 0, square = 0;                                                        \
            for (unsigned i = x; i < end; i++) {                                                   \
                const int16_t s = (int16_t)v[i];                                                   \
                value += v[i];                                                                     \
                square += (uint32_t)(s * s);                                                       \
            }                                                                                      \
            sums->value += value;                                                                  \
            sums->square += square;                                                                \
        }                                                                                          \
    }

DEFINE_MOMENT(8, uint8_t, RUN_8)
DEFINE_MOMENT(12, uint16_t, RUN_12)

static void moment_row_16(MomentSums *sums, const void *row, unsigned w)
{
    const uint16_t *v = row;
    double lane[LANES] = { 0 };
    uint64_t value = 0;
    unsigned x = 0;
    for (; x + LANES <= w; x += LANES) {
        for (unsigned i = 0; i < LANES; i++) {
            const float s = (float)v[x + i];
            lane[i] += (double)(s * s);
        }
    }
    for (; x < w; x++) {
        const float s = (float)v[x];
        lane[0] += (double)(s * s);
    }
    for (x = 0; x < w; x++)
        value += v[x];
    sums->value += value;
    sums->square += add_lanes(lane);
}

static void psnr_rows_fill(PsnrDsp *dsp, unsigned bpc)
{
    if (bpc == 8)
        *dsp = (PsnrDsp){ sse_row_8, sse_row_8, moment_row_8 };
    else if (bpc <= 12)
        *dsp = (PsnrDsp){ sse_row_12, sse_row_12, moment_row_12 };
    else
        *dsp = (PsnrDsp){ sse_row_16, float_sse_row_16, moment_row_16 };
}

#endif
