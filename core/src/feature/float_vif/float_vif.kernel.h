/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The kernels of float_vif. Everything is in single precision, rounded step by step as on the CPU;
 * filters sum down the rows first, then along them. */
#include "feature/float_vif/float_vif_tile.h"

/* Images are planes of samples, which PIXEL centres on zero, or of floats (IMAGE_F32). */
#ifdef IMAGE_F32
#define IMAGE(slot, name) IN(slot, f32, name)
#define PIXEL(image, x, y) ((image)[(y)*stride + (x)])
#else
#define IMAGE(slot, name) IN(slot, u32, name)
#define PIXEL(image, x, y) (f32(i32(SAMPLE(image, (y)*stride, x))) * scale - 128.0f)
#endif

#if defined(KERNEL_float_vif_stats)
/* The information of each pixel in the distorted and in the reference picture, which float_row_sums
 * adds. A workgroup filters FVIF_ROWS rows of both pictures and their products into shared memory,
 * and does the rest from there. */
#define BUFFERS IMAGE(0, ref) IMAGE(1, dist) IN(2, f32, filters) OUT(3, f32, terms)
#define PARAMS FLOAT_VIF_STATS_PARAMS
#define FVIF_LINE (FVIF_GROUP_W + 2 * FVIF_MAX_REACH)
#define FVIF_CHANNEL (FVIF_ROWS * FVIF_LINE)
#define SHARED_ARRAYS SHARED(f32, lines, 5 * FVIF_CHANNEL)
#define GROUP_W FVIF_GROUP_W
#include "gpu/prelude/prelude.h"

TABLE_BEGIN(f32, log2_poly, 9)
    -0.012671635276421f, 0.064841182402670f, -0.157048836463065f, 0.257167726303123f,
    -0.353800560300520f, 0.480131410397451f, -0.721314327952201f, 1.442694803896991f, 0.0f
TABLE_END

KERNEL_BEGIN
#include "gpu/prelude/exact_float.h"
#include "gpu/prelude/float_pair.h"
#include "gpu/prelude/soft_double.h"

DEVICE u32 mirror(i32 i, u32 n)
{
    i32 m = i < 0 ? -i : i;
    m = m < i32(n) ? m : 2 * i32(n) - 2 - m;
    return u32(clamp_i32(m, 0, i32(n) - 1));
}

DEVICE void weigh_in(INOUT(f32) sum, f32 value, f32 tap)
{
    PRECISE f32 next = sum + value * tap;
    sum = next;
}

/* Values of A, B, A*A, B*B and A*B. */
struct Five {
    f32 a, b, aa, bb, ab;
};

DEVICE Five five_start()
{
    Five sums;
    sums.a = sums.b = sums.aa = sums.bb = sums.ab = 0.0f;
    return sums;
}

DEVICE void five_weigh_in(INOUT(Five) sums, Five values, f32 tap)
{
    weigh_in(sums.a, values.a, tap);
    weigh_in(sums.b, values.b, tap);
    weigh_in(sums.aa, values.aa, tap);
    weigh_in(sums.bb, values.bb, tap);
    weigh_in(sums.ab, values.ab, tap);
}

DEVICE void five_store(Five sums, u32 at)
{
    lines[at] = sums.a;
    lines[at + FVIF_CHANNEL] = sums.b;
    lines[at + 2u * FVIF_CHANNEL] = sums.aa;
    lines[at + 3u * FVIF_CHANNEL] = sums.bb;
    lines[at + 4u * FVIF_CHANNEL] = sums.ab;
}

DEVICE Five five_load(u32 at)
{
    Five values;
    values.a = lines[at];
    values.b = lines[at + FVIF_CHANNEL];
    values.aa = lines[at + 2u * FVIF_CHANNEL];
    values.bb = lines[at + 3u * FVIF_CHANNEL];
    values.ab = lines[at + 4u * FVIF_CHANNEL];
    return values;
}

/* Filters column x of the workgroup's rows vertically and writes the results to index `to` of the
 * lines. */
DEVICE void filter_down(u32 x, u32 to, i32 top)
{
    Five r0 = five_start(), r1 = r0, r2 = r0, r3 = r0;
    for (u32 k = 0u; k < taps + FVIF_ROWS - 1u; k++) {
        u32 y = mirror(top + i32(k), height), tap = first_tap + FVIF_PAD - 3u + k;
        Five values;
        values.a = PIXEL(ref, x, y);
        values.b = PIXEL(dist, x, y);
        PRECISE f32 aa = values.a * values.a;
        PRECISE f32 bb = values.b * values.b;
        PRECISE f32 ab = values.a * values.b;
        values.aa = aa;
        values.bb = bb;
        values.ab = ab;
        five_weigh_in(r0, values, filters[tap + 3u]);
        five_weigh_in(r1, values, filters[tap + 2u]);
        five_weigh_in(r2, values, filters[tap + 1u]);
        five_weigh_in(r3, values, filters[tap]);
    }
    five_store(r0, to);
    five_store(r1, to + FVIF_LINE);
    five_store(r2, to + 2u * FVIF_LINE);
    five_store(r3, to + 3u * FVIF_LINE);
}

