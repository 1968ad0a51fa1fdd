/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Resizes a plane in a kernel, exactly as resample.c does. Include it after exact_float.h, in a
 * kernel that has RESAMPLE_PARAMS, the buffer `positions`, and RESAMPLE_PIXEL(x, y), a sample of
 * the original plane. */

#include "feature/common/bilinear_device.h"

DEVICE f32 resample_weight(u32 position)
{
    return f32_of_bits(positions[2u * position + 1u]);
}

DEVICE f32 resample_bilinear(u32 column, u32 row)
{
    u32 x1 = positions[2u * column], x2 = positions[2u * column + 2u];
    u32 y1 = positions[2u * row], y2 = positions[2u * row + 2u];
    return bilinear(resample_weight(column), resample_weight(row), RESAMPLE_PIXEL(x1, y1),
                    RESAMPLE_PIXEL(x2, y1), RESAMPLE_PIXEL(x1, y2), RESAMPLE_PIXEL(x2, y2));
}

/* Bicubic or Lanczos: the weighed sum over all taps. */
DEVICE f32 resample_weighed(u32 column, u32 row)
{
    PRECISE f32 value = 0.0f;
    PRECISE f32 total = 0.0f;
    for (u32 j = 0u; j < resample_taps; j++) {
        u32 y = positions[2u * (row + j)];
        for (u32 i = 0u; i < resample_taps; i++) {
            PRECISE f32 weight = resample_weight(column + i) * resample_weight(row + j);
            total = total + weight;
            value = value + RESAMPLE_PIXEL(positions[2u * (column + i)], y) * weight;
        }
    }
    return way == RESAMPLE_WAY_NORMALISED ? exact_div(value, total) : value;
}

/* Sample (x, y) of the resized plane. */
DEVICE f32 resampled(u32 x, u32 y)
{
    u32 column = x * resample_taps, row = (new_w + y) * resample_taps;
    if (way == RESAMPLE_WAY_NONE)
        return RESAMPLE_PIXEL(x, y);
    if (way == RESAMPLE_WAY_NEAREST)
        return RESAMPLE_PIXEL(positions[2u * column], positions[2u * row]);
    if (way == RESAMPLE_WAY_BILINEAR)
        return resample_bilinear(column, row);
    return resample_weighed(column, row);
}
