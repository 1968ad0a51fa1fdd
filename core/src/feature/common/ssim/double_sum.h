/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* single(sum in double) of single-precision terms, without double: in integers, one term after the other. For the few
 * sums that anchored_sum.h leaves in doubt. Include it after exact_float.h. */

/* A double: size * 2^exponent, where a size other than 0 has 53 bits. */
struct DoubleSum {
    u64 size;
    i32 exponent;
    bool negative;
};

DEVICE DoubleSum double_sum_start()
{
    DoubleSum s;
    s.size = u64(0);
    s.exponent = 0;
    s.negative = false;
    return s;
}

/* In 32 bits: some drivers compare 64 of them wrongly. */
DEVICE bool is_zero(u64 x)
{
    return (u32(x) | u32(x >> 32)) == 0u;
}

/* x * 2^-shift; a bit that is lost still shows in the last one. Upwards only 0 goes further than x has
 * room for. */
DEVICE u64 shift_down(u64 x, i32 shift)
{
    u32 down = u32(clamp_i32(shift, 0, 63)), up = u32(clamp_i32(-shift, 0, 63));
    u64 kept = x >> down;
    u64 lost = is_zero(x - (kept << down)) ? u64(0) : u64(1);
    return (kept | lost) << up;
}

/* Drops the last bits of x, to the nearest, ties to even. */
DEVICE u64 round_off(u64 x, u32 bits)
{
    u64 odd = (x >> bits) & u64(1);
    return (x + ((u64(1) << bits) >> 1) - u64(1) + odd) >> bits;
}

DEVICE void double_sum_add(INOUT(DoubleSum) s, f32 term)
{
    u32 bits = bits_of_f32(term);
    if ((bits & 0x7f800000u) == 0u)
        return;
    u64 size = u64((bits & 0x7fffffu) | 0x800000u);
    bool negative = (bits >> 31) != 0u;
    i32 exponent = i32((bits >> 23) & 255u) - 150;
    i32 unit = exponent - 38;
    if (!is_zero(s.size))
        unit = max_i32(unit, s.exponent - 9);
    size = shift_down(size, unit - exponent);
    u64 before = shift_down(s.size, unit - s.exponent);
    size = negative == s.negative ? before + size : before - size;
    negative = s.negative;
    if ((u32(size >> 32) >> 31) != 0u) { /* below 0 */
        size = u64(0) - size;
        negative = !negative;
    }
    if (is_zero(size)) {
        s = double_sum_start();
        return;
    }
    i32 excess = i32(top_bit_u64(size)) - 52;
    size = excess > 0 ? round_off(size, u32(excess)) : size << u32(-excess);
    if ((u32(size >> 32) >> 21) != 0u) { /* rounded up to 2^53 */
        size >>= 1;
        excess += 1;
    }
    s.size = size;
    s.exponent = unit + excess;
    s.negative = negative;
}

DEVICE f32 double_sum_round(DoubleSum s)
{
    i32 exponent = s.exponent + 29 + 150;
    if (is_zero(s.size) || exponent <= 0)
        return 0.0f;
    u32 mantissa = u32(round_off(s.size, 29u));
    return f32_of_bits((s.negative ? 0x80000000u : 0u) | ((u32(exponent - 1) << 23) + mantissa));
}
