/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernel of float_ssim and float_ms_ssim.
 *
 * Sums of luminance, contrast, structure and their product over a tile of window positions. A thread
 * owns a column: it slides down with the last eleven rows, filtered along the row, in registers.
 * What the window gathers is exact, term by term; the quotients are good to some 44 bits (structure is
 * exact), and sums of them are kept in integers. Images of floats may have several scales, one behind the other, each
 * half as wide and high. */
#include "feature/common/ssim/ssim_image.h"
#include "feature/common/ssim/ssim_tile.h"

#define BUFFERS IMAGE(0, ref) IMAGE(1, dist) OUT(2, u32, sums)
#define PARAMS SSIM_WINDOW_PARAMS
#define SSIM_LINE_W (SSIM_GROUP_W + SSIM_TAPS - 1)
#define SHARED_ARRAYS SHARED(f32, lines, 4 * SSIM_LINE_W) SHARED(i64, part, SSIM_GROUP_W)
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

#define WINDOW_SPAN 9.5367432e-7f   /* 2^-20 */
#define WINDOW_SLACK 9.0949470e-13f /* 2^-40 */

/* A row filtered along itself, of A, B, A*A, B*B and A*B. */
struct Across {
    f32 a, b, aa, bb, ab;
};

DEVICE Across across_start()
{
    Across row;
    row.a = row.b = row.aa = row.bb = row.ab = 0.0f;
    return row;
}

DEVICE f32 map_of(Across row, u32 map)
{
    return map == 0u ? row.a : map == 1u ? row.b : map == 2u ? row.aa : map == 3u ? row.bb : row.ab;
}

/* Rounds a sum; sets the map's bit in `doubt` if that is not sure. */
DEVICE f32 round_sum(NearSum sum, u32 map, INOUT(u32) doubt)
{
    bool sure = true;
    f32 rounded = near_sum_round(sum, WINDOW_SPAN, WINDOW_SLACK, sure);
    doubt |= sure ? 0u : 1u << map;
    return rounded;
}

DEVICE Across round_sums(NearSum a, NearSum b, NearSum aa, NearSum bb, NearSum ab, INOUT(u32) doubt)
{
    Across row;
    row.a = round_sum(a, 0u, doubt);
    row.b = round_sum(b, 1u, doubt);
    row.aa = round_sum(aa, 2u, doubt);
    row.bb = round_sum(bb, 3u, doubt);
    row.ab = round_sum(ab, 4u, doubt);
    return row;
}

/* What stands in the lines at x for a map, counted as above. */
DEVICE f32 map_value(u32 map, u32 x)
{
    f32 a = lines[x], b = lines[x + SSIM_LINE_W];
    PRECISE f32 product = (map == 3u ? b : a) * (map == 2u ? a : b);
    return map == 0u ? a : map == 1u ? b : product;
}

DEVICE f32 exact_across(u32 map, u32 x)
{
    DoubleSum sum = double_sum_start();
    for (u32 k = 0u; k < SSIM_TAPS; k++) {
        PRECISE f32 term = map_value(map, x + k) * taps[k];
        double_sum_add(sum, term);
    }
    return double_sum_round(sum);
}

DEVICE void replace(INOUT(Across) row, u32 map, f32 value)
{
    row.a = map == 0u ? value : row.a;
    row.b = map == 1u ? value : row.b;
    row.aa = map == 2u ? value : row.aa;
    row.bb = map == 3u ? value : row.bb;
    row.ab = map == 4u ? value : row.ab;
}

/* One tap of a filter. */
DEVICE void add_tap(INOUT(NearSum) sum, f32 value, f32 tap)
{
    PRECISE f32 term = value * tap;
    near_sum_add(sum, term);
}

/* The same, of a product. */
DEVICE void add_product(INOUT(NearSum) sum, f32 x, f32 y, f32 tap)
{
    PRECISE f32 product = x * y;
    PRECISE f32 term = product * tap;
    near_sum_add(sum, term);
}

