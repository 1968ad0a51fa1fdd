/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* VIF on the GPU: a kernel for each scale, vif_stats_S. It makes local means, variances and covariance,
 * the logarithms, and the four sums; and, from the same samples, the planes of the scale below: filtered,
 * every other row and column kept. vif_halve_1 does only the latter, for when scale 0 is left out.
 *
 * A workgroup owns a tile of GROUP_W columns, border included, and VIF_ROWS rows.
 *   1. Vertical: a thread filters its column. All its samples are in registers before the first is used.
 *   2. One barrier, the values being in shared memory, an array of words for each quantity.
 *   3. Horizontal: a thread makes VIF_RUN adjacent outputs of one row, so that what it reads serves
 *      several of them; then their logarithms.
 * Symmetric taps are added before they are multiplied: devices multiply and add in different units.
 *
 * Scale 0 reads the picture's planes; those of the other scales hold both pictures in one word:
 * ref | dist << 16.
 *
 * The gain limit is a whole number in every model. Kernels for others (VIF_FRACTIONAL) carry double
 * arithmetic in integers, which is too much code for all of them.
 *
 * The build defines VIF_SCALE (the scale read) and, for the kernel that only halves, VIF_HALVE. */
#include "feature/vif/vif_tile.h"

#define TAPS_0                                                                                     \
    489u, 935u, 1640u, 2640u, 3896u, 5274u, 6547u, 7455u, 7784u, 7455u, 6547u, 5274u, 3896u,       \
        2640u, 1640u, 935u, 489u
#define TAPS_1 1244u, 3663u, 7925u, 12590u, 14692u, 12590u, 7925u, 3663u, 1244u
#define TAPS_2 3571u, 16004u, 26386u, 16004u, 3571u
#define TAPS_3 10904u, 43728u, 10904u
#if VIF_SCALE == 0
#define STATS_TAPS TAPS_0
#define HALVE_TAPS TAPS_1
#elif VIF_SCALE == 1
#define STATS_TAPS TAPS_1
#define HALVE_TAPS TAPS_2
#elif VIF_SCALE == 2
#define STATS_TAPS TAPS_2
#define HALVE_TAPS TAPS_3
#else
#define STATS_TAPS TAPS_3
#endif

#define GROUP_W VIF_GROUP_W_AT(VIF_SCALE)
#if VIF_SCALE == 0
#define MIN_GROUPS 3
#endif
#define VIF_REACH VIF_REACH_AT(VIF_SCALE)
#define VIF_HALVE_REACH (VIF_REACH / 2)
#define VIF_ROWS VIF_ROWS_AT(VIF_SCALE)
#define VIF_HALVE_ROWS (VIF_ROWS / 2)
#define VIF_COLUMNS VIF_COLUMNS_AT(VIF_SCALE)
#define VIF_RUNS (VIF_COLUMNS / VIF_RUN) /* in a row */
#define VIF_WINDOW ((VIF_RUN + 2 * VIF_REACH + 3) / 4 * 4) /* words that a run reads */
#define VIF_SAMPLES (VIF_ROWS + 2 * VIF_REACH)
#define VIF_QUANTITY (VIF_ROWS * GROUP_W) /* words of one in shared memory */

#if VIF_SCALE == 0
#define SOURCE IN(0, u32, ref) IN(1, u32, dist)
#define MOMENT_SHIFT square_shift
#else
#define SOURCE IN(0, u32, planes) IN(1, u32, unused_planes)
#define MOMENT_SHIFT 16u
#endif

#ifdef HALVE_TAPS
#define HALF OUT(2, u32, half_planes)
#define SHARED_HALF SHARED(u32, half_columns, VIF_HALVE_ROWS * GROUP_W)
#else
#define HALF OUT(2, u32, unused_half)
#define SHARED_HALF
#endif

