/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* IEEE double arithmetic in integers, for the rare pixel whose result depends on a double's last
 * bit.
 *
 * For doubles Vulkan promises single-precision accuracy only, and many devices have none, so a
 * kernel that must agree with the CPU rounds by itself. Values are bit patterns of positive normal
 * doubles: no zero, sign, infinity or NaN. Results are rounded to nearest, ties to even. Include
 * this file after KERNEL_BEGIN, because it defines device functions. */

/* value * 2^exponent. `sticky`: nonzero bits were lost below value's last. value > 0, and at least
 * 55 bits long if sticky. */
DEVICE u64 sd_round(u64 value, i32 exponent, bool sticky)
{
    i32 excess = i32(top_bit_u64(value)) - 52;
    if (excess > 0) {
        u64 rest = value & ((u64(1) << u32(excess)) - u64(1));
        u64 tie = u64(1) << u32(excess - 1);
        value >>= u32(excess);
        bool odd = (u32(value) & 1u) != 0u;
        if (rest > tie || (rest == tie && (sticky || odd)))
            value += u64(1);
    } else {
        value <<= u32(-excess);
    }
    /* A carry out of the mantissa correctly increments the exponent. */
    return (u64(u32(exponent + excess + 52 + 1023 - 1)) << 52) + value;
}

DEVICE u64 sd_from_u32(u32 x)
{
    return sd_round(u64(x), 0, false);
}

/* a must be a positive normal float. */
DEVICE u64 sd_from_f32(f32 x)
{
    u32 bits = bits_of_f32(x);
    return (u64((bits >> 23) + 896u) << 52) | (u64(bits & 0x7fffffu) << 29);
}

/* To the nearest float, ties to even. The result must be a normal float. */
DEVICE f32 sd_to_f32(u64 a)
{
    u32 odd = u32(a >> 29) & 1u;
    u64 rounded = a + u64(0xfffffffu + odd);
    return f32_of_bits(u32(rounded >> 29) - (896u << 23));
}

DEVICE u64 sd_mantissa(u64 a)
{
    return (a & ((u64(1) << 52) - u64(1))) | (u64(1) << 52);
}

/* The exponent of the last bit of the mantissa. */
DEVICE i32 sd_exponent(u64 a)
{
    return i32(u32(a >> 52)) - 1075;
}

DEVICE u64 sd_add(u64 a, u64 b) /* a >= b */
{
    u64 big = sd_mantissa(a) << 10, small = sd_mantissa(b) << 10;
    u32 shift = u32(sd_exponent(a) - sd_exponent(b));
    bool sticky = shift > 63u || (small & ((u64(1) << shift) - u64(1))) != u64(0);
    small = shift > 63u ? u64(0) : small >> shift;
    return sd_round(big + small, sd_exponent(a) - 10, sticky);
}

DEVICE u64 sd_sub(u64 a, u64 b) /* a > b */
{
    u64 big = sd_mantissa(a) << 10, small = sd_mantissa(b) << 10;
    u32 shift = u32(sd_exponent(a) - sd_exponent(b));
    bool sticky = shift > 63u || (small & ((u64(1) << shift) - u64(1))) != u64(0);
    small = shift > 63u ? u64(0) : small >> shift;
    return sd_round(big - small - (sticky ? u64(1) : u64(0)), sd_exponent(a) - 10, sticky);
}

DEVICE u64 sd_mul(u64 a, u64 b)
{
    u64 ma = sd_mantissa(a), mb = sd_mantissa(b);
    u64 a0 = ma & u64(0xffffffffu), a1 = ma >> 32, b0 = mb & u64(0xffffffffu), b1 = mb >> 32;
    u64 low = a0 * b0;
    u64 mid = a1 * b0 + (low >> 32);
    u64 mid2 = a0 * b1 + (mid & u64(0xffffffffu));
    /* Bits 64 and up of the product: at most 42. */
    u64 high = a1 * b1 + (mid >> 32) + (mid2 >> 32);
    u64 rest = (mid2 << 32) | (low & u64(0xffffffffu)); /* bits 0 to 63 */
    bool sticky = (rest & ((u64(1) << 42) - u64(1))) != u64(0);
    return sd_round((high << 22) | (rest >> 42), sd_exponent(a) + sd_exponent(b) + 42, sticky);
}

DEVICE u64 sd_div(u64 a, u64 b)
{
    u64 divisor = sd_mantissa(b), rest = sd_mantissa(a), quotient = u64(0);
    if (rest >= divisor) {
        rest -= divisor;
        quotient = u64(1);
    }
    for (u32 i = 0u; i < 56u; i++) {
        rest <<= 1;
        quotient <<= 1;
        if (rest >= divisor) {
            rest -= divisor;
            quotient |= u64(1);
        }
    }
    return sd_round(quotient, sd_exponent(a) - sd_exponent(b) - 56, rest != u64(0));
}

/* Rounds toward zero. The value must be below 2^32. */
DEVICE u32 sd_to_u32(u64 a)
{
    i32 drop = -sd_exponent(a);
    return drop > 52 ? 0u : u32(sd_mantissa(a) >> u32(drop));
}
