/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* psnr_hvs with a block in each vector lane, compiled for each instruction set. */
#include "feature/psnr_hvs/psnr_hvs.h"

#include "base/simd.h"

void SIMD_FN(hvs_dsp_init)(HvsDsp *dsp, unsigned bpc);

typedef v_s32 hvs_int;
typedef vf hvs_float;

#define hvs_to_float(i) v_s32_to_f32((vi)(i))
#define hvs_set(x) v_set_f32(x)
#define hvs_sqrt(x) v_sqrt_f32(x)
#define hvs_abs(i) ((hvs_int)v_abs_s32((vi)(i)))
#define hvs_max(a, b) v_max_f32(a, b)
#define hvs_quotient(a, b) v_select_f32(hvs_positive(b), v_div_f32(a, b), v_set_f32(0.0f))
#define hvs_mark(bits, x, bit) ((hvs_int)v_or((vi)(bits), v_keep32(hvs_positive(x), v_set32(bit))))

/* Lanes where x > 0. x is not negative, so comparing its bits as integers is enough. */
V_INLINE vm hvs_positive(vf x)
{
    return vm_gt_s32((vi)x, v_zero());
}

#include "feature/psnr_hvs/psnr_hvs_block.h"

/* Rows of blocks are loaded in words of 4 bytes. Lanes behind the last block repeat it. */
#define DEFINE_BLOCKS(bits, type)                                                                  \
    V_INLINE void load_##bits(hvs_int *s, const void *plane, ptrdiff_t stride, unsigned first,     \
                              unsigned count)                                                      \
    {                                                                                              \
        enum { PER_WORD = 32 / bits, WORDS = HVS_SIDE / PER_WORD };                                \
        for (unsigned y = 0; y < HVS_SIDE; y++) {                                                  \
            const type *row = (const void *)((const char *)plane + (ptrdiff_t)y * stride);         \
            uint32_t words[WORDS][V32];                                                            \
            for (unsigned lane = 0; lane < V32; lane++) {                                          \
                const unsigned b = first + lane < count ? first + lane : count - 1;                \
                for (unsigned i = 0; i < WORDS; i++)                                               \
                    memcpy(&words[i][lane], row + b * HVS_STEP + i * PER_WORD, 4);                 \
            }                                                                                      \
            for (unsigned x = 0; x < HVS_SIDE; x++) {                                              \
                const v_u32 word = (v_u32)v_load(words[x / PER_WORD]);                             \
                s[y * HVS_SIDE + x] =                                                              \
                    (hvs_int)(word >> x % PER_WORD * bits & (uint32_t)((1 << bits) - 1));          \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void blocks_##bits(HvsTerms *out, const HvsBlocks *blocks, const HvsTables *tables)     \
    {                                                                                              \
        for (unsigned first = 0; first < blocks->count; first += V32) {                            \
            hvs_int ref[HVS_COEFS], dist[HVS_COEFS], seen[2] = { { 0 }, { 0 } };                   \
            hvs_float term[HVS_COEFS];                                                             \
            load_##bits(ref, blocks->ref, blocks->ref_stride, first, blocks->count);               \
            load_##bits(dist, blocks->dist, blocks->dist_stride, first, blocks->count);            \
            hvs_block(term, seen, ref, dist, tables);                                              \
            for (unsigned k = 0; k < HVS_COEFS; k++)                                               \
                v_store_f32(out->term[k] + first, term[k]);                                        \
            v_store(out->seen[0] + first, (vi)seen[0]);                                            \
            v_store(out->seen[1] + first, (vi)seen[1]);                                            \
        }                                                                                          \
    }

DEFINE_BLOCKS(8, uint8_t)
DEFINE_BLOCKS(16, uint16_t)

SIMD_ONCE void SIMD_FN(hvs_dsp_init)(HvsDsp *dsp, unsigned bpc)
{
    dsp->blocks = bpc > 8 ? blocks_16 : blocks_8;
}
