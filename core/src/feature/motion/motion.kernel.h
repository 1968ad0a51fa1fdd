/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The kernel of motion. */

#if defined(KERNEL_motion_sad)
/* Sums the magnitudes of the blurred difference of two luma planes. A thread blurs four columns of
 * four rows vertically, reading whole words, and then horizontally, with two columns of its
 * neighbours on either side. */
#include "feature/motion/motion_tile.h"
#define BUFFERS IN(0, u32, cur) IN(1, u32, prev) OUT(2, u32, sums)
#define PARAMS MOTION_SAD_PARAMS
/* First the blurred columns, then the sums. */
#define SHARED_ARRAYS                                                                              \
    SHARED(u32, part, MOTION_GROUP_W * MOTION_GROUP_H * MOTION_ROWS * MOTION_COLUMNS)
#define GROUP_W MOTION_GROUP_W
#define GROUP_H MOTION_GROUP_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN

#define WORDS (MOTION_COLUMNS / SAMPLES_PER_WORD)
#define SPAN (MOTION_COLUMNS + 4) /* columns that the outputs of a thread need */

/* The type of a blurred column: at 16 bits it needs 33 bits. */
#if HBD
#define SUM i64
#else
#define SUM i32
#endif

/* Reflects an index at the edges once; the edge sample is not repeated. A row that no output needs
 * may lie further out: it is only kept inside the picture. */
DEVICE u32 mirror(i32 i, u32 n)
{
    i32 m = i < 0 ? -i : i;
    m = m < i32(n) ? m : 2 * i32(n) - 2 - m;
    return u32(clamp_i32(m, 0, i32(n) - 1));
}

/* Chooses between two values. Both are evaluated: otherwise compilers choose between two addresses,
 * and the arrays can no longer stay in registers. */
DEVICE i32 pick(bool first, i32 a, i32 b)
{
    return first ? a : b;
}

/* The filter's taps, Q16. */
#define TAP(i) ((i) == 2 ? 26386 : (i) == 1 || (i) == 3 ? 16004 : 3571)

/* A blurred column of thread `lane` in shared memory. */
#define COLUMN(row, column, lane)                                                                  \
    part[((LOCAL_Y * MOTION_ROWS + (row)) * MOTION_COLUMNS + (column)) * GROUP_W + (lane)]

KERNEL_MAIN
{
    i32 x = i32(GROUP_X * MOTION_TILE_W + LOCAL_X * MOTION_COLUMNS) - MOTION_COLUMNS;
    i32 y = i32((GROUP_Y * GROUP_H + LOCAL_Y) * MOTION_ROWS);
    u32 word[WORDS];
    UNROLL for (u32 i = 0u; i < WORDS; i++)
        word[i] = u32(clamp_i32(x / i32(SAMPLES_PER_WORD) + i32(i), 0, i32(stride) - 1));

    SUM down[MOTION_ROWS * MOTION_COLUMNS];
    UNROLL for (u32 i = 0u; i < MOTION_ROWS * MOTION_COLUMNS; i++)
        down[i] = SUM(1u << (bpc - 1u));
    UNROLL for (i32 i = 0; i < MOTION_ROWS + 4; i++) {
        u32 row = mirror(y - 2 + i, height) * stride;
        UNROLL for (u32 k = 0u; k < MOTION_COLUMNS; k++) {
            u32 at = row + word[k / SAMPLES_PER_WORD];
            i32 d = i32(sample_of(prev[at], k)) - i32(sample_of(cur[at], k));
            UNROLL for (i32 r = 0; r < MOTION_ROWS; r++) {
                if (i >= r && i < r + 5)
                    down[u32(r) * MOTION_COLUMNS + k] += SUM(TAP(i - r)) * SUM(d);
            }
        }
    }
    UNROLL for (u32 r = 0u; r < MOTION_ROWS; r++) {
        UNROLL for (u32 k = 0u; k < MOTION_COLUMNS; k++)
            COLUMN(r, k, LOCAL_X) = u32(i32(down[r * MOTION_COLUMNS + k] >> bpc));
    }
    BARRIER();

    u32 sum = 0u;
    if (LOCAL_X > 0u && LOCAL_X < GROUP_W - 1u) {
        bool at_edge = x == 0 || x + MOTION_COLUMNS + 2 > i32(width);
        UNROLL for (u32 r = 0u; r < MOTION_ROWS; r++) {
            i32 v[SPAN];
            UNROLL for (u32 k = 0u; k < MOTION_COLUMNS; k++)
                v[k + 2u] = i32(down[r * MOTION_COLUMNS + k] >> bpc);
            UNROLL for (u32 k = 0u; k < 2u; k++) {
                v[k] = i32(COLUMN(r, k + 2u, LOCAL_X - 1u));
                v[k + 6u] = i32(COLUMN(r, k, LOCAL_X + 1u));
            }
            if (at_edge) {
                UNROLL for (i32 k = 3; k < SPAN; k++)
                    v[k] = pick(x - 2 + k == i32(width), v[k - 2], v[k]);
                UNROLL for (i32 k = 4; k < SPAN; k++)
                    v[k] = pick(x - 3 + k == i32(width), v[k - 4], v[k]);
                v[0] = pick(x == 0, v[4], v[0]);
                v[1] = pick(x == 0, v[3], v[1]);
            }
            UNROLL for (i32 j = 0; j < MOTION_COLUMNS; j++) {
                i64 blurred = i64(3571) * i64(v[j] + v[j + 4]) +
                              i64(16004) * i64(v[j + 1] + v[j + 3]) + i64(26386) * i64(v[j + 2]);
                blurred += i64(32768);
                u32 size = u32(abs_i32(i32(blurred >> 16)));
                sum += x + j < i32(width) && y + i32(r) < i32(height) ? size : 0u;
            }
        }
    }
    GROUP_SUM(part, sum);
    if (LOCAL_INDEX == 0u)
        sums[GROUP_Y * tiles_x + GROUP_X] = part[0];
}
KERNEL_END
#endif
