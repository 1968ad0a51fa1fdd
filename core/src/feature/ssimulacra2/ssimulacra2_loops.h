/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Row functions of ssimulacra2 that the compiler turns into vector code by itself. Scalar and
 * vector code include this file, each compiled for its own instruction set. Indices are size_t:
 * with unsigned int the compiler must expect 2 * x to wrap, and cannot load neighbours as a
 * vector. */
#include "feature/ssimulacra2/ssimulacra2.h"

#define DEFINE_CHROMA(bits, type)                                                                  \
    static void chroma_full_##bits(float *out, const void *near, const void *far, unsigned n,      \
                                   unsigned samples, int32_t centre)                               \
    {                                                                                              \
        const type *const row = near;                                                              \
        for (unsigned x = 0; x < n; x++)                                                           \
            out[x] = (float)(8 * row[x] - centre);                                                 \
    }                                                                                              \
                                                                                                   \
    static void chroma_half_##bits(float *restrict out, const void *near, const void *far,         \
                                   unsigned n, unsigned samples, int32_t centre)                   \
    {                                                                                              \
        const type *const row = near, *const other = far;                                          \
        int32_t both[CHROMA_SAMPLES];                                                              \
        const size_t half = n / 2, whole = samples < half + 1 ? samples : half + 1;                \
        for (size_t x = 0; x < whole; x++)                                                         \
            both[x] = 3 * row[x] + other[x];                                                       \
        for (size_t x = whole; x < half + 1; x++)                                                  \
            both[x] = both[whole - 1];                                                             \
        for (size_t x = 0; x < half; x++) {                                                        \
            out[2 * x] = (float)(2 * both[x] - centre);                                            \
            out[2 * x + 1] = (float)(both[x] + both[x + 1] - centre);                              \
        }                                                                                          \
        if (n % 2)                                                                                 \
            out[n - 1] = (float)(2 * both[n / 2] - centre);                                        \
    }

/* Chroma samples in a row of a strip, with the columns that the blur needs and one more. */
enum { CHROMA_SAMPLES = (SSIMU2_STRIP + 2 * SSIMU2_REACH) / 2 + 1 };

DEFINE_CHROMA(8, uint8_t)
DEFINE_CHROMA(16, uint16_t)
#undef DEFINE_CHROMA

typedef void Ssimu2Chroma(float *out, const void *near, const void *far, unsigned n,
                          unsigned samples, int32_t centre);

static Ssimu2Chroma *chroma_function(unsigned bpc, bool subsampled)
{
    if (bpc > 8)
        return subsampled ? chroma_half_16 : chroma_full_16;
    return subsampled ? chroma_half_8 : chroma_full_8;
}

static void halve(float *restrict out, const float *const rows[2], unsigned n)
{
    const float *const upper = rows[0], *const lower = rows[1];
    for (size_t x = 0; x < n; x++)
        out[x] = (((upper[2 * x] + upper[2 * x + 1]) + lower[2 * x]) + lower[2 * x + 1]) * 0.25f;
}
