/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CIEDE2000 of a pixel in pairs of floats, for devices whose doubles are slow or missing. Include
 * it after KERNEL_BEGIN. */
#include "gpu/prelude/exact_float.h"
#include "gpu/prelude/float_pair.h"

DEVICE Pair pair_made(f32 high, f32 low)
{
    Pair p;
    p.high = high;
    p.low = low;
    return p;
}

#define NUMBER(high, low, low_word, high_word) pair_made(high, low)

/* Upper bounds for the difference to the CPU's numbers before they are narrowed, in half units of a
 * float's last place: a relative error of 2^-40; one of 2^-38 for values of a curve below
 * SHORT_CURVE, which depend on its first point alone; and the bound for powf (see ciede_simd.c). */
#define SLACK 3.0517578125e-05f
#define SLACK_SHORT 0.0001220703125f
#define SHORT_CURVE 0.0625f
#define SLACK_POWF 0.0078125f

struct Lab {
    f32 l, a, b;
};

/* ---- arithmetic ---- */

/* True if the device rounds a * b + c once. The square of 1 + 2^-12 has one bit more than a
 * float. */
DEVICE bool device_fuses()
{
#ifdef FMA_FUSES
    return true;
#else
    PRECISE f32 square = probe * probe;
    PRECISE f32 rest = fma_f32(probe, probe, -square);
    return rest != 0.0f;
#endif
}

/* True in the variant of the kernel that does the work on this device. */
DEVICE bool suits_device()
{
    return device_fuses() == (FUSED != 0);
}

/* a * b + c, where it does not matter whether it is rounded once or twice. */
DEVICE f32 mul_add(f32 a, f32 b, f32 c)
{
#if FUSED
    PRECISE f32 sum = fma_f32(a, b, c);
#else
    PRECISE f32 sum = a * b + c;
#endif
    return sum;
}

/* c - a * b, where the result is small. */
DEVICE f32 rest_of(f32 c, f32 a, f32 b)
{
#if FUSED
    PRECISE f32 rest = fma_f32(-a, b, c);
#else
    f32 lost;
    PRECISE f32 product = two_product(a, b, lost);
    PRECISE f32 rest = (c - product) - lost;
#endif
    return rest;
}

/* Like two_sum. |b| must not exceed |a|, or a must be a multiple of b's last place. */
DEVICE f32 quick_sum(f32 a, f32 b, INOUT(f32) error)
{
    PRECISE f32 sum = a + b;
    PRECISE f32 lost = b - (sum - a);
    error = lost;
    return sum;
}

/* a + b, under the condition of quick_sum. */
DEVICE Pair pair_add_less(Pair a, Pair b)
{
    f32 lost;
    PRECISE f32 high = quick_sum(a.high, b.high, lost);
    PRECISE f32 low = lost + (a.low + b.low);
    return pair_of(high, low);
}

/* a + b for a float a, under the condition of quick_sum. */
DEVICE Pair pair_add_to(f32 a, Pair b)
{
    f32 lost;
    PRECISE f32 high = quick_sum(a, b.high, lost);
    PRECISE f32 low = lost + b.low;
    return pair_of(high, low);
}

/* a - b for any two floats. */
DEVICE Pair pair_gap(f32 a, f32 b)
{
    f32 lost;
    PRECISE f32 high = two_sum(a, -b, lost);
    return pair_made(high, lost);
}

/* The distance of x.high to the middle between it and the next float, on the side where x is. */
DEVICE f32 half_unit_of(Pair x)
{
    u32 bits = bits_of_f32(x.high) & 0x7fffffffu;
    f32 half_unit = f32_of_bits(max_u32(bits & 0x7f800000u, 0x0c800000u) - 0x0c000000u);
    bool is_shorter = (bits & 0x7fffffu) == 0u && (x.high < 0.0f) != (x.low < 0.0f);
    return is_shorter ? 0.5f * half_unit : half_unit;
}

/* x narrowed. Sets `doubt` if the CPU's x, which differs by at most `share` of half a unit in the
 * float's last place, might become another float. */
DEVICE f32 narrowed_near(Pair x, f32 share, INOUT(u32) doubt)
{
    doubt |= abs_f32(x.low) > half_unit_of(x) * (1.0f - share) ? 1u : 0u;
    return x.high;
}

DEVICE bool pair_above(Pair a, Pair b)
{
    return a.high > b.high || (a.high == b.high && a.low > b.low);
}

