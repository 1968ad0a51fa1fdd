/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CIEDE2000 of a pixel in double, for devices whose doubles are fast. It takes the place of
 * pixel_pairs.h.
 *
 * These devices are slow at converting between float and double, so single-precision numbers stay
 * doubles; narrowed() rounds them. Quotients and roots start with a float of 20 bits, made from the
 * upper half of a double. */

/* Constants are made of their words, because GLSL widens 0.1f to the double 0.1. */
#define NUMBER(high, low, low_bits, high_bits) f64_of_words(low_bits, high_bits)
#define CIEDE_2_3 f64_of_words(0x55555555u, 0x3fe55555u)
#define CIEDE_5_9 f64_of_words(0x71c71c72u, 0x3fe1c71cu)
#define CIEDE_4_5 f64_of_words(0x9999999au, 0x3fe99999u)
#define CIEDE_WEIGHT_L f64_of_words(0xc0000000u, 0x3fe4ccccu) /* 0.65f */

/* Upper bounds for the difference to the CPU's numbers before they are narrowed, in units of a
 * double's last place: for numbers from tables, for numbers from steps with an error of 2^-50 each,
 * and for powf (see ciede_simd.c). */
#define SLACK_SERIES 0x1000u
#define SLACK_STEPS 0x40u
#define SLACK_POWF 0x200000u

struct Lab {
    f64 l, a, b;
};

/* True in the variant of the kernel that does the work. */
DEVICE bool suits_device()
{
    return FUSED != 0;
}

/* ---- arithmetic ---- */

/* x rounded to the nearest float, ties to even. The last place of 2^29 * x - x is where a float
 * of the size of x ends. Compilers for Vulkan may change such an expression, so they get a
 * conversion. */
DEVICE f64 narrowed(f64 x)
{
#ifdef FMA_FUSES
    f64 far = f64(536870912.0f), rest = fma_f64(x, far, -x); /* 2^29 */
    return fma_f64(x, far, -rest);
#else
    return f64(f32(x));
#endif
}

/* True if the CPU's x, which differs by at most `slack` units of x's last place, might be narrowed
 * to another float. */
DEVICE bool is_doubtful(f64 x, u32 slack)
{
    return ((low_word(x) + slack - 0x10000000u) & 0x1fffffffu) < 2u * slack;
}

/* x narrowed; sets `doubt` if the CPU might get another float. */
DEVICE f64 narrowed_near(f64 x, u32 slack, INOUT(u32) doubt)
{
    doubt |= is_doubtful(x, slack) ? 1u : 0u;
    return narrowed(x);
}

/* 2^-46 in units of x's last place, for 0 < x < 8, limited to 2^15 for small x. */
DEVICE u32 slack_of(f64 x)
{
    return 1u << u32(clamp_i32(1029 - i32(high_word(x) >> 20), 3, 15));
}

DEVICE f64 joined(f32 high, f32 low)
{
    return f64(high) + f64(low);
}

/* A float with the first 20 bits of x, for x from 2^-126 on, and back. For 0 it returns 2, which is
 * harmless in quotients and roots. */
DEVICE f32 float_near(f64 x)
{
    return f32_of_bits((high_word(x) << 3) + 0x40000000u);
}

DEVICE f64 double_near(f32 x)
{
    return f64_of_words(0u, (bits_of_f32(x) >> 3) + 0x38000000u);
}

/* a / b for b > 0; 0 / 0 is 0. */
DEVICE f64 quotient(f64 a, f64 b)
{
    f64 inverse = double_near(recip_near(float_near(b))), first = a * inverse;
    f64 off = fma_f64(-b, inverse, f64(1.0f));
    return fma_f64(first, fma_f64(off, off, off), first);
}

/* The relative error of `near` as an approximation of 1 / sqrt(a); a_near is a * near. */
DEVICE f64 root_share(f64 a_near, f64 near)
{
    f64 off = fma_f64(-a_near, near, f64(1.0f));
    return off * fma_f64(off, f64(0.375f), f64(0.5f));
}

/* sqrt(a) for a >= 0. */
DEVICE f64 root(f64 a)
{
    f64 inverse = double_near(rsqrt_near(float_near(a))), first = a * inverse;
    return fma_f64(first, root_share(first, inverse), first);
}

/* 1 / sqrt(a) */
DEVICE f64 inverse_root(f64 a)
{
    f64 inverse = double_near(rsqrt_near(float_near(a)));
    return fma_f64(inverse, root_share(a * inverse, inverse), inverse);
}

/* ---- functions ---- */

/* A curve at the distance d from point `at` of its table, by the first terms of its series
 * there. */
