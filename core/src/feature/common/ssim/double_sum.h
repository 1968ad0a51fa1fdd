/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Two ways for kernels without doubles to add single-precision terms as if in double, rounded to
 * single precision at the end. DoubleSum does it in integers, one term after the other: slow and
 * always right. AnchoredSum is fast, but leaves some sums in doubt; these are made again with
 * DoubleSum. Include this file after exact_float.h. */

/* ---- the slow sum ---- */

/* A double: size * 2^exponent. A size other than 0 has 53 bits. */
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

/* Compares 32 bits at a time because some drivers compare 64-bit numbers wrongly. */
DEVICE bool is_zero(u64 x)
{
    return (u32(x) | u32(x >> 32)) == 0u;
}

/* x * 2^-shift. If bits are shifted out that are not all 0, the last bit of the result is set. When
 * `shift` is negative, only x = 0 is shifted up by more bits than it has room for. */
DEVICE u64 shift_down(u64 x, i32 shift)
{
    u32 down = u32(clamp_i32(shift, 0, 63)), up = u32(clamp_i32(-shift, 0, 63));
    u64 kept = x >> down;
    u64 lost = is_zero(x - (kept << down)) ? u64(0) : u64(1);
    return (kept | lost) << up;
}

/* Drops the last `bits` bits of x, rounding to the nearest number, ties to even. */
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
    if ((u32(size >> 32) >> 31) != 0u) { /* the difference is below 0 */
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

/* ---- the fast sum ---- */

/* An AnchoredSum starts at an anchor, a number so large that no term takes the sum out of the
 * anchor's binade. Then every intermediate sum is a multiple of the same grid g, the value of the
 * anchor's last bit, and two subtractions, both exact, tell what an addition has lost. Each loss is
 * at most g / 2; it is added to `low`. */
struct AnchoredSum {
    f32 sum, low;
};

DEVICE AnchoredSum anchored_start(f32 anchor)
{
    AnchoredSum s;
    s.sum = anchor;
    s.low = 0.0f;
    return s;
}

DEVICE void anchored_add(INOUT(AnchoredSum) s, f32 term)
{
    PRECISE f32 sum = s.sum + term;
    PRECISE f32 taken = sum - s.sum;
    PRECISE f32 lost = term - taken;
    PRECISE f32 low = s.low + lost;
    s.sum = sum;
    s.low = low;
}

/* Adds value * tap. */
DEVICE void anchored_tap(INOUT(AnchoredSum) s, f32 value, f32 tap)
{
    PRECISE f32 term = value * tap;
    anchored_add(s, term);
}

/* True if high + low, rounded, is certainly what the sum in double gives. `margin` is an upper
 * bound for the errors of this sum and of the sum in double together. */
DEVICE bool anchored_sure(f32 high, f32 low, f32 margin)
{
    PRECISE f32 more = low + margin;
    PRECISE f32 less = low - margin;
    PRECISE f32 above = high + more;
    PRECISE f32 below = high + less;
    return above == below;
}

/* The largest power of two that is not above x, for x > 0. Returns 0 for x = 0. */
DEVICE f32 power_below(f32 x)
{
    return f32_of_bits(bits_of_f32(x) & 0x7f800000u);
}
