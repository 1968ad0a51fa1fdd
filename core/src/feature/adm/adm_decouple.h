/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How ADM's kernels tell what was restored from what was added. Include it after KERNEL_BEGIN and
 * soft_double.h: these are device functions. ADM_COARSE is 0 for coefficients of 16 bits; the gain
 * limit is that of ADM_GAIN_PARAMS. */

/* x rounded to 24 significant bits, as a conversion to single precision would. */
DEVICE u64 round_to_single(u64 x)
{
    i32 excess = i32(top_bit_u64(x)) - 23;
    if (excess <= 0)
        return x;
    u64 rest = x & ((u64(1) << u32(excess)) - u64(1)), tie = u64(1) << u32(excess - 1);
    x >>= u32(excess);
    if (rest > tie || (rest == tie && (u32(x) & 1u) != 0u))
        x += u64(1);
    return x << u32(excess);
}

/* Whether the two gradients point the same way, within one degree: dot^2 >= cos^2 * oo * tt. This is
 * the metric's own rounding; dot, oo and tt are above 0. */
DEVICE bool aligned(i32 oh, i32 ov, i32 th, i32 tv)
{
    i64 dot = i64(oh) * i64(th) + i64(ov) * i64(tv);
    u64 oo = u64(i64(oh) * i64(oh)) + u64(i64(ov) * i64(ov));
    u64 tt = u64(i64(th) * i64(th)) + u64(i64(tv) * i64(tv));
    u64 cos_squared = u64(0x3feffd81u) << 32 | u64(0x40000000u); /* of the single 0x3f7fec0a */
    u64 d = sd_round(round_to_single(u64(dot)), 0, false);
    u64 o = sd_round(round_to_single(oo), 0, false), t = sd_round(round_to_single(tt), 0, false);
    return sd_mul(d, d) >= sd_mul(sd_mul(cos_squared, o), t);
}

/* The same in single precision, whose errors come to less than 24 * 2^-23 of the right side. Bit 0: the
 * answer; bit 1: it is too close to call. No products at all is a yes, and dot is no doubt's if it is
 * not above 0: it is far off then. */
DEVICE u32 nearly_aligned(i32 oh, i32 ov, i32 th, i32 tv)
{
    f32 a = f32(oh), b = f32(ov), c = f32(th), d = f32(tv);
    f32 dot = a * c + b * d, right = 0.99969542f * (a * a + b * b) * (c * c + d * d);
    f32 gap = dot * dot - right;
    u32 yes = right == 0.0f || (dot > 0.0f && gap > 0.0f) ? 1u : 0u;
    return abs_f32(gap) <= 7.6e-6f * right && dot > 0.0f ? yes | 2u : yes;
}

/* 2^30 / i, rounded down; i is 1 to 32768. The reciprocal is made too small by more than it may be too
 * large, and by less than 2^-19. */
DEVICE u32 reciprocal(u32 i)
{
    f32 near = recip_near(f32(i)) * 0.99999905f;
    u32 quotient = u32(near * 1073741824.0f);
    u32 rest = (1u << 30) - quotient * i; /* 2^12 + i at most */
    u32 more = u32(f32(rest) * near);
    rest -= more * i;
    return quotient + more + (rest >= i ? 1u : 0u);
}

/* size times the gain limit, in a double and then cut off, but at most `most`. The product has 85
 * bits; 53 of them are a double's, and the others matter only where they round it up to a whole
 * number. */
DEVICE u32 enhanced(u32 size, u32 most)
{
    u64 low = u64(size) * u64(gain_lo), high = u64(size) * u64(gain_hi) + (low >> 32);
    u32 excess = top_bit_u64(high | u64(1u << 20)) - 20u, half_unit = (1u << excess) >> 1;
    if (u32(low) + half_unit < half_unit)
        high += u64(1);
    high >>= gain_shift;
    return u32(high >> 32) != 0u ? most : min_u32(u32(high), most);
}

/* How much of t is the original o, scaled: between 0 and o, or beyond by the gain if aligned. Twice o
 * is as good as more. */
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
    i32 r = i32((i64(o) * i64(k) + i64(16384)) >> 15);
#endif
    if (!is_aligned)
        return r;
    u32 size = u32(abs_i32(r));
    if (gain_whole == 0u)
        size = enhanced(size, magnitude);
    else
#if !ADM_COARSE
        size = min_u32(size * gain_whole, magnitude);
#else
        size =
            mul_hi_u32(size, gain_whole) != 0u ? magnitude : min_u32(size * gain_whole, magnitude);
#endif
    return o > 0 ? i32(size) : -i32(size);
}
