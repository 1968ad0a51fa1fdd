/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Roots, quotients and sums of them for SSIM's window, in double. Stands in for window_terms.h. */

/* The root of x >= 0, rounded. Below 1e-30, where floats run out of exponents, it is too small to tell from 0 beside
 * what it is added to. Each step doubles the digits; a root of 51 bits is on the right side of what lies half way
 * between two floats. */
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

/* A step towards above / below. */
DEVICE f64 nearer(f64 near, f64 above, f64 below, f64 inverse)
{
    return fma_f64(fma_f64(-near, below, above), inverse, near);
}

/* above / below, to some 40 bits. */
DEVICE f64 quotient(f64 above, f32 below)
{
    f64 inverse = f64(recip_near(below));
    return nearer(above * inverse, above, f64(below), inverse);
}

/* above / below, rounded: two steps give 50 bits, and no quotient of floats is nearer to half way between two of them. */
DEVICE f32 rounded_quotient(f32 above, f32 below)
{
    f64 inverse = f64(recip_near(below)), a = f64(above), b = f64(below);
    return f32(nearer(nearer(a * inverse, a, b, inverse), a, b, inverse));
}

/* What a thread adds up. */
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

/* In units of 2^-SSIM_SUM_BITS. */
DEVICE i64 totals_of(Totals t, u32 i)
{
    f64 total = i == SSIM_LCS ? t.lcs : i == SSIM_L ? t.l : i == SSIM_C ? t.c : t.s;
    return i64(total * f64(281474976710656.0f)); /* 2^48 */
}