DEVICE f64 series(u32 at, f64 d)
{
    u32x4 near = curves[2u * at], far = curves[2u * at + 1u];
    f64 sum = fma_f64(f64_of_words(far.z, far.w), d, f64_of_words(far.x << 20, far.z));
    sum = fma_f64(sum, d, f64_of_words(far.x, far.y));
    sum = fma_f64(sum, d, f64_of_words(near.z, near.w));
    return fma_f64(sum, d, f64_of_words(near.x, near.y));
}

/* A curve at x >= 0. Its table begins at `first` and has `steps` points per unit; `step` is 1 /
 * steps. Adding `whole` leaves the number of the nearest point in the last bits. */
DEVICE f64 curve_at(u32 first, f32 steps, f32 step, f64 x)
{
    f64 whole = f64(6755399441055744.0f); /* 1.5 * 2^52 */
    PRECISE f64 shifted = fma_f64(x, f64(steps), whole);
    PRECISE f64 near = shifted - whole;
    return series(CIEDE_POINTS + first + low_word(shifted), fma_f64(near, f64(-step), x));
}

/* a^(-1/3) for a > 0, correct to 14 bits. */
DEVICE f32 inverse_cube_root(f32 a)
{
    f32 r = f32_of_bits(0x54a20000u - bits_of_f32(a) / 3u);
    f32 off = fma_f32(-a, r * r * r, 1.0f);
    f32 share = fma_f32(off, fma_f32(off, 0.17283951f, 0.22222222f), 0.33333333f);
    return fma_f32(r * off, share, r);
}

/* a^(1/3) for a > 0. */
DEVICE f64 cube_root(f64 a)
{
    f64 r = double_near(inverse_cube_root(float_near(a))), first = a * (r * r),
        off = fma_f64(-first, r, f64(1.0f));
    f64 share = off * fma_f64(off, fma_f64(off, f64(0.493827f), CIEDE_5_9), CIEDE_2_3);
    return fma_f64(first, share, first);
}

/* a^(-1/5) for a > 0, correct to 20 bits. */
DEVICE f32 inverse_fifth_root(f32 a)
{
    f32 r = f32_of_bits(0x4c2d8a33u - bits_of_f32(a) / 5u);
    for (u32 i = 0u; i < 3u; i++) {
        f32 square = r * r;
        r = fma_f32(0.2f * r, fma_f32(-a, square * square * r, 1.0f), r);
    }
    return r;
}

/* a^(1/5) for a > 0. */
DEVICE f64 fifth_root(f64 a)
{
    f64 r = double_near(inverse_fifth_root(float_near(a))), square = r * r,
        first = a * (square * square);
    f64 off = fma_f64(-first, r, f64(1.0f));
    return fma_f64(first * off, fma_f64(off, f64(0.72f), CIEDE_4_5), first);
}

/* x^7 plus 2^-83, which is too small to matter: it keeps the ratio to 25^7, whose root is taken, in
 * the range of a float. */
DEVICE f64 power7(f64 x)
{
    f64 square = x * x, cube = square * x;
    return fma_f64(cube * cube, x, f64_of_words(0u, 0x3ac00000u)); /* 2^-83 */
}

/* sin(x) for 0 <= x < 1.6. */
DEVICE f64 sine_of(f64 x)
{
    return curve_at(CIEDE_SINES, 128.0f, 0.0078125f, x);
}

/* ---- samples to L*a*b* ---- */

/* Light by signal, below CIEDE_LIGHT_END. It has no branch, so that a warp waits for memory only
 * once. */
DEVICE f64 linear_light(f64 v, INOUT(u32) doubt)
{
    /* Within 2^-45 of this point there is doubt, because the curve has a step there. */
    doubt |= abs_f64(v - CIEDE_CURVE_FROM) < f64(2.8e-14f) ? 1u : 0u;
    PRECISE f64 shifted = fma_f64(v, f64(1024.0f), f64(6755399441055744.0f));
    PRECISE f64 near = shifted - f64(6755399441055744.0f);
    u32 point = u32(clamp_i32(i32(low_word(shifted)), 0, CIEDE_LIGHT_COUNT - 1));
    f64 light = series(CIEDE_POINTS + CIEDE_LIGHTS + point, fma_f64(near, f64(-0.0009765625f), v));
    return v > CIEDE_CURVE_FROM ? light : v * CIEDE_CURVE_SLOPE;
}

/* Light by signal from CIEDE_LIGHT_END on; returns `light` for smaller signals. */
DEVICE f64 bright_light(f64 v, f64 light)
{
    f64 base = (v + CIEDE_CURVE_OFFSET) * CIEDE_CURVE_SCALE, square = base * base;
    return v < f64(CIEDE_LIGHT_END) ? light : square * fifth_root(square);
}

