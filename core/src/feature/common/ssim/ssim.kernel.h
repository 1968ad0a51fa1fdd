/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernels of float_ssim and float_ms_ssim. Images are planes of samples, or of floats (IMAGE_F32)
 * once they were shrunk. */
#include "feature/common/ssim/ssim_tile.h"

#ifdef IMAGE_F32
#define IMAGE(slot, name) IN(slot, f32, name)
#define PIXEL(image, x, y) ((image)[(y) * stride + (x)])
#else
#define IMAGE(slot, name) IN(slot, u32, name)
#define PIXEL(image, x, y) (f32(SAMPLE(image, (y) * stride, x)) * step)
#endif

#if defined(KERNEL_ssim_window)
/* Sums of luminance, contrast, structure and their product over a tile of window positions. A thread
 * owns a column: it slides down with the last eleven rows, filtered along the row, in registers.
 * What the window gathers is exact, term by term; the quotients are good to some 44 bits (structure is
 * exact), and sums of them are kept in integers. */
#define BUFFERS IMAGE(0, ref) IMAGE(1, dist) OUT(2, u32, sums)
#define PARAMS ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(f32, step) ARG(u32, first_sum)     \
    ARG(u32, tiles_x) ARG(u32, rows)
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

#define WINDOW_SPAN 9.5367432e-7f    /* 2^-20 */
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

/* (2 * x * y + plus) / below */
DEVICE Pair quotient(f32 x, f32 y, f32 plus, f32 below)
{
    f32 product_lost, sum_lost, back_lost;
    PRECISE f32 product = two_product(2.0f * x, y, product_lost);
    PRECISE f32 top = two_sum(product, plus, sum_lost);
    PRECISE f32 high = top / below;
    PRECISE f32 back = two_product(high, below, back_lost);
    PRECISE f32 rest = ((top - back) - back_lost) + (sum_lost + product_lost);
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
    u32 left = GROUP_X * SSIM_GROUP_W, top = GROUP_Y * rows;
    u32 end = min_u32(top + rows + SSIM_TAPS - 1u, height);
    bool inside = left + LOCAL_X + SSIM_TAPS - 1u < width;
    i64 sum_l = i64(0), sum_c = i64(0), sum_s = i64(0), sum_lcs = i64(0);
    u32 line = 0u;
    /* The last rows, the oldest first: names and no array, so that they stay in registers. */
    Across r0 = across_start(), r1 = r0, r2 = r0, r3 = r0, r4 = r0, r5 = r0, r6 = r0, r7 = r0, r8 = r0;
    Across r9 = r0, r10 = r0;
    /* The columns that this thread loads: its own, and for some one of those behind the group's. */
    u32 own = min_u32(left + LOCAL_X, width - 1u), more = min_u32(own + SSIM_GROUP_W, width - 1u);
    bool loads_more = LOCAL_X < SSIM_TAPS - 1u;
    lines[LOCAL_X] = PIXEL(ref, own, top);
    lines[SSIM_LINE_W + LOCAL_X] = PIXEL(dist, own, top);
    if (loads_more) {
        lines[SSIM_GROUP_W + LOCAL_X] = PIXEL(ref, more, top);
        lines[SSIM_LINE_W + SSIM_GROUP_W + LOCAL_X] = PIXEL(dist, more, top);
    }
    BARRIER();
    for (u32 y = top; y < end; y++) {
        /* The next row is on its way while this one is worked on. */
        u32 below = min_u32(y + 1u, height - 1u);
        f32 next_a = PIXEL(ref, own, below), next_b = PIXEL(dist, own, below);
        f32 more_a = 0.0f, more_b = 0.0f;
        if (loads_more) {
            more_a = PIXEL(ref, more, below);
            more_b = PIXEL(dist, more, below);
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
            Pair l = quotient(a, b, SSIM_C1, luma), c = quotient(sd, 1.0f, SSIM_C2, contrast), s;
            PRECISE f32 together = (covar < 0.0f && sd <= 0.0f ? 0.0f : covar) + SSIM_C3;
            PRECISE f32 apart = sd + SSIM_C3;
            s.high = exact_div(together, apart);
            s.low = 0.0f;
            sum_l += fixed_point(l);
            sum_c += fixed_point(c);
            sum_s += fixed_point(s);
            sum_lcs += fixed_point(times(times(l, c), s));
        }
        lines[line + LOCAL_X] = next_a;
        lines[line + SSIM_LINE_W + LOCAL_X] = next_b;
        if (loads_more) {
            lines[line + SSIM_GROUP_W + LOCAL_X] = more_a;
            lines[line + SSIM_LINE_W + SSIM_GROUP_W + LOCAL_X] = more_b;
        }
        BARRIER();
    }
    u32 at = first_sum + (GROUP_Y * tiles_x + GROUP_X) * SSIM_SUM_WORDS;
    for (u32 i = 0u; i < 4u; i++) {
        i64 value = i == 0u ? sum_lcs : i == 1u ? sum_l : i == 2u ? sum_c : sum_s;
        GROUP_SUM(part, value);
        if (LOCAL_INDEX == 0u) {
            sums[at + 2u * i] = u32(u64(part[0]));
            sums[at + 2u * i + 1u] = u32(u64(part[0]) >> 32);
        }
    }
}
KERNEL_END
#endif

