/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Row arithmetic in single precision that the float features share. Every operation is rounded on
 * its own, in the order written here; outputs are independent of each other, so any vector width
 * gives the same bits. No function touches more than the `n` elements it is asked for. */
#ifndef FEATURE_COMMON_FLOAT_DSP_H
#define FEATURE_COMMON_FLOAT_DSP_H

#include <stddef.h>

enum { FLOAT_GROUP = 4 };

typedef struct FloatDsp {
    /* out[i] = samples[i] * scale + offset. Exact for scales of 2^(8 - bpc) and offsets of 0 and
     * -128. */
    void (*load)(float *out, const void *samples, size_t n, float scale, float offset);

    /* out[i] = ((0 + taps[0] * rows[0][i]) + taps[1] * rows[1][i]) + …
     * With rows[k] = row + k this is the horizontal pass of a filter. `out` overlaps no row. */
    void (*weigh)(float *out, const float *const *rows, const float *taps, unsigned count,
                  size_t n);

    /* FLOAT_GROUP rows of a vertical pass at once: out[i] as weigh makes it from rows + i. The rows
     * they share are read once. */
    void (*weigh_group)(float *const out[FLOAT_GROUP], const float *const *rows, const float *taps,
                        unsigned count, size_t n);

    /* As weigh with four taps, for two filters over the same rows. */
    void (*weigh4x2)(float *out_a, float *out_b, const float *const *rows, const float *taps_a,
                     const float *taps_b, size_t n);

    void (*multiply)(float *out, const float *a, const float *b, size_t n); /* a * b */
    void (*subtract)(float *out, const float *a, const float *b, size_t n); /* a - b */
    void (*distance)(float *out, const float *a, const float *b, size_t n); /* |a - b| */

    /* even[i] = in[2i], odd[i] = in[2i + 1], i < n. */
    void (*split)(float *even, float *odd, const float *in, size_t n);

    /* sums[k] = rows[k] added up from left to right, from 0. The order is part of the result: rows
     * are added side by side, never the samples of one row. */
    void (*row_sums)(float *sums, const float *const *rows, unsigned count, size_t n);
} FloatDsp;

/* `bpc` chooses what `load` reads: bytes at 8, else 16-bit words. `cpu`: enum CpuFlag bits. */
void float_dsp_init(FloatDsp *dsp, unsigned bpc, unsigned cpu);

#endif