#ifdef VIF_HALVE
#define BUFFERS SOURCE HALF
#define PARAMS VIF_HALVE_PARAMS
#define SHARED_ARRAYS SHARED_HALF
#else
#define BUFFERS SOURCE HALF IN(3, u32x2, log_table) OUT(4, u32, sums)
#define PARAMS VIF_STATS_PARAMS
#define SHARED_ARRAYS                                                                              \
    SHARED_HALF SHARED(u32x4, columns, 4 * VIF_QUANTITY / 4) SHARED(u32x2, log_lines, VIF_LOG_LINES)   \
    SHARED(u64, parts, 2 * GROUP_W)
#endif

#include "gpu/prelude/prelude.h"

TABLE_BEGIN(u32, taps, 2 * VIF_REACH + 1) STATS_TAPS TABLE_END
#ifdef HALVE_TAPS
TABLE_BEGIN(u32, halve_taps, 2 * VIF_HALVE_REACH + 1) HALVE_TAPS TABLE_END
#endif

KERNEL_BEGIN

#ifdef VIF_FRACTIONAL
#include "gpu/prelude/soft_double.h"
#endif

/* Reflects about the border sample, which is not repeated. What lies too far off to be reflected serves
 * no output, but must be within the picture. */
DEVICE u32 mirror(i32 i, i32 n)
{
    i = abs_i32(i);
    return u32(max_i32(min_i32(i, 2 * (n - 1) - i), 0));
}

DEVICE u32 round_shift(u32 sum, u32 shift)
{
    return (sum + ((1u << shift) >> 1)) >> shift;
}

#ifndef VIF_HALVE

/* Second moments of 8-bit samples fit 32 bits as they are. The sums of all others have up to 48 bits, and
 * 32 when `shift` of them are dropped. Two sums in 32 bits give them: `high`, of the values without
 * their low bits, and `wrapped`, of the whole values, which is right in its last 32 bits. With the
 * taps adding up to 65536 and `shift` at most 16, what `high` lacks has no more bits than that. */
DEVICE u32 low_part(u32 wrapped, u32 high, u32 shift)
{
    return wrapped - (high << shift);
}

DEVICE u32 join_moment(u32 wrapped, u32 high, u32 shift)
{
    return high + round_shift(low_part(wrapped, high, shift), shift);
}

DEVICE void put_column(u32 quantity, u32 row, u32 value)
{
    PUT_WORD(columns, quantity * VIF_QUANTITY + row * GROUP_W + LOCAL_X, value);
}

#endif

