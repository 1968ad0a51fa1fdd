/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernel of float_ssim and float_ms_ssim.
 *
 * Sums of luminance, contrast, structure and their product over a tile of window positions. A thread
 * owns a column: it slides down, and keeps the last rows, filtered along themselves.
 * What the window gathers is exact, term by term; the quotients are good to some 44 bits (structure is
 * exact), and sums of them are kept in integers. Images of floats may have several scales, one behind the other, each
 * half as wide and high. */
#include "feature/common/ssim/ssim_image.h"
#include "feature/common/ssim/ssim_tile.h"

#define BUFFERS IMAGE(0, ref) IMAGE(1, dist) OUT(2, u32, sums)
#define PARAMS SSIM_WINDOW_PARAMS
#define SSIM_LINE_W (SSIM_GROUP_W + SSIM_TAPS - 1)
#define SSIM_KEPT_ROWS (SSIM_TAPS - 1)
/* Lines of both pictures: a, b, a * a and b * b; the last rows filtered along themselves, a column a thread: the
 * same, and a * b. */
#define SHARED_ARRAYS                                                                              \
    SHARED(u32x4, lines, 2 * SSIM_LINE_W) SHARED(u32x4, kept, SSIM_KEPT_ROWS * SSIM_GROUP_W)       \
    SHARED(f32, kept_ab, SSIM_KEPT_ROWS * SSIM_GROUP_W) SHARED(i64, part, SSIM_GROUP_W)
#define GROUP_W SSIM_GROUP_W
#include "gpu/prelude/prelude.h"

/* Not normalised: the sum is 1.000002. */
TABLE_BEGIN(f32, taps, SSIM_TAPS)
    0.001028f, 0.007599f, 0.036001f, 0.109361f, 0.213006f, 0.266012f, 0.213006f, 0.109361f, 0.036001f,
    0.007599f, 0.001028f
TABLE_END

KERNEL_BEGIN
#include "gpu/prelude/exact_float.h"
#include "feature/common/ssim/double_sum.h"
#include "feature/common/ssim/anchored_sum.h"
#include "feature/common/ssim/window_sums.h"
#include "feature/common/ssim/window_terms.h"

DEVICE f32 map_of(Across row, u32 map)
{
    return map == 0u ? row.a : map == 1u ? row.b : map == 2u ? row.aa : map == 3u ? row.bb : row.ab;
}

DEVICE void replace(INOUT(Across) row, u32 map, f32 value)
{
    row.a = map == 0u ? value : row.a;
    row.b = map == 1u ? value : row.b;
    row.aa = map == 2u ? value : row.aa;
    row.bb = map == 3u ? value : row.bb;
    row.ab = map == 4u ? value : row.ab;
}

DEVICE Across across_of(u32x4 words, f32 ab)
{
    Across row;
    row.a = f32_of_bits(words.x);
    row.b = f32_of_bits(words.y);
    row.aa = f32_of_bits(words.z);
    row.bb = f32_of_bits(words.w);
    row.ab = ab;
    return row;
}

/* What stands in the lines at x. (Signed: compilers know that it does not wrap when some of x is constant.) */
DEVICE Across line_at(i32 x)
{
    u32x4 words = lines[x];
    PRECISE f32 product = f32_of_bits(words.x) * f32_of_bits(words.y);
    return across_of(words, product);
}

DEVICE void put_line(u32 x, f32 a, f32 b)
{
    PRECISE f32 aa = a * a;
    PRECISE f32 bb = b * b;
    lines[x] = U32X4(bits_of_f32(a), bits_of_f32(b), bits_of_f32(aa), bits_of_f32(bb));
}

DEVICE Across kept_at(i32 at)
{
    return across_of(kept[at], kept_ab[at]);
}

/* Kept row k of this thread's column, the oldest first; that is at `oldest`. */
DEVICE u32 kept_index(u32 oldest, u32 k)
{
    u32 at = oldest + k * SSIM_GROUP_W;
    return min_u32(at, at - SSIM_KEPT_ROWS * SSIM_GROUP_W);
}

/* The value of tap k: of the lines from x on, or of the kept rows and the newest. */
DEVICE f32 window_value(u32 map, u32 k, bool down, u32 x, Across newest)
{
    if (!down)
        return map_of(line_at(i32(x + k)), map);
    if (k == SSIM_KEPT_ROWS)
        return map_of(newest, map);
    return map_of(kept_at(i32(kept_index(x, k))), map);
}

