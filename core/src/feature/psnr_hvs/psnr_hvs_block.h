/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The work on one block per vector lane. Scalar code includes this file, too, with a single lane.
 * The includer defines the types hvs_int (32 bit) and hvs_float, and
 *   hvs_to_float(i)         hvs_sqrt(x)      hvs_max(a, b)     hvs_abs(i)
 *   hvs_quotient(a, b)      a / b, or 0 where b is 0; b is never negative
 *   hvs_set(x)              x, a float, in every lane
 *   hvs_mark(bits, x, bit)  bits, with `bit` (an int) set in the lanes where x > 0
 * Sums are made in raster order, each addition rounded to single precision. */
#ifndef FEATURE_PSNR_HVS_BLOCK_H
#define FEATURE_PSNR_HVS_BLOCK_H

#include "feature/psnr_hvs/psnr_hvs.h"

/* Half of v, rounded towards zero. */
static inline hvs_int hvs_half(hvs_int v)
{
    return (v - (v >> 31)) >> 1;
}

/* v * num / 2^bits, rounded to the nearest integer, halves up. */
#define HVS_TURN(v, num, bits) (((v) * (num) + (1 << ((bits)-1))) >> (bits))

/* Transforms eight samples, which are `step` elements apart, to eight frequencies, by lifting. */
static inline void hvs_dct8(hvs_int *s, unsigned step)
{
    /* sums and differences of mirrored pairs */
    hvs_int o1 = s[0] - s[7 * step], p16 = s[1 * step] + s[6 * step];
    hvs_int o3 = s[2 * step] - s[5 * step], p34 = s[3 * step] + s[4 * step];
    const hvs_int d07_half = hvs_half(o1), p16_half = hvs_half(p16), p34_half = hvs_half(p34);
    hvs_int o5 = s[6 * step] - p16_half, o7 = p34_half - s[4 * step];

    /* even frequencies */
    hvs_int e0 = s[0] - d07_half + p34_half;
    hvs_int e6 = e0 - p34;
    hvs_int e2 = p16_half - (s[2 * step] - hvs_half(o3));
    hvs_int e4 = e2 - p16;
    e0 -= HVS_TURN(e4, 13573, 15);
    e4 += HVS_TURN(e0, 11585, 14);
    e0 -= HVS_TURN(e4, 13573, 15);
    e6 -= HVS_TURN(e2, 21895, 15);
    e2 += HVS_TURN(e6, 15137, 14);
    e6 -= HVS_TURN(e2, 21895, 15);

    /* odd frequencies */
    o3 += HVS_TURN(o5, 19195, 15);
    o5 += HVS_TURN(o3, 11585, 14);
    o3 -= HVS_TURN(o5, 7489, 13);
    o7 = hvs_half(o5) - o7;
    o5 -= o7;
    o3 = d07_half - o3;
    o1 -= o3;
    o7 += HVS_TURN(o1, 3227, 15);
    o1 -= HVS_TURN(o7, 6393, 15);
    o7 += HVS_TURN(o1, 3227, 15);
    o5 += HVS_TURN(o3, 2485, 13);
    o3 -= HVS_TURN(o5, 18205, 15);
    o5 += HVS_TURN(o3, 2485, 13);

    s[0 * step] = e0;
    s[1 * step] = o1;
    s[2 * step] = e2;
    s[3 * step] = o3;
    s[4 * step] = e4;
    s[5 * step] = o5;
    s[6 * step] = e6;
    s[7 * step] = o7;
}

/* Transforms a block: columns first, then rows. */
static inline void hvs_dct8x8(hvs_int s[HVS_COEFS])
{
    for (unsigned x = 0; x < HVS_SIDE; x++)
        hvs_dct8(s + x, HVS_SIDE);
    for (unsigned y = 0; y < HVS_SIDE; y++)
        hvs_dct8(s + y * HVS_SIDE, 1);
}

/* The variation in a square of side x side samples: the sum of squared distances from the mean,
 * times `scale`. */
static inline hvs_float hvs_spread(const hvs_int *s, unsigned side, float scale)
{
    hvs_int sum = s[0];
    for (unsigned i = 1; i < side * side; i++)
        sum += s[i / side * HVS_SIDE + i % side];
    const hvs_float mean = hvs_to_float(sum) * hvs_set(1.0f / (float)(side * side)); /* exact */
    hvs_float spread = hvs_set(0.0f);
    for (unsigned i = 0; i < side * side; i++) {
        const hvs_float d = hvs_to_float(s[i / side * HVS_SIDE + i % side]) - mean;
        spread += d * d;
    }
    return spread * hvs_set(scale);
}

/* The variation within the four quarters, divided by that of the whole block. It is small where an
 * edge crosses the block. */
static inline hvs_float hvs_texture(const hvs_int s[HVS_COEFS])
{
    const float whole_scale = 1.0f / 63.0f * 64.0f, quarter_scale = 1.0f / 15.0f * 16.0f;
    const hvs_float whole = hvs_spread(s, 8, whole_scale);
    const hvs_float top_left = hvs_spread(s, 4, quarter_scale);
    const hvs_float bottom_left = hvs_spread(s + 32, 4, quarter_scale);
    const hvs_float top_right = hvs_spread(s + 4, 4, quarter_scale);
    const hvs_float bottom_right = hvs_spread(s + 36, 4, quarter_scale);
    return hvs_quotient(top_left + bottom_left + top_right + bottom_right, whole);
}

/* Returns the error that the texture of a block can hide, and replaces its samples by their
 * transform. */
static inline hvs_float hvs_transform(hvs_int s[HVS_COEFS], const HvsTables *t)
{
    const hvs_float texture = hvs_texture(s);
    hvs_dct8x8(s);
    hvs_float energy = hvs_set(0.0f);
    for (unsigned k = 1; k < HVS_COEFS; k++)
        energy += hvs_to_float(s[k] * s[k]) * hvs_set(t->mask[k]);
    return hvs_sqrt(energy * texture) * hvs_set(1.0f / 32.0f);
}

/* Computes the terms of a block from its samples. seen[0] and seen[1] get the bits of the terms
 * that are not zero. */
static inline void hvs_block(hvs_float term[HVS_COEFS], hvs_int seen[2], hvs_int ref[HVS_COEFS],
                             hvs_int dist[HVS_COEFS], const HvsTables *t)
{
    const hvs_float hidden_ref = hvs_transform(ref, t), hidden_dist = hvs_transform(dist, t);
    const hvs_float hidden = hvs_max(hidden_ref, hidden_dist);
    for (unsigned k = 0; k < HVS_COEFS; k++) {
        hvs_float e = hvs_to_float(hvs_abs(ref[k] - dist[k]));
        if (k) /* an error of the mean is never hidden */
            e = hvs_max(e - hidden / hvs_set(t->mask[k]), hvs_set(0.0f));
        e *= hvs_set(t->csf[k]);
        term[k] = e * e;
        seen[k / 32] = hvs_mark(seen[k / 32], term[k], (int)(1u << k % 32));
    }
}

#endif
