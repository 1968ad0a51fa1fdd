/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ADM on the GPU. Two kernels for each level:
 *
 *   adm_split     one level of the wavelet transform of both pictures, the decoupling of the distorted
 *                 bands into what was restored and what was added, and the reference's own energy
 *   adm_energy    contrast masking and the cubes of what is visible, for both of these
 *
 * Every sum is kept per row of the band, because the metric rounds rows before it adds them up: the
 * host does that. The build defines ADM_LEVEL and, for the first kind, ADM_SPLIT. */
#include "feature/adm/adm_tile.h"
#define ADM_ROWS ADM_TILE_ROWS

#ifdef ADM_SPLIT

#define GROUP_W ADM_SPLIT_GROUP_W
#define ADM_COLUMNS u32(ADM_SPLIT_COLUMNS)
#define ADM_LANES 64
#define ADM_SUMS (3 * ADM_ROWS)

#if ADM_LEVEL == 0
#define SOURCE IN(0, u32, ref) IN(1, u32, dist)
#define ADM_LOW_HIGH SHARED(u32, low_high, 2 * ADM_ROWS * GROUP_W)
#else
#define SOURCE IN(0, u32, approx) IN(1, u32, unused_approx)
#define ADM_LOW_HIGH                                                                               \
    SHARED(i32, low, 2 * ADM_ROWS * GROUP_W) SHARED(i32, high, 2 * ADM_ROWS * GROUP_W)
#endif

#define BUFFERS SOURCE OUT(2, u32, next_approx) OUT(3, u32, decoupled) OUT(4, u32, row_sums)
#define PARAMS ADM_SPLIT_PARAMS
#define SHARED_ARRAYS                                                                              \
    ADM_LOW_HIGH SHARED(u64, terms, ADM_SUMS * ADM_LANES) SHARED(u64, partial, ADM_SUMS * 8)

#else

#define GROUP_W ADM_ENERGY_GROUP_W
#define GROUP_H ADM_ROWS
#define ADM_COLUMNS u32(ADM_ENERGY_COLUMNS)
#define ADM_LANES GROUP_W
#define ADM_SUMS (6 * ADM_ROWS)
#define ADM_TILE_W u32(ADM_ENERGY_COLUMNS + 2)
#define ADM_TILE_H u32(ADM_ROWS + 2)

#define BUFFERS IN(0, u32, decoupled) OUT(1, u32, row_sums)
#define PARAMS ADM_ENERGY_PARAMS
#define SHARED_ARRAYS                                                                              \
    SHARED(i32, mask_added, ADM_TILE_W * ADM_TILE_H)                                               \
    SHARED(i32, mask_restored, ADM_TILE_W * ADM_TILE_H)                                            \
    SHARED(u64, terms, ADM_SUMS * ADM_LANES) SHARED(u64, partial, ADM_SUMS * 8)

#endif

#include "gpu/prelude/prelude.h"

KERNEL_BEGIN

#include "gpu/prelude/soft_double.h"

/* Adds up terms[sum][lane] over the lanes; lane 0 of each sum is then in partial[sum * 8]. */
DEVICE void add_lanes()
{
    BARRIER();
    for (u32 i = LOCAL_INDEX; i < ADM_SUMS * 8u; i += GROUP_SIZE) {
        u64 sum = u64(0);
        u32 first = (i / 8u) * ADM_LANES + (i % 8u) * (ADM_LANES / 8u);
        for (u32 lane = 0u; lane < ADM_LANES / 8u; lane++)
            sum += terms[first + lane];
        partial[i] = sum;
    }
    BARRIER();
    if (LOCAL_INDEX < ADM_SUMS) {
        for (u32 i = 1u; i < 8u; i++)
            partial[LOCAL_INDEX * 8u] += partial[LOCAL_INDEX * 8u + i];
    }
}

#ifdef ADM_SPLIT

/* The edge sample is repeated at the far end only. */
DEVICE u32 reflect(i32 i, i32 n)
{
    i = abs_i32(i);
    i = i >= n ? 2 * n - 1 - i : i;
    return u32(clamp_i32(i, 0, n - 1));
}

DEVICE i32 low_16(u32 word)
{
    return i32(word << 16) >> 16;
}

DEVICE i32 high_16(u32 word)
{
    return i32(word) >> 16;
}