/* Filters the thread's column for all outputs of the tile. */
DEVICE void filter_column(u32 x, i32 y)
{
    u32 r[VIF_SAMPLES], d[VIF_SAMPLES];
#if VIF_SCALE == 0
    UNROLL for (i32 i = 0; i < VIF_SAMPLES; i++) {
        u32 at = mirror(y - VIF_REACH + i, i32(height)) * stride + x / SAMPLES_PER_WORD;
        r[i] = ref[at];
        d[i] = dist[at];
    }
    UNROLL for (i32 i = 0; i < VIF_SAMPLES; i++) {
        r[i] = sample_of(r[i], x);
        d[i] = sample_of(d[i], x);
    }
#else
    UNROLL for (i32 i = 0; i < VIF_SAMPLES; i++)
        r[i] = planes[mirror(y - VIF_REACH + i, i32(height)) * stride + x];
    UNROLL for (i32 i = 0; i < VIF_SAMPLES; i++) {
        d[i] = r[i] >> 16;
        r[i] = r[i] & 0xffffu;
    }
#endif
#ifdef HALVE_TAPS
    UNROLL for (i32 j = 0; j < VIF_HALVE_ROWS; j++) {
        u32 sum_r = 0u, sum_d = 0u;
        UNROLL for (i32 k = 0; k <= 2 * VIF_HALVE_REACH; k++) {
            sum_r += r[2 * j + VIF_REACH - VIF_HALVE_REACH + k] * halve_taps[k];
            sum_d += d[2 * j + VIF_REACH - VIF_HALVE_REACH + k] * halve_taps[k];
        }
        half_columns[u32(j) * GROUP_W + LOCAL_X] =
            round_shift(sum_r, mean_shift) | round_shift(sum_d, mean_shift) << 16;
    }
#endif
#ifndef VIF_HALVE
    UNROLL for (i32 j = 0; j < VIF_ROWS; j++) {
        u32 sum_r = r[j + VIF_REACH] * taps[VIF_REACH], sum_d = d[j + VIF_REACH] * taps[VIF_REACH];
        UNROLL for (i32 k = 0; k < VIF_REACH; k++) {
            sum_r += (r[j + k] + r[j + 2 * VIF_REACH - k]) * taps[k];
            sum_d += (d[j + k] + d[j + 2 * VIF_REACH - k]) * taps[k];
        }
        put_column(0u, u32(j), round_shift(sum_r, mean_shift) | round_shift(sum_d, mean_shift) << 16);
    }
    UNROLL for (u32 q = 1u; q < 4u; q++) { /* ref * ref, dist * dist, ref * dist */
        u32 m[VIF_SAMPLES], wrapped[VIF_ROWS];
        UNROLL for (i32 i = 0; i < VIF_SAMPLES; i++)
            m[i] = (q == 2u ? d[i] : r[i]) * (q == 1u ? r[i] : d[i]);
        UNROLL for (i32 j = 0; j < VIF_ROWS; j++) {
            wrapped[j] = m[j + VIF_REACH] * taps[VIF_REACH];
            UNROLL for (i32 k = 0; k < VIF_REACH; k++)
                wrapped[j] += (m[j + k] + m[j + 2 * VIF_REACH - k]) * taps[k];
        }
#if VIF_SCALE == 0 && !HBD
        UNROLL for (i32 j = 0; j < VIF_ROWS; j++)
            put_column(q, u32(j), wrapped[j]);
#else
        UNROLL for (i32 i = 0; i < VIF_SAMPLES; i++)
            m[i] = m[i] >> MOMENT_SHIFT;
        UNROLL for (i32 j = 0; j < VIF_ROWS; j++) {
            u32 high = m[j + VIF_REACH] * taps[VIF_REACH];
            UNROLL for (i32 k = 0; k < VIF_REACH; k++)
                high += (m[j + k] + m[j + 2 * VIF_REACH - k]) * taps[k];
            put_column(q, u32(j), join_moment(wrapped[j], high, MOMENT_SHIFT));
        }
#endif
    }
#endif
}

#ifdef HALVE_TAPS

/* The rows of filter_column, filtered and halved. */
DEVICE void halve_rows()
{
    u32 half_width = width / 2u, half_height = height / 2u;
    for (u32 i = LOCAL_X; i < VIF_HALVE_ROWS * VIF_COLUMNS / 2; i += GROUP_W) {
        u32 row = i / (VIF_COLUMNS / 2), column = i % (VIF_COLUMNS / 2);
        u32 out_x = GROUP_X * (VIF_COLUMNS / 2) + column, out_y = GROUP_Y * VIF_HALVE_ROWS + row;
        u32 from = row * GROUP_W + 2u * column + VIF_REACH - VIF_HALVE_REACH;
        u32 wrapped = 0u, sum_d = 0u;
        UNROLL for (u32 k = 0u; k <= 2u * VIF_HALVE_REACH; k++) {
            u32 pair = half_columns[from + k];
            wrapped += pair * halve_taps[k];
            sum_d += (pair >> 16) * halve_taps[k];
        }
        u32 sum_r = wrapped - (sum_d << 16);
        if (out_x < half_width && out_y < half_height)
            half_planes[out_y * half_width + out_x] =
                round_shift(sum_r, 16u) | round_shift(sum_d, 16u) << 16;
    }
}

#endif

#ifndef VIF_HALVE

#define NOISE 131072u /* variance 2.0 in units of 2^-16 */
#define VIF_SUMS VIF_SUMS_AT(VIF_SCALE) /* the scale's place in `sums` */

