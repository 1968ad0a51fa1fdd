/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The decoupling of adm's kernels: the restored and the additive component of a coefficient.
 * Include this file after KERNEL_BEGIN: it holds device functions. ADM_COARSE is 0 for coefficients
 * of 16 bits. The gain limit is that of ADM_GAIN_PARAMS, a whole number unless ADM_FRACTIONAL is
 * defined. */

/* ADM_WIDE widens a coefficient so that an ADM_SUM can hold the sum of two products, if it is
 * positive. */
#if ADM_COARSE
#define ADM_SUM u64
#define ADM_WIDE(x) u64(i64(x))
#define ADM_TOP_BIT(x) top_bit_u64(x)
#else
#define ADM_SUM u32
#define ADM_WIDE(x) u32(x)
#define ADM_TOP_BIT(x) top_bit_u32(x)
#endif

/* digits * 2^exponent */
struct Single {
    u32 digits, exponent;
};

/* x rounded to 24 significant bits, as a conversion to single precision rounds it. */
DEVICE Single to_single(ADM_SUM x)
{
    u32 excess = u32(ADM_TOP_BIT(x | ADM_SUM(1u << 23))) - 23u;
    ADM_SUM unit = ADM_SUM(1u) << excess, rest = x & (unit - ADM_SUM(1u));
    Single s;
    s.exponent = excess;
    s.digits = u32(x >> excess);
    if (rest + rest + ADM_SUM(s.digits & 1u) > unit)
        s.digits += 1u;
    return s;
}

/* True if the two gradients point in the same direction to within one degree: dot^2 >= cos^2 * oo *
 * tt. It rounds as the metric does: dot, oo and tt, all above 0, to single precision, and the right
 * side to double. Call it only when both sides are nearly equal: others may be too far apart for
 * the shifts here. */
DEVICE bool aligned(i32 oh, i32 ov, i32 th, i32 tv)
{
    Single dot = to_single(ADM_WIDE(oh) * ADM_WIDE(th) + ADM_WIDE(ov) * ADM_WIDE(tv));
    Single oo = to_single(ADM_WIDE(oh) * ADM_WIDE(oh) + ADM_WIDE(ov) * ADM_WIDE(ov));
    Single tt = to_single(ADM_WIDE(th) * ADM_WIDE(th) + ADM_WIDE(tv) * ADM_WIDE(tv));
    u64 left = u64(dot.digits) * u64(dot.digits);
    /* cos^2 is the single 0xffec0a * 2^-24. A double holds the first product and the left side
     * exactly. The second product has at most 72 bits, of which a double keeps 53. */
    u64 product = u64(0xffec0au) * u64(oo.digits);
    u64 low = u64(u32(product)) * u64(tt.digits);
    u64 high = (product >> 32) * u64(tt.digits) + (low >> 32);
    u32 excess = top_bit_u64(high | u64(1u << 20)) - 20u, unit = 1u << excess;
    u64 right = high << (32u - excess) | u64(u32(low) >> excess);
    if (2u * (u32(low) & (unit - 1u)) + (u32(right) & 1u) > unit)
        right += u64(1);
    i32 shift = i32(2u * dot.exponent + 24u) - i32(oo.exponent + tt.exponent + excess);
    return shift < 0 ? left >= right << u32(-shift) : left << u32(shift) >= right;
}

/* aligned() in single precision, with a total error below 24 * 2^-23 of the right side. Bit 0 is
 * the answer; bit 1 is set if it is too close to call. If all products are 0 the answer is yes. If
 * dot is not above 0 the answer is not in doubt, since dot is then far from the limit. */
DEVICE u32 nearly_aligned(i32 oh, i32 ov, i32 th, i32 tv)
{
    f32 a = f32(oh), b = f32(ov), c = f32(th), d = f32(tv);
    f32 dot = a * c + b * d, right = 0.99969542f * (a * a + b * b) * (c * c + d * d);
    f32 gap = dot * dot - right;
    u32 yes = right == 0.0f || (dot > 0.0f && gap > 0.0f) ? 1u : 0u;
    return abs_f32(gap) <= 7.6e-6f * right && dot > 0.0f ? yes | 2u : yes;
}

/* 2^30 / i, rounded down, for i from 1 to 32768. The factor makes `near` smaller than 1 / i, by
 * less than 2^-19 of it, whatever error recip_near has; so `quotient` is never too large. */
DEVICE u32 reciprocal(u32 i)
{
    f32 near = recip_near(f32(i)) * 0.99999905f;
    u32 quotient = u32(near * 1073741824.0f);
    u32 rest = (1u << 30) - quotient * i; /* at most 2^12 + i */
    u32 more = u32(f32(rest) * near);
    rest -= more * i;
    return quotient + more + (rest >= i ? 1u : 0u);
}

#ifdef ADM_FRACTIONAL

/* size times the gain limit, computed as a double and truncated, but at most `most`. The product
 * has 85 bits. A double keeps 53 of them, and the others matter only where they round it up to a
 * whole number. */
DEVICE u32 enhanced(u32 size, u32 most)
{
    u64 low = u64(size) * u64(gain_lo), high = u64(size) * u64(gain_hi) + (low >> 32);
    u32 excess = top_bit_u64(high | u64(1u << 20)) - 20u, half_unit = (1u << excess) >> 1;
    if (u32(low) + half_unit < half_unit)
        high += u64(1);
    high >>= gain_shift;
    return u32(high >> 32) != 0u ? most : min_u32(u32(high), most);
}

#elif ADM_COARSE

DEVICE u32 enhanced(u32 size, u32 most)
{
    return mul_hi_u32(size, gain_whole) != 0u ? most : min_u32(size * gain_whole, most);
}

#else

DEVICE u32 enhanced(u32 size, u32 most)
{
    return min_u32(size * gain_whole, most);
}

#endif

/* The restored component of t: the original o scaled by 0…1, or by up to the gain limit if the
 * gradients are aligned. t is limited to twice o, because a larger one gives the same ratio. */
DEVICE i32 restore(i32 o, i32 t, bool is_aligned)
{
    u32 g = max_u32(u32(abs_i32(o)), 1u), magnitude = (o ^ t) < 0 ? 0u : u32(abs_i32(t));
    u32 m = min_u32(magnitude, 2u * g);
#if !ADM_COARSE
    u32 k = min_u32((reciprocal(g) * m + 16384u) >> 15, 32768u);
    i32 r = i32(u32(o) * k + 16384u) >> 15;
#else
    u32 length = top_bit_u32(g) + 1u, e = length > 15u ? length - 15u : 0u;
    u32 i = (g + ((1u << e) >> 1)) >> e;
    u64 ratio = (u64(reciprocal(i)) * u64(m) + (u64(1) << (14u + e))) >> (15u + e);
    i32 k = i32(min_u32(u32(ratio), 32768u));
    i32 r = i32((mul_wide_i32(o, k) + i64(16384)) >> 15);
#endif
    if (!is_aligned)
        return r;
    u32 size = enhanced(u32(abs_i32(r)), magnitude);
    return o > 0 ? i32(size) : -i32(size);
}