/* The filters (db2, Q15) on four neighbours; sums of levels above 0 need more than 32 bits. */
#if ADM_LEVEL == 0
#define SUM u32
#else
#define SUM i64
#endif
DEVICE SUM low_pass(SUM a, SUM b, SUM c, SUM d)
{
    return SUM(15826) * a + SUM(27411) * b + SUM(7345) * c - SUM(4240) * d;
}

DEVICE SUM high_pass(SUM a, SUM b, SUM c, SUM d)
{
    return SUM(27411) * c - SUM(4240) * a - SUM(7345) * b - SUM(15826) * d;
}

#if ADM_LEVEL == 0

DEVICE u32 load(u32 picture, u32 y, u32 x)
{
    return picture == 0u ? SAMPLE(ref, y * in_stride, x) : SAMPLE(dist, y * in_stride, x);
}

/* Differences fit 32 bits where the sums themselves wrap. */
DEVICE i32 round_shift(u32 sum, u32 shift)
{
    return i32(sum + (1u << (shift - 1u))) >> shift;
}

DEVICE void store_column(u32 at, u32 low_sum, u32 high_sum)
{
    i32 l = round_shift(low_sum - 46342u * (1u << (depth - 1u)), depth);
    i32 h = round_shift(high_sum, depth);
    low_high[at] = (u32(l) & 0xffffu) | u32(h) << 16;
}

#define LOW(at) u32(low_16(low_high[at]))
#define HIGH(at) u32(high_16(low_high[at]))
#define ROUND_BAND(sum) round_shift(sum, 16u)

#else

/* Level 0 leaves both pictures in one word, the others in two. */
DEVICE i64 load(u32 picture, u32 y, u32 x)
{
#if ADM_LEVEL == 1
    u32 word = approx[y * in_stride + x];
    return i64(picture == 0u ? low_16(word) : high_16(word));
#else
    return i64(i32(approx[2u * (y * in_stride + x) + picture]));
#endif
}

DEVICE i32 round_shift(i64 sum, u32 shift)
{
    return i32((sum + (i64(1) << (shift - 1u))) >> shift);
}

DEVICE void store_column(u32 at, i64 low_sum, i64 high_sum)
{
#if ADM_LEVEL == 1
    low[at] = i32(low_sum);
    high[at] = i32(high_sum);
#else
    low[at] = round_shift(low_sum, 16u);
    high[at] = round_shift(high_sum, 16u);
#endif
}

#define LOW(at) i64(low[at])
#define HIGH(at) i64(high[at])
#if ADM_LEVEL == 2
#define ROUND_BAND(sum) round_shift(sum, 16u)
#else
#define ROUND_BAND(sum) round_shift(sum, 15u)
#endif

#endif

/* The vertical filters of this thread's column, ADM_ROWS outputs down from row y. */
DEVICE void filter_column(u32 picture, u32 x, i32 y)
{
    SUM window[2 * ADM_ROWS + 2];
    UNROLL for (i32 i = 0; i < 2 * ADM_ROWS + 2; i++)
        window[i] = load(picture, reflect(2 * y - 1 + i, i32(in_height)), x);
    UNROLL for (u32 j = 0u; j < ADM_ROWS; j++)
        store_column((picture * ADM_ROWS + j) * GROUP_W + LOCAL_X,
                     low_pass(window[2u * j], window[2u * j + 1u], window[2u * j + 2u],
                              window[2u * j + 3u]),
                     high_pass(window[2u * j], window[2u * j + 1u], window[2u * j + 2u],
                               window[2u * j + 3u]));
}

/* x rounded to 24 significant bits, as a conversion to single precision would. */
DEVICE u64 round_to_single(u64 x)
{
    i32 excess = i32(top_bit_u64(x)) - 23;
    if (excess <= 0)
        return x;
    u64 rest = x & ((u64(1) << u32(excess)) - u64(1)), tie = u64(1) << u32(excess - 1);
    x >>= u32(excess);
    if (rest > tie || (rest == tie && (u32(x) & 1u) != 0u))
        x += u64(1);
    return x << u32(excess);
}

/* Whether the two gradients point the same way, within one degree: dot^2 >= cos^2 * oo * tt. */
DEVICE bool aligned(i32 oh, i32 ov, i32 th, i32 tv)
{
    i64 dot = i64(oh) * i64(th) + i64(ov) * i64(tv);
    u64 oo = u64(i64(oh) * i64(oh)) + u64(i64(ov) * i64(ov));
    u64 tt = u64(i64(th) * i64(th)) + u64(i64(tv) * i64(tv));
    if (i32(u32(u64(dot) >> 32)) < 0)
        return false;
    if (oo == u64(0) || tt == u64(0))
        return true;
    if (dot == i64(0))
        return false;
    u64 cos_squared = u64(0x3feffd81u) << 32 | u64(0x40000000u); /* of the single 0x3f7fec0a */
    u64 d = sd_round(round_to_single(u64(dot)), 0, false);
    u64 o = sd_round(round_to_single(oo), 0, false), t = sd_round(round_to_single(tt), 0, false);
    return sd_mul(d, d) >= sd_mul(sd_mul(cos_squared, o), t);
}