/* 1 + a / (b + noise), computed in double and rounded to a float; a > 0. */
DEVICE f32 in_double(f32 a, f32 b)
{
    u64 below = u64(noise_low) | (u64(noise_high) << 32);
    if (b > 0.0f) {
        u64 rest = sd_from_f32(b);
        below = rest > below ? sd_add(rest, below) : sd_add(below, rest);
    }
    u64 quotient = sd_div(sd_from_f32(a), below), one = sd_from_f32(1.0f);
    return sd_to_f32(quotient > one ? sd_add(quotient, one) : sd_add(one, quotient));
}

#define NOT_A_NUMBER 0x7fc00000u
#define INFINITE 0x7f800000u

/* The bits of the same value, computed with pairs of floats. Only if these leave the rounding in
 * doubt does it use in_double(). */
DEVICE u32 one_plus_ratio(f32 a, f32 b)
{
    if (b + noise <= 0.0f)
        return a > 0.0f ? INFINITE : NOT_A_NUMBER;
    if (a <= 0.0f)
        return bits_of_f32(1.0f);
    Pair loud;
    loud.high = noise;
    loud.low = noise_rest;
    Pair value =
        pair_add(pair_single(1.0f), pair_div(pair_single(a), pair_add(pair_single(b), loud)));
    PRECISE f32 margin = value.high * 2.2737368e-13f; /* 2^-42 */
    PRECISE f32 above = value.high + (value.low + margin);
    PRECISE f32 under = value.high + (value.low - margin);
    return bits_of_f32(above == under ? above : in_double(a, b));
}

/* The logarithm: exponent plus a polynomial of the mantissa, whatever the bits stand for. */
DEVICE f32 log2_of(u32 bits)
{
    PRECISE f32 y = f32_of_bits((bits & 0x7fffffu) | 0x3f800000u) - 1.0f;
    PRECISE f32 value = log2_poly[0];
    value = value * y + log2_poly[1];
    value = value * y + log2_poly[2];
    value = value * y + log2_poly[3];
    value = value * y + log2_poly[4];
    value = value * y + log2_poly[5];
    value = value * y + log2_poly[6];
    value = value * y + log2_poly[7];
    value = value * y + log2_poly[8];
    PRECISE f32 sum = f32(i32((bits >> 23) & 255u) - 127) + value;
    return sum;
}

#define TINY 1.0e-10f

DEVICE void information(Five mean, u32 at)
{
    PRECISE f32 s1 = mean.aa - mean.a * mean.a;
    PRECISE f32 s2 = mean.bb - mean.b * mean.b;
    PRECISE f32 s12 = mean.ab - mean.a * mean.b;
    s1 = max_f32(s1, 0.0f);
    s2 = max_f32(s2, 0.0f);
    PRECISE f32 num = 1.0f - s2 * flat_weight;
    f32 den = 1.0f;
    if (s1 >= noise_up) {
        PRECISE f32 divisor = s1 + TINY;
        f32 gain = exact_div(s12, divisor);
        PRECISE f32 rest = s2 - gain * s12;
        if (s1 < TINY) {
            gain = 0.0f;
            rest = s2;
            s1 = 0.0f;
        }
        if (s2 < TINY) {
            gain = 0.0f;
            rest = 0.0f;
        }
        if (gain < 0.0f) {
            rest = s2;
            gain = 0.0f;
        }
        rest = max_f32(rest, TINY);
        gain = gain < gain_limit ? gain : gain_limit;
        PRECISE f32 signal = gain * gain;
        signal = signal * s1;
        num = 0.0f;
        if (s12 >= 0.0f)
            num = log2_of(one_plus_ratio(signal, rest));
        den = log2_of(one_plus_ratio(s1, 0.0f));
    }
    terms[at] = num;
    terms[at + width * height] = den;
}

KERNEL_MAIN
{
    u32 left = GROUP_X * FVIF_GROUP_W, reach = taps / 2u;
    i32 top = i32(GROUP_Y * FVIF_ROWS) - i32(reach);
    for (u32 i = LOCAL_X; i < FVIF_GROUP_W + 2u * reach; i += GROUP_W)
        filter_down(mirror(i32(left + i) - i32(reach), width), i, top);
    BARRIER();
    u32 x = left + LOCAL_X;
    for (u32 r = 0u; r < FVIF_ROWS; r++) {
        u32 y = GROUP_Y * FVIF_ROWS + r;
        if (x < width && y < height) {
            Five mean = five_start();
            for (u32 k = 0u; k < taps; k++)
                five_weigh_in(mean, five_load(r * FVIF_LINE + LOCAL_X + k),
                              filters[first_tap + FVIF_PAD + k]);
            information(mean, y * width + x);
        }
    }
}
KERNEL_END
#endif

