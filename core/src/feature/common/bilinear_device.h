/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The weighted mean of four samples, rounded step by step as in the CPU's code: upper row first. dx
 * and dy are the weights of the right column and of the lower row. Include this file in a kernel,
 * after KERNEL_BEGIN. */
DEVICE f32 bilinear(f32 dx, f32 dy, f32 upper_left, f32 upper_right, f32 lower_left,
                    f32 lower_right)
{
    PRECISE f32 ex = 1.0f - dx;
    PRECISE f32 ey = 1.0f - dy;
    PRECISE f32 w11 = ey * ex;
    PRECISE f32 w12 = ey * dx;
    PRECISE f32 w21 = dy * ex;
    PRECISE f32 w22 = dy * dx;
    PRECISE f32 value = w11 * upper_left;
    value = value + w12 * upper_right;
    value = value + w21 * lower_left;
    value = value + w22 * lower_right;
    return value;
}
