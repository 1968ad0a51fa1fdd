/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernel of ciede: CIEDE2000 differences of pixels, summed up.
 *
 * The CPU works in double and narrows to single precision at each named step. Here pairs of floats
 * stand in for double: functions come from small tables and short series, good to about 36 bits, so
 * that nearly all narrowed values, and then nearly all differences, are the CPU's. Operations on single
 * precision are exact. */
#include "feature/ciede/ciede_tile.h"

#define BUFFERS IN(0, u32, ref_y) IN(1, u32, ref_cb) IN(2, u32, ref_cr) IN(3, u32, dist_y)            \
    IN(4, u32, dist_cb) IN(5, u32, dist_cr) IN(6, f32, table) OUT(7, u32, sums)
#define PARAMS CIEDE_PARAMS
#define SHARED_ARRAYS SHARED(u64, part, CIEDE_TILE_W * CIEDE_GROUP_H)
#define GROUP_W CIEDE_TILE_W
#define GROUP_H CIEDE_GROUP_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#include "gpu/prelude/exact_float.h"
#include "gpu/prelude/float_pair.h"

DEVICE Pair constant(u32 i)
{
    Pair p;
    p.high = table[2u * i];
    p.low = table[2u * i + 1u];
    return p;
}

/* ---- functions ---- */

/* a^(-1/n) of a > 0, by Newton's method; n is 3 or 5. `guess` serves the exponent's share. */
DEVICE f32 inverse_root(f32 a, u32 n, u32 guess)
{
    PRECISE f32 r = f32_of_bits(guess - bits_of_f32(a) / n);
    f32 share = n == 3u ? 0.33333333f : 0.2f;
    for (u32 i = 0u; i < 5u; i++) {
        PRECISE f32 square = r * r;
        PRECISE f32 power = n == 3u ? square * r : square * square * r;
        PRECISE f32 off = 1.0f - a * power;
        r = r + r * off * share;
    }
    return r;
}

