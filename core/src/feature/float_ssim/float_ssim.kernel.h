/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernel of float_ssim: averages an image over boxes. Each sample is weighed and rounded; their
 * sum is exact. */
#include "feature/float_ssim/float_ssim_tile.h"

#define BUFFERS IN(0, u32, image) OUT(1, f32, small_image)
#define PARAMS SSIM_SHRINK_PARAMS
#define GROUP_W SHRINK_GROUP_W
#define GROUP_H SHRINK_GROUP_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
/* Reflects a position at the edges so that the edge sample is repeated; clamps it to the image. */
DEVICE u32 reflect(i32 i, u32 n)
{
    i32 r = i < 0 ? -1 - i : i < i32(n) ? i : 2 * i32(n) - 1 - i;
    return u32(clamp_i32(r, 0, i32(n) - 1));
}

KERNEL_MAIN
{
    u32 x = GROUP_X * SHRINK_GROUP_W + LOCAL_X, y = GROUP_Y * SHRINK_GROUP_H + LOCAL_Y;
    if (x >= small_w || y >= small_h)
        return;
    /* The sum is made in units of the tap's last place. */
    u32 unit = bits_of_f32(tap) >> 23;
    u64 sum = u64(0);
    for (u32 r = 0u; r < factor; r++) {
        u32 row = reflect(i32(y * factor + r) - i32(factor / 2u), height) * stride;
        for (u32 c = 0u; c < factor; c++) {
            u32 column = reflect(i32(x * factor + c) - i32(factor / 2u), width);
            PRECISE f32 weighed = f32(SAMPLE(image, row, column)) * tap;
            u32 bits = bits_of_f32(weighed);
            if (bits != 0u)
                sum += u64((bits & 0x7fffffu) | 0x800000u) << ((bits >> 23) - unit);
        }
    }
    f32 value = 0.0f;
    if ((u32(sum) | u32(sum >> 32)) != 0u) {
        u32 excess = max_u32(top_bit_u64(sum), 23u) - 23u;
        u64 kept = sum >> excess, rest = sum - (kept << excess), twice = rest << 1;
        u64 whole = u64(1) << excess;
        if (twice > whole || (twice == whole && excess != 0u && (u32(kept) & 1u) != 0u))
            kept += u64(1);
        value = f32_of_bits(((unit + excess - 1u) << 23) + u32(kept)) * step;
    }
    small_image[y * small_w + x] = value;
}
KERNEL_END
