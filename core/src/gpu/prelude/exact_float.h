/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Single-precision arithmetic that Vulkan does not promise: correctly rounded quotients and roots,
 * and sums and products with their rounding errors. Results are rounded to nearest, ties to even;
 * results below the smallest normal number become 0. Include this file after KERNEL_BEGIN, because
 * it defines device functions. */

/* a / b, for b > 0 and normal. The device's quotient of the mantissas is close, and integer
 * arithmetic makes it exact. */
DEVICE f32 exact_div(f32 a, f32 b)
{
    u32 a_bits = bits_of_f32(a), b_bits = bits_of_f32(b);
    u32 a_exponent = (a_bits >> 23) & 255u, b_exponent = b_bits >> 23;
    u32 a_mantissa = (a_bits & 0x7fffffu) | 0x800000u, b_mantissa = (b_bits & 0x7fffffu) | 0x800000u;
    /* The quotient has 25 bits: 24, and one for rounding. */
    u32 shift = a_mantissa >= b_mantissa ? 24u : 25u;
    f32 scale = shift == 24u ? 16777216.0f : 33554432.0f;
    /* The conversions use signed integers, since many vector units convert no others. */
    f32 divisor = f32(i32(b_mantissa));
    u32 quotient = u32(i32(f32(i32(a_mantissa)) / divisor * scale));
    /* The true remainder is small, so 32 bits hold it even though the upper bits are lost. */
    i32 rest = i32((a_mantissa << shift) - quotient * b_mantissa);
    i32 off = i32(floor_f32(f32(rest) / divisor));
    quotient += u32(off);
    rest -= off * i32(b_mantissa);
    if (rest < 0) {
        quotient -= 1u;
        rest += i32(b_mantissa);
    } else if (rest >= i32(b_mantissa)) {
        quotient += 1u;
        rest -= i32(b_mantissa);
    }
    u32 mantissa = quotient >> 1;
    if ((quotient & 1u) != 0u && (rest != 0 || (mantissa & 1u) != 0u))
        mantissa += 1u;
    i32 exponent = i32(a_exponent) - i32(b_exponent) + 127 + 24 - i32(shift);
    if (a_exponent == 0u || exponent <= 0)
        return 0.0f;
    return f32_of_bits((a_bits & 0x80000000u) | ((u32(exponent - 1) << 23) + mantissa));
}

/* The square root of x >= 0. */
DEVICE f32 exact_sqrt(f32 x)
{
    u32 bits = bits_of_f32(x);
    if (bits < 0x800000u)
        return 0.0f;
    u32 mantissa = (bits & 0x7fffffu) | 0x800000u;
    i32 exponent = i32(bits >> 23) - 127;
    u32 odd = u32(exponent) & 1u;
    /* The root has 25 bits: it is taken of the mantissa times 2^25 or 2^26, and its last bit is for
     * rounding. */
    f32 radicand = f32(i32(mantissa << odd));
    u32 root = u32(i32(sqrt_near(radicand) * 5792.61875f)); /* 2^12.5 */
    i32 rest = i32((mantissa << (25u + odd)) - root * root);
    i32 off = i32(floor_f32(f32(rest) / (2.0f * f32(i32(root)))));
    rest -= i32(2u * root) * off + off * off;
    root += u32(off);
    if (rest < 0) {
        root -= 1u;
        rest += i32(2u * root + 1u);
    } else if (rest > i32(2u * root)) {
        rest -= i32(2u * root + 1u);
        root += 1u;
    }
    /* A tie is impossible: the square of an odd root is odd. */
    u32 rounded = (root >> 1) + (root & 1u);
    return f32_of_bits((u32((exponent - i32(odd)) / 2 + 126) << 23) + rounded);
}

/* a + b, rounded. `error` receives the rounding error. */
DEVICE f32 two_sum(f32 a, f32 b, INOUT(f32) error)
{
    PRECISE f32 sum = a + b;
    PRECISE f32 b_part = sum - a;
    PRECISE f32 a_part = sum - b_part;
    PRECISE f32 a_lost = a - a_part;
    PRECISE f32 b_lost = b - b_part;
    PRECISE f32 lost = a_lost + b_lost;
    error = lost;
    return sum;
}

/* The upper half of x's digits. */
DEVICE f32 upper_half(f32 x)
{
    return f32_of_bits(bits_of_f32(x) & 0xfffff000u);
}

/* a * b, rounded. `error` receives the rounding error. FUSED, if defined and not 0: the
 * device is known to fuse multiply and add. */
DEVICE f32 two_product(f32 a, f32 b, INOUT(f32) error)
{
    PRECISE f32 product = a * b;
#if defined(FUSED) && FUSED
    PRECISE f32 rest = fma_f32(a, b, -product);
    error = rest;
    return product;
#else
    PRECISE f32 a_upper = upper_half(a);
    PRECISE f32 b_upper = upper_half(b);
    PRECISE f32 a_lower = a - a_upper;
    PRECISE f32 b_lower = b - b_upper;
    PRECISE f32 lost = a_upper * b_upper - product;
    PRECISE f32 lost2 = lost + a_upper * b_lower;
    PRECISE f32 lost3 = lost2 + a_lower * b_upper;
    PRECISE f32 lost4 = lost3 + a_lower * b_lower;
    error = lost4;
    return product;
#endif
}
