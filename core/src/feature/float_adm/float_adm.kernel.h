/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The kernels of float_adm: terms of the energies, which float_row_sums adds. Everything is in
 * single precision, rounded step by step as on the CPU. */
#include "feature/float_adm/float_adm_tile.h"

#if defined(KERNEL_float_adm_split)
/* Splits both pictures into bands, and the distorted detail into a restored and an additive
 * component. A workgroup has the samples of its tile in shared memory. */
#ifdef IMAGE_F32
#define IMAGE(slot, name) IN(slot, f32, name)
#define PIXEL(image, x, y) ((image)[(y)*stride + (x)])
#else
#define IMAGE(slot, name) IN(slot, u32, name)
#define PIXEL(image, x, y) (f32(i32(SAMPLE(image, (y)*stride, x))) * scale - 128.0f)
#endif
#define BUFFERS                                                                                    \
    IMAGE(0, ref) IMAGE(1, dist) OUT(2, f32, next_ref) OUT(3, f32, next_dist) OUT(4, f32, weighed) \
    OUT(5, u32, terms)
#define PARAMS FLOAT_ADM_SPLIT_PARAMS
#define FADM_FROM_W (2 * FADM_TILE_W + 2)
#define FADM_FROM_H (2 * FADM_TILE_H + 2)
#define FADM_FROM (FADM_FROM_W * FADM_FROM_H)
#define SHARED_ARRAYS SHARED(f32, tile, 2 * FADM_FROM)
#define GROUP_W FADM_TILE_W
#define GROUP_H FADM_TILE_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#include "gpu/prelude/tiny_float.h"
#include "gpu/prelude/soft_double.h"
#include "feature/float_adm/float_adm_cube.h"

/* Reflects an index at the edges; the edge sample is repeated on the far side only. An index that
 * no output needs is only kept inside the plane. */
DEVICE u32 reflect(i32 i, u32 n)
{
    i32 m = i < 0 ? -i : i < i32(n) ? i : 2 * i32(n) - 1 - i;
    return u32(clamp_i32(m, 0, i32(n) - 1));
}

DEVICE f32 low_pass(f32 a, f32 b, f32 c, f32 d)
{
    PRECISE f32 sum = 0.482962913144690f * a;
    sum = sum + 0.836516303737469f * b;
    sum = sum + 0.224143868041857f * c;
    sum = sum + -0.129409522550921f * d;
    return sum;
}

DEVICE f32 high_pass(f32 a, f32 b, f32 c, f32 d)
{
    PRECISE f32 sum = -0.129409522550921f * a;
    sum = sum + -0.224143868041857f * b;
    sum = sum + 0.836516303737469f * c;
    sum = sum + -0.482962913144690f * d;
    return sum;
}

struct Bands {
    f32 a, h, v, d;
};

/* Splits the four by four samples that start at index `at` of the tile. */
DEVICE Bands split(u32 at)
{
#define FADM_DOWN(pass, x)                                                                         \
    pass(tile[at + x], tile[at + FADM_FROM_W + x], tile[at + 2u * FADM_FROM_W + x],                \
         tile[at + 3u * FADM_FROM_W + x])
    f32 l0 = FADM_DOWN(low_pass, 0u), l1 = FADM_DOWN(low_pass, 1u), l2 = FADM_DOWN(low_pass, 2u);
    f32 l3 = FADM_DOWN(low_pass, 3u);
    f32 h0 = FADM_DOWN(high_pass, 0u), h1 = FADM_DOWN(high_pass, 1u), h2 = FADM_DOWN(high_pass, 2u);
    f32 h3 = FADM_DOWN(high_pass, 3u);
    Bands bands;
    bands.a = low_pass(l0, l1, l2, l3);
    bands.v = high_pass(l0, l1, l2, l3);
    bands.h = low_pass(h0, h1, h2, h3);
    bands.d = high_pass(h0, h1, h2, h3);
    return bands;
}

#define COS2_LIMIT 0.99969542026519775f
#define ALIGN_SAFE 9.3132257e-10f /* 2^-30: from here on the square of a square is a normal float */