/* 2048 * log2(x) from the top 16 bits of x >= 2^15. */
DEVICE u32 log2_fixed(u32 x)
{
    u32 shift = top_bit_u32(x) - 15u;
    u32 top = x >> shift;
    u32x2 line = log_lines[(top >> VIF_LOG_RUN_BITS) - VIF_LOG_FIRST / VIF_LOG_RUN];
    return ((top * line.x + line.y) >> VIF_LOG_SHIFT) + 2048u * shift;
}

/* What is left of the distorted picture's energy s2 when `explained` is taken from it, over the noise. */
DEVICE u32 noise_level(u32 s2, u32 explained)
{
    return NOISE + (max_u32(s2, explained) - explained);
}

/* Of the signal and the noise. Samples beyond the depth may make them anything: that must not lead out
 * of the table. */
DEVICE u32 log_of_both(u32 noise, u32 signal)
{
    return log2_fixed(max_u32(noise + signal, 32768u));
}

#include "feature/vif/vif_divide.h"

/* What the information is where that is in doubt. */
#ifdef VIF_FRACTIONAL

/* The gain and what follows from it as the CPU has them, in double. */
DEVICE u32 settle(u32 s1, u32 s2, u32 s12)
{
    u64 epsilon = u64(0x3edb7cdfu) << 32 | u64(0xd9d7bdbbu); /* 65536 * 1e-10 */
    u64 limit = u64(gain_hi) << 32 | u64(gain_lo);
    u64 covariance = sd_from_u32(s12), energy = sd_from_u32(s2);
    u64 g = sd_div(covariance, sd_add(sd_from_u32(s1), epsilon));
    u64 explained = sd_mul(g, covariance);
    u32 noise = NOISE + (energy > explained ? sd_to_u32(sd_sub(energy, explained)) : 0u);
    g = g > limit ? limit : g;
    u32 signal = sd_to_u32(sd_mul(sd_mul(g, g), sd_from_u32(s1)));
    return log_of_both(noise, signal) - log2_fixed(noise);
}

#else

DEVICE bool is_limited(u32 s1, u32 s12)
{
    return s12 > gain_whole * min_u32(s1, gain_room);
}

DEVICE u32 limited_signal(u32 s1)
{
    return gain_whole * gain_whole * s1;
}

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

/* Most often both candidates have the same logarithms, and all between them. */
DEVICE u32 settle(u32 s1, u32 s2, u32 s12)
{
    u32 q = u32(divide_square(s12, s1));
    bool limited = is_limited(s1, s12);
    u32 less_noise = noise_level(s2, q + 1u), more_noise = noise_level(s2, q);
    u32 less_signal = limited ? limited_signal(s1) : max_u32(q, 1u) - 1u;
    u32 more_signal = limited ? limited_signal(s1) : q;
    u32 noise_log = log2_fixed(less_noise), log = log_of_both(less_noise, less_signal);
    if (noise_log == log2_fixed(more_noise) && log == log_of_both(more_noise, more_signal))
        return log - noise_log;
    leave_to_host(s1, s2, s12);
    return 0u;
}

#endif

/* The logarithm of what the picture tells over what it tells less the signal. The CPU's doubles stand
 * for s12^2 / s1 less a hair (the epsilon). With s12^2 = q * s1 + r, that is q or q - 1, and only an r
 * within a narrow band leaves open which: that is a doubt, `bit`, and nothing is told. */
