/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernel of the float features' totals: the sum of each row of a plane, from left to right, in single
 * precision. One addition waits for the one before it, so a thread has a row, and others bring it the terms.
 * What is too small to be normal is added in integers' stead scaled up: devices may drop it. */
#include "feature/common/float_sums/float_sums_tile.h"
#define BUFFERS IN(0, u32, terms) OUT(1, u32, sums)
#define PARAMS FLOAT_SUMS_PARAMS
#define SUMS_PITCH (SUMS_COLUMNS + 1u)
#define SHARED_ARRAYS SHARED(u32, tile, SUMS_ROWS * SUMS_PITCH)
#define GROUP_W SUMS_ROWS
#define GROUP_H SUMS_GROUP_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN

#define SUMS_LOADS 8 /* SUMS_ROWS * SUMS_COLUMNS / (GROUP_W * GROUP_H) */
#define SUMS_SAFE 0x20000000u /* bits of 2^-63: beside it a number below 2^-126 is nothing */

/* Bits of a float below 2^-62, times 2^64: a normal number. */
DEVICE f32 scaled_up(u32 bits)
{
    u32 size = bits & 0x7fffffffu;
    PRECISE f32 tiny = f32(i32(size)) * f32_of_bits(0x15000000u); /* 2^-85 */
    f32 value = size < 0x800000u ? tiny : f32_of_bits(size + 0x20000000u);
    return (bits >> 31) != 0u ? -value : value;
}

DEVICE u32 scaled_down(f32 value)
{
    u32 bits = bits_of_f32(value), size = bits & 0x7fffffffu;
    PRECISE f32 units = f32_of_bits(size) * f32_of_bits(0x6a000000u); /* 2^85 */
    u32 down = size >= 0x20800000u ? size - 0x20000000u : u32(i32(units));
    return (bits & 0x80000000u) | down;
}

DEVICE u32 add_carefully(u32 sum, u32 term)
{
    u32 larger = max_u32(sum & 0x7fffffffu, term & 0x7fffffffu);
    if (larger >= SUMS_SAFE) {
        PRECISE f32 plain = f32_of_bits(sum) + f32_of_bits(term);
        return bits_of_f32(plain);
    }
    if (larger == 0u)
        return 0u;
    PRECISE f32 small_sum = scaled_up(sum) + scaled_up(term);
    return scaled_down(small_sum);
}

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
            tile[(LOCAL_Y + (i >> 1) * SUMS_GROUP_H) * SUMS_PITCH + LOCAL_X + (i & 1u) * GROUP_W] = next[i];
        BARRIER();
        /* The next columns are on their way while these are added. */
        UNROLL for (u32 i = 0u; i < SUMS_LOADS; i++)
            next[i] = term_at(top + LOCAL_Y + (i >> 1) * SUMS_GROUP_H,
                              left + SUMS_COLUMNS + LOCAL_X + (i & 1u) * GROUP_W);
        for (u32 x = 0u; LOCAL_Y == 0u && x < SUMS_COLUMNS; x += 8u) {
            u32 at = LOCAL_X * SUMS_PITCH + x;
            if ((sum & 0x7fffffffu) >= SUMS_SAFE) {
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
                    sum = add_carefully(sum, tile[at + k]);
            }
        }
        BARRIER();
    }
    if (LOCAL_Y == 0u && top + LOCAL_X < height)
        sums[first_sum + GROUP_Y * height + top + LOCAL_X] = sum;
}
KERNEL_END
