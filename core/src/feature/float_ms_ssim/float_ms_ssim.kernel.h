/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernels of float_ms_ssim. They make the next scale of an image: a 9x9 low-pass at every other
 * sample of every other row. Its 81 terms are added in double, row by row; the variants with F64
 * use doubles, the others do without. GROUP_Z is the picture (0: reference, 1: distorted). All
 * scales but the first are images of floats, stored in one buffer per picture. */
#include "feature/common/ssim/ssim_image.h"
#include "feature/float_ms_ssim/float_ms_ssim_tile.h"

#if defined(KERNEL_ssim_halve)
/* One scale: from the picture, or (IMAGE_F32) from the scale before it in the same buffer. */
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
#define HALVE_IN_W (HALVE_TILE_W + 4)
#define HALVE_IN_H (2 * HALVE_TILE_H + 7)
#if !defined(IMAGE_F32) && !HBD
#define BYTES /* integers up to 255: the bounds of the sums are known beforehand */
#endif
#if defined(BYTES) || defined(F64)
#define SHARED_EXTENTS
#else
#define SHARED_EXTENTS SHARED(u32x2, extents, HALVE_TILE_W * HALVE_TILE_H / 2)
#endif
#define SHARED_ARRAYS SHARED(u32x2, tile, HALVE_IN_W * HALVE_IN_H) SHARED_EXTENTS
#define GROUP_W HALVE_TILE_W
#define GROUP_H (HALVE_TILE_H / 2)
#include "gpu/prelude/prelude.h"

TABLE_BEGIN(f32, quarter, 25) HALVE_QUARTER TABLE_END

KERNEL_BEGIN
#include "gpu/prelude/exact_float.h"

DEVICE f32 value_at(u32 at, u32 r, u32 c)
{
    u32x2 pair = tile[at + r * HALVE_IN_W + (c >> 1)];
    return f32_of_bits((c & 1u) == 0u ? pair.x : pair.y);
}

#include "feature/float_ms_ssim/halving_tile.h"

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
    HalvingBounds bounds = load_tile(i32(2u * left) - 4, i32(2u * top) - 4);
    /* A thread makes two outputs, one below the other. */
    u32 x = left + LOCAL_X, y = top + 2u * LOCAL_Y, half_w = (width + 1u) / 2u,
        half_h = (height + 1u) / 2u;
    if (x >= half_w || y >= half_h)
        return;
    u32 at = 4u * LOCAL_Y * HALVE_IN_W + LOCAL_X;
    i32 first = i32(at);
    Halving one = halving_start(bounds), two = one;
    Row row = row_at(first);
    HALVE_ROW(outer, one, row, 0)
    row = row_at(first + HALVE_IN_W);
    HALVE_ROW(outer, one, row, 5)
    row = row_at(first + 2 * HALVE_IN_W);
    HALVE_ROW(outer, one, row, 10)
    HALVE_ROW(outer, two, row, 0)
    turn_over(one);
    row = row_at(first + 3 * HALVE_IN_W);
    HALVE_ROW(middle, one, row, 15)
    HALVE_ROW(outer, two, row, 5)
    row = row_at(first + 4 * HALVE_IN_W);
    HALVE_ROW(middle, one, row, 20)
    HALVE_ROW(outer, two, row, 10)
    turn_over(two);
    row = row_at(first + 5 * HALVE_IN_W);
    HALVE_ROW(middle, one, row, 15)
    HALVE_ROW(middle, two, row, 15)
    row = row_at(first + 6 * HALVE_IN_W);
    HALVE_ROW(outer, one, row, 10)
    HALVE_ROW(middle, two, row, 20)
    row = row_at(first + 7 * HALVE_IN_W);
    HALVE_ROW(outer, one, row, 5)
    HALVE_ROW(middle, two, row, 15)
    row = row_at(first + 8 * HALVE_IN_W);
    HALVE_ROW(outer, one, row, 0)
    HALVE_ROW(outer, two, row, 10)
    row = row_at(first + 9 * HALVE_IN_W);
    HALVE_ROW(outer, two, row, 5)
    row = row_at(first + 10 * HALVE_IN_W);
    HALVE_ROW(outer, two, row, 0)
    u32 doubt = 0u;
    f32 value = halving_round(one, bounds, 1u, doubt),
        below = halving_round(two, bounds, 2u, doubt);
#ifndef F64
    while (doubt != 0u) {
        u32 which = top_bit_u32(doubt);
        doubt ^= 1u << which;
        f32 exact = exact_sum(at + 2u * which * HALVE_IN_W);
        value = which == 0u ? exact : value;
        below = which == 0u ? below : exact;
    }
#endif
    put(x, y, value);
    if (y + 1u < half_h)
        put(x, y + 1u, below);
}
KERNEL_END
#endif

#if defined(KERNEL_ssim_halve_twice)
/* The next two scales at once, for images so small that one pass for each would take longer. A
 * workgroup makes as much of the first half as it needs for the second one, and keeps it in shared
 * memory. Its neighbours make some of the same samples. */
#define BUFFERS OUT(0, f32, ref) OUT(1, f32, dist)
#define PARAMS SSIM_HALVE_PARAMS
#define FIRST_W (2 * HALVE_TWICE_W + 7)
#define FIRST_H (2 * HALVE_TWICE_H + 7)
#define HALVE_IN_W (FIRST_W + 5)
#define HALVE_IN_H (2 * FIRST_H + 7)
#define GROUP_W 32
#define GROUP_H 8
#ifdef F64
#define SHARED_EXTENTS
#else
#define SHARED_EXTENTS SHARED(u32x2, extents, 256)
#endif
#define SHARED_ARRAYS                                                                              \
    SHARED(u32x2, tile, HALVE_IN_W * HALVE_IN_H) SHARED(f32, kept, FIRST_W * FIRST_H) SHARED_EXTENTS