DEVICE Pair quotient(Pair a, Pair b)
{
    PRECISE f32 inverse = 1.0f / b.high;
    PRECISE f32 first = a.high * inverse;
    PRECISE f32 rest = rest_of(a.high, first, b.high) + (a.low - first * b.low);
    PRECISE f32 second = rest * inverse;
    return pair_of(first, second);
}

/* a / b for floats. */
DEVICE Pair ratio(f32 a, f32 b)
{
    PRECISE f32 inverse = 1.0f / b;
    PRECISE f32 first = a * inverse;
    PRECISE f32 second = rest_of(a, first, b) * inverse;
    return pair_of(first, second);
}

/* a / b, narrowed. Very few are in doubt. */
DEVICE f32 divided(f32 a, f32 b, INOUT(u32) doubt)
{
    return narrowed_near(ratio(a, b), SLACK, doubt);
}

/* sqrt(a) for a > 0, else 0. The two floats of a may overlap. */
DEVICE Pair root(Pair a)
{
    if (a.high <= 0.0f)
        return pair_single(0.0f);
    PRECISE f32 first = sqrt_near(a.high);
    PRECISE f32 second = (rest_of(a.high, first, first) + a.low) / (2.0f * first);
    return pair_of(first, second);
}

/* sqrt(a) for a float a > 0, else 0. */
DEVICE Pair root_of(f32 a)
{
    if (a <= 0.0f)
        return pair_single(0.0f);
    PRECISE f32 first = sqrt_near(a);
    PRECISE f32 second = rest_of(a, first, first) / (2.0f * first);
    return pair_of(first, second);
}

/* ---- functions ---- */

/* A curve at the distance d + d_low from point `at` of its table: the first three terms of its
 * series there as pairs, and two more. The amount that is added to the value is smaller than the
 * value. The same holds for the slope, unless the curve `turns`. `is_single`: d_low is 0. */
DEVICE Pair series(u32 at, f32 d, f32 d_low, bool is_single, bool turns)
{
    u32x4 near = curves[2u * at], far = curves[2u * at + 1u];
    f32 slope_at = f32_of_bits(near.z), bend_lost, slope_lost, line_lost, sum_lost;
    f32 more = mul_add(d, f32_of_bits(far.w), f32_of_bits(far.z));
    PRECISE f32 square = d * d;
    PRECISE f32 bend = two_product(f32_of_bits(far.x), d, bend_lost);
    f32 bend_low = mul_add(square, more, mul_add(f32_of_bits(far.y), d, bend_lost));
    PRECISE f32 slope =
        turns ? two_sum(slope_at, bend, slope_lost) : quick_sum(slope_at, bend, slope_lost);
    PRECISE f32 slope_low = slope_lost + (f32_of_bits(near.w) + bend_low);
    PRECISE f32 line = two_product(slope, d, line_lost);
    f32 low = mul_add(slope_low, d, line_lost);
    if (!is_single)
        low = mul_add(slope + bend, d_low, low);
    PRECISE f32 sum = quick_sum(f32_of_bits(near.x), line, sum_lost);
    PRECISE f32 rest = sum_lost + (low + f32_of_bits(near.y));
    return pair_of(sum, rest);
}

/* A curve at the pair x. Its slope must not change its sign. The table begins at `first` and has
 * `steps` points per unit; `step` is 1 / steps. */
DEVICE Pair curve_at(u32 first, f32 steps, f32 step, Pair x)
{
    f32 near = floor_f32(x.high * steps + 0.5f);
    PRECISE f32 off = x.high - near * step;
    return series(first + u32(i32(near)), off, x.low, false, false);
}

/* Any curve at the float x. */
DEVICE Pair curve_of(u32 first, f32 steps, f32 step, f32 x)
{
    f32 near = floor_f32(x * steps + 0.5f);
    PRECISE f32 off = x - near * step;
    return series(first + u32(i32(near)), off, 0.0f, true, true);
}

/* a^(-1/n) for a > 0 and n = 3 or 5, by Newton's method. The first guess comes from subtracting
 * bits; `guess` is its constant. */
DEVICE f32 inverse_root(f32 a, u32 n, u32 guess)
{
    PRECISE f32 r = f32_of_bits(guess - bits_of_f32(a) / n);
    f32 share = n == 3u ? 0.33333333f : 0.2f;
    for (u32 i = 0u; i < 3u; i++) {
        PRECISE f32 square = r * r;
        PRECISE f32 power = n == 3u ? square * r : square * square * r;
        PRECISE f32 off = r * mul_add(-a, power, 1.0f);
        r = mul_add(off, share, r);
    }
    return r;
}