/* a^(1/3) */
DEVICE Pair cube_root(Pair a)
{
    PRECISE f32 r = inverse_root(a.high, 3u, 0x54a21d2au);
    PRECISE f32 inverse = r * r;
    PRECISE f32 first = a.high * inverse;
    Pair rest = pair_sub(a, pair_scale(pair_product(first, first), first));
    PRECISE f32 second = rest.high * inverse * 0.33333333f;
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

/* x^7 of x >= 0 */
DEVICE Pair power7(f32 x)
{
    Pair square = pair_product(x, x);
    return pair_scale(pair_mul(pair_mul(square, square), square), x);
}

struct Angle {
    Pair sine, cosine;
};

/* Of 0 <= x < 9.6 */
DEVICE Angle angle_of(f32 x)
{
    f32 near = floor_f32(x * 16.0f + 0.5f);
    u32 i = u32(i32(near));
    PRECISE f32 d = x - near * 0.0625f;
    PRECISE f32 square = d * d;
    PRECISE f32 cubic = -(d * square) * 0.16666667f * (1.0f - square * 0.05f);
    Pair small_sine = pair_of(d, cubic);
    Pair half_square = pair_scale(pair_product(d, d), -0.5f);
    PRECISE f32 quartic = square * square * 0.041666667f * (1.0f - square * 0.033333333f);
    Pair small_cosine = pair_add(pair_single(1.0f), pair_add(half_square, pair_single(quartic)));
    Pair sine = constant(CIEDE_SINES + i), cosine = constant(CIEDE_COSINES + i);
    Angle a;
    a.sine = pair_add(pair_mul(sine, small_cosine), pair_mul(cosine, small_sine));
    a.cosine = pair_sub(pair_mul(cosine, small_cosine), pair_mul(sine, small_sine));
    return a;
}

/* exp(-x) of x >= 0; 0 from 60 on. */
DEVICE Pair bell_of(f32 x)
{
    if (x >= 60.0f)
        return pair_single(0.0f);
    f32 near = floor_f32(x * 8.0f + 0.5f);
    PRECISE f32 d = x - near * 0.125f;
    PRECISE f32 rest = -d * (1.0f - d * 0.25f * (1.0f - d * 0.2f * (1.0f - d * 0.16666667f))) * 0.33333333f;
    Pair half_square = pair_scale(pair_product(d, d), 0.5f);
    PRECISE f32 cubic = half_square.high * rest;
    Pair series = pair_add(pair_single(-d), pair_add(half_square, pair_single(cubic)));
    return pair_mul(constant(CIEDE_BELLS + u32(i32(near))), pair_add(pair_single(1.0f), series));
}

/* The arc of (a, b), which are not both 0, narrowed. */
DEVICE f32 arc_of(f32 b, f32 a)
{
    bool steep = abs_f32(b) > abs_f32(a);
    f32 x = steep ? abs_f32(b) : abs_f32(a), y = steep ? abs_f32(a) : abs_f32(b);
    f32 near = floor_f32(y / x * 32.0f + 0.5f);
    f32 slope = near * 0.03125f;
    Pair above = pair_sub(pair_single(y), pair_product(slope, x));
    Pair below = pair_add(pair_single(x), pair_product(slope, y));
    Pair z = pair_div(above, below);
    PRECISE f32 square = z.high * z.high;
    PRECISE f32 cubic = -(z.high * square) * (0.33333333f - square * (0.2f - square * 0.14285714f));
    Pair arc = pair_add(constant(CIEDE_ARCS + u32(i32(near))), pair_add(z, pair_single(cubic)));
    if (steep)
        arc = pair_sub(constant(CIEDE_HALF_PI), arc);
    if (a < 0.0f)
        arc = pair_sub(constant(CIEDE_PI_PAIR), arc);
    return b < 0.0f ? -arc.high : arc.high;
}

/* ---- samples to L*a*b* ---- */

struct Lab {
    f32 l, a, b;
};

/* The curve from signals to light. */
DEVICE Pair linear_light(Pair v)
{
    Pair base = pair_mul(pair_add(v, constant(CIEDE_CURVE_OFFSET)), constant(CIEDE_CURVE_SCALE));
    Pair square = pair_mul(base, base);
    Pair power = pair_mul(square, fifth_root(square));
    Pair line = pair_mul(v, constant(CIEDE_CURVE_SLOPE));
    bool curved = pair_sub(v, constant(CIEDE_CURVE_FROM)).high > 0.0f;
    Pair light;
    light.high = curved ? power.high : line.high;
    light.low = curved ? power.low : line.low;
    return light;
}

DEVICE f32 lab_curve(Pair v)
{
    bool curved = pair_sub(v, constant(CIEDE_LAB_FROM)).high > 0.0f;
    Pair safe = v;
    safe.high = curved ? v.high : 1.0f;
    Pair root = cube_root(safe);
    Pair line = pair_add(pair_mul(v, constant(CIEDE_LAB_SLOPE)), pair_single(16.0f));
    line = pair_mul(line, constant(CIEDE_LAB_SCALE));
    return curved ? root.high : line.high;
}

DEVICE Lab to_lab(u32 luma, u32 blue, u32 red)
{
    Pair y = pair_scale(constant(CIEDE_LUMA_SCALE), f32(i32(luma)) - luma_offset);
    Pair u = pair_scale(constant(CIEDE_CHROMA_SCALE), f32(i32(blue)) - chroma_offset);
    Pair v = pair_scale(constant(CIEDE_CHROMA_SCALE), f32(i32(red)) - chroma_offset);
    Pair xyz0 = pair_single(0.0f), xyz1 = xyz0, xyz2 = xyz0;
    for (u32 i = 0u; i < 3u; i++) {
        Pair signal = y;
        if (i == 0u)
            signal = pair_add(y, pair_mul(constant(CIEDE_R_FROM_CR), v));
        else if (i == 1u)
            signal = pair_sub(pair_sub(y, pair_mul(constant(CIEDE_G_FROM_CB), u)),
                              pair_mul(constant(CIEDE_G_FROM_CR), v));
        else
            signal = pair_add(y, pair_mul(constant(CIEDE_B_FROM_CB), u));
        Pair light = linear_light(signal);
        xyz0 = pair_add(xyz0, pair_mul(light, constant(CIEDE_XYZ + 3u * i)));
        xyz1 = pair_add(xyz1, pair_mul(light, constant(CIEDE_XYZ + 3u * i + 1u)));
        xyz2 = pair_add(xyz2, pair_mul(light, constant(CIEDE_XYZ + 3u * i + 2u)));
    }
    f32 fx = 0.0f, fy = 0.0f, fz = 0.0f;
    for (u32 i = 0u; i < 3u; i++) {
        Pair xyz;
        xyz.high = i == 0u ? xyz0.high : i == 1u ? xyz1.high : xyz2.high;
        xyz.low = i == 0u ? xyz0.low : i == 1u ? xyz1.low : xyz2.low;
        f32 value = lab_curve(pair_mul(xyz, constant(CIEDE_WHITE + i)));
        fx = i == 0u ? value : fx;
        fy = i == 1u ? value : fy;
        fz = i == 2u ? value : fz;
    }
    Lab lab;
    lab.l = pair_add(pair_product(116.0f, fy), pair_single(-16.0f)).high;
    lab.a = pair_scale(pair_sub(pair_single(fx), pair_single(fy)), 500.0f).high;
    lab.b = pair_scale(pair_sub(pair_single(fy), pair_single(fz)), 200.0f).high;
    return lab;
}

/* Chroma at the size of luma, as ciede.c does it: what is stored after a row follows it. */
DEVICE u32 chroma_row(u32 x, u32 y, INOUT(u32) column)
{
    if (subsampled == 0u) {
        column = x;
        return y;
    }
    u32 span = ((chroma_w + 31u) / 32u * 32u) * repeat;
    u32 row = min_u32(y / 2u, chroma_h - 1u);
    for (; x >= span; x -= span)
        row++;
    column = repeat == 2u ? x / 2u : x;
    return row;
}

DEVICE u32 chroma_of_ref(u32 row, u32 column, bool blue)
{
    if (column >= chroma_w || row >= (blue ? 2u * chroma_h : chroma_h))
        return 0u;
    u32 at = (row < chroma_h ? row : row - chroma_h) * chroma_stride;
    return blue && row < chroma_h ? SAMPLE(ref_cb, at, column) : SAMPLE(ref_cr, at, column);
}

DEVICE u32 chroma_of_dist(u32 row, u32 column, bool blue)
{
    if (column >= chroma_w || row >= (blue ? 2u * chroma_h : chroma_h))
        return 0u;
    u32 at = (row < chroma_h ? row : row - chroma_h) * chroma_stride;
    return blue && row < chroma_h ? SAMPLE(dist_cb, at, column) : SAMPLE(dist_cr, at, column);
}

/* ---- the difference ---- */

DEVICE f32 chroma_of(f32 a, f32 b)
{
    return pair_sqrt(pair_add(pair_product(a, a), pair_product(b, b))).high;
}

DEVICE f32 hue_of(f32 a, f32 b)
{
    if (a == 0.0f && b == 0.0f)
        return 0.0f;
    f32 hue = arc_of(b, a);
    return hue < 0.0f ? pair_add(pair_single(hue), constant(CIEDE_TWO_PI)).high : hue;
}

/* Pulls a* of weak colours away from the axis. */
DEVICE f32 stretched(f32 a, Pair stretch)
{
    return pair_add(pair_single(a), pair_scale(stretch, 0.5f * a)).high;
}

/* How much a hue difference counts at this hue */
DEVICE f32 hue_weight(f32 hue)
{
    Angle one = angle_of(hue);
    Pair c1 = one.cosine, s1 = one.sine, unit = pair_single(-1.0f);
    Pair c2 = pair_add(pair_scale(pair_mul(c1, c1), 2.0f), unit);
    Pair s2 = pair_scale(pair_mul(s1, c1), 2.0f);
    Pair c3 = pair_sub(pair_mul(c2, c1), pair_mul(s2, s1));
    Pair s3 = pair_add(pair_mul(s2, c1), pair_mul(c2, s1));
    Pair c4 = pair_add(pair_scale(pair_mul(c2, c2), 2.0f), unit);
    Pair s4 = pair_scale(pair_mul(s2, c2), 2.0f);
    Pair weight = pair_single(1.0f);
    weight = pair_add(weight, pair_mul(c1, constant(CIEDE_HUE_COS1)));
    weight = pair_add(weight, pair_mul(s1, constant(CIEDE_HUE_SIN1)));
    weight = pair_add(weight, pair_mul(c2, constant(CIEDE_HUE_COS2)));
    weight = pair_add(weight, pair_mul(c3, constant(CIEDE_HUE_COS3)));
    weight = pair_add(weight, pair_mul(s3, constant(CIEDE_HUE_SIN3)));
    weight = pair_add(weight, pair_mul(c4, constant(CIEDE_HUE_COS4)));
    weight = pair_add(weight, pair_mul(s4, constant(CIEDE_HUE_SIN4)));
    return weight.high;
}


/* Couples chroma and hue differences in the blues. */
DEVICE f32 rotation(f32 chroma, f32 hue)
{
    f32 degrees = pair_scale(constant(CIEDE_DEGREES), hue).high;
    Pair off = pair_sub(pair_single(degrees), pair_single(275.0f));
    f32 z = pair_mul(off, constant(CIEDE_BELL_SCALE)).high;
    PRECISE f32 square = z * z;
    f32 bell = pair_scale(bell_of(square), 60.0f).high;
    f32 turn = pair_scale(constant(CIEDE_RADIANS), bell).high;
    f32 chroma7 = power7(chroma).high;
    PRECISE f32 whole = chroma7 + 6103515648.0f;
    f32 ratio = exact_div(chroma7, whole);
    Pair root = pair_scale(pair_sqrt(pair_single(ratio)), -2.0f);
    return pair_mul(root, angle_of(turn).sine).high;
}

DEVICE f32 difference(Lab ref, Lab dist)
{
    f32 c_ref = chroma_of(ref.a, ref.b), c_dist = chroma_of(dist.a, dist.b);
    PRECISE f32 mean_chroma = (c_ref + c_dist) * 0.5f;
    Pair c7 = power7(mean_chroma);
    Pair share = pair_div(c7, pair_add(c7, constant(CIEDE_CHROMA_25_7)));
    Pair stretch = pair_sub(pair_single(1.0f), pair_sqrt(share));
    f32 a_ref = stretched(ref.a, stretch), a_dist = stretched(dist.a, stretch);
    f32 chroma_ref = chroma_of(a_ref, ref.b), chroma_dist = chroma_of(a_dist, dist.b);
    PRECISE f32 chroma = (chroma_ref + chroma_dist) * 0.5f;

    f32 hue_ref = hue_of(a_ref, ref.b), hue_dist = hue_of(a_dist, dist.b);
    PRECISE f32 hue_gap = hue_dist - hue_ref;
    PRECISE f32 hue_sum = hue_ref + hue_dist;
    bool far = abs_f32(hue_gap) >= 3.14159274f; /* the first float above pi */
    Pair around = constant(CIEDE_TWO_PI);
    f32 turn = hue_gap, hue = hue_sum * 0.5f;
    if (far) {
        turn = pair_add(pair_single(hue_gap), hue_dist <= hue_ref ? around : pair_negate(around)).high;
        hue = pair_add(pair_single(hue_sum), around).high * 0.5f;
    }
    if (c_ref == 0.0f || c_dist == 0.0f)
        turn = 0.0f;

    PRECISE f32 off = (ref.l + dist.l) * 0.5f - 50.0f;
    Pair off2 = pair_product(off, off);
    Pair spread = pair_sqrt(pair_add(pair_single(20.0f), off2));
    Pair one = pair_single(1.0f);
    Pair l_gain = pair_div(pair_mul(constant(CIEDE_L_WEIGHT), off2), spread);
    PRECISE f32 s_l = pair_add(one, l_gain).high * 0.65f;
    PRECISE f32 s_c = pair_add(one, pair_scale(constant(CIEDE_C_WEIGHT), chroma)).high;
    Pair h_gain = pair_scale(pair_scale(constant(CIEDE_L_WEIGHT), chroma), hue_weight(hue));
    PRECISE f32 s_h = pair_add(one, h_gain).high * 4.0f;

    PRECISE f32 chroma2 = chroma_ref * chroma_dist;
    Pair root = pair_scale(pair_sqrt(pair_single(chroma2)), 2.0f);
    Pair sine = angle_of(abs_f32(turn) * 0.5f).sine;
    f32 d_hue = pair_mul(root, turn < 0.0f ? pair_negate(sine) : sine).high;
    PRECISE f32 d_l = dist.l - ref.l;
    PRECISE f32 d_c = chroma_dist - chroma_ref;
    f32 l = exact_div(d_l, s_l), c = exact_div(d_c, s_c), h = exact_div(d_hue, s_h);
    PRECISE f32 cross_part = rotation(chroma, hue) * c * h;
    Pair squares = pair_add(pair_add(pair_product(l, l), pair_product(c, c)), pair_product(h, h));
    return pair_sqrt(pair_add(squares, pair_single(cross_part))).high;
}

/* In units of 2^-CIEDE_SUM_BITS. */
DEVICE u64 fixed_point(f32 x)
{
    u32 bits = bits_of_f32(x);
    u32 mantissa = (bits & 0x7fffffu) | 0x800000u;
    i32 shift = i32(bits >> 23) - 150 + CIEDE_SUM_BITS;
    if (shift < 0)
        return shift < -31 ? u64(0) : u64(mantissa >> u32(-shift));
    return u64(mantissa) << u32(min_i32(shift, 39));
}

KERNEL_MAIN
{
    u32 x = GROUP_X * CIEDE_TILE_W + LOCAL_X;
    u64 sum = u64(0);
    for (u32 i = 0u; i < CIEDE_TILE_H / CIEDE_GROUP_H; i++) {
        u32 y = GROUP_Y * CIEDE_TILE_H + i * CIEDE_GROUP_H + LOCAL_Y;
        if (x < width && y < height) {
            u32 column, row = chroma_row(x, y, column);
            Lab ref, dist;
            dist.l = dist.a = dist.b = 0.0f;
            for (u32 image = 0u; image < 2u; image++) {
                ref = dist;
                u32 luma = image == 0u ? SAMPLE(ref_y, y * luma_stride, x) : SAMPLE(dist_y, y * luma_stride, x);
                u32 blue = image == 0u ? chroma_of_ref(row, column, true) : chroma_of_dist(row, column, true);
                u32 red = image == 0u ? chroma_of_ref(row, column, false) : chroma_of_dist(row, column, false);
                dist = to_lab(luma, blue, red);
            }
            sum += fixed_point(difference(ref, dist));
        }
    }
    GROUP_SUM(part, sum);
    if (LOCAL_INDEX == 0u) {
        u32 at = 2u * (GROUP_Y * tiles_x + GROUP_X);
        sums[at] = u32(part[0]);
        sums[at + 1u] = u32(part[0] >> 32);
    }
}
KERNEL_END
