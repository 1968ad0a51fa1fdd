/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The kernels of float_motion: distances of blurred samples, which float_row_sums adds. */

#if defined(KERNEL_float_motion)
/* Each thread has a column: it moves down with the last five samples of both pictures in registers,
 * and shares lines with its neighbours in shared memory for the horizontal blur. Shorter blurs have
 * taps of 0. */
#include "feature/float_motion/float_motion_tile.h"
#define BUFFERS IN(0, u32, prev) IN(1, u32, cur) OUT(2, f32, terms) OUT(3, f32, blurred)
#define PARAMS FLOAT_MOTION_PARAMS
#define SHARED_ARRAYS SHARED(f32, lines, 4 * FMOTION_GROUP_W)
#define GROUP_W FMOTION_GROUP_W
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN

/* Reflects an index at the edges once; the edge sample is not repeated. An index that no output
 * needs may lie further out: it is only kept inside the picture. */
DEVICE u32 mirror(i32 i, u32 n)
{
    i32 m = i < 0 ? -i : i;
    m = m < i32(n) ? m : 2 * i32(n) - 2 - m;
    return u32(clamp_i32(m, 0, i32(n) - 1));
}

DEVICE f32 centred(u32 value)
{
    PRECISE f32 scaled = f32(i32(value)) * scale;
    PRECISE f32 shifted = scaled - 128.0f;
    return shifted;
}

DEVICE f32 weigh(f32 a, f32 b, f32 c, f32 d, f32 e)
{
    PRECISE f32 sum = a * tap0;
    sum = sum + b * tap1;
    sum = sum + c * tap2;
    sum = sum + d * tap1;
    sum = sum + e * tap0;
    return sum;
}

#define PREV(row) centred(SAMPLE(prev, mirror(row, height) * stride, x))
#define CUR(row) centred(SAMPLE(cur, mirror(row, height) * stride, x))

KERNEL_MAIN
{
    i32 column = i32(GROUP_X * FMOTION_TILE_W + LOCAL_X) - 2;
    u32 x = mirror(column, width);
    i32 y = i32(GROUP_Y * FMOTION_TILE_H), end = min_i32(y + FMOTION_TILE_H, i32(height));
    bool inside = LOCAL_X >= 2u && LOCAL_X < 2u + FMOTION_TILE_W && column < i32(width);
    u32 line = LOCAL_X; /* two lines, alternating with the two after them */
    f32 a0 = PREV(y - 2), a1 = PREV(y - 1), a2 = PREV(y), a3 = PREV(y + 1);
    f32 b0 = CUR(y - 2), b1 = CUR(y - 1), b2 = CUR(y), b3 = CUR(y + 1);
    for (; y < end; y++) {
        f32 a4 = PREV(y + 2), b4 = CUR(y + 2);
        lines[line] = weigh(a0, a1, a2, a3, a4);
        lines[line + GROUP_W] = weigh(b0, b1, b2, b3, b4);
        BARRIER();
        if (inside) {
            f32 before = weigh(lines[line - 2u], lines[line - 1u], lines[line], lines[line + 1u],
                               lines[line + 2u]);
            u32 now_at = line + GROUP_W;
            f32 now = weigh(lines[now_at - 2u], lines[now_at - 1u], lines[now_at],
                            lines[now_at + 1u], lines[now_at + 2u]);
            u32 at = u32(y) * width + x;
            PRECISE f32 difference = before - now;
            terms[at] = abs_f32(difference);
            if (keep != 0u) {
                blurred[at] = before;
                blurred[at + width * height] = now;
            }
        }
        a0 = a1;
        a1 = a2;
        a2 = a3;
        a3 = a4;
        b0 = b1;
        b1 = b2;
        b2 = b3;
        b3 = b4;
        line = 2u * GROUP_W + 2u * LOCAL_X - line;
    }
}
KERNEL_END
#endif

#if defined(KERNEL_float_motion_half)
/* Distances of both blurred planes at half size. */
#include "feature/float_motion/float_motion_tile.h"
#define BUFFERS IN(0, f32, blurred) IN(1, u32, positions) OUT(2, f32, terms)
#define PARAMS FLOAT_MOTION_HALF_PARAMS
#define GROUP_W FMOTION_HALF_W
#define GROUP_H FMOTION_HALF_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN

#include "feature/common/bilinear_device.h"

DEVICE f32 stored(u32 plane, u32 row, u32 column)
{
    u32 at = row * walked + column, y = at / pitch, x = at - y * pitch;
    return x < width ? blurred[(plane * height + y) * width + x] : 0.0f;
}

DEVICE f32 halved(u32 plane, u32 column, u32 row)
{
    u32 x1 = positions[3u * column], x2 = positions[3u * column + 1u];
    u32 y1 = positions[3u * row], y2 = positions[3u * row + 1u];
    f32 dx = f32_of_bits(positions[3u * column + 2u]), dy = f32_of_bits(positions[3u * row + 2u]);
    return bilinear(dx, dy, stored(plane, y1, x1), stored(plane, y1, x2), stored(plane, y2, x1),
                    stored(plane, y2, x2));
}

KERNEL_MAIN
{
    u32 x = GROUP_X * GROUP_W + LOCAL_X, y = GROUP_Y * GROUP_H + LOCAL_Y;
    if (x >= half_w || y >= half_h)
        return;
    PRECISE f32 difference = halved(0u, x, half_w + y) - halved(1u, x, half_w + y);
    terms[y * half_w + x] = abs_f32(difference);
}
KERNEL_END
#endif