/* a^(1/3) */
DEVICE Pair cube_root(Pair a)
{
    PRECISE f32 r = inverse_root(a.high, 3u, 0x54a21d2au);
    PRECISE f32 inverse = r * r;
    PRECISE f32 first = a.high * inverse;
    f32 square_lost, cube_lost;
    PRECISE f32 square = two_product(first, first, square_lost);
    PRECISE f32 cube = two_product(square, first, cube_lost);
    PRECISE f32 rest = (a.high - cube) - mul_add(square_lost, first, cube_lost - a.low);
    PRECISE f32 second = rest * inverse * 0.33333333f;
    return pair_of(first, second);
}

/* a^(1/5) */
DEVICE Pair fifth_root(Pair a)
{
    PRECISE f32 r = inverse_root(a.high, 5u, 0x4c2d8a33u);
    PRECISE f32 square = r * r;
    PRECISE f32 inverse = square * square;
    PRECISE f32 first = a.high * inverse;
    Pair first2 = pair_product(first, first);
    Pair rest = pair_sub(a, pair_scale(pair_mul(first2, first2), first));
    PRECISE f32 second = rest.high * inverse * 0.2f;
    return pair_of(first, second);
}

/* x^7 for x >= 0 */
DEVICE Pair power7(f32 x)
{
    Pair square = pair_product(x, x);
    return pair_scale(pair_mul(pair_mul(square, square), square), x);
}

/* sin(x) for 0 <= x < 1.6. */
DEVICE Pair sine_of(f32 x)
{
    return curve_of(CIEDE_SINES, 128.0f, 0.0078125f, x);
}

/* size * sin(x), narrowed. */
DEVICE f32 sine_times(Pair size, f32 x, INOUT(u32) doubt)
{
    return narrowed_near(pair_mul(size, sine_of(x)), x < SHORT_CURVE ? SLACK_SHORT : SLACK, doubt);
}

/* The angle of (a, b), narrowed. a and b must not both be 0. */
DEVICE f32 arc_of(f32 b, f32 a, INOUT(u32) doubt)
{
    bool steep = abs_f32(b) > abs_f32(a);
    f32 x = steep ? abs_f32(b) : abs_f32(a), y = steep ? abs_f32(a) : abs_f32(b);
    Pair arc = curve_at(CIEDE_ARCS, 256.0f, 0.00390625f, ratio(y, x));
    if (steep)
        arc = pair_add_less(CIEDE_HALF_PI, pair_negate(arc));
    if (a < 0.0f)
        arc = pair_add_less(CIEDE_HALF_TURN, pair_negate(arc));
    f32 narrow = narrowed_near(arc, arc.high < SHORT_CURVE ? 4.0f * SLACK_SHORT : SLACK, doubt);
    return b < 0.0f ? -narrow : narrow;
}

/* ---- samples to L*a*b* ---- */

/* Light by signal. Signals from CIEDE_LIGHT_END on only come from samples that exceed their depth,
 * so the table ends there. */
DEVICE Pair linear_light(Pair v, INOUT(u32) doubt)
{
    Pair from = CIEDE_CURVE_FROM;
    PRECISE f32 past = (v.high - from.high) + (v.low - from.low);
    doubt |= abs_f32(past) < 1e-12f ? 1u : 0u; /* the curve has a step there */
    if (!pair_above(v, CIEDE_CURVE_FROM))
        return pair_mul(v, CIEDE_CURVE_SLOPE);
    if (v.high < CIEDE_LIGHT_END)
        return curve_at(CIEDE_LIGHTS, 1024.0f, 0.0009765625f, v);
    Pair base = pair_mul(pair_add(v, CIEDE_CURVE_OFFSET), CIEDE_CURVE_SCALE);
    Pair square = pair_mul(base, base);
    return pair_mul(square, fifth_root(square));
}

DEVICE f32 lab_curve(Pair v, INOUT(u32) doubt)
{
    Pair curve;
    if (pair_above(v, CIEDE_LAB_FROM))
        curve = cube_root(v);
    else
        curve = pair_add(pair_mul(v, CIEDE_LAB_SLOPE), CIEDE_LAB_OFFSET);
    return narrowed_near(curve, SLACK, doubt);
}