/* Taps are picked by constants, not in a loop: a table that is indexed lies in memory. */
#define SSIM_ACROSS(k)                                                                             \
    {                                                                                              \
        f32 a = lines[x + k], b = lines[x + SSIM_LINE_W + k];                                      \
        add_tap(s0, a, taps[k]);                                                                   \
        add_tap(s1, b, taps[k]);                                                                   \
        add_product(s2, a, a, taps[k]);                                                            \
        add_product(s3, b, b, taps[k]);                                                            \
        add_product(s4, a, b, taps[k]);                                                            \
    }

/* Filters the lines from x on. */
DEVICE Across filter_across(u32 x)
{
    NearSum s0 = near_sum_start(), s1 = s0, s2 = s0, s3 = s0, s4 = s0;
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
    Across row = round_sums(s0, s1, s2, s3, s4, doubt);
    while (doubt != 0u) {
        u32 map = top_bit_u32(doubt);
        doubt ^= 1u << map;
        replace(row, map, exact_across(map, x));
    }
    return row;
}

/* Two floats that together stand for one number. */
struct Pair {
    f32 high, low;
};

/* (product + lost + plus) / below, where `lost` is what the product lost. */
DEVICE Pair quotient(f32 product, f32 lost, f32 plus, f32 below)
{
    f32 sum_lost, back_lost;
    PRECISE f32 top = two_sum(product, plus, sum_lost);
    PRECISE f32 high = top / below;
    PRECISE f32 back = two_product(high, below, back_lost);
    PRECISE f32 rest = ((top - back) - back_lost) + (sum_lost + lost);
    PRECISE f32 low = rest / below;
    Pair q;
    q.high = high;
    q.low = low;
    return q;
}

DEVICE Pair times(Pair a, Pair b)
{
    f32 lost;
    PRECISE f32 high = two_product(a.high, b.high, lost);
    PRECISE f32 low = lost + (a.high * b.low + a.low * b.high);
    Pair product;
    product.high = high;
    product.low = low;
    return product;
}

/* As an integer in units of 2^-SSIM_SUM_BITS. */
DEVICE i64 fixed_point(Pair x)
{
    PRECISE f32 scaled = x.high * 16777216.0f;
    PRECISE f32 whole = floor_f32(scaled);
    PRECISE f32 rest = (scaled - whole) + x.low * 16777216.0f;
    PRECISE f32 fraction = floor_f32(rest * 16777216.0f + 0.5f);
    return i64(i32(whole)) * i64(16777216) + i64(i32(fraction));
}

