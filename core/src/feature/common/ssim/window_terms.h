/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Roots, quotients and sums of them for SSIM's window. Include it after anchored_sum.h.
 *
 * Devices' own quotients and roots are off by some units in the last place, 2^-20 of their size at most: one
 * step, from what multiplying them back leaves, takes that to 2^-41. */

/* Two floats that together stand for one number. */
struct Pair {
    f32 high, low;
};

#define TERM_MARGIN 9.0949470e-13f /* 2^-40 */

/* The root of x >= 0, rounded; not `sure` means that it may not be correctly. */
DEVICE f32 near_root(f32 x, INOUT(bool) sure)
{
    f32 root = sqrt_near(x);
    f32 upper = upper_half(root);
    PRECISE f32 lower = root - upper;
    PRECISE f32 rest = ((x - upper * upper) - (upper + upper) * lower) - lower * lower;
    PRECISE f32 low = rest * recip_near(max_f32(root + root, 1.0e-15f));
    PRECISE f32 rounded = root + low;
    /* Where squares of halves are too small to be normal, integers are safe. */
    bool known = x >= 1.0e-20f && anchored_sure(root, low, root * TERM_MARGIN);
    sure = sure && (known || x <= 0.0f);
    return x <= 0.0f ? 0.0f : rounded;
}

DEVICE f32 rounded_root(f32 x)
{
    bool sure = true;
    f32 root = near_root(x, sure);
    return sure ? root : exact_sqrt(x);
}

/* above / below, rounded, in the same way; `below` is positive, neither is tiny. */
DEVICE f32 near_quotient(f32 above, f32 below, INOUT(bool) sure)
{
    f32 back_lost;
    f32 inverse = recip_near(below);
    PRECISE f32 high = above * inverse;
    PRECISE f32 back = two_product(high, below, back_lost);
    PRECISE f32 rest = (above - back) - back_lost;
    PRECISE f32 low = rest * inverse;
    PRECISE f32 rounded = high + low;
    sure = sure && anchored_sure(high, low, abs_f32(high) * TERM_MARGIN);
    return rounded;
}

DEVICE f32 rounded_quotient(f32 above, f32 below)
{
    bool sure = true;
    f32 quotient = near_quotient(above, below, sure);
    return sure ? quotient : exact_div(above, below);
}

/* (product + lost + plus) / below, where `lost` is what the product lost. */
DEVICE Pair quotient(f32 product, f32 lost, f32 plus, f32 below)
{
    f32 sum_lost, back_lost;
    PRECISE f32 top = two_sum(product, plus, sum_lost);
    f32 inverse = recip_near(below);
    PRECISE f32 high = top * inverse;
    PRECISE f32 back = two_product(high, below, back_lost);
    PRECISE f32 rest = ((top - back) - back_lost) + (sum_lost + lost);
    PRECISE f32 low = rest * inverse;
    Pair q;
    q.high = high;
    q.low = low;
    return q;
}

DEVICE Pair times(Pair a, Pair b)
{
    f32 lost;
    PRECISE f32 high = two_product(a.high, b.high, lost);
    PRECISE f32 low = lost + (a.high * b.low + a.low * b.high);
    Pair product;
    product.high = high;
    product.low = low;
    return product;
}

/* A sum of pairs that lie between -2 and 2, at most 48 of them. Beside TALLY_ANCHOR a number's bits count
 * units of 2^-21; what is left of it, and the lower float, are counted in units of 2^-45. Both counts may wrap on
 * their way. */
struct Tally {
    u32 high, low;
};

#define TALLY_ANCHOR 6.0f

DEVICE Tally tally_start()
{
    Tally t;
    t.high = t.low = 0u;
    return t;
}

DEVICE void tally_add(INOUT(Tally) t, Pair x)
{
    PRECISE f32 anchored = x.high + TALLY_ANCHOR;
    PRECISE f32 taken = anchored - TALLY_ANCHOR;
    PRECISE f32 rest = (x.high - taken) + x.low;
    t.high += bits_of_f32(anchored) - bits_of_f32(TALLY_ANCHOR);
    t.low += u32(i32(rest * 35184372088832.0f));
}

/* In units of 2^-SSIM_SUM_BITS. */
DEVICE i64 tally_sum(Tally t)
{
    return i64(i32(t.high)) * i64(134217728) + i64(i32(t.low)) * i64(8);
}

/* What a thread adds up. */
struct Totals {
    Tally l, c, s, lcs;
};

DEVICE Totals totals_start()
{
    Totals t;
    t.l = t.c = t.s = t.lcs = tally_start();
    return t;
}

DEVICE void totals_add(INOUT(Totals) t, Across mean, bool with_luma, bool with_product)
{
    Spread spread = spread_of(mean);
    bool sure = true;
    f32 sd = near_root(spread.square, sure);
    f32 apart = apart_of(sd);
    Pair c = quotient(2.0f * sd, 0.0f, SSIM_C2, spread.contrast), s;
    s.high = near_quotient(together_of(spread.covar, sd), apart, sure);
    s.low = 0.0f;
    if (!sure) {
        sd = rounded_root(spread.square);
        apart = apart_of(sd);
        c = quotient(2.0f * sd, 0.0f, SSIM_C2, spread.contrast);
        s.high = rounded_quotient(together_of(spread.covar, sd), apart);
    }
    tally_add(t.c, c);
    tally_add(t.s, s);
    if (with_luma) {
        f32 lost;
        PRECISE f32 product = two_product(2.0f * mean.a, mean.b, lost);
        Pair l = quotient(product, lost, SSIM_C1, spread.luma);
        tally_add(t.l, l);
        if (with_product)
            tally_add(t.lcs, times(times(l, c), s));
    }
}

DEVICE i64 totals_of(Totals t, u32 i)
{
    return tally_sum(i == SSIM_LCS ? t.lcs : i == SSIM_L ? t.l : i == SSIM_C ? t.c : t.s);
}