DEVICE bool is_tiny(f32 x)
{
    return (bits_of_f32(x) & 0x7fffffffu) != 0u && abs_f32(x) < ALIGN_SAFE;
}

DEVICE u32 signed_mul(f32 a, f32 b)
{
    u32 x = bits_of_f32(a), y = bits_of_f32(b);
    return tiny_mul(x & 0x7fffffffu, y & 0x7fffffffu) | ((x ^ y) & 0x80000000u);
}

DEVICE bool tiny_aligned(f32 oh, f32 ov, f32 th, f32 tv)
{
    u32 dot = tiny_add(signed_mul(oh, th), signed_mul(ov, tv));
    if (dot > 0x80000000u)
        return false;
    u32 oo = tiny_add(signed_mul(oh, oh), signed_mul(ov, ov));
    u32 tt = tiny_add(signed_mul(th, th), signed_mul(tv, tv));
    u32 size = dot & 0x7fffffffu;
    return tiny_mul(size, size) >= tiny_mul(tiny_mul(bits_of_f32(COS2_LIMIT), oo), tt);
}

/* True if the directions of two gradients differ by less than one degree. */
DEVICE bool aligned(f32 oh, f32 ov, f32 th, f32 tv)
{
    if (is_tiny(oh) || is_tiny(ov) || is_tiny(th) || is_tiny(tv))
        return tiny_aligned(oh, ov, th, tv);
    PRECISE f32 dot = oh * th + ov * tv;
    PRECISE f32 oo = oh * oh + ov * ov;
    PRECISE f32 tt = th * th + tv * tv;
    PRECISE f32 square = dot * dot;
    PRECISE f32 limit = COS2_LIMIT * oo;
    limit = limit * tt;
    return dot >= 0.0f && square >= limit;
}

/* 1 / x as the CPU's code computes it: an estimate of 12 bits and one Newton step. */
DEVICE f32 reciprocal(f32 x)
{
    u32 bits = bits_of_f32(x), divisor = 2u * ((bits >> 12) & 2047u) + 4097u;
    u32 entry = (0x4000000u + divisor) / (2u * divisor); /* 2^25 / divisor, rounded */
    u32 power = (241u - ((bits >> 23) & 255u)) << 23;
    PRECISE f32 size = f32(i32(entry)) * f32_of_bits(power);
    f32 estimate = (bits >> 31) != 0u ? -size : size;
    PRECISE f32 off = 1.0f - x * estimate;
    PRECISE f32 better = estimate + estimate * off;
    return better;
}

/* min(r * gain limit, t) of positive numbers, with the product in double. */
DEVICE f32 enhanced(f32 r, f32 t)
{
    PRECISE f32 about = r * gain;
    PRECISE f32 beyond = t * 1.00001f;
    if (about > beyond)
        return t;
    u64 gained = sd_mul(sd_from_f32(r), u64(gain_low) | (u64(gain_high) << 32));
    return gained < sd_from_f32(t) ? sd_to_f32(gained) : t;
}

DEVICE f32 restore(f32 o, f32 t, bool same_direction)
{
    PRECISE f32 divisor = o + 1e-30f;
    PRECISE f32 k = t * reciprocal(divisor);
    k = k < 0.0f ? 0.0f : k > 1.0f ? 1.0f : k;
    PRECISE f32 r = k * o;
    if (!same_direction || abs_f32(r) <= 0.0f)
        return r;
    f32 size = enhanced(abs_f32(r), abs_f32(t));
    return r > 0.0f ? size : -size;
}

DEVICE void leave(u32 band, f32 o, f32 t, f32 weight, bool same_direction, u32 x, u32 y)
{
    f32 r = restore(o, t, same_direction);
    PRECISE f32 restored = weight * r;
    PRECISE f32 rest = t - r;
    PRECISE f32 additive = weight * rest;
    PRECISE f32 own = weight * o;
    u32 at = y * band_w + x;
    weighed[(FADM_RESTORED + band) * band_w * band_h + at] = abs_f32(restored);
    weighed[(FADM_ADDITIVE + band) * band_w * band_h + at] = abs_f32(additive);
    if (x - core_x < core_w && y - core_y < core_h)
        terms[((FADM_DEN + band) * core_h + y - core_y) * core_w + x - core_x] =
            term_of(abs_f32(own));
}

