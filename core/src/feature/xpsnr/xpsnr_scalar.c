/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The tile functions of xpsnr in plain C. All other versions must give the same sums. Samples of 16
 * bits count as signed numbers in activities, and as unsigned ones in squared errors. */
#include <stdlib.h>

#include "base/simd_fn.h"
#include "feature/xpsnr/xpsnr.h"

static int sample_8(const void *row, unsigned x)
{
    return ((const uint8_t *)row)[x];
}

static int sample_16(const void *row, unsigned x)
{
    return ((const int16_t *)row)[x];
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Sum of three neighbours of a row with the weights 1, 2, 1. */
#define BLURRED(row, x) (sample(row, (x)-1) + 2 * sample(row, x) + sample(row, (x) + 1))

/* The taps of the high-pass of large pictures, for rows and columns from -2 to +3. */
static const int8_t large_taps[6][6] = {
    { 0, -1, -1, -1, -1, 0 },   { -1, -2, -3, -3, -2, -1 }, { -1, -3, 12, 12, -3, -1 },
    { -1, -3, 12, 12, -3, -1 }, { -1, -2, -3, -3, -2, -1 }, { 0, -1, -1, -1, -1, 0 },
};

#define DEFINE_ROWS(bits)                                                                          \
    static void spatial_##bits(uint64_t *sums, XpsnrRows rows, unsigned n, unsigned x0,            \
                               unsigned x1, unsigned w)                                            \
    {                                                                                              \
        int (*const sample)(const void *, unsigned) = sample_##bits;                               \
        for (unsigned y = 0; y < n; y++, rows++) {                                                 \
            for (unsigned x = x0 ? x0 : 1; x < x1 && x + 1 < w; x++) {                             \
                const int f = 16 * sample(rows[0], x) - BLURRED(rows[-1], x) -                     \
                              2 * BLURRED(rows[0], x) - BLURRED(rows[1], x);                       \
                sums[(x - x0) / 4] += (uint64_t)abs(f);                                            \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void spatial_large_##bits(uint64_t *sums, XpsnrRows rows, unsigned n, unsigned x0,      \
                                     unsigned x1, unsigned w)                                      \
    {                                                                                              \
        for (unsigned y = 0; y < n; y += 2) {                                                      \
            for (unsigned x = x0 ? x0 : 2; x < x1 && x + 2 < w; x += 2) {                          \
                int f = 0;                                                                         \
                for (int j = 0; j < 6; j++)                                                        \
                    for (unsigned i = 0; i < 6; i++)                                               \
                        f += large_taps[j][i] *                                                    \
                             sample_##bits(rows[(int)y + j - 2], smaller(x + i - 2, w - 1));       \
                sums[(x - x0) / 4] += (uint64_t)abs(f);                                            \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static int change_1_##bits(const void *row, const void *const earlier[2], unsigned x)          \
    {                                                                                              \
        return sample_##bits(row, x) - sample_##bits(earlier[0], x);                               \
    }                                                                                              \
                                                                                                   \
    static int change_2_##bits(const void *row, const void *const earlier[2], unsigned x)          \
    {                                                                                              \
        return sample_##bits(row, x) - 2 * sample_##bits(earlier[0], x) +                          \
               sample_##bits(earlier[1], x);                                                       \
    }

DEFINE_ROWS(8)
DEFINE_ROWS(16)

#define DEFINE_TEMPORAL(order, bits)                                                               \
    static void temporal_##order##_##bits(uint64_t *sums, XpsnrRows rows,                          \
                                          const XpsnrRows earlier[2], unsigned n, unsigned x0,     \
                                          unsigned x1, unsigned w)                                 \
    {                                                                                              \
        for (unsigned y = 0; y < n; y++) {                                                         \
            const void *const before[2] = { earlier[0][y], earlier[1][y] };                        \
            for (unsigned x = x0; x < x1; x++)                                                     \
                sums[(x - x0) / 4] += (uint64_t)abs(change_##order##_##bits(rows[y], before, x));  \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void temporal_##order##_large_##bits(uint64_t *sums, XpsnrRows rows,                    \
                                                const XpsnrRows earlier[2], unsigned n,            \
                                                unsigned x0, unsigned x1, unsigned w)              \
    {                                                                                              \
        for (unsigned y = 0; y < n; y += 2) {                                                      \
            for (unsigned x = x0; x < x1; x += 2) {                                                \
                int cell = 0;                                                                      \
                for (unsigned k = 0; k < 4; k++) {                                                 \
                    const unsigned row = y + k / 2;                                                \
                    const void *const before[2] = { earlier[0][row], earlier[1][row] };            \
                    cell += change_##order##_##bits(rows[row], before, smaller(x + k % 2, w - 1)); \
                }                                                                                  \
                sums[(x - x0) / 4] += (uint64_t)abs(cell);                                         \
            }                                                                                      \
        }                                                                                          \
    }

DEFINE_TEMPORAL(1, 8)
DEFINE_TEMPORAL(1, 16)
DEFINE_TEMPORAL(2, 8)
DEFINE_TEMPORAL(2, 16)

#define DEFINE_SQUARES(bits, type)                                                                 \
    static void squares_##bits(uint64_t *sums, XpsnrRows ref, XpsnrRows dist, unsigned n,          \
                               unsigned x0, unsigned x1)                                           \
    {                                                                                              \
        for (unsigned y = 0; y < n; y++) {                                                         \
            const type *const a = ref[y], *const b = dist[y];                                      \
            for (unsigned x = x0; x < x1; x++) {                                                   \
                const int64_t d = (int64_t)a[x] - b[x];                                            \
                sums[(x - x0) / 2] += (uint64_t)(d * d);                                           \
            }                                                                                      \
        }                                                                                          \
    }

DEFINE_SQUARES(8, uint8_t)
DEFINE_SQUARES(16, uint16_t)

SIMD_DECLARE_ICL(xpsnr_dsp_init, XpsnrDsp *dsp, unsigned bpc, unsigned order, bool large);

void xpsnr_dsp_init(XpsnrDsp *dsp, unsigned bpc, unsigned order, bool large, unsigned cpu)
{
    static const XpsnrDsp table[2][2][2] = {
        /* [bits above 8][order 2][large] */
        { { { spatial_8, temporal_1_8, squares_8 },
            { spatial_large_8, temporal_1_large_8, squares_8 } },
          { { spatial_8, temporal_2_8, squares_8 },
            { spatial_large_8, temporal_2_large_8, squares_8 } } },
        { { { spatial_16, temporal_1_16, squares_16 },
            { spatial_large_16, temporal_1_large_16, squares_16 } },
          { { spatial_16, temporal_2_16, squares_16 },
            { spatial_large_16, temporal_2_large_16, squares_16 } } },
    };
    *dsp = table[bpc > 8][order > 1][large];
    SIMD_CALL_ICL(cpu, xpsnr_dsp_init, dsp, bpc, order, large);
}