#if defined(KERNEL_ssim_halve)
/* The next scale of an image: a 9x9 low-pass at every other sample of every other row. Its 81 terms
 * are added in double, row by row. */
#define BUFFERS IMAGE(0, image) OUT(1, f32, half_image)
#define PARAMS ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(f32, step)
#define SHARED_ARRAYS SHARED(f32, tile, HALVE_IN_W * HALVE_IN_H)
#define GROUP_W HALVE_TILE_W
#define GROUP_H HALVE_TILE_H
#include "gpu/prelude/prelude.h"

/* A quarter of it; the rest follows by reflection. */
TABLE_BEGIN(f32, quarter, 25)
    0.000714f, -0.000450f, -0.002090f, 0.007132f, 0.016114f,
    -0.000450f, 0.000283f, 0.001316f, -0.004490f, -0.010146f,
    -0.002090f, 0.001316f, 0.006115f, -0.020867f, -0.047149f,
    0.007132f, -0.004490f, -0.020867f, 0.071207f, 0.160885f,
    0.016114f, -0.010146f, -0.047149f, 0.160885f, 0.363505f
TABLE_END

KERNEL_BEGIN
#include "gpu/prelude/exact_float.h"
#include "feature/common/ssim/double_sum.h"

#define HALVE_SPAN 7.6293945e-6f   /* 2^-17 */
#define HALVE_SLACK 2.9103830e-11f /* 2^-35 */

/* The edge sample is repeated; what no output needs is only kept inside. */
DEVICE u32 reflect(i32 i, u32 n)
{
    i32 r = i < 0 ? -1 - i : i < i32(n) ? i : 2 * i32(n) - 1 - i;
    return u32(clamp_i32(r, 0, i32(n) - 1));
}

DEVICE void add_tap(INOUT(NearSum) sum, f32 value, f32 tap)
{
    PRECISE f32 term = value * tap;
    near_sum_add(sum, term);
}

/* A row of the filter; its taps begin at `q` of the quarter. Picked by constants, not in a loop: a table
 * that is indexed lies in memory. */
#define HALVE_ROW(r, q)                                                                            \
    add_tap(sum, tile[at + r * HALVE_IN_W], quarter[q]);                                           \
    add_tap(sum, tile[at + r * HALVE_IN_W + 1], quarter[q + 1]);                                   \
    add_tap(sum, tile[at + r * HALVE_IN_W + 2], quarter[q + 2]);                                   \
    add_tap(sum, tile[at + r * HALVE_IN_W + 3], quarter[q + 3]);                                   \
    add_tap(sum, tile[at + r * HALVE_IN_W + 4], quarter[q + 4]);                                   \
    add_tap(sum, tile[at + r * HALVE_IN_W + 5], quarter[q + 3]);                                   \
    add_tap(sum, tile[at + r * HALVE_IN_W + 6], quarter[q + 2]);                                   \
    add_tap(sum, tile[at + r * HALVE_IN_W + 7], quarter[q + 1]);                                   \
    add_tap(sum, tile[at + r * HALVE_IN_W + 8], quarter[q]);