#include "gpu/prelude/prelude.h"

TABLE_BEGIN(f32, quarter, 25) HALVE_QUARTER TABLE_END

KERNEL_BEGIN
#include "gpu/prelude/exact_float.h"

/* value_at() counts the elements of the tile first, then those of the half. */
#define HALF_BEGIN (HALVE_IN_W * HALVE_IN_H)

DEVICE f32 value_at(u32 at, u32 r, u32 c)
{
    if (at >= HALF_BEGIN)
        return kept[at - HALF_BEGIN + r * FIRST_W + c];
    u32x2 pair = tile[at + r * HALVE_IN_W + (c >> 1)];
    return f32_of_bits((c & 1u) == 0u ? pair.x : pair.y);
}

#include "feature/float_ms_ssim/halving_tile.h"

DEVICE Row half_row_at(i32 at)
{
    Row row;
    row.v0 = kept[at];
    row.v1 = kept[at + 1];
    row.v2 = kept[at + 2];
    row.v3 = kept[at + 3];
    row.v4 = kept[at + 4];
    row.v5 = kept[at + 5];
    row.v6 = kept[at + 6];
    row.v7 = kept[at + 7];
    row.v8 = kept[at + 8];
    return row;
}

/* The low-pass of nine rows that begin at `at`; `place` is the same position as value_at()
 * counts. */
#define LOW_PASS(row_at_place, at, pitch, bounds, place, result)                                   \
    Halving sum = halving_start(bounds);                                                           \
    HALVE_ROW(outer, sum, row_at_place(at), 0)                                                     \
    HALVE_ROW(outer, sum, row_at_place(at + pitch), 5)                                             \
    HALVE_ROW(outer, sum, row_at_place(at + 2 * pitch), 10)                                        \
    turn_over(sum);                                                                                \
    HALVE_ROW(middle, sum, row_at_place(at + 3 * pitch), 15)                                       \
    HALVE_ROW(middle, sum, row_at_place(at + 4 * pitch), 20)                                       \
    HALVE_ROW(middle, sum, row_at_place(at + 5 * pitch), 15)                                       \
    HALVE_ROW(outer, sum, row_at_place(at + 6 * pitch), 10)                                        \
    HALVE_ROW(outer, sum, row_at_place(at + 7 * pitch), 5)                                         \
    HALVE_ROW(outer, sum, row_at_place(at + 8 * pitch), 0)                                         \
    f32 result = settled(sum, bounds, place);

DEVICE f32 settled(Halving sum, HalvingBounds bounds, u32 place)
{
    u32 doubt = 0u;
    f32 value = halving_round(sum, bounds, 1u, doubt);
#ifndef F64
    if (doubt != 0u)
        value = exact_sum(place);
#endif
    return value;
}

DEVICE f32 first_at(u32 at, HalvingBounds bounds)
{
    i32 place = i32(at);
    LOW_PASS(row_at, place, HALVE_IN_W, bounds, at, value)
    return value;
}

DEVICE f32 second_at(u32 at, HalvingBounds bounds)
{
    i32 place = i32(at);
    LOW_PASS(half_row_at, place, FIRST_W, bounds, HALF_BEGIN + at, value)
    return value;
}

DEVICE void put(u32 at, f32 value)
{
    if (GROUP_Z == 0u)
        ref[at] = value;
    else
        dist[at] = value;
}

KERNEL_MAIN
{
    u32 left = GROUP_X * HALVE_TWICE_W, top = GROUP_Y * HALVE_TWICE_H;
    /* The top left corner of the first half as far as the workgroup needs it, and of the image. */
    i32 half_left = i32(2u * left) - 4, half_top = i32(2u * top) - 4;
    i32 in_left = 2 * half_left - 4, in_top = 2 * half_top - 4;
    HalvingBounds bounds = load_tile(in_left, in_top);
    u32 w = (width + 1u) / 2u, h = (height + 1u) / 2u, second_w = (w + 1u) / 2u,
        second_h = (h + 1u) / 2u;
    Extent extent = extent_start();
    for (u32 i = LOCAL_INDEX; i < FIRST_W * FIRST_H; i += GROUP_SIZE) {
        i32 column = half_left + i32(i % FIRST_W), line = half_top + i32(i / FIRST_W);
        /* Samples further out than the filter reaches are not needed, and their reflection is not
         * in the tile. */
        u32 x = reflect(min_i32(column, i32(w) + 3), w), y = reflect(min_i32(line, i32(h) + 3), h);
        u32 at = u32(2 * i32(y) - 4 - in_top) * HALVE_IN_W + u32(i32(x) - 2 - in_left / 2);
        f32 value = first_at(at, bounds);
        kept[i] = value;
        extent_take(extent, value);
        bool own = column >= i32(2u * left) && column < i32(2u * (left + HALVE_TWICE_W)) &&
                   line >= i32(2u * top) && line < i32(2u * (top + HALVE_TWICE_H));
        if (own && column < i32(w) && line < i32(h))
            put(first_out + y * w + x, value);
    }
    /* bounds_of_tile() writes to memory that other threads may still read for the first half. */
    BARRIER();
    bounds = bounds_of_tile(extent);
    u32 x = left + LOCAL_INDEX % HALVE_TWICE_W, y = top + LOCAL_INDEX / HALVE_TWICE_W;
    if (LOCAL_INDEX >= HALVE_TWICE_W * HALVE_TWICE_H || x >= second_w || y >= second_h)
        return;
    u32 at = 2u * (y - top) * FIRST_W + 2u * (x - left);
    put(first_out + w * h + y * second_w + x, second_at(at, bounds));
}
KERNEL_END
#endif
