/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* psnr_hvs for any CPU, one block after the other. */
#include "feature/psnr_hvs/psnr_hvs.h"

#include <math.h>
#include <stdlib.h>

#include "base/simd_fn.h"

SIMD_DECLARE(hvs_dsp_init, HvsDsp *dsp, unsigned bpc);

typedef int32_t hvs_int;
typedef float hvs_float;

#define hvs_to_float(i) ((float)(i))
#define hvs_set(x) ((float)(x))
#define hvs_sqrt(x) sqrtf(x)
#define hvs_abs(i) abs(i)
#define hvs_max(a, b) ((a) > (b) ? (a) : (b))
#define hvs_quotient(a, b) ((b) > 0.0f ? (a) / (b) : 0.0f)
#define hvs_mark(bits, x, bit) ((x) > 0.0f ? (bits) | (bit) : (bits))

#include "feature/psnr_hvs/psnr_hvs_block.h"

#define DEFINE_BLOCKS(bits, type)                                                                  \
    static void load_##bits(hvs_int s[HVS_COEFS], const void *plane, ptrdiff_t stride)             \
    {                                                                                              \
        for (unsigned y = 0; y < HVS_SIDE; y++) {                                                  \
            const type *row = (const void *)((const char *)plane + (ptrdiff_t)y * stride);         \
            for (unsigned x = 0; x < HVS_SIDE; x++)                                                \
                s[y * HVS_SIDE + x] = row[x];                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void blocks_##bits(HvsTerms *out, const HvsBlocks *blocks, const HvsTables *tables)     \
    {                                                                                              \
        const type *ref = blocks->ref, *dist = blocks->dist;                                       \
        for (unsigned b = 0; b < blocks->count; b++) {                                             \
            hvs_int samples[2][HVS_COEFS], seen[2] = { 0, 0 };                                     \
            hvs_float term[HVS_COEFS];                                                             \
            load_##bits(samples[0], ref + b * HVS_STEP, blocks->ref_stride);                       \
            load_##bits(samples[1], dist + b * HVS_STEP, blocks->dist_stride);                     \
            hvs_block(term, seen, samples[0], samples[1], tables);                                 \
            for (unsigned k = 0; k < HVS_COEFS; k++)                                               \
                out->term[k][b] = term[k];                                                         \
            out->seen[0][b] = (uint32_t)seen[0];                                                   \
            out->seen[1][b] = (uint32_t)seen[1];                                                   \
        }                                                                                          \
    }

DEFINE_BLOCKS(8, uint8_t)
DEFINE_BLOCKS(16, uint16_t)

void hvs_dsp_init(HvsDsp *dsp, unsigned bpc, unsigned cpu)
{
    dsp->blocks = bpc > 8 ? blocks_16 : blocks_8;
    SIMD_CALL(cpu, hvs_dsp_init, dsp, bpc);
}
