/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernels of ssim. Terms are doubles, computed in integers. The CPU adds them in raster order
 * and rounds after each addition. As long as the sum keeps its exponent, each addition
 * rounds the term to an integer number of units in the sum's last place. If the term is not halfway
 * between two integers, this number does not depend on the sum; if it is, the number depends on
 * whether the sum is even. So rows are summed independently, for an even and for an odd sum. Rows
 * in which the exponent changes are left to the host. */
#include "feature/ssim/ssim_tile.h"

#if defined(KERNEL_ssim_terms)
/* Computes the term of each pixel, exactly as the CPU does in double. A workgroup loads a tile,
 * filters it horizontally into shared memory, then vertically. */
#define BUFFERS IN(0, u32, ref) IN(1, u32, dist) OUT(2, u64, terms)
#define PARAMS SSIM_TERMS_PARAMS
#if HBD
#define MOMENT u64
#else
#define MOMENT u32
#endif
#define ISSIM_FROM_W (ISSIM_TILE_W + 2 * ISSIM_REACH)
#define ISSIM_FROM_H (ISSIM_TILE_H + 2 * ISSIM_REACH)
#define ISSIM_ACROSS (ISSIM_TILE_W * ISSIM_FROM_H)
#define SHARED_ARRAYS                                                                              \
    SHARED(u32, pixels, 2 * ISSIM_FROM_W * ISSIM_FROM_H) SHARED(MOMENT, across, 5 * ISSIM_ACROSS)
#define GROUP_W ISSIM_TILE_W
#define GROUP_H ISSIM_TILE_H
#include "gpu/prelude/prelude.h"

TABLE_BEGIN(u32, gauss, ISSIM_TAPS) 2u, 9u, 28u, 55u, 68u, 55u, 28u, 9u, 2u TABLE_END

KERNEL_BEGIN
#include "gpu/prelude/soft_double.h"

DEVICE bool is_zero(u64 x)
{
    return (u32(x) | u32(x >> 32)) == 0u;
}

/* The following functions take and return doubles that are not negative, as bits. */

/* a + b */
DEVICE u64 plus(u64 a, u64 b)
{
    if (is_zero(a) || is_zero(b))
        return a | b;
    return a < b ? sd_add(b, a) : sd_add(a, b);
}

/* |a - b| */
DEVICE u64 apart(u64 a, u64 b)
{
    if (is_zero(a) || is_zero(b))
        return a | b;
    if (a == b)
        return u64(0);
    return a < b ? sd_sub(b, a) : sd_sub(a, b);
}

DEVICE u64 times(u64 a, u64 b)
{
    return is_zero(a) || is_zero(b) ? u64(0) : sd_mul(a, b);
}

DEVICE u64 twice(u64 a)
{
    return is_zero(a) ? a : a + (u64(1) << 52);
}

/* The double nearest to an integer. */
DEVICE u64 double_of(u64 x)
{
    return is_zero(x) ? x : sd_round(x, 0, false);
}

/* The sum of the taps that lie inside the picture. */
DEVICE u32 tap_sum(u32 at, u32 n)
{
    u32 sum = 0u;
    for (u32 k = 0u; k < ISSIM_TAPS; k++) {
        i32 i = i32(at + k) - ISSIM_REACH;
        sum += i >= 0 && i < i32(n) ? gauss[k] : 0u;
    }
    return sum;
}

/* Filters a row of the tile horizontally, at column x. Samples beyond the border are 0. */
DEVICE void filter_across(u32 x, u32 row)
{
    MOMENT a = MOMENT(0u), b = a, aa = a, bb = a, ab = a;
    for (u32 k = 0u; k < ISSIM_TAPS; k++) {
        u32 from = row * ISSIM_FROM_W + x + k;
        MOMENT p = MOMENT(pixels[from]), q = MOMENT(pixels[from + ISSIM_FROM_W * ISSIM_FROM_H]);
        MOMENT tap = MOMENT(gauss[k]);
        a += tap * p;
        b += tap * q;
        aa += tap * p * p;
        bb += tap * q * q;
        ab += tap * p * q;
    }
    u32 to = row * ISSIM_TILE_W + x;
    across[to] = a;
    across[to + ISSIM_ACROSS] = b;
    across[to + 2u * ISSIM_ACROSS] = aa;
    across[to + 3u * ISSIM_ACROSS] = bb;
    across[to + 4u * ISSIM_ACROSS] = ab;
}

/* A moment: filters a map of the tile vertically. */
DEVICE u64 filter_down(u32 map, u32 x, u32 row)
{
    MOMENT sum = MOMENT(0u);
    for (u32 k = 0u; k < ISSIM_TAPS; k++)
        sum += MOMENT(gauss[k]) * across[map * ISSIM_ACROSS + (row + k) * ISSIM_TILE_W + x];
    return u64(sum);
}

