/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernels of psnr. */

#if defined(KERNEL_psnr_sse)
/* Sum of squared differences of one plane; with FLOAT_SQUARES as float_psnr has them. A thread takes four words (of 4 or 2 samples) of each of
 * PSNR_ROWS rows, a group adds up its threads; the host adds up the groups. */
#include "feature/psnr/psnr_tile.h"
#define BUFFERS IN(0, u32x4, ref) IN(1, u32x4, dist) OUT(2, u64, sums)
#define PARAMS PSNR_SSE_PARAMS
#define SHARED_ARRAYS SHARED(SUM, part, PSNR_GROUP_W * PSNR_GROUP_H)
#define GROUP_W PSNR_GROUP_W
#define GROUP_H PSNR_GROUP_H
/* A squared difference fits 32 bits at every depth; at 8 bits a whole group's do. */
#if HBD
#define SUM u64
#else
#define SUM u32
#endif
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN

#ifdef FLOAT_SQUARES
#include "feature/common/psnr/float_square.h"
#define SQUARE(d) float_square(u32(abs_i32(d)))
#else
#define SQUARE(d) (u32(d) * u32(d))
#endif

/* The bits of a word that are samples of the plane; x is its first one's column. */
DEVICE u32 samples_from(u32 x)
{
    if (x + SAMPLES_PER_WORD <= width)
        return 0xffffffffu;
    return x < width ? (1u << ((width - x) * (32u / SAMPLES_PER_WORD))) - 1u : 0u;
}

DEVICE SUM word_sse(u32 a, u32 b)
{
    SUM sse = SUM(0u);
    UNROLL for (u32 i = 0u; i < SAMPLES_PER_WORD; i++) {
        i32 d = i32(sample_of(a, i)) - i32(sample_of(b, i));
        sse += SUM(SQUARE(d));
    }
    return sse;
}

KERNEL_MAIN
{
    u32 at = GROUP_X * GROUP_W + LOCAL_X, x = at * PSNR_WORDS * SAMPLES_PER_WORD;
    u32 y = GROUP_Y * PSNR_TILE_ROWS + LOCAL_Y;
    SUM sse = SUM(0u);
    if (x < width) {
        u32 mask_y = samples_from(x + SAMPLES_PER_WORD), mask_z = samples_from(x + 2u * SAMPLES_PER_WORD);
        u32 mask_x = samples_from(x), mask_w = samples_from(x + 3u * SAMPLES_PER_WORD);
        UNROLL for (u32 i = 0u; i < PSNR_ROWS; i++) {
            u32 row = y + i * GROUP_H;
            if (row < height) {
                u32x4 a = ref[row * (stride / PSNR_WORDS) + at], b = dist[row * (stride / PSNR_WORDS) + at];
                sse += word_sse(a.x & mask_x, b.x & mask_x) + word_sse(a.y & mask_y, b.y & mask_y) +
                       word_sse(a.z & mask_z, b.z & mask_z) + word_sse(a.w & mask_w, b.w & mask_w);
            }
        }
    }
    GROUP_SUM(part, sse);
    if (LOCAL_INDEX == 0u)
        sums[first_sum + GROUP_Y * groups_x + GROUP_X] = u64(part[0]);
}
KERNEL_END
#endif
