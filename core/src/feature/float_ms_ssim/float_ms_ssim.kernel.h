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
#define HALVE_IN_W (2 * HALVE_TILE_W + 7)
#define HALVE_IN_H (2 * HALVE_TILE_H + 7)
#define SHARED_ARRAYS SHARED(f32, tile, HALVE_IN_W * HALVE_IN_H)
#define GROUP_W HALVE_TILE_W
#define GROUP_H HALVE_TILE_H
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

#define HALVE_SPAN 7.6293945e-6f   /* 2^-17 */
#define HALVE_SLACK 2.9103830e-11f /* 2^-35 */

/* The edge sample is repeated; what no output needs is only kept inside. */
DEVICE u32 reflect(i32 i, u32 n)
{
    i32 r = i < 0 ? -1 - i : i < i32(n) ? i : 2 * i32(n) - 1 - i;
    return u32(clamp_i32(r, 0, i32(n) - 1));
}

DEVICE void add_tap(INOUT(NearSum) sum, f32 value, f32 tap)
{
    PRECISE f32 term = value * tap;
    near_sum_add(sum, term);
}

/* A row of the filter; its taps begin at `q` of the quarter. Picked by constants, not in a loop: a table
 * that is indexed lies in memory. */
#define HALVE_ROW(r, q)                                                                            \
    add_tap(sum, tile[at + r * HALVE_IN_W], quarter[q]);                                           \
    add_tap(sum, tile[at + r * HALVE_IN_W + 1], quarter[q + 1]);                                   \
    add_tap(sum, tile[at + r * HALVE_IN_W + 2], quarter[q + 2]);                                   \
    add_tap(sum, tile[at + r * HALVE_IN_W + 3], quarter[q + 3]);                                   \
    add_tap(sum, tile[at + r * HALVE_IN_W + 4], quarter[q + 4]);                                   \
    add_tap(sum, tile[at + r * HALVE_IN_W + 5], quarter[q + 3]);                                   \
    add_tap(sum, tile[at + r * HALVE_IN_W + 6], quarter[q + 2]);                                   \
    add_tap(sum, tile[at + r * HALVE_IN_W + 7], quarter[q + 1]);                                   \
    add_tap(sum, tile[at + r * HALVE_IN_W + 8], quarter[q]);

DEVICE f32 term_at(u32 at, u32 r, u32 c)
{
    u32 fold_r = r <= 4u ? r : 8u - r, fold_c = c <= 4u ? c : 8u - c;
    PRECISE f32 term = tile[at + r * HALVE_IN_W + c] * quarter[fold_r * 5u + fold_c];
    return term;
}

KERNEL_MAIN
{
    u32 left = GROUP_X * HALVE_TILE_W, top = GROUP_Y * HALVE_TILE_H;
    for (u32 i = LOCAL_INDEX; i < HALVE_IN_W * HALVE_IN_H; i += GROUP_SIZE) {
        u32 row = i / HALVE_IN_W, column = i - row * HALVE_IN_W;
        u32 x = reflect(i32(2u * left + column) - 4, width);
        u32 y = reflect(i32(2u * top + row) - 4, height);
        tile[i] = GROUP_Z == 0u ? PIXEL(ref, first_in, stride, x, y) : PIXEL(dist, first_in, stride, x, y);
    }
    BARRIER();
    u32 x = left + LOCAL_X, y = top + LOCAL_Y, half_w = (width + 1u) / 2u;
    if (x >= half_w || y >= (height + 1u) / 2u)
        return;
    u32 at = 2u * LOCAL_Y * HALVE_IN_W + 2u * LOCAL_X;
    NearSum sum = near_sum_start();
    HALVE_ROW(0, 0)
    HALVE_ROW(1, 5)
    HALVE_ROW(2, 10)
    HALVE_ROW(3, 15)
    HALVE_ROW(4, 20)
    HALVE_ROW(5, 15)
    HALVE_ROW(6, 10)
    HALVE_ROW(7, 5)
    HALVE_ROW(8, 0)
    bool sure = true;
    f32 value = near_sum_round(sum, HALVE_SPAN, HALVE_SLACK, sure);
    if (!sure) {
        DoubleSum exact = double_sum_start();
        for (u32 i = 0u; i < 81u; i++)
            double_sum_add(exact, term_at(at, i / 9u, i % 9u));
        value = double_sum_round(exact);
    }
    if (GROUP_Z == 0u)
        HALVE_REF[first_out + y * half_w + x] = value;
    else
        HALVE_DIST[first_out + y * half_w + x] = value;
}
KERNEL_END
