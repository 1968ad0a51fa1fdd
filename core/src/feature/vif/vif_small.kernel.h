/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vif of pictures under 16 samples wide or high. Their borders are reflected more than once. The
 * last scale may be one sample wide or high: then there is nothing to reflect, and the reference
 * reads leftovers of the scale before, so these kernels do too. These pictures are so small that a
 * thread makes each sample from scratch, and the host adds up the terms.
 *
 * A plane holds both pictures in one word, ref | dist << 16, without gaps between rows. */
#include "feature/vif/vif_tile.h"

#define GROUP_W VIF_SMALL_W
#define GROUP_H VIF_SMALL_H

#if defined(KERNEL_vif_small_pack)
#define BUFFERS IN(0, u32, ref) IN(1, u32, dist) OUT(2, u32, planes)
#define PARAMS VIF_SMALL_PACK_PARAMS
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
KERNEL_MAIN
{
    u32 x = GROUP_X * GROUP_W + LOCAL_X, y = GROUP_Y * GROUP_H + LOCAL_Y;
    if (x < width && y < height)
        planes[y * width + x] = SAMPLE(ref, y * stride, x) | SAMPLE(dist, y * stride, x) << 16;
}
KERNEL_END
#endif

#if defined(KERNEL_vif_small_halve)
#define BUFFERS IN(0, u32, planes) OUT(1, u32, half_planes)
#define PARAMS VIF_SMALL_HALVE_PARAMS
#endif

#if defined(KERNEL_vif_small_stats)
#define BUFFERS IN(0, u32, planes) IN(1, u32, before) OUT(2, u32, moments)
#define PARAMS VIF_SMALL_STATS_PARAMS
#endif

#if defined(KERNEL_vif_small_halve) || defined(KERNEL_vif_small_stats)
#include "gpu/prelude/prelude.h"

/* The filters of all scales, one after another. */
TABLE_BEGIN(u32, taps, 34)
    489u, 935u, 1640u, 2640u, 3896u, 5274u, 6547u, 7455u, 7784u, 7455u, 6547u, 5274u, 3896u, 2640u,
    1640u, 935u, 489u,
    1244u, 3663u, 7925u, 12590u, 14692u, 12590u, 7925u, 3663u, 1244u,
    3571u, 16004u, 26386u, 16004u, 3571u,
    10904u, 43728u, 10904u
TABLE_END

KERNEL_BEGIN

/* Index of the first tap of a scale's filter: 0, 17, 26, 31. */
DEVICE u32 first_tap(u32 of_scale)
{
    return 32u - (32u >> of_scale) + of_scale;
}

/* Reflects an index at the border samples, which are not repeated, as often as needed; n > 1. */
DEVICE u32 mirror(i32 i, u32 n)
{
    u32 period = 2u * (n - 1u), at = u32(abs_i32(i)) % period;
    return at < n ? at : period - at;
}

DEVICE u64 round_shift(u64 sum, u32 shift)
{
    return (sum + u64((1u << shift) >> 1)) >> shift;
}
#endif

#if defined(KERNEL_vif_small_halve)
/* Filters a scale and keeps every other row and column. */
KERNEL_MAIN
{
    u32 half_w = width / 2u, half_h = height / 2u;
    u32 x = GROUP_X * GROUP_W + LOCAL_X, y = GROUP_Y * GROUP_H + LOCAL_Y;
    i32 reach = i32(8u >> scale);
    u32 ref_sum = 0u, dist_sum = 0u;
    if (x >= half_w || y >= half_h)
        return;
    for (i32 i = -reach; i <= reach; i++) {
        u32 column = mirror(2 * i32(x) + i, width), r = 0u, d = 0u;
        for (i32 k = -reach; k <= reach; k++) {
            u32 pair = planes[mirror(2 * i32(y) + k, height) * width + column];
            r += taps[first_tap(scale) + u32(k + reach)] * (pair & 0xffffu);
            d += taps[first_tap(scale) + u32(k + reach)] * (pair >> 16);
        }
        ref_sum += taps[first_tap(scale) + u32(i + reach)] * u32(round_shift(u64(r), mean_shift));
        dist_sum += taps[first_tap(scale) + u32(i + reach)] * u32(round_shift(u64(d), mean_shift));
    }
    half_planes[y * half_w + x] = u32(round_shift(u64(ref_sum), 16u)) |
                                  u32(round_shift(u64(dist_sum), 16u)) << 16;
}
KERNEL_END
#endif

