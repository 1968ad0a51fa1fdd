/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The sum of the 9x9 low-pass, from anchors. Include it after anchored_sum.h. */
#define HALVE_LEAST_TAP 0.000283f

/* A sum of 81 terms. If no sample is above b, a power of two, then the terms of the three rows in the middle add up to
 * less than 2 b in magnitude, and those of the six others, whose taps are small, to less than b / 2: these
 * have anchors of their own, and a grid of a quarter of the others' g = 2^-21 b. What additions lose goes
 * to a float for every three rows. */
struct Halving {
    AnchoredSum middle, outer;
    f32 low_first; /* of the first three rows, once they are through */
};

/* What a tile's samples allow. */
struct HalvingBounds {
    f32 b;
    f32 margin;      /* how far off sums may be */
    f32 exact_below; /* what is lost, joined, is exact if it is less */
};

DEVICE Halving halving_start(HalvingBounds bounds)
{
    Halving h;
    h.middle = anchored_start(6.0f * bounds.b);
    h.outer = anchored_start(1.5f * bounds.b);
    h.low_first = 0.0f;
    return h;
}

/* The least sample decides whether something is lost: all in all, low is at most 27 g / 2 + 54 g / 8, thus below 32 g,
 * and exact if that is no more than 2^24 places of the least term; nor does a double lose anything then.
 * Else additions lose up to 261 * 2^-25 g in the middle, 131 * 2^-25 g in the other rows, 72 * 2^-25 g where
 * all are joined and the margin is added, and those of the double 2^-25 g: a margin of 2^-16 g will do. */
DEVICE HalvingBounds halving_bounds(f32 b, f32 least)
{
    bool exact = b <= power_below(least * HALVE_LEAST_TAP) * 131072.0f;
    HalvingBounds bounds;
    bounds.b = b;
    bounds.margin = exact ? 0.0f : b * 7.2759576e-12f; /* 2^-37 */
    bounds.exact_below = 0.0f;
    return bounds;
}

/* Of bytes, whole samples up to 255: terms are multiples of the last place of their tap, 2^-35 or, in the middle, 2^-31 at
 * least. What additions lose is 27 * 2^-16 at most in three outer rows, 27 * 2^-14 in the middle: both exact,
 * below 2^24 places. Joined it is exact below 2^-11; else that, and adding the margin, lose up to
 * 2^-35 + 2 * 2^-33. A double loses nothing. */
DEVICE HalvingBounds halving_bounds_of_bytes()
{
    HalvingBounds bounds;
    bounds.b = 256.0f;
    bounds.margin = 4.6566129e-10f;     /* 2^-31 */
    bounds.exact_below = 4.8828125e-4f; /* 2^-11 */
    return bounds;
}

/* Sets a bit of `doubt` if the result is not sure. */
DEVICE f32 halving_round(Halving h, HalvingBounds bounds, u32 bit, INOUT(u32) doubt)
{
    PRECISE f32 middle = h.middle.sum - 6.0f * bounds.b;
    PRECISE f32 outer = h.outer.sum - 1.5f * bounds.b;
    PRECISE f32 high = middle + outer;
    PRECISE f32 outer_low = h.low_first + h.outer.low;
    PRECISE f32 low = outer_low + h.middle.low;
    bool exact = max_f32(abs_f32(outer_low), abs_f32(low)) < bounds.exact_below;
    doubt |= exact || anchored_sure(high, low, bounds.margin) ? 0u : bit;
    PRECISE f32 rounded = high + low;
    return rounded;
}

/* A row of the filter. */
DEVICE void anchored_row(INOUT(AnchoredSum) s, Row row, f32 t0, f32 t1, f32 t2, f32 t3, f32 t4)
{
    anchored_tap(s, row.v0, t0);
    anchored_tap(s, row.v1, t1);
    anchored_tap(s, row.v2, t2);
    anchored_tap(s, row.v3, t3);
    anchored_tap(s, row.v4, t4);
    anchored_tap(s, row.v5, t3);
    anchored_tap(s, row.v6, t2);
    anchored_tap(s, row.v7, t1);
    anchored_tap(s, row.v8, t0);
}

/* After the first three rows: the last three have the same sum, but another float for what it loses. */
DEVICE void turn_over(INOUT(Halving) h)
{
    h.low_first = h.outer.low;
    h.outer.low = 0.0f;
}

DEVICE void outer_row(INOUT(Halving) h, Row row, f32 t0, f32 t1, f32 t2, f32 t3, f32 t4)
{
    anchored_row(h.outer, row, t0, t1, t2, t3, t4);
}

DEVICE void middle_row(INOUT(Halving) h, Row row, f32 t0, f32 t1, f32 t2, f32 t3, f32 t4)
{
    anchored_row(h.middle, row, t0, t1, t2, t3, t4);
}
