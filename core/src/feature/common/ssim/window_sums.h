/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The sums of SSIM's window, along a row or down a column, from anchors that suit a tile. Include it after
 * anchored_sum.h. */
#define WINDOW_LEAST_TAP 0.001028f

/* Of a tile's samples: the largest magnitude, and the least of them, with its sign. */
struct Extent {
    f32 peak, least;
};

/* Where the sums of a map start, and how far off they may be: 0 if not at all. */
struct Anchor {
    f32 start, margin;
};

/* For values up to `reach`, whose sums stay below it, too; if all of them are positive, the least of them.
 *
 * The grid is g, so `low` is 11 g / 2 at most. It is exact if that is below 2^24 places of the least term, which
 * 2^21 times the term's power says. (Sums are at least the least value: the taps add up to more than 1.) Nor does a
 * double lose anything then. Else the additions to `low` lose up to 45 * 2^-25 g: half a last place of g
 * once, of 2 g twice, of 4 g four times, of 8 g three times. The double's own rounding, and
 * that of low + margin, are 9 * 2^-25 g. A margin of 2^-19 g is enough. */
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

/* Of A and B, and of their products. */
struct Anchors {
    Anchor plain, product;
    bool exact, positive; /* or 0 */
};

DEVICE Anchors anchors_of(Extent samples)
{
    /* The taps add up to 1.000002, and are used twice. */
    f32 reach = samples.peak * 1.00001f, least = samples.least;
    Anchors all;
    all.positive = least >= 0.0f;
    all.plain = anchor_of(reach, all.positive, least);
    all.product = anchor_of(reach * reach, all.positive, least * least);
    all.exact = all.plain.margin <= 0.0f && all.product.margin <= 0.0f;
    return all;
}

/* Sums for a row on their way. */
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

/* The map's bit if that may not be what the double gives. A sum of 0 is, if no term is negative: then all of them
 * are 0. */
DEVICE u32 sum_doubt(AnchoredSum s, Anchor anchor, bool positive, f32 rounded, u32 map)
{
    PRECISE f32 high = s.sum - anchor.start;
    bool sure = anchored_sure(high, s.low, anchor.margin) || (positive && rounded <= 0.0f);
    return sure ? 0u : 1u << map;
}

/* The sums, rounded; `doubt` gets the bits of those that are not sure. */
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
