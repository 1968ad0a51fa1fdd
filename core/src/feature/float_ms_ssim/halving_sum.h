/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The sum of the 9x9 low-pass that goes before halving: in doubles (F64), or from anchors. Include
 * it after KERNEL_BEGIN; without F64 after double_sum.h. */
#ifdef F64
#include "gpu/prelude/wide_sum.h"
#endif

/* Nine neighbouring samples of a row, which the low-pass covers. */
struct Row {
    f32 v0, v1, v2, v3, v4, v5, v6, v7, v8;
};

#ifdef F64

struct Halving {
    f64 sum;
};

/* A double needs no bounds. */
struct HalvingBounds {
    u32 none;
};

DEVICE HalvingBounds halving_bounds_of_doubles()
{
    HalvingBounds bounds;
    bounds.none = 0u;
    return bounds;
}

DEVICE Halving halving_start(HalvingBounds bounds)
{
    Halving h;
    h.sum = f64(0.0f);
    return h;
}

/* Adds value * tap. Samples are never negative, so the sign of a term is that of the tap, a
 * constant. Images of floats may hold negative values. */
DEVICE void add_tap(INOUT(Halving) h, f32 value, f32 tap)
{
#ifdef IMAGE_F32
    PRECISE f32 term = value * tap;
    PRECISE f64 sum = h.sum + wide(term);
#else
    PRECISE f32 size = value * abs_f32(tap);
    PRECISE f64 sum = tap < 0.0f ? h.sum - wide_size(size) : h.sum + wide_size(size);
#endif
    h.sum = sum;
}

/* Adds a row of nine samples, weighed by symmetric taps. */
DEVICE void outer_row(INOUT(Halving) h, Row row, f32 t0, f32 t1, f32 t2, f32 t3, f32 t4)
{
    add_tap(h, row.v0, t0);
    add_tap(h, row.v1, t1);
    add_tap(h, row.v2, t2);
    add_tap(h, row.v3, t3);
    add_tap(h, row.v4, t4);
    add_tap(h, row.v5, t3);
    add_tap(h, row.v6, t2);
    add_tap(h, row.v7, t1);
    add_tap(h, row.v8, t0);
}

DEVICE void middle_row(INOUT(Halving) h, Row row, f32 t0, f32 t1, f32 t2, f32 t3, f32 t4)
{
    outer_row(h, row, t0, t1, t2, t3, t4);
}

DEVICE void turn_over(INOUT(Halving) h)
{
}

DEVICE f32 halving_round(Halving h, HalvingBounds bounds, u32 bit, INOUT(u32) doubt)
{
    return narrowed(h.sum);
}

#else

#define HALVE_LEAST_TAP 0.000283f

/* A sum of 81 terms. If no sample exceeds b, a power of two, then the terms of the three middle
 * rows add up to less than 2 b in magnitude, and those of the six outer rows, whose taps are small,
 * to less than b / 2. So the outer rows have an anchor of their own, and their grid is a quarter of
 * the grid of the middle rows, which is g = 2^-21 b. The losses of each three rows are collected in
 * a float of their own. */
struct Halving {
    AnchoredSum middle, outer;
    f32 low_first; /* the losses of the first three rows, once these are added */
};

/* Bounds that follow from the samples of a tile. */
struct HalvingBounds {
    f32 b;
    f32 margin;      /* upper bound for the error of a sum */
    f32 exact_below; /* the sum of all losses is exact if it is smaller than this */
};

DEVICE Halving halving_start(HalvingBounds bounds)
{
    Halving h;
    h.middle = anchored_start(6.0f * bounds.b);
    h.outer = anchored_start(1.5f * bounds.b);
    h.low_first = 0.0f;
    return h;
}

/* The bounds for samples up to b of which `least` is the smallest magnitude but 0. The smallest
 * sample decides whether anything is lost: all losses together are at most 27 g / 2 + 54 g / 8,
 * hence below 32 g, and exact if that is at most 2^24 units in the last place of the smallest term.
 * In that case a double loses nothing either. Otherwise additions lose up to 261 * 2^-25 g in the
 * middle rows, 131 * 2^-25 g in the outer rows, 72 * 2^-25 g where all are joined and the margin is
 * added, and 2^-25 g in the double: a margin of 2^-16 g is enough. */
DEVICE HalvingBounds halving_bounds(f32 b, f32 least)
{
    bool exact = b <= power_below(least * HALVE_LEAST_TAP) * 131072.0f;
    HalvingBounds bounds;
    bounds.b = b;
    bounds.margin = exact ? 0.0f : b * 7.2759576e-12f; /* 2^-37 */
    bounds.exact_below = 0.0f;
    return bounds;
}

/* The bounds for 8-bit samples, integers up to 255. Terms are multiples of the last place of their
 * tap: 2^-35, or 2^-31 in the middle rows, at least. The losses are at most 27 * 2^-16 in three
 * outer rows and 27 * 2^-14 in the middle rows. Both are exact, being below 2^24 units in the last
 * place. Joined they are exact below 2^-11; otherwise joining them, and adding the margin, loses up
 * to 2^-35 + 2 * 2^-33. A double loses nothing. */
DEVICE HalvingBounds halving_bounds_of_bytes()
{
    HalvingBounds bounds;
    bounds.b = 256.0f;
    bounds.margin = 4.6566129e-10f;     /* 2^-31 */
    bounds.exact_below = 4.8828125e-4f; /* 2^-11 */
    return bounds;
}

/* Returns the sum, rounded. Sets `bit` in `doubt` if it may differ from what a double gives. */
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

/* Adds a row of nine samples, weighed by symmetric taps. */
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

/* Call it after the first three rows: the last three go on with the same sum, but collect their
 * losses in another float. */
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

#endif