DEVICE f32 term_at(u32 at, u32 r, u32 c)
{
    u32 fold_r = r <= 4u ? r : 8u - r, fold_c = c <= 4u ? c : 8u - c;
    PRECISE f32 term = tile[at + r * HALVE_IN_W + c] * quarter[fold_r * 5u + fold_c];
    return term;
}

KERNEL_MAIN
{
    u32 left = GROUP_X * HALVE_TILE_W, top = GROUP_Y * HALVE_TILE_H;
    for (u32 i = LOCAL_INDEX; i < HALVE_IN_W * HALVE_IN_H; i += GROUP_SIZE) {
        u32 row = i / HALVE_IN_W, column = i - row * HALVE_IN_W;
        u32 x = reflect(i32(2u * left + column) - 4, width);
        u32 y = reflect(i32(2u * top + row) - 4, height);
        tile[i] = PIXEL(image, x, y);
    }
    BARRIER();
    u32 x = left + LOCAL_X, y = top + LOCAL_Y, half_w = (width + 1u) / 2u;
    if (x >= half_w || y >= (height + 1u) / 2u)
        return;
    u32 at = 2u * LOCAL_Y * HALVE_IN_W + 2u * LOCAL_X;
    NearSum sum = near_sum_start();
    HALVE_ROW(0, 0)
    HALVE_ROW(1, 5)
    HALVE_ROW(2, 10)
    HALVE_ROW(3, 15)
    HALVE_ROW(4, 20)
    HALVE_ROW(5, 15)
    HALVE_ROW(6, 10)
    HALVE_ROW(7, 5)
    HALVE_ROW(8, 0)
    bool sure = true;
    f32 value = near_sum_round(sum, HALVE_SPAN, HALVE_SLACK, sure);
    if (!sure) {
        DoubleSum exact = double_sum_start();
        for (u32 i = 0u; i < 81u; i++)
            double_sum_add(exact, term_at(at, i / 9u, i % 9u));
        value = double_sum_round(exact);
    }
    half_image[y * half_w + x] = value;
}
KERNEL_END
#endif

#if defined(KERNEL_ssim_shrink)
/* An image averaged over boxes: each sample is weighed and rounded, the sum of them is exact. */
#define BUFFERS IN(0, u32, image) OUT(1, f32, small_image)
#define PARAMS ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(u32, factor) ARG(f32, tap)        \
    ARG(f32, step) ARG(u32, small_w) ARG(u32, small_h)
#define GROUP_W SHRINK_GROUP_W
#define GROUP_H SHRINK_GROUP_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
DEVICE u32 reflect(i32 i, u32 n)
{
    i32 r = i < 0 ? -1 - i : i < i32(n) ? i : 2 * i32(n) - 1 - i;
    return u32(clamp_i32(r, 0, i32(n) - 1));
}

KERNEL_MAIN
{
    u32 x = GROUP_X * SHRINK_GROUP_W + LOCAL_X, y = GROUP_Y * SHRINK_GROUP_H + LOCAL_Y;
    if (x >= small_w || y >= small_h)
        return;
    /* In units of the tap's last bit. */
    u32 unit = bits_of_f32(tap) >> 23;
    u64 sum = u64(0);
    for (u32 r = 0u; r < factor; r++) {
        u32 row = reflect(i32(y * factor + r) - i32(factor / 2u), height) * stride;
        for (u32 c = 0u; c < factor; c++) {
            u32 column = reflect(i32(x * factor + c) - i32(factor / 2u), width);
            PRECISE f32 weighed = f32(SAMPLE(image, row, column)) * tap;
            u32 bits = bits_of_f32(weighed);
            if (bits != 0u)
                sum += u64((bits & 0x7fffffu) | 0x800000u) << ((bits >> 23) - unit);
        }
    }
    f32 value = 0.0f;
    if ((u32(sum) | u32(sum >> 32)) != 0u) {
        u32 excess = max_u32(top_bit_u64(sum), 23u) - 23u;
        u64 kept = sum >> excess, rest = sum - (kept << excess), twice = rest << 1;
        u64 whole = u64(1) << excess;
        if (twice > whole || (twice == whole && excess != 0u && (u32(kept) & 1u) != 0u))
            kept += u64(1);
        value = f32_of_bits(((unit + excess - 1u) << 23) + u32(kept)) * step;
    }
    small_image[y * small_w + x] = value;
}
KERNEL_END
#endif