#if defined(KERNEL_float_vif_halve)
/* Filters both pictures and keeps every other sample of every other row. */
#define BUFFERS                                                                                    \
    IMAGE(0, ref) IMAGE(1, dist) IN(2, f32, filters) OUT(3, f32, half_ref) OUT(4, f32, half_dist)
#define PARAMS FLOAT_VIF_HALVE_PARAMS
#define FVIF_LINE (2 * FVIF_HALVED_W + 2 * FVIF_MAX_REACH)
#define FVIF_PICTURE (FVIF_ROWS * FVIF_LINE)
#define SHARED_ARRAYS SHARED(f32, lines, 2 * FVIF_PICTURE)
#define GROUP_W FVIF_GROUP_W
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN

DEVICE u32 mirror(i32 i, u32 n)
{
    i32 m = i < 0 ? -i : i;
    m = m < i32(n) ? m : 2 * i32(n) - 2 - m;
    return u32(clamp_i32(m, 0, i32(n) - 1));
}

DEVICE void weigh_in(INOUT(f32) sum, f32 value, f32 tap)
{
    PRECISE f32 next = sum + value * tap;
    sum = next;
}

DEVICE void filter_down(u32 x, u32 to, i32 top)
{
    f32 a0 = 0.0f, a1 = 0.0f, a2 = 0.0f, a3 = 0.0f, b0 = 0.0f, b1 = 0.0f, b2 = 0.0f, b3 = 0.0f;
    for (u32 k = 0u; k < taps + 2u * (FVIF_ROWS - 1u); k++) {
        u32 y = mirror(top + i32(k), height), tap = first_tap + FVIF_PAD - 6u + k;
        f32 a = PIXEL(ref, x, y), b = PIXEL(dist, x, y);
        weigh_in(a0, a, filters[tap + 6u]);
        weigh_in(b0, b, filters[tap + 6u]);
        weigh_in(a1, a, filters[tap + 4u]);
        weigh_in(b1, b, filters[tap + 4u]);
        weigh_in(a2, a, filters[tap + 2u]);
        weigh_in(b2, b, filters[tap + 2u]);
        weigh_in(a3, a, filters[tap]);
        weigh_in(b3, b, filters[tap]);
    }
    lines[to] = a0;
    lines[to + FVIF_LINE] = a1;
    lines[to + 2u * FVIF_LINE] = a2;
    lines[to + 3u * FVIF_LINE] = a3;
    lines[to + FVIF_PICTURE] = b0;
    lines[to + FVIF_PICTURE + FVIF_LINE] = b1;
    lines[to + FVIF_PICTURE + 2u * FVIF_LINE] = b2;
    lines[to + FVIF_PICTURE + 3u * FVIF_LINE] = b3;
}

KERNEL_MAIN
{
    u32 left = GROUP_X * FVIF_HALVED_W, reach = taps / 2u;
    i32 top = 2 * i32(GROUP_Y * FVIF_ROWS) - i32(reach);
    for (u32 i = LOCAL_X; i < 2u * FVIF_HALVED_W + 2u * reach; i += GROUP_W)
        filter_down(mirror(i32(2u * left + i) - i32(reach), width), i, top);
    BARRIER();
    /* The first half of the threads makes the reference, the second half the distorted picture. */
    u32 column = LOCAL_X % FVIF_HALVED_W, x = left + column;
    bool is_ref = LOCAL_X < FVIF_HALVED_W;
    for (u32 r = 0u; r < FVIF_ROWS; r++) {
        u32 y = GROUP_Y * FVIF_ROWS + r,
            from = (is_ref ? 0u : FVIF_PICTURE) + r * FVIF_LINE + 2u * column;
        if (x < half_w && y < half_h) {
            f32 sum = 0.0f;
            for (u32 k = 0u; k < taps; k++)
                weigh_in(sum, lines[from + k], filters[first_tap + FVIF_PAD + k]);
            if (is_ref)
                half_ref[y * half_w + x] = sum;
            else
                half_dist[y * half_w + x] = sum;
        }
    }
}
KERNEL_END
#endif

#if defined(KERNEL_float_vif_resize)
/* Resizes a picture. */
#include "feature/common/resample_tile.h"
#define BUFFERS IMAGE(0, picture) IN(1, u32, positions) OUT(2, f32, resized)
#define PARAMS FLOAT_VIF_RESIZE_PARAMS
#define GROUP_W FVIF_RESIZE_W
#define GROUP_H FVIF_RESIZE_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#include "gpu/prelude/exact_float.h"

#define RESAMPLE_PIXEL(x, y) PIXEL(picture, x, y)
#include "feature/common/resample_device.h"

KERNEL_MAIN
{
    u32 x = GROUP_X * GROUP_W + LOCAL_X, y = GROUP_Y * GROUP_H + LOCAL_Y;
    if (x >= new_w || y >= new_h)
        return;
    resized[y * new_w + x] = resampled(x, y);
}
KERNEL_END
#endif