KERNEL_MAIN
{
    u32 left = GROUP_X * ISSIM_TILE_W, top = GROUP_Y * ISSIM_TILE_H;
    for (u32 i = LOCAL_INDEX; i < ISSIM_FROM_W * ISSIM_FROM_H; i += GROUP_SIZE) {
        u32 row = i / ISSIM_FROM_W, column = i - row * ISSIM_FROM_W;
        i32 from_x = i32(left + column) - ISSIM_REACH, from_y = i32(top + row) - ISSIM_REACH;
        u32 p = 0u, q = 0u;
        if (from_x >= 0 && from_x < i32(width) && from_y >= 0 && from_y < i32(height)) {
            p = SAMPLE(ref, u32(from_y) * stride, u32(from_x));
            q = SAMPLE(dist, u32(from_y) * stride, u32(from_x));
        }
        pixels[i] = p;
        pixels[i + ISSIM_FROM_W * ISSIM_FROM_H] = q;
    }
    BARRIER();
    for (u32 row = LOCAL_Y; row < ISSIM_FROM_H; row += GROUP_H)
        filter_across(LOCAL_X, row);
    BARRIER();
    u32 x = left + LOCAL_X, y = top + LOCAL_Y;
    if (x >= width || y >= height)
        return;
    u32 weight = tap_sum(x, width) * tap_sum(y, height);
    u64 a = filter_down(0u, LOCAL_X, LOCAL_Y), b = filter_down(1u, LOCAL_X, LOCAL_Y);
    /* Products of moments have at most 64 bits. */
    u64 w = sd_from_u32(weight), ab = double_of(a * b), aa = double_of(a * a),
        bb = double_of(b * b);
    u64 mean_aa = double_of(filter_down(2u, LOCAL_X, LOCAL_Y) * u64(weight));
    u64 mean_bb = double_of(filter_down(3u, LOCAL_X, LOCAL_Y) * u64(weight));
    u64 mean_ab = double_of(filter_down(4u, LOCAL_X, LOCAL_Y) * u64(weight));
    u64 k1 = sd_mul(sd_mul(u64(luma_low) | (u64(luma_high) << 32), w), w);
    u64 k2 = sd_mul(sd_mul(u64(contrast_low) | (u64(contrast_high) << 32), w), w);
    /* k2 + 2 * (mean_ab - ab), which may be negative */
    u64 covariance = twice(apart(mean_ab, ab));
    bool against = mean_ab < ab;
    bool negative = against && covariance > k2;
    u64 structure = against ? apart(k2, covariance) : plus(k2, covariance);
    u64 above = times(sd_mul(w, plus(twice(ab), k1)), structure);
    u64 variances = apart(plus(apart(mean_aa, aa), mean_bb), bb);
    u64 below = sd_mul(plus(plus(aa, bb), k1), plus(variances, k2));
    u64 term = is_zero(above) ? above : sd_div(above, below);
    terms[y * width + x] = negative ? term | (u64(1) << 63) : term;
}
KERNEL_END
#endif

#if defined(KERNEL_ssim_about)
/* For each row, the approximate sums of its positive and of its negative terms, each term rounded
 * down. They tell where the total will stand. */
#define BUFFERS IN(0, u64, terms) OUT(1, u64, about)
#define PARAMS SSIM_ROWS_PARAMS
#define SHARED_ARRAYS SHARED(u64, part, ISSIM_ROW_GROUP)
#define GROUP_W ISSIM_ROW_GROUP
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#include "gpu/prelude/soft_double.h"

KERNEL_MAIN
{
    u64 up = u64(0), down = u64(0);
    for (u32 x = LOCAL_X; x < width; x += GROUP_W) {
        u64 term = terms[GROUP_X * width + x], size = (term << 1) >> 1;
        i32 shift = -ISSIM_ABOUT_BITS - sd_exponent(size);
        u64 units = shift > 60 ? u64(0) : sd_mantissa(size) >> u32(shift);
        if (u32(term >> 63) != 0u)
            down += units;
        else
            up += units;
    }
    GROUP_SUM(part, up);
    if (LOCAL_INDEX == 0u)
        about[2u * GROUP_X] = part[0];
    GROUP_SUM(part, down);
    if (LOCAL_INDEX == 0u)
        about[2u * GROUP_X + 1u] = part[0];
}
KERNEL_END
#endif

#if defined(KERNEL_ssim_rows)
/* Adds up each row for an even and for an odd sum, or puts it on the list of rows that the host
 * must add term by term. */
#define BUFFERS IN(0, u64, terms) IN(1, u64, about) OUT(2, u32, found)
#define PARAMS SSIM_ROWS_PARAMS
#define SHARED_ARRAYS                                                                              \
    SHARED(u64, part, ISSIM_ROW_GROUP) SHARED(u64, if_even, ISSIM_ROW_GROUP)                       \
    SHARED(u64, if_odd, ISSIM_ROW_GROUP) SHARED(u32, place, 1)
#define GROUP_W ISSIM_ROW_GROUP
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#include "gpu/prelude/soft_double.h"

/* The amounts that a run of terms adds to an even and to an odd sum. */
struct Run {
    u64 even, odd;
};