KERNEL_MAIN
{
    u32 left = GROUP_X * FADM_TILE_W, top = GROUP_Y * FADM_TILE_H;
    for (u32 i = LOCAL_INDEX; i < FADM_FROM; i += GROUP_SIZE) {
        u32 row = i / FADM_FROM_W, column = i - row * FADM_FROM_W;
        u32 from_x = reflect(i32(2u * left + column) - 1, width);
        u32 from_y = reflect(i32(2u * top + row) - 1, height);
        tile[i] = PIXEL(ref, from_x, from_y);
        tile[FADM_FROM + i] = PIXEL(dist, from_x, from_y);
    }
    BARRIER();
    u32 x = left + LOCAL_X, y = top + LOCAL_Y, at = 2u * LOCAL_Y * FADM_FROM_W + 2u * LOCAL_X;
    if (x >= band_w || y >= band_h)
        return;
    Bands o = split(at), t = split(FADM_FROM + at);
    if (goes_on != 0u) {
        next_ref[y * band_w + x] = o.a;
        next_dist[y * band_w + x] = t.a;
    }
    if (counted != 0u) {
        bool same_direction = aligned(o.h, o.v, t.h, t.v);
        leave(0u, o.h, t.h, weight_hv, same_direction, x, y);
        leave(1u, o.v, t.v, weight_hv, same_direction, x, y);
        leave(2u, o.d, t.d, weight_d, same_direction, x, y);
    }
}
KERNEL_END
#endif

#if defined(KERNEL_float_adm_mask)
/* The amount by which restored detail and additive impairment each exceed the mask of the other. */
#define BUFFERS IN(0, f32, weighed) OUT(1, u32, terms)
#define PARAMS FLOAT_ADM_MASK_PARAMS
#define FADM_AROUND_W (FADM_TILE_W + 2)
#define FADM_AROUND (FADM_AROUND_W * (FADM_TILE_H + 2))
#define SHARED_ARRAYS SHARED(f32, spread, FADM_WEIGHED * FADM_AROUND)
#define GROUP_W FADM_TILE_W
#define GROUP_H FADM_TILE_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#include "gpu/prelude/tiny_float.h"
#include "gpu/prelude/exact_float.h"
#include "gpu/prelude/float_pair.h"
#include "gpu/prelude/soft_double.h"
#include "feature/float_adm/float_adm_cube.h"

/* The shares of a neighbour (0.0333333351) and of the position itself (0.0666666701), as doubles
 * and as pairs of floats. */
#define SHARE_BITS (u64(0x203e01fcu) | (u64(0x3fa11111u) << 32))
#define SHARE_HIGH 0x3d088889u
#define SHARE_LOW 0x2df807f0u
#define OWN_BITS (u64(0x1fd00e7du) | (u64(0x3fb11111u) << 32))
#define OWN_HIGH 0x3d888889u
#define OWN_LOW 0xae3fc60cu

#define PAIR_LEAST 8.6736174e-19f /* 2^-60: below it pairs of floats lose digits */

DEVICE u32 around(i32 i, u32 n)
{
    return i < 0 ? 1u : min_u32(u32(i), n - 1u);
}

/* share * x, in double */
DEVICE f32 share_of(f32 x)
{
    if (x <= 0.0f)
        return 0.0f;
    Pair share;
    share.high = f32_of_bits(SHARE_HIGH);
    share.low = f32_of_bits(SHARE_LOW);
    Pair product = pair_scale(share, x);
    PRECISE f32 margin = product.high * 1.1368684e-13f; /* 2^-43 */
    PRECISE f32 above = product.high + (product.low + margin);
    PRECISE f32 under = product.high + (product.low - margin);
    if (x >= PAIR_LEAST && above == under)
        return above;
    return sd_to_f32(sd_mul(sd_from_f32(x), SHARE_BITS));
}

