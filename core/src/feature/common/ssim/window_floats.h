/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The arithmetic of SSIM's window in floats, for devices whose doubles are slow or missing: the
 * filter sums (exactly what a double would give, or in doubt), then roots, quotients and their
 * sums. Include it after window_maps.h and double_sum.h. window_f64.h takes its place where doubles
 * are fast. */

/* ---- sums of the window, along a row or down a column ---- */

#define WINDOW_LEAST_TAP 0.001028f

/* The range of a tile's samples: the largest magnitude, and the smallest sample with its sign. */
struct Extent {
    f32 peak, least;
};

/* The number that the sums of a map start at, and an upper bound for their error: 0 if they are
 * exact. */
struct Anchor {
    f32 start, margin;
};

/* The anchor for values of a magnitude up to `reach`; the sums do not exceed `reach` either.
 * `positive`: no value is negative, and `least` is the smallest.
 *
 * With the grid g, `low` is at most 11 g / 2. It is exact if that is below 2^24 units in the last
 * place of the smallest term; the condition below compares with 2^21 times the power of two of that
 * term. (Sums are not smaller than the smallest value, because the taps add up to more than 1.) In
 * that case a double loses nothing either. Otherwise the additions to `low` lose up to 45 * 2^-25
 * g: half a unit in the last place of g once, of 2 g twice, of 4 g four times and of 8 g three
 * times. The rounding of the double and of low + margin add 9 * 2^-25 g. So a margin of 2^-19 g is
 * enough. */
DEVICE Anchor anchor_of(f32 reach, bool positive, f32 least)
{
    f32 binade = power_below(max_f32(reach, 9.5367432e-7f)) * 2.0f;
    f32 power = positive ? binade : 2.0f * binade;
    bool exact =
        reach <= 0.0f || (positive && power <= power_below(least * WINDOW_LEAST_TAP) * 2097152.0f);
    Anchor a;
    a.start = positive ? binade : 3.0f * binade;
    a.margin = exact ? 0.0f : power * 2.2737368e-13f; /* 2^-42 */
    return a;
}

/* The anchors for the samples of A and B (`plain`) and for their products. `exact`: neither needs a
 * margin. `positive`: no sample is negative. */
struct Anchors {
    Anchor plain, product;
    bool exact, positive;
};

DEVICE Anchors anchors_of(Extent samples)
{
    /* The taps add up to 1.000002 and are applied twice. */
    f32 reach = samples.peak * 1.00001f, least = samples.least;
    Anchors all;
    all.positive = least >= 0.0f;
    all.plain = anchor_of(reach, all.positive, least);
    all.product = anchor_of(reach * reach, all.positive, least * least);
    all.exact = all.plain.margin <= 0.0f && all.product.margin <= 0.0f;
    return all;
}

/* The sums of the five maps while taps are being added. */
struct Sums {
    AnchoredSum a, b, aa, bb, ab;
};

DEVICE Sums sums_start(Anchors anchors)
{
    Sums s;
    s.a = s.b = anchored_start(anchors.plain.start);
    s.aa = s.bb = s.ab = anchored_start(anchors.product.start);
    return s;
}

DEVICE void sums_add(INOUT(Sums) s, Across row, f32 tap)
{
    anchored_tap(s.a, row.a, tap);
    anchored_tap(s.b, row.b, tap);
    anchored_tap(s.aa, row.aa, tap);
    anchored_tap(s.bb, row.bb, tap);
    anchored_tap(s.ab, row.ab, tap);
}

DEVICE f32 round_sum(AnchoredSum s, Anchor anchor)
{
    PRECISE f32 high = s.sum - anchor.start;
    PRECISE f32 rounded = high + s.low;
    return rounded;
}

/* Returns the bit of the map if `rounded` may differ from what the double gives, else 0. A sum of 0
 * is certain if no term is negative, because then all terms are 0. */
DEVICE u32 sum_doubt(AnchoredSum s, Anchor anchor, bool positive, f32 rounded, u32 map)
{
    PRECISE f32 high = s.sum - anchor.start;
    bool sure = anchored_sure(high, s.low, anchor.margin) || (positive && rounded <= 0.0f);
    return sure ? 0u : 1u << map;
}

/* Returns the sums, rounded to single precision. `doubt` gets the bits of the maps whose sum is not
 * certain. */
DEVICE Across sums_round(Sums s, Anchors anchors, INOUT(u32) doubt)
{
    Across row;
    row.a = round_sum(s.a, anchors.plain);
    row.b = round_sum(s.b, anchors.plain);
    row.aa = round_sum(s.aa, anchors.product);
    row.bb = round_sum(s.bb, anchors.product);
    row.ab = round_sum(s.ab, anchors.product);
    doubt = 0u;
    if (!anchors.exact)
        doubt = sum_doubt(s.a, anchors.plain, anchors.positive, row.a, 0u) |
                sum_doubt(s.b, anchors.plain, anchors.positive, row.b, 1u) |
                sum_doubt(s.aa, anchors.product, anchors.positive, row.aa, 2u) |
                sum_doubt(s.bb, anchors.product, anchors.positive, row.bb, 3u) |
                sum_doubt(s.ab, anchors.product, anchors.positive, row.ab, 4u);
    return row;
}

/* ---- roots and quotients ----
 *
 * The device's own quotients and roots may be off by some units in the last place, at most 2^-20 of
 * the result. One correction step, from the remainder after multiplying back, brings this down to
 * 2^-41. */

/* The unevaluated sum of two floats, standing for one number. */
struct Pair {
    f32 high, low;
};

#define TERM_MARGIN 9.0949470e-13f /* 2^-40 */

/* The square root of x >= 0. Clears `sure` if it may not be correctly rounded. */
DEVICE f32 near_root(f32 x, INOUT(bool) sure)
{
    f32 root = sqrt_near(x);
    f32 upper = upper_half(root);
    PRECISE f32 lower = root - upper;
    PRECISE f32 rest = ((x - upper * upper) - (upper + upper) * lower) - lower * lower;
    PRECISE f32 low = rest * recip_near(max_f32(root + root, 1.0e-15f));
    PRECISE f32 rounded = root + low;
    /* For smaller x the squares of the halves are not normal numbers; exact_sqrt, in integers, is
     * safe. */
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

/* above / below. Clears `sure` if it may not be correctly rounded. `below` is positive, and neither
 * number is tiny. */
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

/* (product + lost + plus) / below, where `lost` is the rounding error of `product`. */
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

/* A fixed-point sum of at most 48 pairs between -2 and 2. Adding TALLY_ANCHOR to the upper float
 * leaves its multiple of 2^-21 in the last bits, and `high` counts these units. The remainder of
 * the upper float and the lower float are counted in `low`, in units of 2^-45. Both counts may wrap
 * around in between. */
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

/* The sum in units of 2^-SSIM_SUM_BITS. */
DEVICE i64 tally_sum(Tally t)
{
    return i64(i32(t.high)) * i64(134217728) + i64(i32(t.low)) * i64(8);
}

/* The sums of one thread: luminance, contrast, structure, and the product of the three. */
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