DEVICE f64 lab_curve(f64 v, INOUT(u32) doubt)
{
    f64 root = cube_root(v), line = fma_f64(v, CIEDE_LAB_SLOPE, CIEDE_LAB_OFFSET);
    return narrowed_near(v > CIEDE_LAB_FROM ? root : line, SLACK_SERIES, doubt);
}

/* A row of the matrix times (r, g, b). */
DEVICE f64 weighed(f64 r, f64 g, f64 b, f64 from_r, f64 from_g, f64 from_b)
{
    return fma_f64(r, from_r, fma_f64(g, from_g, b * from_b));
}

/* A sample less the offset. The conversion adds and subtracts 2^52. */
DEVICE f64 signal_of(u32 value, f32 offset)
{
    return f64_of_words(value, 0x43300000u) - (f64(4503599627370496.0f) + f64(offset));
}

DEVICE Lab to_lab(u32 luma, u32 blue, u32 red, INOUT(u32) doubt)
{
    f64 u = signal_of(blue, chroma_offset), v = signal_of(red, chroma_offset);
    f64 y = signal_of(luma, luma_offset) * joined(luma_scale, luma_scale_low);
    f64 red_signal = fma_f64(v, joined(r_from_cr, r_from_cr_low), y);
    f64 less_u = fma_f64(u, -joined(g_from_cb, g_from_cb_low), y);
    f64 green_signal = fma_f64(v, -joined(g_from_cr, g_from_cr_low), less_u);
    f64 blue_signal = fma_f64(u, joined(b_from_cb, b_from_cb_low), y);
    f64 r = linear_light(red_signal, doubt), g = linear_light(green_signal, doubt),
        b = linear_light(blue_signal, doubt), end = f64(CIEDE_LIGHT_END);
    if (red_signal >= end || green_signal >= end || blue_signal >= end) {
        r = bright_light(red_signal, r);
        g = bright_light(green_signal, g);
        b = bright_light(blue_signal, b);
    }
    f64 fx = lab_curve(weighed(r, g, b, CIEDE_X_FROM_R, CIEDE_X_FROM_G, CIEDE_X_FROM_B), doubt);
    f64 fy = lab_curve(weighed(r, g, b, CIEDE_Y_FROM_R, CIEDE_Y_FROM_G, CIEDE_Y_FROM_B), doubt);
    f64 fz = lab_curve(weighed(r, g, b, CIEDE_Z_FROM_R, CIEDE_Z_FROM_G, CIEDE_Z_FROM_B), doubt);
    Lab lab;
    lab.l = narrowed(fma_f64(fy, f64(116.0f), f64(-16.0f)));
    lab.a = narrowed((fx - fy) * f64(500.0f));
    lab.b = narrowed((fy - fz) * f64(200.0f));
    return lab;
}

/* ---- the difference ---- */

DEVICE f64 chroma_of(f64 a, f64 b, INOUT(u32) doubt)
{
    return narrowed_near(root(fma_f64(a, a, b * b)), SLACK_STEPS, doubt);
}

/* The angle of (a, |b|), from 0 to pi; 0 for (0, 0). */
DEVICE f64 arc_of(f64 b, f64 a)
{
    f64 height = abs_f64(b), width = abs_f64(a);
    bool steep = height > width, left = a < f64(0.0f);
    f64 arc = curve_at(CIEDE_ARCS, 256.0f, 0.00390625f,
                       quotient(steep ? width : height, steep ? height : width));
    f64 from = steep ? CIEDE_HALF_PI : left ? CIEDE_HALF_TURN : f64(0.0f);
    return from + (steep != left ? -arc : arc);
}

DEVICE f64 hue_of(f64 a, f64 b, INOUT(u32) doubt)
{
    f64 arc = arc_of(b, a), hue = narrowed_near(arc, slack_of(arc), doubt);
    return b < f64(0.0f) ? narrowed(CIEDE_TWO_PI - hue) : hue;
}

/* The factor that couples chroma and hue differences of blue colours. */
DEVICE f64 rotation(f64 chroma, f64 hue, INOUT(u32) doubt, INOUT(u32) power_doubt)
{
    f64 degrees = narrowed(hue * CIEDE_DEGREES);
    f64 z = narrowed((degrees - f64(275.0f)) * CIEDE_BELL_SCALE);
    f64 square = narrowed(z * z);
    if (square >= f64(CIEDE_BELL_END)) /* the rotation is below 2^-40 and changes no difference */
        return f64(0.0f);
    f64 bell = narrowed_near(curve_at(CIEDE_BELLS, 64.0f, 0.015625f, square) * f64(60.0f),
                             2u * SLACK_SERIES, doubt);
    f64 turn = narrowed(bell * CIEDE_RADIANS);
    f64 chroma7 = narrowed_near(power7(chroma), SLACK_POWF, power_doubt);
    f64 share = narrowed_near(quotient(chroma7, narrowed(chroma7 + f64(6103515648.0f))),
                              SLACK_STEPS, doubt);
    f64 sine = sine_of(turn);
    return -narrowed_near(f64(2.0f) * root(share) * sine, slack_of(sine), doubt);
}

