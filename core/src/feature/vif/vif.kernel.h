/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* VIF on the GPU. Two kernels, each compiled for every scale:
 *
 *   vif_halve_S    filters scale S-1 and keeps every other row and column: the planes of scale S
 *   vif_stats_S    local means, variances and covariance of scale S, the logarithms, the four sums
 *
 * A workgroup owns a strip of GROUP_W columns, border included. Each thread runs the vertical filter
 * down its column, eight rows at a time, and leaves the rounded values in shared memory; then each
 * takes the horizontal filter of one output column. Scale 0 reads the picture's planes; the planes
 * of the other scales hold both pictures in one word: ref | dist << 16.
 *
 * The gain limit is a whole number in every model. Kernels for others (VIF_FRACTIONAL) carry double
 * arithmetic in integers, which is too much code for all of them.
 *
 * The build defines VIF_SCALE and, for the first kind, VIF_HALVE. */
#include "feature/vif/vif_tile.h"

#if VIF_SCALE == 0
#define VIF_TAPS                                                                                   \
    489u, 935u, 1640u, 2640u, 3896u, 5274u, 6547u, 7455u, 7784u, 7455u, 6547u, 5274u, 3896u,       \
        2640u, 1640u, 935u, 489u
#elif VIF_SCALE == 1
#define VIF_TAPS 1244u, 3663u, 7925u, 12590u, 14692u, 12590u, 7925u, 3663u, 1244u
#elif VIF_SCALE == 2
#define VIF_TAPS 3571u, 16004u, 26386u, 16004u, 3571u
#else
#define VIF_TAPS 10904u, 43728u, 10904u
#endif
#define VIF_REACH VIF_REACH_AT(VIF_SCALE)
#define VIF_TAP_COUNT (2 * VIF_REACH + 1)
#define VIF_ROWS VIF_TILE_ROWS
#define GROUP_W VIF_GROUP_W

/* What a kernel reads: the picture for scale 0 and for the first halving, else a pyramid plane. */
#if (defined(VIF_HALVE) && VIF_SCALE == 1) || VIF_SCALE == 0
#define VIF_FROM_PICTURE
#define SOURCE IN(0, u32, ref) IN(1, u32, dist)
#else
#define SOURCE IN(0, u32, planes) IN(1, u32, unused_planes)
#endif

#ifdef VIF_HALVE
#define BUFFERS SOURCE OUT(2, u32, half_planes)
#define PARAMS VIF_HALVE_PARAMS
#define SHARED_ARRAYS SHARED(u32, column_means, VIF_ROWS * GROUP_W)
#else
#define BUFFERS SOURCE IN(2, u32, log_table) OUT(3, u32, sums)
#define PARAMS VIF_STATS_PARAMS
#define SHARED_ARRAYS                                                                              \
    SHARED(u32, column_means, VIF_ROWS * GROUP_W) SHARED(u32, column_rr, VIF_ROWS * GROUP_W)       \
    SHARED(u32, column_dd, VIF_ROWS * GROUP_W) SHARED(u32, column_rd, VIF_ROWS * GROUP_W)
#endif

#include "gpu/prelude/prelude.h"

TABLE_BEGIN(u32, taps, VIF_TAP_COUNT) VIF_TAPS TABLE_END

KERNEL_BEGIN

#ifdef VIF_FRACTIONAL
#include "gpu/prelude/soft_double.h"
#endif

/* Reflects about the border sample, which is not repeated. The clamp serves threads whose column no
 * output needs. */
DEVICE u32 mirror(i32 i, i32 n)
{
    i = abs_i32(i);
    i = i >= n ? 2 * (n - 1) - i : i;
    return u32(clamp_i32(i, 0, n - 1));
}

/* One sample of both pictures: ref | dist << 16. */
DEVICE u32 load_pair(u32 y, u32 x)
{
#ifdef VIF_FROM_PICTURE
    return SAMPLE(ref, y * stride, x) | SAMPLE(dist, y * stride, x) << 16;
#else
    return planes[y * stride + x];
#endif
}

DEVICE u32 round_shift(u32 sum, u32 shift)
{
    return (sum + ((1u << shift) >> 1)) >> shift;
}

#ifdef VIF_HALVE

#define VIF_OUT_COLUMNS u32(VIF_HALVE_COLUMNS)