/* The window's sum of one map, one addition after the other as a double does it. */
DEVICE f32 exact_sum(u32 map, bool down, u32 x, Across newest)
{
    /* SSIM_TAPS, yet no constant: a loop so rare is not worth the time that compilers take to unroll it. */
    u32 count = min_u32(rows + SSIM_TAPS, SSIM_TAPS);
    DoubleSum sum = double_sum_start();
    for (u32 k = 0u; k < count; k++) {
        PRECISE f32 term = window_value(map, k, down, x, newest) * taps[k];
        double_sum_add(sum, term);
    }
    return double_sum_round(sum);
}

DEVICE void settle(INOUT(Across) row, u32 doubt, bool down, u32 x, Across newest)
{
    while (doubt != 0u) {
        u32 map = top_bit_u32(doubt);
        doubt ^= 1u << map;
        replace(row, map, exact_sum(map, down, x, newest));
    }
}

/* Taps are picked by constants, not in a loop: a table that is indexed lies in memory. */
#define SSIM_ACROSS(k) sums_add(sums, line_at(x + k), taps[k]);

/* Filters the lines from x on. */
DEVICE Across filter_across(i32 x, Anchors anchors)
{
    Sums sums = sums_start(anchors);
    SSIM_ACROSS(0)
    SSIM_ACROSS(1)
    SSIM_ACROSS(2)
    SSIM_ACROSS(3)
    SSIM_ACROSS(4)
    SSIM_ACROSS(5)
    SSIM_ACROSS(6)
    SSIM_ACROSS(7)
    SSIM_ACROSS(8)
    SSIM_ACROSS(9)
    SSIM_ACROSS(10)
    u32 doubt = 0u;
    Across row = sums_round(sums, anchors, doubt);
    settle(row, doubt, false, u32(x), row);
    return row;
}

/* The taps of the kept rows, by their place: so places are constant, and taps move on from row to row. */
struct PlaceTaps {
    f32 t0, t1, t2, t3, t4, t5, t6, t7, t8, t9;
};

DEVICE PlaceTaps place_taps_start()
{
    PlaceTaps t;
    t.t0 = taps[0];
    t.t1 = taps[1];
    t.t2 = taps[2];
    t.t3 = taps[3];
    t.t4 = taps[4];
    t.t5 = taps[5];
    t.t6 = taps[6];
    t.t7 = taps[7];
    t.t8 = taps[8];
    t.t9 = taps[9];
    return t;
}

DEVICE void place_taps_next(INOUT(PlaceTaps) t)
{
    f32 last = t.t9;
    t.t9 = t.t8;
    t.t8 = t.t7;
    t.t7 = t.t6;
    t.t6 = t.t5;
    t.t5 = t.t4;
    t.t4 = t.t3;
    t.t3 = t.t2;
    t.t2 = t.t1;
    t.t1 = t.t0;
    t.t0 = last;
}

#define SSIM_DOWN(k, tap) sums_add(sums, kept_at(i32(LOCAL_X) + k * SSIM_GROUP_W), tap);

/* Filters the kept rows, of which `oldest` is the first, and the newest, down the column. */
DEVICE Across filter_down(u32 oldest, PlaceTaps place, Across newest, Anchors anchors)
{
    Sums sums = sums_start(anchors);
    SSIM_DOWN(0, place.t0)
    SSIM_DOWN(1, place.t1)
    SSIM_DOWN(2, place.t2)
    SSIM_DOWN(3, place.t3)
    SSIM_DOWN(4, place.t4)
    SSIM_DOWN(5, place.t5)
    SSIM_DOWN(6, place.t6)
    SSIM_DOWN(7, place.t7)
    SSIM_DOWN(8, place.t8)
    SSIM_DOWN(9, place.t9)
    sums_add(sums, newest, taps[10]);
    u32 doubt = 0u;
    Across mean = sums_round(sums, anchors, doubt);
    settle(mean, doubt, true, oldest, newest);
    return mean;
}

/* The extent of samples as they are stored: of floats their bits, which are in order, too, but that some negative one
 * is the least if there is any. */