#define SSIM_C1 f32_of_bits(0x40d0147au) /* (0.01 * 255)^2 */
#define SSIM_C2 f32_of_bits(0x426a1709u) /* (0.03 * 255)^2 */
#define SSIM_C3 f32_of_bits(0x41ea1709u) /* its half */

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
    i64 sum_l = i64(0), sum_c = i64(0), sum_s = i64(0), sum_lcs = i64(0);
    u32 line = 0u;
    /* The last rows, the oldest first: names and no array, so that they stay in registers. */
    Across r0 = across_start(), r1 = r0, r2 = r0, r3 = r0, r4 = r0, r5 = r0, r6 = r0, r7 = r0, r8 = r0;
    Across r9 = r0, r10 = r0;
    /* The columns that this thread loads: its own, and for some one of those behind the group's. */
    u32 own = min_u32(left + LOCAL_X, w - 1u), more = min_u32(own + SSIM_GROUP_W, w - 1u);
    bool loads_more = LOCAL_X < SSIM_TAPS - 1u;
    lines[LOCAL_X] = PIXEL(ref, first, pitch, own, top);
    lines[SSIM_LINE_W + LOCAL_X] = PIXEL(dist, first, pitch, own, top);
    if (loads_more) {
        lines[SSIM_GROUP_W + LOCAL_X] = PIXEL(ref, first, pitch, more, top);
        lines[SSIM_LINE_W + SSIM_GROUP_W + LOCAL_X] = PIXEL(dist, first, pitch, more, top);
    }
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
        r0 = r1;
        r1 = r2;
        r2 = r3;
        r3 = r4;
        r4 = r5;
        r5 = r6;
        r6 = r7;
        r7 = r8;
        r8 = r9;
        r9 = r10;
        r10 = filter_across(line + LOCAL_X);
        line = 2u * SSIM_LINE_W - line;
        if (y >= top + SSIM_TAPS - 1u && inside) {
            NearSum s0 = near_sum_start(), s1 = s0, s2 = s0, s3 = s0, s4 = s0;
#define SSIM_DOWN(row, k)                                                                          \
    add_tap(s0, row.a, taps[k]);                                                                   \
    add_tap(s1, row.b, taps[k]);                                                                   \
    add_tap(s2, row.aa, taps[k]);                                                                  \
    add_tap(s3, row.bb, taps[k]);                                                                  \
    add_tap(s4, row.ab, taps[k]);
            SSIM_DOWN(r0, 0)
            SSIM_DOWN(r1, 1)
            SSIM_DOWN(r2, 2)
            SSIM_DOWN(r3, 3)
            SSIM_DOWN(r4, 4)
            SSIM_DOWN(r5, 5)
            SSIM_DOWN(r6, 6)
            SSIM_DOWN(r7, 7)
            SSIM_DOWN(r8, 8)
            SSIM_DOWN(r9, 9)
            SSIM_DOWN(r10, 10)
            u32 doubt = 0u;
            Across mean = round_sums(s0, s1, s2, s3, s4, doubt);
            while (doubt != 0u) {
                u32 map = top_bit_u32(doubt);
                doubt ^= 1u << map;
                DoubleSum exact = double_sum_start();
                for (u32 k = 0u; k < SSIM_TAPS; k++) {
                    Across row = k == 0u ? r0 : k == 1u ? r1 : k == 2u ? r2 : k == 3u ? r3 : k == 4u ? r4
                               : k == 5u ? r5 : k == 6u ? r6 : k == 7u ? r7 : k == 8u ? r8 : k == 9u ? r9 : r10;
                    PRECISE f32 term = map_of(row, map) * taps[k];
                    double_sum_add(exact, term);
                }
                replace(mean, map, double_sum_round(exact));
            }
            f32 a = mean.a, b = mean.b, aa = mean.aa, bb = mean.bb, ab = mean.ab;
            PRECISE f32 var_a = aa - a * a;
            PRECISE f32 var_b = bb - b * b;
            PRECISE f32 covar = ab - a * b;
            var_a = max_f32(var_a, 0.0f);
            var_b = max_f32(var_b, 0.0f);
            PRECISE f32 square = var_a * var_b;
            f32 sd = exact_sqrt(square);
            PRECISE f32 luma = a * a + b * b + SSIM_C1;
            PRECISE f32 contrast = var_a + var_b + SSIM_C2;
            Pair c = quotient(2.0f * sd, 0.0f, SSIM_C2, contrast), s;
            PRECISE f32 together = (covar < 0.0f && sd <= 0.0f ? 0.0f : covar) + SSIM_C3;
            PRECISE f32 apart = sd + SSIM_C3;
            s.high = exact_div(together, apart);
            s.low = 0.0f;
            sum_c += fixed_point(c);
            sum_s += fixed_point(s);
            if (with_luma) {
                f32 lost;
                PRECISE f32 product = two_product(2.0f * a, b, lost);
                Pair l = quotient(product, lost, SSIM_C1, luma);
                sum_l += fixed_point(l);
                if (with_product)
                    sum_lcs += fixed_point(times(times(l, c), s));
            }
        }
        lines[line + LOCAL_X] = next_a;
        lines[line + SSIM_LINE_W + LOCAL_X] = next_b;
        if (loads_more) {
            lines[line + SSIM_GROUP_W + LOCAL_X] = more_a;
            lines[line + SSIM_LINE_W + SSIM_GROUP_W + LOCAL_X] = more_b;
        }
        BARRIER();
    }
    u32 at = first_sum + GROUP_X * SSIM_SUM_WORDS;
    for (u32 i = 0u; i < SSIM_SUMS; i++) {
        i64 value = i == SSIM_LCS ? sum_lcs : i == SSIM_L ? sum_l : i == SSIM_C ? sum_c : sum_s;
        GROUP_SUM(part, value);
        if (LOCAL_INDEX == 0u) {
            sums[at + 2u * i] = u32(u64(part[0]));
            sums[at + 2u * i + 1u] = u32(u64(part[0]) >> 32);
        }
    }
}
KERNEL_END
