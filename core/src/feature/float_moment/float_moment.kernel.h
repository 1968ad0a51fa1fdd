/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The kernel of float_moment: sums of the samples of a plane and of their squares. A thread takes
 * one word (4 or 2 samples) of each of MOMENT_ROWS rows. A workgroup adds the sums of its threads,
 * the host those of the workgroups. */
#include "feature/float_moment/float_moment_tile.h"
#define BUFFERS IN(0, u32, plane) OUT(1, u64, sums)
#define PARAMS FLOAT_MOMENT_PARAMS
#define SHARED_ARRAYS SHARED(u64, part, MOMENT_GROUP_W)
#define GROUP_W MOMENT_GROUP_W
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#include "feature/common/psnr/float_square.h"

KERNEL_MAIN
{
    u32 word = GROUP_X * GROUP_W + LOCAL_X;
    u32 x = word * SAMPLES_PER_WORD;
    u32 y = GROUP_Y * MOMENT_ROWS;
    u32 end = min_u32(y + MOMENT_ROWS, height);
    u32 samples = x < width ? min_u32(SAMPLES_PER_WORD, width - x) : 0u;
    u32 values = 0u; /* sum of at most 128 samples */
    u64 squares = u64(0u);
    for (; samples > 0u && y < end; y++) {
        u32 four = plane[y * stride + word];
        for (u32 i = 0u; i < samples; i++) {
            u32 value = sample_of(four, i);
            values += value;
            squares += u64(float_square(value));
        }
    }
    u32 at = 2u * (first_sum + GROUP_Y * groups_x + GROUP_X);
    GROUP_SUM(part, u64(values));
    if (LOCAL_INDEX == 0u)
        sums[at] = part[0];
    GROUP_SUM(part, squares);
    if (LOCAL_INDEX == 0u)
        sums[at + 1u] = part[0];
}
KERNEL_END