struct StoredExtent {
    u32 peak;
    i32 least;
};

DEVICE StoredExtent extent_start()
{
    StoredExtent e;
    e.peak = 0u;
    e.least = 0x7f000000;
    return e;
}

DEVICE void extent_join(INOUT(StoredExtent) e, u32 peak, i32 least)
{
    e.peak = max_u32(e.peak, peak);
    e.least = min_i32(e.least, least);
}

/* Of both pictures. */
DEVICE void extent_take(INOUT(StoredExtent) e, u32 a, u32 b)
{
    extent_join(e, max_u32(STORED_SIZE(a), STORED_SIZE(b)), min_i32(i32(a), i32(b)));
}

DEVICE void put_extent(u32 at, StoredExtent e)
{
    kept[at] = U32X4(e.peak, u32(e.least), 0u, 0u);
}

DEVICE StoredExtent join_extents(u32 at, u32 count)
{
    StoredExtent e = extent_start();
    for (u32 i = 0u; i < count; i++) {
        u32x4 words = kept[at + i];
        extent_join(e, words.x, i32(words.y));
    }
    return e;
}

DEVICE Extent extent_scaled(StoredExtent e)
{
    Extent scaled;
#ifdef IMAGE_F32
    scaled.peak = f32_of_bits(e.peak);
    scaled.least = e.least < 0 ? -1.0f : f32_of_bits(u32(e.least));
#else
    scaled.peak = f32(i32(e.peak)) * step;
    scaled.least = f32(e.least) * step;
#endif
    return scaled;
}

#define SSIM_C1 f32_of_bits(0x40d0147au) /* (0.01 * 255)^2 */
#define SSIM_C2 f32_of_bits(0x426a1709u) /* (0.03 * 255)^2 */
#define SSIM_C3 f32_of_bits(0x41ea1709u) /* its half */

/* Of structure. */
DEVICE f32 together_of(f32 covar, f32 sd)
{
    PRECISE f32 together = (covar < 0.0f && sd <= 0.0f ? 0.0f : covar) + SSIM_C3;
    return together;
}

DEVICE f32 apart_of(f32 sd)
{
    PRECISE f32 apart = sd + SSIM_C3;
    return apart;
}

