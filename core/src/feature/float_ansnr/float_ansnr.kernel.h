/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The kernel of float_ansnr: squares of the signal and of the noise, which float_row_sums adds.
 *
 * Each thread has a column. Rows enter at the bottom through shared memory. Each kind of kernel row
 * is applied once to a row of samples, and the result is added to the sums of all output rows
 * around it, which wait in registers until they are complete. */
#include "feature/float_ansnr/float_ansnr_tile.h"
#define BUFFERS IN(0, u32, ref) IN(1, u32, dist) OUT(2, f32, terms)
#define PARAMS FLOAT_ANSNR_PARAMS
#define SHARED_ARRAYS SHARED(f32, lines, 4 * ANSNR_GROUP_W)
#define GROUP_W ANSNR_GROUP_W
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN

/* Reflects an index at the edges; the edge sample is repeated on the far side only. An index that
 * no output needs is only kept inside the picture. */
DEVICE u32 reflect(i32 i, u32 n)
{
    i32 m = i < 0 ? -i : i < i32(n) ? i : 2 * i32(n) - 1 - i;
    return u32(clamp_i32(m, 0, i32(n) - 1));
}

DEVICE f32 centred(u32 value)
{
    PRECISE f32 scaled = f32(i32(value)) * scale;
    PRECISE f32 shifted = scaled - 128.0f;
    return shifted;
}

DEVICE f32 weigh3(u32 at, f32 side, f32 middle)
{
    PRECISE f32 sum = lines[at - 1u] * side;
    sum = sum + lines[at] * middle;
    sum = sum + lines[at + 1u] * side;
    return sum;
}

DEVICE f32 weigh5(u32 at, f32 end, f32 side, f32 middle)
{
    PRECISE f32 sum = lines[at - 2u] * end;
    sum = sum + lines[at - 1u] * side;
    sum = sum + lines[at] * middle;
    sum = sum + lines[at + 1u] * side;
    sum = sum + lines[at + 2u] * end;
    return sum;
}

KERNEL_MAIN
{
    i32 column = i32(GROUP_X * ANSNR_TILE_W + LOCAL_X) - 2;
    u32 x = reflect(column, width), plane = width * height;
    i32 top = i32(GROUP_Y * ANSNR_TILE_H), end = min_i32(top + ANSNR_TILE_H, i32(height));
    bool inside = LOCAL_X >= 2u && LOCAL_X < 2u + ANSNR_TILE_W && column < i32(width);
    u32 line = LOCAL_X; /* two lines, alternating with the two after them */
    /* The sums of the light and of the heavy blur; first come those of the row that still needs
     * most input rows. */
    PRECISE f32 light0 = 0.0f, light1 = 0.0f, light2 = 0.0f;
    PRECISE f32 heavy0 = 0.0f, heavy1 = 0.0f, heavy2 = 0.0f, heavy3 = 0.0f;
    for (i32 y = top - 4; y < end; y++) {
        /* The row that enters is two below the one that is complete. */
        u32 row = reflect(y + 2, height) * stride;
        lines[line] = centred(SAMPLE(ref, row, x));
        lines[line + GROUP_W] = centred(SAMPLE(dist, row, x));
        BARRIER();
        if (inside) {
            u32 at = line + GROUP_W;
            f32 outer = weigh3(line, 0.0625f, 0.125f), inner = weigh3(line, 0.125f, 0.25f);
            f32 ends = weigh5(at, tap2, tap7, tap12), sides = weigh5(at, tap7, tap31, tap52);
            f32 middle = weigh5(at, tap12, tap52, tap127);
            f32 clean = light2; /* complete since the row before */
            PRECISE f32 rough = heavy3 + ends;
            light2 = light1 + outer;
            light1 = light0 + inner;
            light0 = outer;
            heavy3 = heavy2 + sides;
            heavy2 = heavy1 + middle;
            heavy1 = heavy0 + sides;
            heavy0 = ends;
            if (y >= top) {
                PRECISE f32 noise = clean - rough;
                PRECISE f32 signal_square = clean * clean;
                PRECISE f32 noise_square = noise * noise;
                u32 to = u32(y) * width + x;
                terms[to] = signal_square;
                terms[to + plane] = noise_square;
            }
        }
        line = 2u * GROUP_W + 2u * LOCAL_X - line;
    }
}
KERNEL_END
