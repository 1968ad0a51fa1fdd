/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The arithmetic of SSIM's window in doubles: filter sums, roots, quotients and their sums. It
 * takes the place of window_floats.h and all that it needs. Include it after window_maps.h. */
#include "gpu/prelude/wide_sum.h"

/* A double needs no anchors. */
struct Anchors {
    bool exact;
};

/* The sums of the five maps while taps are being added. */
struct Sums {
    f64 a, b, aa, bb, ab;
};

DEVICE Sums sums_start(Anchors none)
{
    Sums s;
    s.a = s.b = s.aa = s.bb = s.ab = f64(0.0f);
    return s;
}

/* Adds value * tap. Samples are never negative; images of floats may hold negative values. */
DEVICE f64 add_tap(f64 sum, f32 value, f32 tap)
{
    PRECISE f32 term = value * tap;
#ifdef IMAGE_F32
    PRECISE f64 more = sum + wide(term);
#else
    PRECISE f64 more = sum + wide_size(term);
#endif
    return more;
}

/* Adds value * tap for a map of squares, which are never negative. */
DEVICE f64 add_square_tap(f64 sum, f32 value, f32 tap)
{
    PRECISE f32 term = value * tap;
    PRECISE f64 more = sum + wide_size(term);
    return more;
}

DEVICE void sums_add(INOUT(Sums) s, Across row, f32 tap)
{
    s.a = add_tap(s.a, row.a, tap);
    s.b = add_tap(s.b, row.b, tap);
    s.aa = add_square_tap(s.aa, row.aa, tap);
    s.bb = add_square_tap(s.bb, row.bb, tap);
    s.ab = add_tap(s.ab, row.ab, tap);
}

DEVICE Across sums_end(Sums s, Anchors none, bool down, u32 at)
{
    Across row;
    row.a = narrowed(s.a);
    row.b = narrowed(s.b);
    row.aa = narrowed(s.aa);
    row.bb = narrowed(s.bb);
    row.ab = narrowed(s.ab);
    return row;
}

/* ---- roots and quotients ---- */

/* The square root of x >= 0, correctly rounded. Below 1e-30, where the exponent range of floats
 * ends, the root is too small to change the number it is added to, so 0 is returned. Each step
 * doubles the number of correct bits; 51 correct bits are enough to be on the right side of the
 * middle between two floats. */
DEVICE f32 rounded_root(f32 x)
{
    f64 whole = f64(x), inverse = f64(rsqrt_near(max_f32(x, 1.0e-30f))),
        half_inverse = inverse * f64(0.5f);
    f64 root = whole * inverse;
    f64 off = fma_f64(-root, half_inverse, f64(0.5f));
    f64 nearer_root = fma_f64(root, off, root),
        nearer_inverse = fma_f64(half_inverse, off, half_inverse);
    f64 rest = fma_f64(-nearer_root, nearer_root, whole);
    return x < 1.0e-30f ? 0.0f : f32(fma_f64(rest, nearer_inverse, nearer_root));
}

/* One Newton step from `near` towards above / below. */
DEVICE f64 nearer(f64 near, f64 above, f64 below, f64 inverse)
{
    return fma_f64(fma_f64(-near, below, above), inverse, near);
}

/* above / below, correct to about 40 bits. */
DEVICE f64 quotient(f64 above, f32 below)
{
    f64 inverse = f64(recip_near(below));
    return nearer(above * inverse, above, f64(below), inverse);
}

/* above / below, correctly rounded: two steps give 50 bits, and no quotient of two floats lies
 * closer to the middle between two floats. */
DEVICE f32 rounded_quotient(f32 above, f32 below)
{
    f64 inverse = f64(recip_near(below)), a = f64(above), b = f64(below);
    return f32(nearer(nearer(a * inverse, a, b, inverse), a, b, inverse));
}

/* The sums of one thread: luminance, contrast, structure, and the product of the three. */
struct Totals {
    f64 l, c, s, lcs;
};

DEVICE Totals totals_start()
{
    Totals t;
    t.l = t.c = t.s = t.lcs = f64(0.0f);
    return t;
}

DEVICE void totals_add(INOUT(Totals) t, Across mean, bool with_luma, bool with_product)
{
    Spread spread = spread_of(mean);
    f32 sd = rounded_root(spread.square);
    f64 c = quotient(f64(2.0f * sd) + f64(SSIM_C2), spread.contrast);
    f64 s = f64(rounded_quotient(together_of(spread.covar, sd), apart_of(sd)));
    t.c = t.c + c;
    t.s = t.s + s;
    if (with_luma) {
        f64 l = quotient(fma_f64(f64(2.0f * mean.a), f64(mean.b), f64(SSIM_C1)), spread.luma);
        t.l = t.l + l;
        if (with_product)
            t.lcs = fma_f64(l * c, s, t.lcs);
    }
}

/* Sum i of SSIM_SUMS, in units of 2^-SSIM_SUM_BITS. */
DEVICE i64 totals_of(Totals t, u32 i)
{
    f64 total = i == SSIM_LCS ? t.lcs : i == SSIM_L ? t.l : i == SSIM_C ? t.c : t.s;
    return i64(total * f64(281474976710656.0f)); /* 2^48 */
}