KERNEL_MAIN
{
    u32 w = width, h = height, pitch = stride, first = 0u, tile = GROUP_X;
    u32 across = (w - SSIM_TAPS + SSIM_GROUP_W) / SSIM_GROUP_W, down = (h - SSIM_TAPS + rows) / rows;
    while (tile >= across * down) {
        tile -= across * down;
        first += w * h;
        w = (w + 1u) >> 1;
        h = (h + 1u) >> 1;
        pitch = w;
        across = (w - SSIM_TAPS + SSIM_GROUP_W) / SSIM_GROUP_W;
        down = (h - SSIM_TAPS + rows) / rows;
    }
    u32 tile_y = tile / across, left = (tile - tile_y * across) * SSIM_GROUP_W, top = tile_y * rows;
    u32 end = min_u32(top + rows + SSIM_TAPS - 1u, h);
    bool inside = left + LOCAL_X + SSIM_TAPS - 1u < w;
    bool with_product = ((parts >> SSIM_LCS) & 1u) != 0u, with_luma = with_product || ((parts >> SSIM_L) & 1u) != 0u;
    Tally sum_l = tally_start(), sum_c = sum_l, sum_s = sum_l, sum_lcs = sum_l;
    u32 line = 0u, oldest = 0u;
    PlaceTaps place = place_taps_start();
    /* The columns that this thread loads: its own, and for some one of those behind the group's. */
    u32 own = min_u32(left + LOCAL_X, w - 1u), more = min_u32(own + SSIM_GROUP_W, w - 1u);
    bool loads_more = LOCAL_X < SSIM_TAPS - 1u;
    /* The extent of the whole tile: `kept` gathers those of the threads, then of every eight of them. */
    StoredExtent extent = extent_start();
    for (u32 y = top; y < end; y++) {
        extent_take(extent, STORED(ref, first, pitch, own, y), STORED(dist, first, pitch, own, y));
        if (loads_more)
            extent_take(extent, STORED(ref, first, pitch, more, y), STORED(dist, first, pitch, more, y));
    }
    put_extent(LOCAL_X, extent);
    BARRIER();
    if (LOCAL_X < SSIM_GROUP_W / 8u)
        put_extent(SSIM_GROUP_W + LOCAL_X, join_extents(LOCAL_X * 8u, 8u));
    put_line(LOCAL_X, PIXEL(ref, first, pitch, own, top), PIXEL(dist, first, pitch, own, top));
    if (loads_more)
        put_line(SSIM_GROUP_W + LOCAL_X, PIXEL(ref, first, pitch, more, top),
                 PIXEL(dist, first, pitch, more, top));
    BARRIER();
    Anchors anchors = anchors_of(extent_scaled(join_extents(SSIM_GROUP_W, SSIM_GROUP_W / 8u)));
    BARRIER();
    for (u32 y = top; y < end; y++) {
        /* The next row is on its way while this one is worked on. */
        u32 below = min_u32(y + 1u, h - 1u);
        f32 next_a = PIXEL(ref, first, pitch, own, below), next_b = PIXEL(dist, first, pitch, own, below);
        f32 more_a = 0.0f, more_b = 0.0f;
        if (loads_more) {
            more_a = PIXEL(ref, first, pitch, more, below);
            more_b = PIXEL(dist, first, pitch, more, below);
        }
        Across newest = filter_across(i32(line + LOCAL_X), anchors);
        line = SSIM_LINE_W - line;
        if (y >= top + SSIM_TAPS - 1u && inside) {
            Across mean = filter_down(oldest + LOCAL_X, place, newest, anchors);
            f32 a = mean.a, b = mean.b, aa = mean.aa, bb = mean.bb, ab = mean.ab;
            PRECISE f32 var_a = aa - a * a;
            PRECISE f32 var_b = bb - b * b;
            PRECISE f32 covar = ab - a * b;
            var_a = max_f32(var_a, 0.0f);
            var_b = max_f32(var_b, 0.0f);
            PRECISE f32 square = var_a * var_b;
            PRECISE f32 luma = a * a + b * b + SSIM_C1;
            PRECISE f32 contrast = var_a + var_b + SSIM_C2;
            bool sure = true;
            f32 sd = near_root(square, sure);
            f32 apart = apart_of(sd);
            Pair c = quotient(2.0f * sd, 0.0f, SSIM_C2, contrast), s;
            s.high = near_quotient(together_of(covar, sd), apart, sure);
            s.low = 0.0f;
            if (!sure) {
                sd = rounded_root(square);
                apart = apart_of(sd);
                c = quotient(2.0f * sd, 0.0f, SSIM_C2, contrast);
                s.high = rounded_quotient(together_of(covar, sd), apart);
            }
            tally_add(sum_c, c);
            tally_add(sum_s, s);
            if (with_luma) {
                f32 lost;
                PRECISE f32 product = two_product(2.0f * a, b, lost);
                Pair l = quotient(product, lost, SSIM_C1, luma);
                tally_add(sum_l, l);
                if (with_product)
                    tally_add(sum_lcs, times(times(l, c), s));
            }
        }
        kept[oldest + LOCAL_X] = U32X4(bits_of_f32(newest.a), bits_of_f32(newest.b), bits_of_f32(newest.aa),
                                       bits_of_f32(newest.bb));
        kept_ab[oldest + LOCAL_X] = newest.ab;
        place_taps_next(place);
        oldest = oldest == (SSIM_KEPT_ROWS - 1u) * SSIM_GROUP_W ? 0u : oldest + SSIM_GROUP_W;
        put_line(line + LOCAL_X, next_a, next_b);
        if (loads_more)
            put_line(line + SSIM_GROUP_W + LOCAL_X, more_a, more_b);
        BARRIER();
    }
    u32 at = first_sum + GROUP_X * SSIM_SUM_WORDS;
    for (u32 i = 0u; i < SSIM_SUMS; i++) {
        Tally tally = i == SSIM_LCS ? sum_lcs : i == SSIM_L ? sum_l : i == SSIM_C ? sum_c : sum_s;
        GROUP_SUM(part, tally_sum(tally));
        if (LOCAL_INDEX == 0u) {
            sums[at + 2u * i] = u32(u64(part[0]));
            sums[at + 2u * i + 1u] = u32(u64(part[0]) >> 32);
        }
    }
}
KERNEL_END
