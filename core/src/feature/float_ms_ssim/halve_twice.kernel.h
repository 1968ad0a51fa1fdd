/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernel of float_ms_ssim: the next two scales of an image, where both are so small that a pass for each would
 * take longer. A group makes what it needs of the first half, some of which its neighbours make, too, and keeps it for the
 * second. See float_ms_ssim.kernel.h. */
#include "feature/common/ssim/ssim_image.h"
#include "feature/float_ms_ssim/float_ms_ssim_tile.h"

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
#include "feature/float_ms_ssim/halving_taps.h"

KERNEL_BEGIN
#include "gpu/prelude/exact_float.h"
#include "feature/float_ms_ssim/halving.h"

/* Places of the tile come first, then those of the half. */
#define HALF_BEGIN (HALVE_IN_W * HALVE_IN_H)

DEVICE f32 value_at(u32 at, u32 r, u32 c)
{
    if (at >= HALF_BEGIN)
        return kept[at - HALF_BEGIN + r * FIRST_W + c];
    u32x2 pair = tile[at + r * HALVE_IN_W + (c >> 1)];
    return f32_of_bits((c & 1u) == 0u ? pair.x : pair.y);
}

#ifndef F64
#include "feature/float_ms_ssim/halving_exact.h"
#endif

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

/* The low-pass of rows that begin at `at`; `place` names it to value_at. */
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
    /* Where the group's part of the first half begins, and of the image. */
    i32 half_left = i32(2u * left) - 4, half_top = i32(2u * top) - 4;
    i32 in_left = 2 * half_left - 4, in_top = 2 * half_top - 4;
    HalvingBounds bounds = load_tile(in_left, in_top);
    u32 w = (width + 1u) / 2u, h = (height + 1u) / 2u, second_w = (w + 1u) / 2u, second_h = (h + 1u) / 2u;
    Extent extent = extent_start();
    for (u32 i = LOCAL_INDEX; i < FIRST_W * FIRST_H; i += GROUP_SIZE) {
        i32 column = half_left + i32(i % FIRST_W), line = half_top + i32(i / FIRST_W);
        /* What lies further out than the filter reaches nobody needs, and its reflection is not in the tile. */
        u32 x = reflect(min_i32(column, i32(w) + 3), w), y = reflect(min_i32(line, i32(h) + 3), h);
        u32 at = u32(2 * i32(y) - 4 - in_top) * HALVE_IN_W + u32(i32(x) - 2 - in_left / 2);
        f32 value = first_at(at, bounds);
        kept[i] = value;
        extent_take(extent, value);
        bool own = column >= i32(2u * left) && column < i32(2u * (left + HALVE_TWICE_W)) && line >= i32(2u * top) &&
                   line < i32(2u * (top + HALVE_TWICE_H));
        if (own && column < i32(w) && line < i32(h))
            put(first_out + y * w + x, value);
    }
    /* What it gathers in, others may still read for the first half. */
    BARRIER();
    bounds = bounds_of_tile(extent);
    u32 x = left + LOCAL_INDEX % HALVE_TWICE_W, y = top + LOCAL_INDEX / HALVE_TWICE_W;
    if (LOCAL_INDEX >= HALVE_TWICE_W * HALVE_TWICE_H || x >= second_w || y >= second_h)
        return;
    u32 at = 2u * (y - top) * FIRST_W + 2u * (x - left);
    put(first_out + w * h + y * second_w + x, second_at(at, bounds));
}
KERNEL_END
