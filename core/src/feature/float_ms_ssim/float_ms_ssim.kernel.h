/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernel of float_ms_ssim: the next scale of an image, a 9x9 low-pass at every other sample of every
 * other row. Its 81 terms are added in double, row by row. GROUP_Z is the picture. Halves go into a buffer for all of
 * them, which all but the first are made from, too. */
#include "feature/common/ssim/ssim_image.h"
#include "feature/float_ms_ssim/float_ms_ssim_tile.h"

#ifdef IMAGE_F32
#define BUFFERS OUT(0, f32, ref) OUT(1, f32, dist)
#define HALVE_REF ref
#define HALVE_DIST dist
#else
#define BUFFERS IMAGE(0, ref) IMAGE(1, dist) OUT(2, f32, ref_half) OUT(3, f32, dist_half)
#define HALVE_REF ref_half
#define HALVE_DIST dist_half
#endif
#define PARAMS SSIM_HALVE_PARAMS
/* Of the input, in pairs of samples; they are loaded two at a time. */
#define HALVE_IN_W (HALVE_TILE_W + 4)
#define HALVE_IN_FOURS (HALVE_IN_W / 2)
#define HALVE_IN_H (2 * HALVE_TILE_H + 7)
#if !defined(IMAGE_F32) && !HBD
#define BYTES /* whole numbers: how far off sums may be is known beforehand */
#define SHARED_EXTENTS
#else
#define SHARED_EXTENTS SHARED(u32x2, extents, HALVE_TILE_W * HALVE_TILE_H / 2)
#endif
#define SHARED_ARRAYS SHARED(u32x2, tile, HALVE_IN_W * HALVE_IN_H) SHARED_EXTENTS
#define GROUP_W HALVE_TILE_W
#define GROUP_H (HALVE_TILE_H / 2)
#include "gpu/prelude/prelude.h"

/* A quarter of it; the rest follows by reflection. */
TABLE_BEGIN(f32, quarter, 25)
    0.000714f, -0.000450f, -0.002090f, 0.007132f, 0.016114f,
    -0.000450f, 0.000283f, 0.001316f, -0.004490f, -0.010146f,
    -0.002090f, 0.001316f, 0.006115f, -0.020867f, -0.047149f,
    0.007132f, -0.004490f, -0.020867f, 0.071207f, 0.160885f,
    0.016114f, -0.010146f, -0.047149f, 0.160885f, 0.363505f
TABLE_END

KERNEL_BEGIN
#include "gpu/prelude/exact_float.h"
#include "feature/common/ssim/double_sum.h"
#include "feature/common/ssim/anchored_sum.h"
#include "feature/float_ms_ssim/halving_sum.h"

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

/* A row of the filter; its taps begin at `q` of the quarter. Picked by constants, not in a loop: a table that is
 * indexed lies in memory. */
#define HALVE_ROW(s, row, q) add_row(s, row, quarter[q], quarter[q + 1], quarter[q + 2], quarter[q + 3], quarter[q + 4]);

DEVICE f32 term_at(u32 at, u32 r, u32 c)
{
    u32 fold_r = r <= 4u ? r : 8u - r, fold_c = c <= 4u ? c : 8u - c;
    u32x2 pair = tile[at + r * HALVE_IN_W + (c >> 1)];
    PRECISE f32 term = f32_of_bits((c & 1u) == 0u ? pair.x : pair.y) * quarter[fold_r * 5u + fold_c];
    return term;
}

