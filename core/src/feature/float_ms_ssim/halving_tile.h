/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The part of an image that a group halves, in shared memory: HALVE_IN_H rows of HALVE_IN_W pairs of samples. Beyond the
 * image's edges it is reflected. Include it by halving.h. */

/* The edge sample is repeated; what no output needs is only kept inside. */
DEVICE u32 reflect(i32 i, u32 n)
{
    i32 r = i < 0 ? -1 - i : i < i32(n) ? i : 2 * i32(n) - 1 - i;
    return u32(clamp_i32(r, 0, i32(n) - 1));
}

/* (Signed: compilers know that it does not wrap when some of it is constant.) */
DEVICE Row row_at(i32 at)
{
    u32x2 p0 = tile[at], p1 = tile[at + 1], p2 = tile[at + 2], p3 = tile[at + 3], p4 = tile[at + 4];
    Row row;
    row.v0 = f32_of_bits(p0.x);
    row.v1 = f32_of_bits(p0.y);
    row.v2 = f32_of_bits(p1.x);
    row.v3 = f32_of_bits(p1.y);
    row.v4 = f32_of_bits(p2.x);
    row.v5 = f32_of_bits(p2.y);
    row.v6 = f32_of_bits(p3.x);
    row.v7 = f32_of_bits(p3.y);
    row.v8 = f32_of_bits(p4.x);
    return row;
}

DEVICE f32 sample_at(u32 x, u32 y)
{
    if (GROUP_Z == 0u)
        return PIXEL(ref, first_in, stride, x, y);
    return PIXEL(dist, first_in, stride, x, y);
}

/* Four samples beside each other. */
struct Four {
    f32 v0, v1, v2, v3;
};

/* Of bytes it is a word, whose first sample has a place that is a multiple of four. */
DEVICE Four four_at(i32 x, u32 y)
{
    Four four;
#ifdef BYTES
    if (x >= 0 && x + 3 < i32(width)) {
        u32 at = y * stride + u32(x) / 4u, word;
        if (GROUP_Z == 0u)
            word = ref[at];
        else
            word = dist[at];
        four.v0 = f32(sample_of(word, 0u));
        four.v1 = f32(sample_of(word, 1u));
        four.v2 = f32(sample_of(word, 2u));
        four.v3 = f32(sample_of(word, 3u));
        return four;
    }
#endif
    four.v0 = sample_at(reflect(x, width), y);
    four.v1 = sample_at(reflect(x + 1, width), y);
    four.v2 = sample_at(reflect(x + 2, width), y);
    four.v3 = sample_at(reflect(x + 3, width), y);
    return four;
}

#if defined(F64) || defined(BYTES)
#include "feature/float_ms_ssim/halving_no_extent.h"
#else
#include "feature/float_ms_ssim/halving_extent.h"
#endif

/* Loads the tile, which begins at that sample and row. */
DEVICE HalvingBounds load_tile(i32 in_left, i32 in_top)
{
    Extent extent = extent_start();
    for (u32 i = LOCAL_INDEX; i < HALVE_IN_W / 2 * HALVE_IN_H; i += GROUP_SIZE) {
        u32 row = i / (HALVE_IN_W / 2), column = i % (HALVE_IN_W / 2);
        Four four = four_at(in_left + i32(4u * column), reflect(in_top + i32(row), height));
        tile[2u * i] = U32X2(bits_of_f32(four.v0), bits_of_f32(four.v1));
        tile[2u * i + 1u] = U32X2(bits_of_f32(four.v2), bits_of_f32(four.v3));
        extent_take(extent, four.v0);
        extent_take(extent, four.v1);
        extent_take(extent, four.v2);
        extent_take(extent, four.v3);
    }
    return bounds_of_tile(extent);
}