#if defined(KERNEL_vif_small_stats)
/* Local variances and covariance of a scale. */
struct Column {
    u32 r, d, rr, dd, rd;
};

/* The word at column x and row y of this scale, or of the scale before. Both buffers are read and
 * one value is chosen: choosing between the buffers themselves would take memory. */
DEVICE u32 pair_at(bool is_before, u32 x, i32 y)
{
    bool through = is_before || (height == 1u && y != 0);
    u32 row_before = is_before ? mirror(y, before_h) : 1u,
        row = height == 1u || through ? 0u : mirror(y, height);
    u32 pair_before = before[through ? row_before * before_w + x : 0u],
        pair = planes[through ? 0u : row * width + x];
    return through ? pair_before : pair;
}

/* Means and second moments of a column around row y, filtered vertically. */
DEVICE Column column_at(bool is_before, u32 x, i32 y)
{
    u32 at = first_tap(is_before ? scale - 1u : scale);
    i32 reach = i32(8u >> (is_before ? scale - 1u : scale));
    u32 r = 0u, d = 0u;
    u64 rr = u64(0), dd = u64(0), rd = u64(0);
    for (i32 k = -reach; k <= reach; k++) {
        u32 pair = pair_at(is_before, x, y + k), tap = taps[at + u32(k + reach)];
        u32 a = pair & 0xffffu, b = pair >> 16;
        r += tap * a;
        d += tap * b;
        rr += u64(tap) * u64(a * a);
        dd += u64(tap) * u64(b * b);
        rd += u64(tap) * u64(a * b);
    }
    Column column;
    column.r = u32(round_shift(u64(r), mean_shift));
    column.d = u32(round_shift(u64(d), mean_shift));
    column.rr = u32(round_shift(rr, square_shift));
    column.dd = u32(round_shift(dd, square_shift));
    column.rd = u32(round_shift(rd, square_shift));
    return column;
}

DEVICE u32 less_means(u64 moment, u32 mean_a, u32 mean_b)
{
    u64 square = u64(mean_a) * u64(mean_b);
    return u32(round_shift(moment, 16u)) - u32((square + u64(0x80000000u)) >> 32);
}

KERNEL_MAIN
{
    u32 x = GROUP_X * GROUP_W + LOCAL_X, y = GROUP_Y * GROUP_H + LOCAL_Y;
    u32 at = first_tap(scale), to = first + 3u * (y * width + x);
    i32 reach = i32(8u >> scale);
    u32 r = 0u, d = 0u;
    u64 rr = u64(0), dd = u64(0), rd = u64(0);
    if (x >= width || y >= height)
        return;
    for (i32 k = -reach; k <= reach; k++) {
        bool shows_through = width == 1u && k != 0;
        u32 tap = taps[at + u32(k + reach)];
        u32 from = width == 1u ? 0u : mirror(i32(x) + k, width);
        Column column = column_at(shows_through, shows_through ? 1u : from,
                                  shows_through ? i32(before_h) - 1 : i32(y));
        r += tap * column.r;
        d += tap * column.d;
        rr += u64(tap) * u64(column.rr);
        dd += u64(tap) * u64(column.dd);
        rd += u64(tap) * u64(column.rd);
    }
    u32 energy = less_means(dd, d, d);
    moments[to] = less_means(rr, r, r);
    moments[to + 1u] = i32(energy) > 0 ? energy : 0u;
    moments[to + 2u] = less_means(rd, r, d);
}
KERNEL_END
#endif
