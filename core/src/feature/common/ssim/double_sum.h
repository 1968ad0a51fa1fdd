/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* single(sum in double) of single-precision terms, without double. Include it after exact_float.h.
 *
 * The fast way carries the sum and its error in two floats: that is nearly always enough to know
 * how the sum in double, rounded to single precision, comes out. Where it is not, double_sum_add()
 * does in integers what a double does, one term after the other. Kernels whose terms are never below 0 say so by
 * TERMS_ARE_POSITIVE. */
struct NearSum {
    f32 sum, error;
    f32 peak; /* largest magnitude of the sum on its way */
};

DEVICE NearSum near_sum_start()
{
    NearSum s;
    s.sum = 0.0f;
    s.error = 0.0f;
    s.peak = 0.0f;
    return s;
}

DEVICE void near_sum_add(INOUT(NearSum) s, f32 term)
{
    f32 lost;
#if defined(TERMS_ARE_POSITIVE) /* then the sum is the peak */
    s.sum = two_sum_positive(s.sum, term, lost);
#else
    s.sum = two_sum(s.sum, term, lost);
    s.peak = max_f32(s.peak, abs_f32(s.sum));
#endif
    PRECISE f32 error = s.error + lost;
    s.error = error;
}

/* What errors are measured by. */
DEVICE f32 near_sum_peak(NearSum s)
{
#if defined(TERMS_ARE_POSITIVE)
    return s.sum;
#else
    return s.peak;
#endif
}

/* a - b, whose peak is lost. */
DEVICE NearSum near_sum_less(NearSum a, NearSum b)
{
    f32 lost;
    NearSum s = near_sum_start();
    s.sum = two_sum(a.sum, -b.sum, lost);
    PRECISE f32 error = (a.error - b.error) + lost;
    s.error = error;
    return s;
}

/* The sum, rounded. Clears `sure` if that may not be what the double gives: the two floats are off by less
 * than `slack` times the peak. Of n terms each loses at most 2^-24 of the peak, and each sum of k such errors 2^-24 of
 * itself: that is n * (n + 1) / 2 * 2^-48; and the double loses n * 2^-53. */
DEVICE f32 near_sum_round(NearSum s, f32 peak, f32 slack, INOUT(bool) sure)
{
    f32 rest;
    PRECISE f32 sum = two_sum(s.sum, s.error, rest);
    PRECISE f32 margin = peak * slack;
    PRECISE f32 above = sum + (rest + margin);
    PRECISE f32 below = sum + (rest - margin);
    sure = above == sum && below == sum;
    return sum;
}

/* The same with the error's own error in a third float: good to far more than the double loses. */
struct FineSum {
    f32 sum, error, error2;
    f32 peak;
};

DEVICE FineSum fine_sum_start()
{
    FineSum s;
    s.sum = s.error = s.error2 = s.peak = 0.0f;
    return s;
}

DEVICE void fine_sum_add(INOUT(FineSum) s, f32 term)
{
    f32 lost, lost2;
    s.sum = two_sum(s.sum, term, lost);
    s.error = two_sum(s.error, lost, lost2);
    PRECISE f32 error2 = s.error2 + lost2;
    s.error2 = error2;
    s.peak = max_f32(s.peak, abs_f32(s.sum));
}

DEVICE f32 fine_sum_round(FineSum s, f32 slack, INOUT(bool) sure)
{
    f32 rest, rest2;
    PRECISE f32 first = two_sum(s.sum, s.error, rest);
    PRECISE f32 low = two_sum(rest, s.error2, rest2);
    PRECISE f32 margin = s.peak * slack;
    /* Half way between two floats is half way, however little is left: so that counts, too. */
    PRECISE f32 sum = first + low;
    PRECISE f32 above = first + (low + (rest2 + margin));
    PRECISE f32 below = first + (low + (rest2 - margin));
    sure = above == sum && below == sum;
    return sum;
}

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
