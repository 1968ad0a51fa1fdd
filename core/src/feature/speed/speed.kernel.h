/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernels of speed_chroma and speed_temporal. They reduce planes to a sixteenth of their size
 * and subtract the local mean. All operations are in single precision and rounded step by step as
 * on the CPU; filters go down the columns first, then along the rows. */
#include "feature/common/resample_tile.h"
#include "feature/speed/speed_tile.h"

#if defined(KERNEL_speed_reduce)
/* Resizes a plane, filters it, and keeps every SPEED_STEP-th sample. A workgroup makes
 * SPEED_REDUCE_KEPT samples of a row: it filters the columns that they need into shared memory,
 * then filters along the row. */
#define BUFFERS                                                                                    \
    IN(0, u32, from) IN(1, u32, minus) IN(2, u32, positions)                                       \
    IN(3, f32, weights) OUT(4, f32, reduced)
#define PARAMS SPEED_REDUCE_PARAMS
#define SHARED_ARRAYS SHARED(f32, line, (SPEED_REDUCE_KEPT - 1) * SPEED_STEP + SPEED_MAX_TAPS)
#define GROUP_W SPEED_REDUCE_W
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#include "gpu/prelude/exact_float.h"

/* A sample, or the difference of `from` less `minus`. Both are exact at any depth. */
DEVICE f32 pixel(u32 x, u32 y)
{
    PRECISE f32 value = f32(i32(SAMPLE(from, y * stride, x))) * scale - 128.0f;
    if (is_change == 0u)
        return value;
    PRECISE f32 other = f32(i32(SAMPLE(minus, y * stride, x))) * scale - 128.0f;
    PRECISE f32 change = value - other;
    return change;
}

#define RESAMPLE_PIXEL(x, y) pixel(x, y)
#include "feature/common/resample_device.h"

/* Reflects a position at the borders. Positions that no kept sample needs may be further out; they
 * are clamped to the plane. */
DEVICE u32 mirror(i32 i, u32 n)
{
    i32 m = i < 0 ? -i : i;
    m = m < i32(n) ? m : 2 * i32(n) - 2 - m;
    return u32(clamp_i32(m, 0, i32(n) - 1));
}

DEVICE f32 filter_down(u32 x, i32 top)
{
    PRECISE f32 sum = 0.0f;
    for (u32 k = 0u; k < taps; k++)
        sum = sum + resampled(x, mirror(top + i32(k), new_h)) * weights[k];
    return sum;
}

KERNEL_MAIN
{
    i32 reach = i32(taps / 2u), top = i32(GROUP_Y * SPEED_STEP) - reach;
    i32 left = i32(GROUP_X * SPEED_REDUCE_KEPT * SPEED_STEP) - reach;
    /* With filters shorter than SPEED_STEP, only `taps` columns for each kept sample are needed. */
    u32 run = min_u32(taps, SPEED_STEP), columns = (SPEED_REDUCE_KEPT - 1u) * run + taps;
    for (u32 i = LOCAL_X; i < columns; i += GROUP_W)
        line[i] = filter_down(mirror(left + i32(i / run * SPEED_STEP + i % run), new_w), top);
    BARRIER();
    u32 x = GROUP_X * SPEED_REDUCE_KEPT + LOCAL_X;
    if (LOCAL_X >= SPEED_REDUCE_KEPT || x >= small_w)
        return;
    PRECISE f32 sum = 0.0f;
    for (u32 k = 0u; k < taps; k++)
        sum = sum + line[LOCAL_X * run + k] * weights[k];
    reduced[first + GROUP_Y * small_w + x] = sum;
}
KERNEL_END
#endif

#if defined(KERNEL_speed_local)
/* Subtracts the local mean from the reduced planes. GROUP_Z is the number of the plane. */
#define BUFFERS IN(0, f32, reduced) IN(1, f32, weights) OUT(2, f32, planes)
#define PARAMS SPEED_LOCAL_PARAMS
#define GROUP_W SPEED_LOCAL_W
#define GROUP_H SPEED_LOCAL_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN

DEVICE u32 mirror(i32 i, u32 n)
{
    i32 m = i < 0 ? -i : i;
    return u32(m < i32(n) ? m : 2 * i32(n) - 2 - m);
}

DEVICE f32 filter_down(u32 plane, u32 x, i32 top)
{
    PRECISE f32 sum = 0.0f;
    for (u32 k = 0u; k < taps; k++)
        sum = sum + reduced[plane + mirror(top + i32(k), small_h) * small_w + x] * weights[k];
    return sum;
}

KERNEL_MAIN
{
    u32 x = GROUP_X * GROUP_W + LOCAL_X, y = GROUP_Y * GROUP_H + LOCAL_Y;
    u32 plane = GROUP_Z * small_w * small_h, at = plane + y * small_w + x;
    i32 reach = i32(taps / 2u);
    if (x >= small_w || y >= small_h)
        return;
    PRECISE f32 mean = 0.0f;
    for (u32 k = 0u; k < taps; k++)
        mean = mean + filter_down(plane, mirror(i32(x + k) - reach, small_w), i32(y) - reach) *
            weights[k];
    PRECISE f32 rest = reduced[at] - mean;
    planes[at] = rest;
}
KERNEL_END
#endif
