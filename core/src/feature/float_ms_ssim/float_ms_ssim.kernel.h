/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernel of float_ms_ssim: the next scale of an image, a 9x9 low-pass at every other sample of every
 * other row. Its 81 terms are added in double, row by row: F64 has doubles, the others make do without. GROUP_Z is the
 * picture. Halves go into a buffer for all of them, which all but the first are made from, too. */
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
#define HALVE_IN_W (HALVE_TILE_W + 4)
#define HALVE_IN_H (2 * HALVE_TILE_H + 7)
#if !defined(IMAGE_F32) && !HBD
#define BYTES /* whole numbers: how far off sums may be is known beforehand */
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
#include "feature/float_ms_ssim/halving_taps.h"

KERNEL_BEGIN
#include "gpu/prelude/exact_float.h"
#include "feature/float_ms_ssim/halving.h"

DEVICE f32 value_at(u32 at, u32 r, u32 c)
{
    u32x2 pair = tile[at + r * HALVE_IN_W + (c >> 1)];
    return f32_of_bits((c & 1u) == 0u ? pair.x : pair.y);
}

#ifndef F64
#include "feature/float_ms_ssim/halving_exact.h"
#endif

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
    /* Two outputs, one below the other. */
    u32 x = left + LOCAL_X, y = top + 2u * LOCAL_Y, half_w = (width + 1u) / 2u, half_h = (height + 1u) / 2u;
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
    f32 value = halving_round(one, bounds, 1u, doubt), below = halving_round(two, bounds, 2u, doubt);
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