/* The divisor of lightness differences. */
DEVICE f64 lightness_scale(f64 ref, f64 dist, INOUT(u32) doubt)
{
    f64 off = narrowed(fma_f64(narrowed(ref + dist), f64(0.5f), f64(-50.0f)));
    f64 square = off * off, gain = CIEDE_L_WEIGHT * square * inverse_root(square + f64(20.0f));
    return narrowed(narrowed_near(f64(1.0f) + gain, SLACK_STEPS, doubt) * CIEDE_WEIGHT_L);
}

/* The CIEDE2000 difference of two colours. Sets `doubt` if the CPU might get another float. */
DEVICE f64 difference(Lab ref, Lab dist, INOUT(u32) doubt)
{
    f64 c_ref = chroma_of(ref.a, ref.b, doubt), c_dist = chroma_of(dist.a, dist.b, doubt);
    f64 c7 = power7(narrowed(c_ref + c_dist) * f64(0.5f));
    f64 stretch = f64(1.0f) - root(quotient(c7, c7 + CIEDE_CHROMA_25_7)),
        half_stretch = stretch * f64(0.5f);
    f64 a_ref = narrowed_near(fma_f64(ref.a, half_stretch, ref.a), SLACK_STEPS, doubt),
        a_dist = narrowed_near(fma_f64(dist.a, half_stretch, dist.a), SLACK_STEPS, doubt);
    f64 chroma_ref = chroma_of(a_ref, ref.b, doubt), chroma_dist = chroma_of(a_dist, dist.b, doubt);
    f64 chroma = narrowed(chroma_ref + chroma_dist) * f64(0.5f);

    f64 hue_ref = hue_of(a_ref, ref.b, doubt), hue_dist = hue_of(a_dist, dist.b, doubt);
    f64 turn = narrowed(hue_dist - hue_ref), hue = narrowed(hue_ref + hue_dist);
    if (abs_f64(turn) > CIEDE_HALF_TURN) {
        turn = narrowed(turn + (hue_dist <= hue_ref ? CIEDE_TWO_PI : -CIEDE_TWO_PI));
        hue = narrowed(hue + CIEDE_TWO_PI);
    }
    hue = hue * f64(0.5f);
    if (c_ref == f64(0.0f) || c_dist == f64(0.0f))
        turn = f64(0.0f);

    /* Rounded exactly as on the CPU, because many are halfway between two floats. */
    PRECISE f64 c_gain = chroma * CIEDE_C_WEIGHT;
    PRECISE f64 c_scale = c_gain + f64(1.0f);
    f64 s_c = narrowed(c_scale);
    f64 weight = narrowed_near(curve_at(CIEDE_HUES, 256.0f, 0.00390625f, hue), SLACK_SERIES, doubt);
    PRECISE f64 h_share = chroma * CIEDE_L_WEIGHT;
    PRECISE f64 h_gain = h_share * weight;
    PRECISE f64 h_scale = h_gain + f64(1.0f);
    f64 s_h = narrowed(h_scale) * f64(4.0f);

    f64 size = root(narrowed(chroma_ref * chroma_dist)), sine = sine_of(abs_f64(turn) * f64(0.5f));
    f64 d_hue = narrowed_near(f64(2.0f) * size * sine, slack_of(sine), doubt);
    f64 l = narrowed_near(quotient(narrowed(dist.l - ref.l), lightness_scale(ref.l, dist.l, doubt)),
                          SLACK_STEPS, doubt);
    f64 c = narrowed_near(quotient(narrowed(chroma_dist - chroma_ref), s_c), SLACK_STEPS, doubt);
    f64 h = narrowed_near(quotient(turn < f64(0.0f) ? -d_hue : d_hue, s_h), SLACK_STEPS, doubt);
    u32 power_doubt = 0u;
    f64 cross_part = narrowed(narrowed(rotation(chroma, hue, doubt, power_doubt) * c) * h);
    f64 sum = fma_f64(l, l, fma_f64(c, c, fma_f64(h, h, cross_part)));
    /* If powf's last bit differs, cross_part changes by less than 2^-20.8 of itself. */
    f32 share = power_doubt == 0u ? 0.0f : f32(quotient(abs_f64(cross_part), sum));
    bool is_large = share > 0.05f;
    doubt |= is_large ? 1u : 0u;
    u32 slack = SLACK_SERIES + u32(i32(is_large ? 0.0f : share * 2147483648.0f));
    return narrowed_near(root(sum), slack, doubt);
}

/* Converts a difference to a float for the sum. */
DEVICE f32 float_of(f64 x)
{
    return f32(x);
}
