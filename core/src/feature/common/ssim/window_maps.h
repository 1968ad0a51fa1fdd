/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The maps that SSIM's window filters, and the terms that follow from their means. Include it after
 * KERNEL_BEGIN. */

/* One value of each map: A, B, A*A, B*B and A*B. */
struct Across {
    f32 a, b, aa, bb, ab;
};

/* The operands of SSIM's quotients. `square` is the product of the two variances. */
struct Spread {
    f32 square, covar, luma, contrast;
};

#define SSIM_C1 f32_of_bits(0x40d0147au) /* (0.01 * 255)^2 */
#define SSIM_C2 f32_of_bits(0x426a1709u) /* (0.03 * 255)^2 */
#define SSIM_C3 f32_of_bits(0x41ea1709u) /* half of SSIM_C2 */

DEVICE Spread spread_of(Across mean)
{
    f32 a = mean.a, b = mean.b;
    PRECISE f32 var_a = mean.aa - a * a;
    PRECISE f32 var_b = mean.bb - b * b;
    PRECISE f32 covar = mean.ab - a * b;
    var_a = max_f32(var_a, 0.0f);
    var_b = max_f32(var_b, 0.0f);
    PRECISE f32 square = var_a * var_b;
    PRECISE f32 luma = a * a + b * b + SSIM_C1;
    PRECISE f32 contrast = var_a + var_b + SSIM_C2;
    Spread s;
    s.square = square;
    s.covar = covar;
    s.luma = luma;
    s.contrast = contrast;
    return s;
}

/* The numerator of structure. */
DEVICE f32 together_of(f32 covar, f32 sd)
{
    PRECISE f32 together = (covar < 0.0f && sd <= 0.0f ? 0.0f : covar) + SSIM_C3;
    return together;
}

/* The denominator of structure. */
DEVICE f32 apart_of(f32 sd)
{
    PRECISE f32 apart = sd + SSIM_C3;
    return apart;
}