DEVICE u32 information(u32 s1, u32 s2, u32 s12, u32 bit, INOUT(u32) doubts)
{
    u64 quotient = divide_square(s12, s1);
    u32 q = u32(quotient), r = u32(quotient >> 32);
    u32 explained = q + 1u, signal = q;
    bool doubtful = false;
    /* Above this r is beyond twice `lean`, which is below (q >> 16) + 1, and beyond the band: its first term
     * is below (s1 >> 17) + 1, the others with all that is rounded below 2. */
    if (r <= (q >> 16) + (s1 >> 17) + 4u) {
        f32 lean = f32(q) * 6.5536e-6f;
        f32 band = 1.7763568e-15f * f32(s1) * f32(max_u32(q + 1u, s2)) + 9.5367432e-7f * lean +
                   2.3841858e-7f * f32(r);
        doubtful = abs_f32(f32(r) - lean) <= band || abs_f32(f32(r) - 2.0f * lean) <= band;
        explained = q + (f32(r) > lean ? 1u : 0u);
        signal = q - (f32(r) <= 2.0f * lean ? 1u : 0u);
    }
    u32 noise = noise_level(s2, explained);
#ifdef VIF_FRACTIONAL
    f32 bound = gain * f32(s1);
    doubtful = doubtful || abs_f32(f32(s12) - bound) <= 1e-5f * bound;
    if (f32(s12) > bound)
        signal = sd_to_u32(sd_mul(u64(gain_square_hi) << 32 | u64(gain_square_lo), sd_from_u32(s1)));
#else
    if (is_limited(s1, s12))
        signal = limited_signal(s1);
#endif
    if (doubtful) {
        doubts |= bit;
        return 0u;
    }
    return log_of_both(noise, signal) - log2_fixed(noise);
}

/* Both are looked at, or compilers would give arrays addresses to choose between. */
DEVICE i32 pick(bool first, i32 a, i32 b)
{
    return first ? a : b;
}

/* (a * b + 2^31) >> 32 */
DEVICE u32 round_mul_hi(u32 a, u32 b)
{
    return u32((u64(a) * u64(b) + u64(2147483648u)) >> 32);
}

/* Filters a run of outputs of one row, and adds up what they tell. */
DEVICE void measure_run(u32 row, u32 first, u32 count, INOUT(u64) logs, INOUT(u64) flats)
{
    u32 m1[VIF_RUN], m2[VIF_RUN], moments[3 * VIF_RUN];
    UNROLL for (u32 q = 0u; q < 4u; q++) {
        u32 v[VIF_WINDOW], wrapped[VIF_RUN];
        UNROLL for (u32 i = 0u; i < VIF_WINDOW / 4; i++) {
            u32x4 four = columns[(q * VIF_QUANTITY + row * GROUP_W + first) / 4u + i];
            v[4u * i] = four.x;
            v[4u * i + 1u] = four.y;
            v[4u * i + 2u] = four.z;
            v[4u * i + 3u] = four.w;
        }
        UNROLL for (u32 c = 0u; c < VIF_RUN; c++) {
            wrapped[c] = v[c + VIF_REACH] * taps[VIF_REACH];
            UNROLL for (u32 k = 0u; k < VIF_REACH; k++)
                wrapped[c] += (v[c + k] + v[c + 2u * VIF_REACH - k]) * taps[k];
        }
        UNROLL for (u32 i = 0u; i < VIF_WINDOW; i++)
            v[i] = v[i] >> 16;
        UNROLL for (u32 c = 0u; c < VIF_RUN; c++) {
            u32 high = v[c + VIF_REACH] * taps[VIF_REACH];
            UNROLL for (u32 k = 0u; k < VIF_REACH; k++)
                high += (v[c + k] + v[c + 2u * VIF_REACH - k]) * taps[k];
            if (q == 0u) {
                m1[c] = low_part(wrapped[c], high, 16u);
                m2[c] = high;
            } else {
                moments[(q - 1u) * VIF_RUN + c] = join_moment(wrapped[c], high, 16u);
            }
        }
    }
    i32 s1[VIF_RUN], s2[VIF_RUN], s12[VIF_RUN];
    UNROLL for (u32 c = 0u; c < VIF_RUN; c++) {
        s1[c] = i32(moments[c] - round_mul_hi(m1[c], m1[c]));
        s2[c] = max_i32(i32(moments[VIF_RUN + c] - round_mul_hi(m2[c], m2[c])), 0);
        s12[c] = i32(moments[2 * VIF_RUN + c] - round_mul_hi(m1[c], m2[c]));
        COMPUTE_HERE(s1[c]);
        COMPUTE_HERE(s2[c]);
        COMPUTE_HERE(s12[c]);
    }
    u32 num_log = 0u, den_log = 0u, doubts = 0u;
    UNROLL for (u32 c = 0u; c < VIF_RUN; c++) {
        if (c < count) {
            if (s1[c] < i32(NOISE)) {
                flats += u64(u32(s2[c])) | u64(1) << 48;
            } else {
                den_log += log2_fixed(NOISE + u32(s1[c])) - 2048u * 17u;
                if (s12[c] > 0 && s2[c] > 0)
                    num_log +=
                        information(u32(s1[c]), u32(s2[c]), u32(s12[c]), 1u << c, doubts);
            }
        }
    }
    while (doubts != 0u) {
        u32 c = top_bit_u32(doubts);
        i32 doubted_1 = s1[0], doubted_2 = s2[0], doubted_12 = s12[0];
        UNROLL for (u32 i = 1u; i < VIF_RUN; i++) {
            doubted_1 = pick(i == c, s1[i], doubted_1);
            doubted_2 = pick(i == c, s2[i], doubted_2);
            doubted_12 = pick(i == c, s12[i], doubted_12);
        }
        num_log += settle(u32(doubted_1), u32(doubted_2), u32(doubted_12));
        doubts ^= 1u << c;
    }
    logs += u64(num_log) | u64(den_log) << 32;
}

