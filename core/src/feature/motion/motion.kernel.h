/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernels of motion. */

#if defined(KERNEL_motion_sad)
/* Sum of the magnitudes of the blurred difference of two luma planes. A thread makes four rows of four
 * columns by itself: the columns and two on either side are blurred downwards, whole words at a time,
 * then these across. */
#include "feature/motion/motion_tile.h"
#define BUFFERS IN(0, u32, cur) IN(1, u32, prev) OUT(2, u32, sums)
#define PARAMS MOTION_SAD_PARAMS
#define SHARED_ARRAYS SHARED(u32, part, MOTION_GROUP_W * MOTION_GROUP_H)
#define GROUP_W MOTION_GROUP_W
#define GROUP_H MOTION_GROUP_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN

#define SPAN (MOTION_COLUMNS + 4) /* columns that are blurred downwards */

/* The words that hold a row of them, samples of the first word that are not needed, and what a sum fits in. */
#if HBD
#define WORDS 4
#define SKIPPED 0u
#define SUM i64
#else
#define WORDS 3
#define SKIPPED 2u
#define SUM i32
#endif

/* Beyond the edge the picture is mirrored once, the edge sample not repeated. Rows that no output needs
 * may lie further out: they are only kept inside. */
DEVICE u32 mirror(i32 i, u32 n)
{
    i32 m = i < 0 ? -i : i;
    m = m < i32(n) ? m : 2 * i32(n) - 2 - m;
    return u32(clamp_i32(m, 0, i32(n) - 1));
}

/* Both are looked at, or compilers would give arrays addresses to choose between. */
DEVICE i32 pick(bool first, i32 a, i32 b)
{
    return first ? a : b;
}

/* The filter's taps, Q16. */
#define TAP(i) ((i) == 2 ? 26386 : (i) == 1 || (i) == 3 ? 16004 : 3571)

KERNEL_MAIN
{
    i32 x = i32((GROUP_X * GROUP_W + LOCAL_X) * MOTION_COLUMNS);
    i32 y = i32((GROUP_Y * GROUP_H + LOCAL_Y) * MOTION_ROWS);
    u32 word[WORDS];
    UNROLL for (i32 i = 0; i < WORDS; i++)
        word[i] = u32(clamp_i32((x - 2 - i32(SKIPPED)) / i32(SAMPLES_PER_WORD) + i, 0, i32(stride) - 1));

    SUM down[MOTION_ROWS * SPAN];
    UNROLL for (u32 i = 0u; i < MOTION_ROWS * SPAN; i++)
        down[i] = SUM(1u << (bpc - 1u));
    UNROLL for (i32 i = 0; i < MOTION_ROWS + 4; i++) {
        u32 row = mirror(y - 2 + i, height) * stride;
        u32 a[WORDS], b[WORDS];
        UNROLL for (u32 k = 0u; k < WORDS; k++) {
            a[k] = prev[row + word[k]];
            b[k] = cur[row + word[k]];
        }
        UNROLL for (u32 k = 0u; k < SPAN; k++) {
            u32 at = (k + SKIPPED) / SAMPLES_PER_WORD;
            i32 d = i32(sample_of(a[at], k + SKIPPED)) - i32(sample_of(b[at], k + SKIPPED));
            UNROLL for (i32 r = 0; r < MOTION_ROWS; r++) {
                if (i >= r && i < r + 5)
                    down[u32(r) * SPAN + k] += SUM(TAP(i - r)) * SUM(d);
            }
        }
    }

    u32 sum = 0u;
    bool at_edge = x == 0 || x + MOTION_COLUMNS + 2 > i32(width);
    UNROLL for (i32 r = 0; r < MOTION_ROWS; r++) {
        i32 v[SPAN];
        UNROLL for (u32 k = 0u; k < SPAN; k++)
            v[k] = i32(down[u32(r) * SPAN + k] >> bpc);
        if (at_edge) {
            UNROLL for (i32 k = 3; k < SPAN; k++)
                v[k] = pick(x - 2 + k == i32(width), v[k - 2], v[k]);
            UNROLL for (i32 k = 4; k < SPAN; k++)
                v[k] = pick(x - 3 + k == i32(width), v[k - 4], v[k]);
            v[0] = pick(x == 0, v[4], v[0]);
            v[1] = pick(x == 0, v[3], v[1]);
        }
        UNROLL for (i32 j = 0; j < MOTION_COLUMNS; j++) {
            i64 blurred = i64(3571) * i64(v[j] + v[j + 4]) + i64(16004) * i64(v[j + 1] + v[j + 3]) +
                          i64(26386) * i64(v[j + 2]) + i64(32768);
            u32 size = u32(abs_i32(i32(blurred >> 16)));
            sum += x + j < i32(width) && y + r < i32(height) ? size : 0u;
        }
    }
    GROUP_SUM(part, sum);
    if (LOCAL_INDEX == 0u)
        sums[GROUP_Y * tiles_x + GROUP_X] = part[0];
}
KERNEL_END
#endif