/* How much of t is the original o, scaled: between 0 and o, or beyond by the gain if aligned. */
DEVICE i32 restore(i32 o, i32 t, bool is_aligned)
{
    if (o == 0 || t == 0 || (o < 0) != (t < 0))
        return 0;
    u32 g = u32(abs_i32(o)), magnitude = u32(abs_i32(t));
    u32 length = top_bit_u32(g) + 1u, e = length > 15u ? length - 15u : 0u;
    u32 i = e == 0u ? g : (g + (1u << (e - 1u))) >> e;
    u64 ratio = (u64((1u << 30) / i) * u64(magnitude) + (u64(1) << (14u + e))) >> (15u + e);
    u32 k = ratio > u64(32768u) ? 32768u : u32(ratio);
    if (k == 0u)
        return 0;
    i32 r = i32((i64(o) * i64(k) + i64(16384)) >> 15);
    if (!is_aligned)
        return r;
    u32 size = u32(abs_i32(r));
    if (gain_whole != 0u) {
        size = mul_hi_u32(size, gain_whole) != 0u ? magnitude : min_u32(size * gain_whole, magnitude);
    } else if (size != 0u) {
        u64 scaled = sd_mul(sd_from_u32(size), u64(gain_hi) << 32 | u64(gain_lo));
        size = scaled >= sd_from_u32(magnitude) ? magnitude : sd_to_u32(scaled);
    }
    return o > 0 ? i32(size) : -i32(size);
}

DEVICE u64 own_energy(i32 o)
{
    u64 m = u64(u32(abs_i32(o)));
#if ADM_LEVEL == 0
    return m * m * m;
#else
    u32 j = ADM_LEVEL == 2 ? 30u : 31u;
    u64 cube = ((m * m + (u64(1) << j)) >> j) * m;
    return cube_shift == 0u ? cube : (cube + (u64(1) << (cube_shift - 1u))) >> cube_shift;
#endif
}

DEVICE void store_decoupled(u32 band, u32 at, u32 size, i32 restored, i32 added)
{
#if ADM_LEVEL == 0
    decoupled[band * size + at] = (u32(restored) & 0xffffu) | u32(added) << 16;
#else
    decoupled[2u * (band * size + at)] = u32(restored);
    decoupled[2u * (band * size + at) + 1u] = u32(added);
#endif
}

#define BANDS_OF(picture, row, column, out_a, out_h, out_v, out_d)                                 \
    do {                                                                                           \
        u32 at_ = ((picture) * ADM_ROWS + (row)) * GROUP_W + 2u * (column);                        \
        out_a = ROUND_BAND(low_pass(LOW(at_), LOW(at_ + 1u), LOW(at_ + 2u), LOW(at_ + 3u)));       \
        out_v = ROUND_BAND(high_pass(LOW(at_), LOW(at_ + 1u), LOW(at_ + 2u), LOW(at_ + 3u)));      \
        out_h = ROUND_BAND(low_pass(HIGH(at_), HIGH(at_ + 1u), HIGH(at_ + 2u), HIGH(at_ + 3u)));   \
        out_d = ROUND_BAND(high_pass(HIGH(at_), HIGH(at_ + 1u), HIGH(at_ + 2u), HIGH(at_ + 3u)));  \
    } while (false)