DEVICE void filter_column(u32 x, i32 y)
{
    u32 r[VIF_ROWS], d[VIF_ROWS];
    UNROLL for (u32 j = 0u; j < VIF_ROWS; j++) {
        r[j] = 0u;
        d[j] = 0u;
    }
    UNROLL for (i32 i = 0; i < 2 * VIF_ROWS - 1 + 2 * VIF_REACH; i++) {
        u32 pair = load_pair(mirror(y - VIF_REACH + i, i32(height)), x);
        UNROLL for (i32 j = 0; j < VIF_ROWS; j++) {
            i32 k = i - 2 * j;
            if (k >= 0 && k < VIF_TAP_COUNT) {
                r[j] += taps[k] * (pair & 0xffffu);
                d[j] += taps[k] * (pair >> 16);
            }
        }
    }
    UNROLL for (u32 j = 0u; j < VIF_ROWS; j++)
        column_means[j * GROUP_W + LOCAL_X] =
            round_shift(r[j], mean_shift) | round_shift(d[j], mean_shift) << 16;
}

KERNEL_MAIN
{
    u32 half_width = width / 2u, half_height = height / 2u;
    i32 x = 2 * i32(GROUP_X * VIF_OUT_COLUMNS) - VIF_REACH + i32(LOCAL_X);
    filter_column(mirror(x, i32(width)), i32(2u * VIF_ROWS * GROUP_Y));
    BARRIER();

    u32 column = LOCAL_X % (GROUP_W / 2), out_x = GROUP_X * VIF_OUT_COLUMNS + column;
    if (column >= VIF_OUT_COLUMNS || out_x >= half_width)
        return;
    for (u32 j = LOCAL_X / (GROUP_W / 2); j < VIF_ROWS; j += 2u) {
        u32 out_y = GROUP_Y * VIF_ROWS + j;
        if (out_y >= half_height)
            break;
        u32 r = 0u, d = 0u;
        UNROLL for (u32 k = 0u; k < VIF_TAP_COUNT; k++) {
            u32 pair = column_means[j * GROUP_W + 2u * column + k];
            r += taps[k] * (pair & 0xffffu);
            d += taps[k] * (pair >> 16);
        }
        half_planes[out_y * half_width + out_x] = round_shift(r, 16u) | round_shift(d, 16u) << 16;
    }
}

#else /* statistics */

#define VIF_OUT_COLUMNS u32(VIF_STATS_COLUMNS(VIF_SCALE))
#define NOISE 131072u /* variance 2.0 in units of 2^-16 */
#define VIF_SUMS VIF_SUMS_AT(VIF_SCALE) /* the scale's place in `sums` */

/* Second moments of 8-bit samples fit 32 bits; all others need 48. */
#if VIF_SCALE == 0 && !HBD
#define MOMENT u32
#else
#define MOMENT u64
#endif

DEVICE u32 round_moment(MOMENT sum, u32 shift)
{
    return u32((sum + MOMENT((1u << shift) >> 1)) >> shift);
}

DEVICE void filter_column(u32 x, i32 y)
{
    u32 r[VIF_ROWS], d[VIF_ROWS];
    MOMENT rr[VIF_ROWS], dd[VIF_ROWS], rd[VIF_ROWS];
    UNROLL for (u32 j = 0u; j < VIF_ROWS; j++) {
        r[j] = 0u;
        d[j] = 0u;
        rr[j] = MOMENT(0);
        dd[j] = MOMENT(0);
        rd[j] = MOMENT(0);
    }
    UNROLL for (i32 i = 0; i < VIF_ROWS + 2 * VIF_REACH; i++) {
        u32 pair = load_pair(mirror(y - VIF_REACH + i, i32(height)), x);
        u32 a = pair & 0xffffu, b = pair >> 16, aa = a * a, bb = b * b, ab = a * b;
        UNROLL for (i32 j = 0; j < VIF_ROWS; j++) {
            i32 k = i - j;
            if (k >= 0 && k < VIF_TAP_COUNT) {
                r[j] += taps[k] * a;
                d[j] += taps[k] * b;
                rr[j] += MOMENT(taps[k]) * MOMENT(aa);
                dd[j] += MOMENT(taps[k]) * MOMENT(bb);
                rd[j] += MOMENT(taps[k]) * MOMENT(ab);
            }
        }
    }
    UNROLL for (u32 j = 0u; j < VIF_ROWS; j++) {
        u32 at = j * GROUP_W + LOCAL_X;
        column_means[at] = round_shift(r[j], mean_shift) | round_shift(d[j], mean_shift) << 16;
        column_rr[at] = round_moment(rr[j], square_shift);
        column_dd[at] = round_moment(dd[j], square_shift);
        column_rd[at] = round_moment(rd[j], square_shift);
    }
}