/* One term after the other, as a double does it. */
DEVICE f32 exact_sum(u32 at)
{
    /* 81, yet no constant: a loop so rare is not worth the time that compilers take to unroll it. */
    u32 count = min_u32(width + 81u, 81u);
    DoubleSum sum = double_sum_start();
    for (u32 i = 0u; i < count; i++)
        double_sum_add(sum, term_at(at, i / 9u, i % 9u));
    return double_sum_round(sum);
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

#ifndef BYTES
#include "feature/float_ms_ssim/halving_extent.h"
#endif

/* Loads the tile, which begins at that sample and row. */
DEVICE HalvingBounds load_tile(i32 in_left, i32 in_top)
{
#ifndef BYTES
    Extent extent = extent_start();
#endif
    for (u32 i = LOCAL_INDEX; i < HALVE_IN_FOURS * HALVE_IN_H; i += GROUP_SIZE) {
        u32 row = i / HALVE_IN_FOURS, column = i % HALVE_IN_FOURS;
        Four four = four_at(in_left + i32(4u * column), reflect(in_top + i32(row), height));
        tile[2u * i] = U32X2(bits_of_f32(four.v0), bits_of_f32(four.v1));
        tile[2u * i + 1u] = U32X2(bits_of_f32(four.v2), bits_of_f32(four.v3));
#ifndef BYTES
        extent_take(extent, four);
#endif
    }
#ifdef BYTES
    BARRIER();
    return halving_bounds_of_bytes();
#else
    return bounds_of_tile(extent);
#endif
}

DEVICE void put(u32 x, u32 y, f32 value)
{
    u32 at = first_out + y * ((width + 1u) / 2u) + x;
    if (GROUP_Z == 0u)
        HALVE_REF[at] = value;
    else
        HALVE_DIST[at] = value;
}

KERNEL_MAIN
{
    u32 left = GROUP_X * HALVE_TILE_W, top = GROUP_Y * HALVE_TILE_H;
    i32 in_left = i32(2u * left) - 4, in_top = i32(2u * top) - 4;
    HalvingBounds bounds = load_tile(in_left, in_top);
    /* Two outputs, one below the other. */
    u32 x = left + LOCAL_X, y = top + 2u * LOCAL_Y, half_w = (width + 1u) / 2u, half_h = (height + 1u) / 2u;
    if (x >= half_w || y >= half_h)
        return;
    u32 at = 4u * LOCAL_Y * HALVE_IN_W + LOCAL_X;
    i32 first = i32(at);
    Halving one = halving_start(bounds.b), two = one;
    Row row = row_at(first);
    HALVE_ROW(one.outer, row, 0)
    row = row_at(first + HALVE_IN_W);
    HALVE_ROW(one.outer, row, 5)
    row = row_at(first + 2 * HALVE_IN_W);
    HALVE_ROW(one.outer, row, 10)
    HALVE_ROW(two.outer, row, 0)
    turn_over(one);
    row = row_at(first + 3 * HALVE_IN_W);
    HALVE_ROW(one.middle, row, 15)
    HALVE_ROW(two.outer, row, 5)
    row = row_at(first + 4 * HALVE_IN_W);
    HALVE_ROW(one.middle, row, 20)
    HALVE_ROW(two.outer, row, 10)
    turn_over(two);
    row = row_at(first + 5 * HALVE_IN_W);
    HALVE_ROW(one.middle, row, 15)
    HALVE_ROW(two.middle, row, 15)
    row = row_at(first + 6 * HALVE_IN_W);
    HALVE_ROW(one.outer, row, 10)
    HALVE_ROW(two.middle, row, 20)
    row = row_at(first + 7 * HALVE_IN_W);
    HALVE_ROW(one.outer, row, 5)
    HALVE_ROW(two.middle, row, 15)
    row = row_at(first + 8 * HALVE_IN_W);
    HALVE_ROW(one.outer, row, 0)
    HALVE_ROW(two.outer, row, 10)
    row = row_at(first + 9 * HALVE_IN_W);
    HALVE_ROW(two.outer, row, 5)
    row = row_at(first + 10 * HALVE_IN_W);
    HALVE_ROW(two.outer, row, 0)
    u32 doubt = 0u;
    f32 value = halving_round(one, bounds, 1u, doubt), below = halving_round(two, bounds, 2u, doubt);
    while (doubt != 0u) {
        u32 which = top_bit_u32(doubt);
        doubt ^= 1u << which;
        f32 exact = exact_sum(at + 2u * which * HALVE_IN_W);
        value = which == 0u ? exact : value;
        below = which == 0u ? below : exact;
    }
    put(x, y, value);
    if (y + 1u < half_h)
        put(x, y + 1u, below);
}
KERNEL_END
