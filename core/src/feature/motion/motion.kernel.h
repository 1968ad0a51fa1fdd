/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernels of motion. */

#if defined(KERNEL_motion_sad)
/* Sum of the magnitudes of the blurred difference of two luma planes. A thread owns a column: it
 * slides down MOTION_TILE_H rows with the last five differences in registers, and meets its
 * neighbours in shared memory for the horizontal blur. All in 32 bits: where a sum needs 33, the
 * value is split at bit 8 (the low part only adds a carry). */
#include "feature/motion/motion_tile.h"
#define BUFFERS IN(0, u32, cur) IN(1, u32, prev) OUT(2, u32, sums)
#define PARAMS MOTION_SAD_PARAMS
#define SHARED_ARRAYS SHARED(i32, rows, MOTION_STEP * MOTION_GROUP_W) SHARED(u32, part, MOTION_GROUP_W)
#define GROUP_W MOTION_GROUP_W
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN

/* Beyond the edge the picture is mirrored once, the edge sample not repeated. Columns and rows that
 * no output needs may lie further out: they are only kept inside. */
DEVICE u32 mirror(i32 i, u32 n)
{
    i32 m = i < 0 ? -i : i;
    m = m < i32(n) ? m : 2 * i32(n) - 2 - m;
    return u32(clamp_i32(m, 0, i32(n) - 1));
}

DEVICE i32 diff(u32 x, i32 y)
{
    u32 row = mirror(y, height) * stride;
    return i32(SAMPLE(prev, row, x)) - i32(SAMPLE(cur, row, x));
}

/* Unsigned, so that it may wrap: where there is no earlier frame, samples are anything. */
DEVICE u32 taps(i32 a, i32 b, i32 c, i32 d, i32 e)
{
    return 3571u * u32(a + e) + 16004u * u32(b + d) + 26386u * u32(c);
}

/* (taps(...) + 2^(shift-1)) >> shift, for values of up to 17 bits and shift >= 8. */
DEVICE i32 blur(i32 a, i32 b, i32 c, i32 d, i32 e, u32 shift)
{
    u32 high = taps(a >> 8, b >> 8, c >> 8, d >> 8, e >> 8);
    u32 low = taps(a & 255, b & 255, c & 255, d & 255, e & 255);
    return i32(high + ((low + (1u << (shift - 1u))) >> 8)) >> (shift - 8u);
}

DEVICE i32 blur_rows(i32 a, i32 b, i32 c, i32 d, i32 e)
{
#if HBD
    if (bpc > 14u)
        return blur(a, b, c, d, e, bpc);
#endif
    return i32(taps(a, b, c, d, e) + (1u << (bpc - 1u))) >> bpc;
}

KERNEL_MAIN
{
    i32 column = i32(GROUP_X * MOTION_TILE_W + LOCAL_X) - 2;
    u32 x = mirror(column, width);
    i32 y = i32(GROUP_Y * MOTION_TILE_H);
    i32 end = min_i32(y + MOTION_TILE_H, i32(height));
    bool inside = LOCAL_X >= 2u && LOCAL_X < 2u + MOTION_TILE_W && column < i32(width);

    u32 sum = 0u;
    i32 a = diff(x, y - 2), b = diff(x, y - 1), c = diff(x, y), d = diff(x, y + 1);
    for (; y < end; y += MOTION_STEP) {
        for (u32 i = 0u; i < MOTION_STEP; i++) {
            i32 e = diff(x, y + i32(i) + 2);
            rows[i * GROUP_W + LOCAL_X] = blur_rows(a, b, c, d, e);
            a = b;
            b = c;
            c = d;
            d = e;
        }
        BARRIER();
        if (inside) {
            u32 count = u32(min_i32(MOTION_STEP, end - y));
            for (u32 i = 0u; i < count; i++) {
                u32 at = i * GROUP_W + LOCAL_X;
                i32 v = blur(rows[at - 2u], rows[at - 1u], rows[at], rows[at + 1u], rows[at + 2u], 16u);
                sum += u32(abs_i32(v));
            }
        }
        BARRIER();
    }
    GROUP_SUM(part, sum);
    if (LOCAL_INDEX == 0u)
        sums[GROUP_Y * tiles_x + GROUP_X] = part[0];
}
KERNEL_END
#endif