/* A row of the matrix times (r, g, b). */
DEVICE Pair weighed(Pair r, Pair g, Pair b, Pair from_r, Pair from_g, Pair from_b)
{
    f32 r_lost, g_lost, b_lost, lost, lost2;
    PRECISE f32 r_part = two_product(r.high, from_r.high, r_lost);
    PRECISE f32 g_part = two_product(g.high, from_g.high, g_lost);
    PRECISE f32 b_part = two_product(b.high, from_b.high, b_lost);
    r_lost = mul_add(r.high, from_r.low, mul_add(r.low, from_r.high, r_lost));
    g_lost = mul_add(g.high, from_g.low, mul_add(g.low, from_g.high, g_lost));
    b_lost = mul_add(b.high, from_b.low, mul_add(b.low, from_b.high, b_lost));
    PRECISE f32 sum = two_sum(r_part, g_part, lost);
    PRECISE f32 all = two_sum(sum, b_part, lost2);
    PRECISE f32 low = (lost + lost2) + ((r_lost + g_lost) + b_lost);
    return pair_of(all, low);
}

DEVICE Lab to_lab(u32 luma, u32 blue, u32 red, INOUT(u32) doubt)
{
    f32 u = f32(i32(blue)) - chroma_offset, v = f32(i32(red)) - chroma_offset;
    Pair y = pair_scale(pair_made(luma_scale, luma_scale_low), f32(i32(luma)) - luma_offset);
    Pair r = linear_light(pair_add(y, pair_scale(pair_made(r_from_cr, r_from_cr_low), v)), doubt);
    Pair from_u = pair_scale(pair_made(g_from_cb, g_from_cb_low), u);
    Pair from_v = pair_scale(pair_made(g_from_cr, g_from_cr_low), v);
    Pair g = linear_light(pair_sub(pair_sub(y, from_u), from_v), doubt);
    Pair b = linear_light(pair_add(y, pair_scale(pair_made(b_from_cb, b_from_cb_low), u)), doubt);
    f32 fx = lab_curve(weighed(r, g, b, CIEDE_X_FROM_R, CIEDE_X_FROM_G, CIEDE_X_FROM_B), doubt);
    f32 fy = lab_curve(weighed(r, g, b, CIEDE_Y_FROM_R, CIEDE_Y_FROM_G, CIEDE_Y_FROM_B), doubt);
    f32 fz = lab_curve(weighed(r, g, b, CIEDE_Z_FROM_R, CIEDE_Z_FROM_G, CIEDE_Z_FROM_B), doubt);
    Lab lab;
    lab.l = pair_add(pair_product(116.0f, fy), pair_single(-16.0f)).high;
    lab.a = pair_scale(pair_gap(fx, fy), 500.0f).high;
    lab.b = pair_scale(pair_gap(fy, fz), 200.0f).high;
    return lab;
}

/* ---- the difference ---- */

DEVICE f32 chroma_of(f32 a, f32 b, INOUT(u32) doubt)
{
    f32 a_lost, b_lost, lost;
    PRECISE f32 a2 = two_product(a, a, a_lost);
    PRECISE f32 b2 = two_product(b, b, b_lost);
    PRECISE f32 sum = two_sum(a2, b2, lost);
    PRECISE f32 low = lost + (a_lost + b_lost);
    return narrowed_near(root(pair_made(sum, low)), SLACK, doubt);
}

DEVICE f32 hue_of(f32 a, f32 b, INOUT(u32) doubt)
{
    if (a == 0.0f && b == 0.0f)
        return 0.0f;
    f32 hue = arc_of(b, a, doubt);
    return hue < 0.0f ? narrowed_near(pair_add_less(CIEDE_TWO_PI, pair_single(hue)), SLACK, doubt)
                      : hue;
}

/* Moves a* of weak colours away from zero. */
DEVICE f32 stretched(f32 a, Pair stretch, INOUT(u32) doubt)
{
    return narrowed_near(pair_add_to(a, pair_scale(stretch, 0.5f * a)), SLACK, doubt);
}

/* The factor that couples chroma and hue differences of blue colours. */
DEVICE f32 rotation(f32 chroma, f32 hue, INOUT(u32) doubt, INOUT(u32) power_doubt)
{
    f32 degrees = narrowed_near(pair_scale(CIEDE_DEGREES, hue), SLACK, doubt);
    f32 lost;
    PRECISE f32 past = quick_sum(-275.0f, degrees, lost);
    f32 z = narrowed_near(pair_mul(pair_made(past, lost), CIEDE_BELL_SCALE), SLACK, doubt);
    PRECISE f32 square = z * z;
    if (square >= CIEDE_BELL_END) /* the rotation is below 2^-40 and changes no difference */
        return 0.0f;
    f32 bell = narrowed_near(pair_scale(curve_of(CIEDE_BELLS, 64.0f, 0.015625f, square), 60.0f),
                             2.0f * SLACK, doubt);
    f32 turn = narrowed_near(pair_scale(CIEDE_RADIANS, bell), SLACK, doubt);
    f32 chroma7 = narrowed_near(power7(chroma), SLACK_POWF, power_doubt);
    PRECISE f32 whole = chroma7 + 6103515648.0f;
    return -2.0f * sine_times(root_of(divided(chroma7, whole, doubt)), turn, doubt);
}

