/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernels of psnr. */

#if defined(KERNEL_psnr_sse)
/* Sum of squared differences of one plane; with FLOAT_SQUARES as float_psnr has them. A thread takes one word (4 or 2 samples) of each of
 * PSNR_ROWS rows, a group adds up its threads; the host adds up the groups. */
#include "feature/psnr/psnr_tile.h"
#define BUFFERS IN(0, u32, ref) IN(1, u32, dist) OUT(2, u64, sums)
#define PARAMS PSNR_SSE_PARAMS
#define SHARED_ARRAYS SHARED(u64, part, PSNR_GROUP_W)
#define GROUP_W PSNR_GROUP_W
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN

#ifdef FLOAT_SQUARES
#include "feature/common/psnr/float_square.h"
#define SQUARE(d) float_square(u32(abs_i32(d)))
#else
#define SQUARE(d) (u32(d) * u32(d))
#endif

/* A squared difference fits 32 bits at every depth; four of 8 bits do too. */
DEVICE u64 word_sse(u32 a, u32 b, u32 samples)
{
    u64 sse = u64(0u);
    for (u32 i = 0u; i < samples; i++) {
        i32 d = i32(sample_of(a, i)) - i32(sample_of(b, i));
        sse += u64(SQUARE(d));
    }
    return sse;
}

KERNEL_MAIN
{
    u32 word = GROUP_X * GROUP_W + LOCAL_X;
    u32 x = word * SAMPLES_PER_WORD;
    u32 y = GROUP_Y * PSNR_ROWS;
    u32 end = min_u32(y + PSNR_ROWS, height);
    u64 sse = u64(0u);
    if (x < width) {
        u32 samples = min_u32(SAMPLES_PER_WORD, width - x);
        for (; y < end; y++)
            sse += word_sse(ref[y * stride + word], dist[y * stride + word], samples);
    }
    GROUP_SUM(part, sse);
    if (LOCAL_INDEX == 0u)
        sums[first_sum + GROUP_Y * ((width + GROUP_W * SAMPLES_PER_WORD - 1u) /
                                    (GROUP_W * SAMPLES_PER_WORD)) + GROUP_X] = part[0];
}
KERNEL_END
#endif