KERNEL_MAIN
{
    u32 width = (in_width + 1u) / 2u, height = (in_height + 1u) / 2u;
    u32 y0 = GROUP_Y * ADM_ROWS;
    u32 column_in = reflect(2 * i32(GROUP_X * ADM_COLUMNS) - 1 + i32(LOCAL_X), i32(in_width));
    filter_column(0u, column_in, i32(y0));
    filter_column(1u, column_in, i32(y0));
    BARRIER();

    u32 column = LOCAL_X % ADM_LANES, x = GROUP_X * ADM_COLUMNS + column;
    for (u32 row = LOCAL_X / ADM_LANES; row < ADM_ROWS; row += GROUP_W / ADM_LANES) {
        u32 y = y0 + row;
        u64 den_h = u64(0), den_v = u64(0), den_d = u64(0);
        if (column < ADM_COLUMNS && x < width && y < height) {
            i32 oa, oh, ov, od, ta, th, tv, td;
            BANDS_OF(0u, row, column, oa, oh, ov, od);
            BANDS_OF(1u, row, column, ta, th, tv, td);
#if ADM_LEVEL == 0
            next_approx[y * width + x] = (u32(oa) & 0xffffu) | u32(ta) << 16;
#elif ADM_LEVEL < 3
            next_approx[2u * (y * width + x)] = u32(oa);
            next_approx[2u * (y * width + x) + 1u] = u32(ta);
#endif
            bool same_way = aligned(oh, ov, th, tv);
            i32 rh = restore(oh, th, same_way), rv = restore(ov, tv, same_way);
            i32 rd = restore(od, td, same_way);
            u32 at = y * width + x, size = width * height;
            store_decoupled(0u, at, size, rh, th - rh);
            store_decoupled(1u, at, size, rv, tv - rv);
            store_decoupled(2u, at, size, rd, td - rd);
            if (x >= core_x && x < width - core_x && y >= core_y && y < height - core_y) {
                den_h = own_energy(oh);
                den_v = own_energy(ov);
                den_d = own_energy(od);
            }
        }
        terms[(row * 3u + 0u) * ADM_LANES + column] = den_h;
        terms[(row * 3u + 1u) * ADM_LANES + column] = den_v;
        terms[(row * 3u + 2u) * ADM_LANES + column] = den_d;
    }
    add_lanes();
    if (LOCAL_INDEX < ADM_SUMS) {
        u32 y = y0 + LOCAL_INDEX / 3u, sum = ADM_DEN + LOCAL_INDEX % 3u;
        if (y >= core_y && y < height - core_y)
            ATOMIC_ADD_U64(row_sums, 2u * (row_base + (y - core_y) * ADM_SUMS_PER_ROW + sum),
                           partial[LOCAL_INDEX * 8u]);
    }
}

#else /* energy */

/* A neighbour one step outside the band. */
DEVICE u32 reflect(i32 i, i32 n)
{
    i = abs_i32(i);
    i = i >= n ? 2 * n - 1 - i : i;
    return u32(clamp_i32(i, 0, n - 1));
}

DEVICE i32 restored_at(u32 band, u32 at)
{
#if ADM_LEVEL == 0
    return i32(decoupled[band * width * height + at] << 16) >> 16;
#else
    return i32(decoupled[2u * (band * width * height + at)]);
#endif
}

DEVICE i32 added_at(u32 band, u32 at)
{
#if ADM_LEVEL == 0
    return i32(decoupled[band * width * height + at]) >> 16;
#else
    return i32(decoupled[2u * (band * width * height + at) + 1u]);
#endif
}

DEVICE i64 round_shift(i64 x, u32 shift)
{
    return shift == 0u ? x : (x + (i64(1) << (shift - 1u))) >> shift;
}

#if ADM_LEVEL == 0

/* |masker| as the eye sees it, in 16 bits that wrap. */
DEVICE u32 weighted(u32 band, i32 masker)
{
    i32 s = band < 2u ? i32(weight_hv * u32(masker) + 16384u) >> 15
                      : i32(weight_d * u32(masker) + 65535u) >> 17;
    return u32(abs_i32(i32(u32(s) << 16) >> 16));
}

DEVICE i32 wrap_16(u32 x)
{
    return i32(x << 16) >> 16;
}

DEVICE i32 as_neighbour(u32 s)
{
    return wrap_16((4369u * s + 2048u) >> 12);
}

DEVICE i32 as_centre(u32 s)
{
    return wrap_16((8738u * s + 2048u) >> 12);
}

DEVICE u64 visible_cube(u32 band, i32 signal, i32 threshold)
{
    u32 weight = band < 2u ? weight_hv : weight_d, up = band < 2u ? 10u : 12u;
    u32 size = u32(abs_i32(i32(weight * u32(signal))));
    i32 visible = i32(size - (u32(threshold) << up));
    if (visible <= 0)
        return u64(0);
    u64 y = u64(u32(visible));
    i32 z = i32(u32((y * y + (u64(1) << (band < 2u ? 28u : 29u))) >> (band < 2u ? 29u : 30u)));
    return u64(round_shift(i64(z) * i64(y), band < 2u ? cube_shift_hv : cube_shift_d));
}

