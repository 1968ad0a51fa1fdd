/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernels of psnr. */

#if defined(KERNEL_psnr_sse)
/* Sums of squared differences of up to three planes. The workgroups of the planes follow each
 * other. With FLOAT_SQUARES every square is rounded to single precision, for float_psnr. A thread
 * takes four words (of 4 or 2 samples) of each of PSNR_ROWS rows, a workgroup adds up its threads,
 * and the host adds up the workgroups. */
#include "feature/psnr/psnr_tile.h"
#define BUFFERS                                                                                    \
    IN(0, u32x4, ref_0) IN(1, u32x4, dist_0) IN(2, u32x4, ref_1) IN(3, u32x4, dist_1)              \
    IN(4, u32x4, ref_2) IN(5, u32x4, dist_2) OUT(6, u64, sums)
#define PARAMS PSNR_SSE_PARAMS
#define SHARED_ARRAYS SHARED(SUM, part, PSNR_GROUP_W * PSNR_GROUP_H)
#define GROUP_W PSNR_GROUP_W
#define GROUP_H PSNR_GROUP_H
/* A squared difference fits 32 bits at every depth; at 8 bits the sum of a whole workgroup does. */
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

/* A mask of the bits of a word that are samples of the plane; x is the column of its first
 * sample. */
DEVICE u32 samples_from(u32 x, u32 width)
{
    if (x + SAMPLES_PER_WORD <= width)
        return 0xffffffffu;
    return x < width ? (1u << ((width - x) * (32u / SAMPLES_PER_WORD))) - 1u : 0u;
}

DEVICE SUM word_sse(u32 a, u32 b, u32 mask)
{
    SUM sse = SUM(0u);
    UNROLL for (u32 i = 0u; i < SAMPLES_PER_WORD; i++) {
        i32 d = i32(sample_of(a & mask, i)) - i32(sample_of(b & mask, i));
        sse += SUM(SQUARE(d));
    }
    return sse;
}

/* All samples are loaded before any of them is used. For positions outside of the plane a sample
 * inside is loaded, and masked out. */
#define ADD_PLANE(p)                                                                               \
    do {                                                                                           \
        u32 group_ = GROUP_X - first_##p, words_ = stride_##p / PSNR_WORDS;                        \
        u32 at_ = group_ % groups_x_##p * GROUP_W + LOCAL_X;                                       \
        u32 x_ = at_ * PSNR_WORDS * SAMPLES_PER_WORD;                                              \
        u32 y_ = group_ / groups_x_##p * PSNR_TILE_ROWS + LOCAL_Y;                                 \
        u32x4 a_[PSNR_ROWS], b_[PSNR_ROWS];                                                        \
        UNROLL for (u32 i_ = 0u; i_ < PSNR_ROWS; i_++)                                             \
        {                                                                                          \
            u32 row_ = min_u32(y_ + i_ * GROUP_H, height_##p - 1u) * words_;                       \
            a_[i_] = ref_##p[row_ + min_u32(at_, words_ - 1u)];                                    \
            b_[i_] = dist_##p[row_ + min_u32(at_, words_ - 1u)];                                   \
        }                                                                                          \
        u32 mask_x_ = samples_from(x_, width_##p);                                                 \
        u32 mask_y_ = samples_from(x_ + SAMPLES_PER_WORD, width_##p);                              \
        u32 mask_z_ = samples_from(x_ + 2u * SAMPLES_PER_WORD, width_##p);                         \
        u32 mask_w_ = samples_from(x_ + 3u * SAMPLES_PER_WORD, width_##p);                         \
        UNROLL for (u32 i_ = 0u; i_ < PSNR_ROWS; i_++)                                             \
        {                                                                                          \
            SUM row_ = word_sse(a_[i_].x, b_[i_].x, mask_x_) +                                     \
                       word_sse(a_[i_].y, b_[i_].y, mask_y_) +                                     \
                       word_sse(a_[i_].z, b_[i_].z, mask_z_) +                                     \
                       word_sse(a_[i_].w, b_[i_].w, mask_w_);                                      \
            sse += y_ + i_ * GROUP_H < height_##p ? row_ : SUM(0u);                                \
        }                                                                                          \
    } while (false)

KERNEL_MAIN
{
    SUM sse = SUM(0u);
    if (GROUP_X >= first_2)
        ADD_PLANE(2);
    else if (GROUP_X >= first_1)
        ADD_PLANE(1);
    else
        ADD_PLANE(0);
    GROUP_SUM(part, sse);
    if (LOCAL_INDEX == 0u)
        sums[GROUP_X] = u64(part[0]);
}
KERNEL_END
#endif
