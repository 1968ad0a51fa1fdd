/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sums and products too small to be normal numbers, rounded as IEEE requires, because devices may
 * treat such numbers as 0. Floats are bit patterns here. Include this file after KERNEL_BEGIN,
 * because it defines device functions. */

/* Bits of 2^-63: adding a number below 2^-126 to it changes nothing. */
#define TINY_SAFE 0x20000000u

/* A float below 2^-62 times 2^64, which is a normal number. */
DEVICE f32 scaled_up(u32 bits)
{
    u32 size = bits & 0x7fffffffu;
    PRECISE f32 tiny = f32(i32(size)) * f32_of_bits(0x15000000u); /* 2^-85 */
    f32 value = size < 0x800000u ? tiny : f32_of_bits(size + 0x20000000u);
    return (bits >> 31) != 0u ? -value : value;
}

DEVICE u32 scaled_down(f32 value)
{
    u32 bits = bits_of_f32(value), size = bits & 0x7fffffffu;
    PRECISE f32 units = f32_of_bits(size) * f32_of_bits(0x6a000000u); /* 2^85 */
    u32 down = size >= 0x20800000u ? size - 0x20000000u : u32(i32(units));
    return (bits & 0x80000000u) | down;
}

DEVICE u32 tiny_add(u32 a, u32 b)
{
    u32 larger = max_u32(a & 0x7fffffffu, b & 0x7fffffffu);
    if (larger >= TINY_SAFE) {
        PRECISE f32 plain = f32_of_bits(a) + f32_of_bits(b);
        return bits_of_f32(plain);
    }
    if (larger == 0u)
        return 0u;
    PRECISE f32 sum = scaled_up(a) + scaled_up(b);
    return scaled_down(sum);
}

/* Both floats must be at least 0 and below 2^22. */
DEVICE u32 tiny_mul(u32 a, u32 b)
{
    u32 a_exponent = a >> 23, b_exponent = b >> 23;
    u32 a_digits = a_exponent == 0u ? a : (a & 0x7fffffu) | 0x800000u;
    u32 b_digits = b_exponent == 0u ? b : (b & 0x7fffffu) | 0x800000u;
    if (a_digits == 0u || b_digits == 0u)
        return 0u;
    /* The product in units of 2^-149, which is the last place of all numbers below 2^-125. */
    i32 shift = 151 - i32(max_u32(a_exponent, 1u)) - i32(max_u32(b_exponent, 1u));
    if (shift > 50)
        return 0u;
    u32 down = u32(max_i32(shift, 1));
    u64 product = u64(a_digits) * u64(b_digits), odd = (product >> down) & u64(1);
    u64 units = (product + (u64(1) << (down - 1u)) - u64(1) + odd) >> down;
    if (shift >= 1 && u32(units >> 24) == 0u)
        return u32(units);
    PRECISE f32 digits = f32(i32(a_digits)) * f32(i32(b_digits));
    return bits_of_f32(digits) - (u32(shift + 149) << 23);
}