#else

DEVICE i32 apply_weight(u32 band, i32 x)
{
    u64 product = u64(band < 2u ? weight_hv : weight_d) * u64(i64(x)) + u64(1u << 27);
    return i32(i64(product) >> 28);
}

DEVICE u32 weighted(u32 band, i32 masker)
{
    return u32(abs_i32(apply_weight(band, masker)));
}

DEVICE i32 as_neighbour(u32 s)
{
    return i32((i64(143165577) * i64(u64(s)) - (i64(1) << 31)) >> 32);
}

DEVICE i32 as_centre(u32 s)
{
    return i32((i64(286331153) * i64(u64(s)) - (i64(1) << 31)) >> 32);
}

DEVICE u64 visible_cube(u32 band, i32 signal, i32 threshold)
{
    u32 size = u32(abs_i32(apply_weight(band, signal)));
    if (threshold > 0 && size <= u32(threshold))
        return u64(0);
    u64 y = u64(i64(u64(size)) - i64(threshold));
    i32 z = i32(u32((y * y + (u64(1) << 29)) >> 30));
    return u64(round_shift(i64(z) * i64(y), cube_shift_hv));
}

#endif

/* The masking that one position lends its neighbours, all bands together. */
DEVICE void fill_masks(u32 x0, u32 y0)
{
    for (u32 i = LOCAL_INDEX; i < ADM_TILE_W * ADM_TILE_H; i += GROUP_SIZE) {
        u32 x = reflect(i32(x0 + i % ADM_TILE_W) - 1, i32(width));
        u32 y = reflect(i32(y0 + i / ADM_TILE_W) - 1, i32(height));
        i32 from_added = 0, from_restored = 0;
        UNROLL for (u32 band = 0u; band < 3u; band++) {
            from_added += as_neighbour(weighted(band, added_at(band, y * width + x)));
            from_restored += as_neighbour(weighted(band, restored_at(band, y * width + x)));
        }
        mask_added[i] = from_added;
        mask_restored[i] = from_restored;
    }
}

#define EIGHT_AROUND(mask, i)                                                                      \
    (mask[(i) - ADM_TILE_W - 1u] + mask[(i) - ADM_TILE_W] + mask[(i) - ADM_TILE_W + 1u] +          \
     mask[(i) - 1u] + mask[(i) + 1u] + mask[(i) + ADM_TILE_W - 1u] + mask[(i) + ADM_TILE_W] +      \
     mask[(i) + ADM_TILE_W + 1u])

KERNEL_MAIN
{
    u32 x0 = core_x + GROUP_X * ADM_COLUMNS, y0 = core_y + GROUP_Y * ADM_ROWS;
    fill_masks(x0, y0);
    BARRIER();

    u64 sum[6];
    UNROLL for (u32 i = 0u; i < 6u; i++)
        sum[i] = u64(0);
    u32 y = y0 + LOCAL_Y;
    for (u32 column = LOCAL_X; column < ADM_COLUMNS; column += GROUP_W) {
        u32 x = x0 + column, at = y * width + x;
        if (x >= width - core_x || y >= height - core_y)
            break;
        u32 tile = (LOCAL_Y + 1u) * ADM_TILE_W + column + 1u;
        i32 under_added = EIGHT_AROUND(mask_added, tile);
        i32 under_restored = EIGHT_AROUND(mask_restored, tile);
        UNROLL for (u32 band = 0u; band < 3u; band++) {
            under_added += as_centre(weighted(band, added_at(band, at)));
            under_restored += as_centre(weighted(band, restored_at(band, at)));
        }
        UNROLL for (u32 band = 0u; band < 3u; band++) {
            sum[band] += visible_cube(band, restored_at(band, at), under_added);
            sum[3u + band] += visible_cube(band, added_at(band, at), under_restored);
        }
    }
    UNROLL for (u32 i = 0u; i < 6u; i++)
        terms[(LOCAL_Y * 6u + i) * ADM_LANES + LOCAL_X] = sum[i];
    add_lanes();
    if (LOCAL_INDEX < ADM_SUMS) {
        u32 row = y0 + LOCAL_INDEX / 6u - core_y;
        if (row < height - 2u * core_y)
            ATOMIC_ADD_U64(row_sums,
                           2u * (row_base + row * ADM_SUMS_PER_ROW + ADM_NUM + LOCAL_INDEX % 6u),
                           partial[LOCAL_INDEX * 8u]);
    }
}

#endif
KERNEL_END
