/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The kernel of the float features' totals: the sum of each row of a plane, from left to right, in
 * single precision. Each addition depends on the one before it, so one thread sums a row, and other
 * threads load the terms. Terms too small to be normal floats count, too. */
#include "feature/common/float_sums/float_sums_tile.h"
#define BUFFERS IN(0, u32, terms) OUT(1, u32, sums)
#define PARAMS FLOAT_SUMS_PARAMS
#define SUMS_PITCH (SUMS_COLUMNS + 1u)
#define SHARED_ARRAYS SHARED(u32, tile, SUMS_ROWS * SUMS_PITCH)
#define GROUP_W SUMS_ROWS
#define GROUP_H SUMS_GROUP_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#include "gpu/prelude/tiny_float.h"

#define SUMS_LOADS 8 /* SUMS_ROWS * SUMS_COLUMNS / (GROUP_W * GROUP_H) */

DEVICE u32 term_at(u32 row, u32 column)
{
    return row < height && column < width ? terms[(GROUP_Y * height + row) * width + column] : 0u;
}

KERNEL_MAIN
{
    u32 top = GROUP_X * SUMS_ROWS, sum = 0u;
    u32 next[SUMS_LOADS];
    UNROLL for (u32 i = 0u; i < SUMS_LOADS; i++)
        next[i] = term_at(top + LOCAL_Y + (i >> 1) * SUMS_GROUP_H, LOCAL_X + (i & 1u) * GROUP_W);
    for (u32 left = 0u; left < width; left += SUMS_COLUMNS) {
        UNROLL for (u32 i = 0u; i < SUMS_LOADS; i++)
            tile[(LOCAL_Y + (i >> 1) * SUMS_GROUP_H) * SUMS_PITCH + LOCAL_X + (i & 1u) * GROUP_W] =
                next[i];
        BARRIER();
        /* The next columns are loaded while these are added. */
        UNROLL for (u32 i = 0u; i < SUMS_LOADS; i++)
            next[i] = term_at(top + LOCAL_Y + (i >> 1) * SUMS_GROUP_H,
                              left + SUMS_COLUMNS + LOCAL_X + (i & 1u) * GROUP_W);
        for (u32 x = 0u; LOCAL_Y == 0u && x < SUMS_COLUMNS; x += 8u) {
            u32 at = LOCAL_X * SUMS_PITCH + x;
            if ((sum & 0x7fffffffu) >= TINY_SAFE) {
                PRECISE f32 chain = f32_of_bits(sum);
                chain = chain + f32_of_bits(tile[at]);
                chain = chain + f32_of_bits(tile[at + 1u]);
                chain = chain + f32_of_bits(tile[at + 2u]);
                chain = chain + f32_of_bits(tile[at + 3u]);
                chain = chain + f32_of_bits(tile[at + 4u]);
                chain = chain + f32_of_bits(tile[at + 5u]);
                chain = chain + f32_of_bits(tile[at + 6u]);
                chain = chain + f32_of_bits(tile[at + 7u]);
                sum = bits_of_f32(chain);
            } else {
                for (u32 k = 0u; k < 8u; k++)
                    sum = tiny_add(sum, tile[at + k]);
            }
        }
        BARRIER();
    }
    if (LOCAL_Y == 0u && top + LOCAL_X < height)
        sums[first_sum + GROUP_Y * height + top + LOCAL_X] = sum;
}
KERNEL_END