/* (a * b + 2^31) >> 32 */
DEVICE u32 round_mul_hi(u32 a, u32 b)
{
    return mul_hi_u32(a, b) + ((a * b) >> 31);
}

/* 2048 * log2(x) from the top 16 bits of x >= 2^17. Samples beyond the depth may make x anything: that
 * must not lead out of the table. */
DEVICE u32 log2_fixed(u32 x)
{
    u32 shift = top_bit_u32(x | 32768u) - 15u;
    u32 i = (x >> shift) & 32767u;
    return ((log_table[i >> 1] >> ((i & 1u) << 4)) & 0xffffu) + 2048u * shift;
}

/* What is left of the distorted picture's energy s2 when `explained` is taken from it, over the noise. */
DEVICE u32 noise_level(u32 s2, u32 explained)
{
    return NOISE + (s2 > explained ? s2 - explained : 0u);
}

#ifdef VIF_FRACTIONAL

/* The gain and what follows from it as the CPU has them, in double. */
DEVICE u32 information_in_double(u32 s1, u32 s2, u32 s12)
{
    u64 epsilon = u64(0x3edb7cdfu) << 32 | u64(0xd9d7bdbbu); /* 65536 * 1e-10 */
    u64 limit = u64(gain_hi) << 32 | u64(gain_lo);
    u64 covariance = sd_from_u32(s12), energy = sd_from_u32(s2);
    u64 g = sd_div(covariance, sd_add(sd_from_u32(s1), epsilon));
    u64 explained = sd_mul(g, covariance);
    u32 noise = NOISE + (energy > explained ? sd_to_u32(sd_sub(energy, explained)) : 0u);
    g = g > limit ? limit : g;
    u32 signal = sd_to_u32(sd_mul(sd_mul(g, g), sd_from_u32(s1)));
    return log2_fixed(noise + signal) - log2_fixed(noise);
}

#endif

#ifndef VIF_FRACTIONAL

DEVICE void leave_to_host(u32 s1, u32 s2, u32 s12)
{
    u32 i = ATOMIC_ADD(sums, VIF_UNSETTLED, 1u);
    if (i < VIF_UNSETTLED_MAX) {
        sums[VIF_UNSETTLED_AT(i)] = u32(VIF_SCALE);
        sums[VIF_UNSETTLED_AT(i) + 1u] = s1;
        sums[VIF_UNSETTLED_AT(i) + 2u] = s2;
        sums[VIF_UNSETTLED_AT(i) + 3u] = s12;
    }
}

#endif

/* The logarithm of what the picture tells over what it tells less the signal. The CPU's doubles stand
 * for s12^2 / s1 less a hair (the epsilon). With s12^2 = q * s1 + r, that is q or q - 1, and only an r
 * within a narrow band leaves open which. */
DEVICE u32 information(u32 s1, u32 s2, u32 s12)
{
    u64 square = u64(s12) * u64(s12);
    u32 q = u32(square / u64(s1));
    u32 r = u32(square - u64(q) * u64(s1));
    f32 lean = f32(q) * 6.5536e-6f;
    f32 band = 1.7763568e-15f * f32(s1) * f32(max_u32(q + 1u, s2)) + 9.5367432e-7f * lean +
               2.3841858e-7f * f32(r);
    bool doubtful = abs_f32(f32(r) - lean) <= band || abs_f32(f32(r) - 2.0f * lean) <= band;
    u32 noise = noise_level(s2, q + (f32(r) > lean ? 1u : 0u));
    u32 signal = q - (f32(r) <= 2.0f * lean ? 1u : 0u);
#ifdef VIF_FRACTIONAL
    f32 bound = gain * f32(s1);
    if (doubtful || abs_f32(f32(s12) - bound) <= 1e-5f * bound)
        return information_in_double(s1, s2, s12);
    if (f32(s12) > bound)
        signal = sd_to_u32(sd_mul(u64(gain_square_hi) << 32 | u64(gain_square_lo), sd_from_u32(s1)));
#else
    bool limited = mul_hi_u32(gain_whole, s1) == 0u && s12 > gain_whole * s1;
    if (limited)
        signal = gain_whole * gain_whole * s1;
    if (doubtful) {
        /* Most often both candidates have the same logarithms. */
        u32 less_noise = noise_level(s2, q + 1u), more_noise = noise_level(s2, q);
        u32 less_signal = limited ? signal : max_u32(q, 1u) - 1u, more_signal = limited ? signal : q;
        if (log2_fixed(less_noise) != log2_fixed(more_noise) ||
            log2_fixed(less_noise + less_signal) != log2_fixed(more_noise + more_signal)) {
            leave_to_host(s1, s2, s12);
            return 0u;
        }
    }
#endif
    return log2_fixed(noise + signal) - log2_fixed(noise);
}

