/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernel of ciede: CIEDE2000 differences of pixels, summed up.
 *
 * The CPU works in double and narrows to single precision at each named step. Here curves come from tables of short
 * series, good to about 44 bits, so that nearly all narrowed values, and then nearly all differences, are the CPU's.
 *
 * Where double is slow or missing, pairs of floats stand in for it. Their products are three times as fast where
 * a * b + c is rounded once, which most devices do and Vulkan does not promise. So there are two variants, FUSED 1 and 0;
 * both are run, each asks the device, and one of them leaves at once. Where every device does, as with CUDA, the other one
 * is empty; and so it is in double (F64), which does not need to know. */
#include "feature/ciede/ciede_tile.h"

#define BUFFERS IN(0, u32, ref_y) IN(1, u32, ref_cb) IN(2, u32, ref_cr) IN(3, u32, dist_y)            \
    IN(4, u32, dist_cb) IN(5, u32, dist_cr) IN(6, u32x4, curves) OUT(7, u32, sums)
#define PARAMS CIEDE_PARAMS
#define SHARED_ARRAYS SHARED(u64, part, CIEDE_TILE_W * CIEDE_GROUP_H)
#define GROUP_W CIEDE_TILE_W
#define GROUP_H CIEDE_GROUP_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#ifdef F64
#include "feature/ciede/pixel_f64.h"
#else
#include "feature/ciede/pixel_pairs.h"
#endif

/* Chroma at the size of luma, as ciede.c does it: what is stored after a row follows it. */
DEVICE u32 chroma_row(u32 x, u32 y, INOUT(u32) column)
{
    if (subsampled == 0u) {
        column = x;
        return y;
    }
    u32 span = ((chroma_w + 31u) / 32u * 32u) * repeat;
    u32 row = min_u32(y / 2u, chroma_h - 1u);
    for (; x >= span; x -= span)
        row++;
    column = repeat == 2u ? x / 2u : x;
    return row;
}

DEVICE u32 chroma_of_ref(u32 row, u32 column, bool blue)
{
    if (column >= chroma_w || row >= (blue ? 2u * chroma_h : chroma_h))
        return 0u;
    u32 at = (row < chroma_h ? row : row - chroma_h) * chroma_stride;
    return blue && row < chroma_h ? SAMPLE(ref_cb, at, column) : SAMPLE(ref_cr, at, column);
}

DEVICE u32 chroma_of_dist(u32 row, u32 column, bool blue)
{
    if (column >= chroma_w || row >= (blue ? 2u * chroma_h : chroma_h))
        return 0u;
    u32 at = (row < chroma_h ? row : row - chroma_h) * chroma_stride;
    return blue && row < chroma_h ? SAMPLE(dist_cb, at, column) : SAMPLE(dist_cr, at, column);
}

KERNEL_MAIN
{
    if (!suits_device())
        return;
    u32 x = GROUP_X * CIEDE_TILE_W + LOCAL_X;
    u64 sum = u64(0);
    for (u32 i = LOCAL_Y; i < rows; i += CIEDE_GROUP_H) {
        u32 y = GROUP_Y * rows + i;
        if (x < width && y < height) {
            u32 column, row = chroma_row(x, y, column);
            u32 luma = SAMPLE(dist_y, y * luma_stride, x), blue = chroma_of_dist(row, column, true),
                red = chroma_of_dist(row, column, false);
            u32 next_luma = SAMPLE(ref_y, y * luma_stride, x), next_blue = chroma_of_ref(row, column, true),
                next_red = chroma_of_ref(row, column, false);
            Lab ref, dist;
            dist.l = dist.a = dist.b = 0.0f;
            for (u32 image = 0u; image < 2u; image++) {
                ref = dist;
                dist = to_lab(next_luma, next_blue, next_red);
                next_luma = luma;
                next_blue = blue;
                next_red = red;
            }
            sum += fixed_point(difference(ref, dist));
        }
    }
    GROUP_SUM(part, sum);
    if (LOCAL_INDEX == 0u) {
        u32 at = 2u * (GROUP_Y * tiles_x + GROUP_X);
        sums[at] = u32(part[0]);
        sums[at + 1u] = u32(part[0] >> 32);
    }
}
KERNEL_END