/* The CIEDE2000 difference of two colours. Sets `doubt` if the CPU might get another float. */
DEVICE f32 difference(Lab ref, Lab dist, INOUT(u32) doubt)
{
    f32 c_ref = chroma_of(ref.a, ref.b, doubt), c_dist = chroma_of(dist.a, dist.b, doubt);
    PRECISE f32 mean_chroma = (c_ref + c_dist) * 0.5f;
    Pair c7 = power7(mean_chroma);
    Pair share = quotient(c7, pair_add(c7, CIEDE_CHROMA_25_7));
    Pair stretch = pair_add_to(1.0f, pair_negate(root(share)));
    f32 a_ref = stretched(ref.a, stretch, doubt), a_dist = stretched(dist.a, stretch, doubt);
    f32 chroma_ref = chroma_of(a_ref, ref.b, doubt), chroma_dist = chroma_of(a_dist, dist.b, doubt);
    PRECISE f32 chroma = (chroma_ref + chroma_dist) * 0.5f;

    f32 hue_ref = hue_of(a_ref, ref.b, doubt), hue_dist = hue_of(a_dist, dist.b, doubt);
    PRECISE f32 hue_gap = hue_dist - hue_ref;
    PRECISE f32 hue_sum = hue_ref + hue_dist;
    bool far = abs_f32(hue_gap) >= 3.14159274f; /* the first float above pi */
    f32 turn = hue_gap, hue = hue_sum * 0.5f;
    if (far) {
        Pair around = hue_dist <= hue_ref ? CIEDE_TWO_PI : pair_negate(CIEDE_TWO_PI);
        turn = narrowed_near(pair_add_less(around, pair_single(hue_gap)), SLACK, doubt);
        hue = narrowed_near(pair_add(CIEDE_TWO_PI, pair_single(hue_sum)), SLACK, doubt) * 0.5f;
    }
    if (c_ref == 0.0f || c_dist == 0.0f)
        turn = 0.0f;

    PRECISE f32 off = (ref.l + dist.l) * 0.5f - 50.0f;
    Pair off2 = pair_product(off, off);
    Pair l_gain = quotient(pair_mul(CIEDE_L_WEIGHT, off2), root(pair_add_to(20.0f, off2)));
    PRECISE f32 s_l = narrowed_near(pair_add_to(1.0f, l_gain), SLACK, doubt) * 0.65f;
    /* In one of some hundred pixels this is halfway between two floats. Then the CPU's double is,
     * too, because 0.045 is 9 / 200. In all other pixels the distance to the middle is larger than
     * the error of the pair. */
    f32 s_c = pair_add_to(1.0f, pair_scale(CIEDE_C_WEIGHT, chroma)).high;
    f32 weight = narrowed_near(curve_of(CIEDE_HUES, 256.0f, 0.00390625f, hue), SLACK, doubt);
    PRECISE f32 s_h =
        narrowed_near(pair_add_to(1.0f, pair_scale(pair_scale(CIEDE_L_WEIGHT, chroma), weight)),
                      SLACK, doubt) *
        4.0f;

    PRECISE f32 chroma2 = chroma_ref * chroma_dist;
    f32 d_hue = 2.0f * sine_times(root_of(chroma2), abs_f32(turn) * 0.5f, doubt);
    PRECISE f32 d_l = dist.l - ref.l;
    PRECISE f32 d_c = chroma_dist - chroma_ref;
    f32 l = divided(d_l, s_l, doubt), c = divided(d_c, s_c, doubt),
        h = divided(turn < 0.0f ? -d_hue : d_hue, s_h, doubt);
    u32 power_doubt = 0u;
    PRECISE f32 cross_part = rotation(chroma, hue, doubt, power_doubt) * c * h;
    Pair squares = pair_add(pair_add(pair_product(l, l), pair_product(c, c)), pair_product(h, h));
    Pair sum = pair_add(squares, pair_single(cross_part));
    /* If powf's last bit differs, cross_part changes by less than 2^-20.8 of itself. */
    f32 moved =
        power_doubt == 0u || sum.high <= 0.0f ? 0.0f : abs_f32(cross_part) / sum.high * 16.0f;
    return narrowed_near(root(sum), SLACK + moved, doubt);
}

/* Converts a difference to a float for the sum. */
DEVICE f32 float_of(f32 x)
{
    return x;
}