/* The amount that a term adds to `sum`: `whole`, or one unit more if it is halfway (`middle`) and
 * the sum would become odd. */
DEVICE u64 step_from(u64 sum, u64 whole, bool middle, bool negative)
{
    u64 there = negative ? u64(0) - whole : whole;
    if (middle && (u32(sum + there) & 1u) != 0u)
        there = negative ? there - u64(1) : there + u64(1);
    return there;
}

/* Appends a term to a run. */
DEVICE void run_add(INOUT(Run) run, u64 whole, bool middle, bool negative)
{
    u64 even = run.even + step_from(run.even, whole, middle, negative);
    u64 odd = run.odd + step_from(run.odd + u64(1), whole, middle, negative);
    run.even = even;
    run.odd = odd;
}

/* Stores 64 bits in the result, low word first. */
DEVICE void store(u32 at, u64 value)
{
    found[at] = u32(value);
    found[at + 1u] = u32(value >> 32);
}

KERNEL_MAIN
{
    u32 y = GROUP_X, row = 2u + y * ISSIM_ROW_WORDS;
    u64 before = u64(0);
    for (u32 i = LOCAL_X; i < y; i += GROUP_W)
        before += about[2u * i] - about[2u * i + 1u];
    GROUP_SUM(part, before);
    /* Upper bound for all rounding errors: one unit per term here, and one unit in the last place
     * per term in the real sum. */
    u64 slack = u64((y + 1u) * 32u) * u64(width);
    u64 low = part[0] - about[2u * y + 1u] - slack, high = part[0] + about[2u * y] + slack;
    bool listed = u32(low >> 63) != 0u || (u32(low) | u32(low >> 32)) == 0u;
    if (!listed)
        listed = top_bit_u64(low) != top_bit_u64(high);
    if (LOCAL_INDEX == 0u && listed)
        place[0] = ATOMIC_ADD(found, 0u, 1u);
    BARRIER();
    if (listed) {
        u32 at = place[0];
        for (u32 x = LOCAL_X; at < list_rows && x < width; x += GROUP_W)
            store(2u + height * ISSIM_ROW_WORDS + 2u * (at * width + x), terms[y * width + x]);
        if (LOCAL_INDEX == 0u)
            found[row + ISSIM_ROW_STATE] = ISSIM_LISTED + at;
    }
    u32 exponent = listed ? 0u : top_bit_u64(low) - ISSIM_ABOUT_BITS + 1023u;
    i32 unit = i32(exponent) - 1075;
    Run run;
    run.even = u64(0);
    run.odd = u64(0);
    u64 up = u64(0), down = u64(0);
    u32 count = (width + GROUP_W - 1u) / GROUP_W, from = min_u32(LOCAL_X * count, width);
    u32 end = listed ? from : min_u32(from + count, width);
    for (u32 x = from; x < end; x++) {
        u64 term = terms[y * width + x], size = (term << 1) >> 1;
        bool negative = u32(term >> 63) != 0u;
        /* A term cannot exceed the sum, because then the exponent would change in this row. */
        u32 shift = u32(clamp_i32(unit - sd_exponent(size), 0, 60));
        u64 whole = sd_mantissa(size) >> shift, rest = sd_mantissa(size) - (whole << shift);
        u64 middle = (u64(1) << shift) >> 1;
        if (rest > middle)
            whole += u64(1);
        run_add(run, whole, shift > 0u && rest == middle, negative);
        if (negative)
            down += whole + u64(1);
        else
            up += whole + u64(1);
    }
    BARRIER();
    if_even[LOCAL_X] = run.even;
    if_odd[LOCAL_X] = run.odd;
    BARRIER();
    for (u32 reach = 1u; reach < GROUP_SIZE; reach <<= 1) {
        if (LOCAL_X % (2u * reach) == 0u) {
            u64 even = if_even[LOCAL_X], odd = if_odd[LOCAL_X];
            bool even_stays = (u32(even) & 1u) == 0u, odd_stays = (u32(odd) & 1u) == 0u;
            if_even[LOCAL_X] =
                even + (even_stays ? if_even[LOCAL_X + reach] : if_odd[LOCAL_X + reach]);
            if_odd[LOCAL_X] =
                odd + (odd_stays ? if_odd[LOCAL_X + reach] : if_even[LOCAL_X + reach]);
        }
        BARRIER();
    }
    if (LOCAL_INDEX == 0u && !listed) {
        found[row + ISSIM_ROW_STATE] = exponent;
        store(row + ISSIM_ROW_EVEN, if_even[0]);
        store(row + ISSIM_ROW_ODD, if_odd[0]);
    }
    GROUP_SUM(part, up);
    if (LOCAL_INDEX == 0u)
        store(row + ISSIM_ROW_UP, part[0]);
    GROUP_SUM(part, down);
    if (LOCAL_INDEX == 0u)
        store(row + ISSIM_ROW_DOWN, part[0]);
}
KERNEL_END
#endif
