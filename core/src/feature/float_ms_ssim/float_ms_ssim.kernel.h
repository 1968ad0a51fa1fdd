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
/* Of the input, in pairs of samples. */
#define HALVE_IN_W (HALVE_TILE_W + 4)
#define HALVE_IN_H (2 * HALVE_TILE_H + 7)
#define HALVE_GATHERERS 16u /* threads that join what as many others found */
#define SHARED_ARRAYS                                                                              \
    SHARED(u32x2, tile, HALVE_IN_W * HALVE_IN_H) SHARED(u32x2, extents, HALVE_TILE_W * HALVE_TILE_H / 2)
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

/* Both samples of a pair: stored beside each other, the first at an even place, or anywhere. */
#ifdef IMAGE_F32
#define TWO_BESIDE(image, x, y)                                                                    \
    PIXEL(image, first_in, stride, x, y), PIXEL(image, first_in, stride, (x) + 1u, y)
#else
#define TWO_BESIDE(image, x, y)                                                                    \
    f32(sample_of(image[(y) * stride + (x) / SAMPLES_PER_WORD], x)) * step,                        \
        f32(sample_of(image[(y) * stride + (x) / SAMPLES_PER_WORD], (x) + 1u)) * step
#endif
#define TWO_APART(image, x0, x1, y)                                                                \
    PIXEL(image, first_in, stride, x0, y), PIXEL(image, first_in, stride, x1, y)

/* The extent of the tile's samples, as bits of floats: these are in order, too. */
struct Extent {
    u32 peak, least; /* of magnitudes; the least but 0, less one */
};

DEVICE Extent extent_start()
{
    Extent e;
    e.peak = 0u;
    e.least = 0x4e800000u; /* 2^30 */
    return e;
}

DEVICE void extent_join(INOUT(Extent) e, u32 peak, u32 least)
{
    e.peak = max_u32(e.peak, peak);
    e.least = min_u32(e.least, least);
}

DEVICE u32 extent_take(INOUT(Extent) e, f32 value)
{
    u32 bits = bits_of_f32(value), size = bits & 0x7fffffffu;
    extent_join(e, size, size - 1u);
    return bits;
}

/* Keeps a pair of samples. */
DEVICE void put_pair(u32 at, f32 even, f32 odd, INOUT(Extent) extent)
{
    u32 even_bits = extent_take(extent, even), odd_bits = extent_take(extent, odd);
    tile[at] = U32X2(even_bits, odd_bits);
}

/* Loads the pairs of a column of the tile, from a row on and so many rows apart. x is that of the first sample. */
DEVICE void load_column(u32 column, i32 x, u32 row, u32 apart, i32 in_top, INOUT(Extent) extent)
{
    bool inside = x >= 0 && x + 1 < i32(width);
    u32 x0 = reflect(x, width), x1 = reflect(x + 1, width);
    for (; row < HALVE_IN_H; row += apart) {
        u32 at = row * HALVE_IN_W + column, y = reflect(in_top + i32(row), height);
        if (!inside) {
            if (GROUP_Z == 0u)
                put_pair(at, TWO_APART(ref, x0, x1, y), extent);
            else
                put_pair(at, TWO_APART(dist, x0, x1, y), extent);
        } else if (GROUP_Z == 0u) {
            put_pair(at, TWO_BESIDE(ref, x0, y), extent);
        } else {
            put_pair(at, TWO_BESIDE(dist, x0, y), extent);
        }
    }
}

DEVICE void put_extent(Extent e)
{
    extents[LOCAL_INDEX] = U32X2(e.peak, e.least);
}

/* Of those that were put by threads from `from` on, so many apart. */
DEVICE Extent extents_joined(u32 from, u32 every)
{
    Extent e = extent_start();
    for (u32 i = 0u; i < HALVE_GATHERERS; i++) {
        u32x2 words = extents[from + i * every];
        extent_join(e, words.x, words.y);
    }
    return e;
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
    Extent extent = extent_start();
    load_column(LOCAL_X, in_left + i32(2u * LOCAL_X), LOCAL_Y, GROUP_H, in_top, extent);
    /* The columns beside, four of them. */
    u32 beside = HALVE_TILE_W + (LOCAL_INDEX & 3u);
    load_column(beside, in_left + i32(2u * beside), LOCAL_INDEX >> 2, GROUP_SIZE / 4, in_top, extent);
    put_extent(extent);
    BARRIER();
    if (LOCAL_INDEX < HALVE_GATHERERS)
        put_extent(extents_joined(LOCAL_INDEX, HALVE_GATHERERS));
    BARRIER();
    extent = extents_joined(0u, 1u);
    f32 b = 2.0f * power_below(max_f32(f32_of_bits(extent.peak), 9.5367432e-7f));
    f32 margin = halving_margin(b, f32_of_bits(extent.least + 1u));
    /* Two outputs, one below the other. */
    u32 x = left + LOCAL_X, y = top + 2u * LOCAL_Y, half_w = (width + 1u) / 2u, half_h = (height + 1u) / 2u;
    if (x >= half_w || y >= half_h)
        return;
    u32 at = 4u * LOCAL_Y * HALVE_IN_W + LOCAL_X;
    i32 first = i32(at);
    Halving one = halving_start(b), two = one;
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
    f32 value = halving_round(one, b, margin, 1u, doubt), below = halving_round(two, b, margin, 2u, doubt);
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