/* Adds up the threads' shares: first every 16th, then 16 of those. A group's are below 2^48 in the sum of
 * flat energies and below 2^32 in the others. */
DEVICE void add_sums(u64 logs, u64 flats)
{
    parts[LOCAL_X] = logs;
    parts[GROUP_W + LOCAL_X] = flats;
    BARRIER();
    if (LOCAL_X < 32u) {
        u32 from = LOCAL_X / 16u * GROUP_W + LOCAL_X % 16u;
        u64 sum = parts[from];
        for (u32 i = 16u; i < GROUP_W; i += 16u)
            sum += parts[from + i];
        parts[from] = sum;
    }
    BARRIER();
    if (LOCAL_X < 4u) {
        u64 sum = u64(0);
        for (u32 i = 0u; i < 16u; i++)
            sum += parts[LOCAL_X / 2u * GROUP_W + i];
        sum = LOCAL_X == 0u   ? sum & u64(0xffffffffu)
              : LOCAL_X == 1u ? sum >> 32
              : LOCAL_X == 2u ? sum & ((u64(1) << 48) - u64(1))
                              : sum >> 48;
        ATOMIC_ADD_U64(sums, VIF_SUMS + 2u * LOCAL_X, sum);
    }
}

#endif

KERNEL_MAIN
{
    i32 x = i32(GROUP_X * VIF_COLUMNS) - VIF_REACH + i32(LOCAL_X);
#ifndef VIF_HALVE
    for (u32 i = LOCAL_X; i < VIF_LOG_LINES; i += GROUP_W)
        log_lines[i] = log_table[i];
#endif
    filter_column(mirror(x, i32(width)), i32(GROUP_Y * VIF_ROWS));
    BARRIER();
#ifdef HALVE_TAPS
    halve_rows();
#endif
#ifndef VIF_HALVE
    u64 logs = u64(0), flats = u64(0);
    for (u32 i = LOCAL_X; i < VIF_ROWS * VIF_RUNS; i += GROUP_W) {
        u32 row = i / VIF_RUNS, first = i % VIF_RUNS * VIF_RUN;
        u32 out_x = GROUP_X * VIF_COLUMNS + first;
        if (GROUP_Y * VIF_ROWS + row < height && out_x < width)
            measure_run(row, first, width - out_x, logs, flats);
    }
    add_sums(logs, flats);
#endif
}
KERNEL_END