/* sum + own * x, in double */
DEVICE f32 plus_own(f32 sum, f32 x)
{
    if (x <= 0.0f)
        return sum;
    Pair own;
    own.high = f32_of_bits(OWN_HIGH);
    own.low = f32_of_bits(OWN_LOW);
    Pair total = pair_add(pair_single(sum), pair_scale(own, x));
    PRECISE f32 margin = total.high * 1.1368684e-13f; /* 2^-43 */
    PRECISE f32 above = total.high + (total.low + margin);
    PRECISE f32 under = total.high + (total.low - margin);
    if (x >= PAIR_LEAST && above == under)
        return above;
    u64 product = sd_mul(sd_from_f32(x), OWN_BITS);
    if (sum <= 0.0f)
        return sd_to_f32(product);
    u64 before = sd_from_f32(sum);
    return sd_to_f32(before > product ? sd_add(before, product) : sd_add(product, before));
}

/* The threshold at index `place` of the tile, from the three planes that start at `first`. */
DEVICE f32 threshold(u32 first, u32 place, u32 at)
{
    PRECISE f32 total = 0.0f;
    for (u32 band = 0u; band < 3u; band++) {
        u32 above = (first + band) * FADM_AROUND + place - FADM_AROUND_W;
        u32 here = above + FADM_AROUND_W, below = here + FADM_AROUND_W;
        PRECISE f32 sum = spread[above - 1u];
        sum = sum + spread[above];
        sum = sum + spread[above + 1u];
        sum = sum + spread[here - 1u];
        sum = plus_own(sum, weighed[(first + band) * band_w * band_h + at]);
        sum = sum + spread[here + 1u];
        sum = sum + spread[below - 1u];
        sum = sum + spread[below];
        sum = sum + spread[below + 1u];
        total = total + sum;
    }
    return total;
}

/* Writes the terms of the three planes that start at `first`: their excess over `limit`. */
DEVICE void leave(u32 first, u32 to, f32 limit, u32 at, u32 place)
{
    for (u32 band = 0u; band < 3u; band++) {
        PRECISE f32 excess = weighed[(first + band) * band_w * band_h + at] - limit;
        terms[(to + band) * core_w * core_h + place] = term_of(excess < 0.0f ? 0.0f : excess);
    }
}

KERNEL_MAIN
{
    /* The tile begins at the core. */
    u32 left = core_x + GROUP_X * FADM_TILE_W, top = core_y + GROUP_Y * FADM_TILE_H;
    for (u32 i = LOCAL_INDEX; i < FADM_AROUND && bypass == 0u; i += GROUP_SIZE) {
        u32 row = i / FADM_AROUND_W, column = i - row * FADM_AROUND_W;
        u32 from = around(i32(top + row) - 1, band_h) * band_w +
                   around(i32(left + column) - 1, band_w);
        for (u32 p = 0u; p < FADM_WEIGHED; p++)
            spread[p * FADM_AROUND + i] = share_of(weighed[p * band_w * band_h + from]);
    }
    BARRIER();
    u32 x = GROUP_X * FADM_TILE_W + LOCAL_X, y = GROUP_Y * FADM_TILE_H + LOCAL_Y;
    if (x >= core_w || y >= core_h)
        return;
    u32 place = (LOCAL_Y + 1u) * FADM_AROUND_W + LOCAL_X + 1u,
        at = (core_y + y) * band_w + core_x + x;
    f32 over_additive = 0.0f, over_restored = 0.0f;
    if (bypass == 0u) {
        over_additive = threshold(FADM_ADDITIVE, place, at);
        over_restored = threshold(FADM_RESTORED, place, at);
    }
    leave(FADM_RESTORED, FADM_NUM, over_additive, at, y * core_w + x);
    leave(FADM_ADDITIVE, FADM_AIM, over_restored, at, y * core_w + x);
}
KERNEL_END
#endif