KERNEL_MAIN
{
    i32 x = i32(GROUP_X * VIF_OUT_COLUMNS) - VIF_REACH + i32(LOCAL_X);
    bool has_output = LOCAL_X < VIF_OUT_COLUMNS && GROUP_X * VIF_OUT_COLUMNS + LOCAL_X < width;
    u32 column = mirror(x, i32(width));
    u32 num_log = 0u, den_log = 0u, flat_lo = 0u, flat_hi = 0u, flat_count = 0u;

    u32 y_begin = GROUP_Y * rows_per_group;
    u32 y_end = min_u32(y_begin + rows_per_group, height);
    for (u32 y = y_begin; y < y_end; y += VIF_ROWS) {
        filter_column(column, i32(y));
        BARRIER();
        u32 rows = has_output ? min_u32(VIF_ROWS, y_end - y) : 0u;
        for (u32 j = 0u; j < rows; j++) {
            u32 m1 = 0u, m2 = 0u;
            u64 sum_rr = u64(32768), sum_dd = u64(32768), sum_rd = u64(32768);
            UNROLL for (u32 k = 0u; k < VIF_TAP_COUNT; k++) {
                u32 at = j * GROUP_W + LOCAL_X + k;
                m1 += taps[k] * (column_means[at] & 0xffffu);
                m2 += taps[k] * (column_means[at] >> 16);
                sum_rr += u64(taps[k]) * u64(column_rr[at]);
                sum_dd += u64(taps[k]) * u64(column_dd[at]);
                sum_rd += u64(taps[k]) * u64(column_rd[at]);
            }
            i32 s1 = i32(u32(sum_rr >> 16) - round_mul_hi(m1, m1));
            i32 s2 = max_i32(i32(u32(sum_dd >> 16) - round_mul_hi(m2, m2)), 0);
            i32 s12 = i32(u32(sum_rd >> 16) - round_mul_hi(m1, m2));
            if (s1 < i32(NOISE)) {
                flat_lo += u32(s2) & 0xffffu;
                flat_hi += u32(s2) >> 16;
                flat_count++;
            } else {
                den_log += log2_fixed(NOISE + u32(s1)) - 2048u * 17u;
                if (s12 > 0 && s2 > 0)
                    num_log += information(u32(s1), u32(s2), u32(s12));
            }
        }
        BARRIER();
    }

    GROUP_SUM(column_means, num_log);
    GROUP_SUM(column_rr, den_log);
    GROUP_SUM(column_dd, flat_count);
    GROUP_SUM(column_rd, flat_lo);
    if (LOCAL_INDEX == 0u) {
        ATOMIC_ADD_U64(sums, VIF_SUMS + VIF_NUM_LOG, u64(column_means[0]));
        ATOMIC_ADD_U64(sums, VIF_SUMS + VIF_DEN_LOG, u64(column_rr[0]));
        ATOMIC_ADD_U64(sums, VIF_SUMS + VIF_FLAT_COUNT, u64(column_dd[0]));
    }
    flat_lo = column_rd[0];
    GROUP_SUM(column_means, flat_hi);
    if (LOCAL_INDEX == 0u)
        ATOMIC_ADD_U64(sums, VIF_SUMS + VIF_FLAT_ENERGY, (u64(column_means[0]) << 16) + u64(flat_lo));
}

#endif
KERNEL_END
