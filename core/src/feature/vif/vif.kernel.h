/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vif on the GPU. One kernel for each scale, vif_stats_S, makes local means, variances and
 * covariance, their logarithms, and the four sums. From the same samples it also makes the planes
 * of the next scale: filtered, with every other row and column kept. vif_halve_1 does only the
 * latter, for when scale 0 is skipped. Scale 3 is so small that its kernel halves for itself and
 * runs beside that of scale 2.
 *
 * A workgroup owns a tile of GROUP_W columns, border included, and VIF_ROWS rows.
 *   1. Vertical pass: each thread filters its column. It loads all its samples into registers
 *      before it uses the first.
 *   2. A barrier. The values are now in shared memory, an array of words for each quantity. Where
 *      shared memory is small (LITTLE_SHARED) two more barriers follow: one of the three second
 *      moments waits until there is room for it.
 *   3. Horizontal pass: a thread makes VIF_RUN adjacent outputs of one row, so that each word it
 *      reads serves several of them; then it takes their logarithms.
 * Samples under equal taps are added before they are multiplied, since devices multiply and add in
 * different units.
 *
 * Scale 0 reads the picture's planes. The planes of the other scales hold both pictures in one
 * word: ref | dist << 16.
 *
 * F64: second moments are filtered in double, which holds their sums (up to 48 bits) exactly, where
 * integers need two sums.
 *
 * The gain limit is a whole number in every model. The kernels for other limits (VIF_FRACTIONAL) do
 * double arithmetic in integers, which is too much code to have in all of them.
 *
 * The build defines VIF_SCALE (the scale read) and, for the kernel that only halves, VIF_HALVE. */
#include "feature/vif/vif_tile.h"
#include "gpu/prelude/target.h"

#define TAPS_0(t)                                                                                  \
    t(489), t(935), t(1640), t(2640), t(3896), t(5274), t(6547), t(7455), t(7784), t(7455),        \
        t(6547), t(5274), t(3896), t(2640), t(1640), t(935), t(489)
#define TAPS_1(t)                                                                                  \
    t(1244), t(3663), t(7925), t(12590), t(14692), t(12590), t(7925), t(3663), t(1244)
#define TAPS_2(t) t(3571), t(16004), t(26386), t(16004), t(3571)
#define TAPS_3(t) t(10904), t(43728), t(10904)
#if VIF_SCALE == 0
#define STATS_TAPS TAPS_0
#define HALVE_TAPS TAPS_1
#elif VIF_SCALE == 1
#define STATS_TAPS TAPS_1
#define HALVE_TAPS TAPS_2
#elif VIF_SCALE == 2
#define STATS_TAPS TAPS_2
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
#define VIF_RUNS (VIF_COLUMNS / VIF_RUN) /* runs of a row */
#define VIF_WINDOW ((VIF_RUN + 2 * VIF_REACH + 3) / 4 * 4) /* words that a run reads, in whole
                                                            * vectors of four */
#define VIF_SAMPLES (VIF_ROWS + 2 * VIF_REACH)
#define VIF_QUANTITY (VIF_ROWS * GROUP_W) /* words of one quantity in shared memory */

#if VIF_SCALE == 0
#define SOURCE IN(0, u32, ref) IN(1, u32, dist)
#define MOMENT_SHIFT square_shift
#define WIDE_MOMENTS HBD
#else
#define SOURCE IN(0, u32, planes) IN(1, u32, unused_planes)
#define MOMENT_SHIFT 16u
#define WIDE_MOMENTS 1
#endif

#ifdef HALVE_TAPS
#define HALF OUT(2, u32, half_planes)
#define SHARED_HALF SHARED(u32, half_columns, VIF_HALVE_ROWS * GROUP_W)
#else
#define HALF OUT(2, u32, unused_half)
#define SHARED_HALF
#endif

/* Layout of the vertical pass's output in shared memory: the means of both pictures, then second
 * moments. Where shared memory is small there is room for two moments, and the third waits until
 * one is no longer needed. */
#if LITTLE_SHARED
#define VIF_PLACES 3
#define PRODUCT_PLACE 1u
#elif defined(F64)
#define VIF_PLACES 1
#define PRODUCT_PLACE 3u
#define WIDE_COLUMNS /* moments are stored as doubles */
#else
#define VIF_PLACES 4
#define PRODUCT_PLACE 3u
#endif
#ifdef WIDE_COLUMNS
#define SHARED_MOMENTS SHARED(f64, moment_columns, 3 * VIF_QUANTITY)
/* Neighbouring threads take the runs of the same columns in different rows. The XOR moves these
 * into different banks of shared memory. */
#define RUN_ROW(i) ((i) % VIF_ROWS)
#define RUN_FIRST(i) ((i) / VIF_ROWS * VIF_RUN)
#define COLUMN_AT(place, row, x) ((row) * GROUP_W + ((x) ^ ((row) << 3)))
#define MOMENT_AT(place, row, x) (((place) - 1u) * VIF_QUANTITY + (row) * GROUP_W + ((x) ^ (row)))
#else
#define SHARED_MOMENTS
#define RUN_ROW(i) ((i) / VIF_RUNS)
#define RUN_FIRST(i) ((i) % VIF_RUNS * VIF_RUN)
#define COLUMN_AT(place, row, x) ((place) * VIF_QUANTITY + (row) * GROUP_W + (x))
#endif

#ifdef VIF_HALVE
#define BUFFERS SOURCE HALF
#define PARAMS VIF_HALVE_PARAMS
#define SHARED_ARRAYS SHARED_HALF
#else
#define BUFFERS SOURCE HALF IN(3, u32x2, log_table) OUT(4, u32, sums)
#define PARAMS VIF_STATS_PARAMS
#define SHARED_ARRAYS                                                                              \
    SHARED_HALF SHARED_MOMENTS SHARED(u32x4, columns, VIF_PLACES * VIF_QUANTITY / 4)               \
    SHARED(u32x2, log_lines, VIF_LOG_LINES)
#endif

#include "gpu/prelude/prelude.h"

TABLE_BEGIN(u32, taps, 2 * VIF_REACH + 1) STATS_TAPS(u32) TABLE_END
#ifdef F64
TABLE_BEGIN(f64, taps_f64, 2 * VIF_REACH + 1) STATS_TAPS(f64) TABLE_END
#endif
#ifdef HALVE_TAPS
TABLE_BEGIN(u32, halve_taps, 2 * VIF_HALVE_REACH + 1) HALVE_TAPS(u32) TABLE_END
#endif

KERNEL_BEGIN

#ifdef VIF_FRACTIONAL
#include "gpu/prelude/soft_double.h"
#endif

/* Reflects an index at the border sample, which is not repeated. An index too far outside to be
 * reflected serves no output, but the result must still lie within the picture. */
DEVICE u32 mirror(i32 i, i32 n)
{
    i = abs_i32(i);
    return u32(max_i32(min_i32(i, 2 * (n - 1) - i), 0));
}

DEVICE u32 round_shift(u32 sum, u32 shift)
{
    return (sum + ((1u << shift) >> 1)) >> shift;
}

/* The rounded sums of both pictures, as one word. */
DEVICE u32 round_pair(u32 sum_r, u32 sum_d, u32 shift)
{
    return round_shift(sum_r, shift) | round_shift(sum_d, shift) << 16;
}

#ifndef VIF_HALVE

/* Second moments of 8-bit samples fit 32 bits. The sums of all others have up to 48 bits, and 32
 * bits once `shift` of them are dropped. Two 32-bit sums give the result: `high`, the sum of the
 * values without their low `shift` bits, and `wrapped`, the sum of the whole values, whose last 32
 * bits are right. The taps sum to 65536 and `shift` is at most 16, so the part that `high` lacks
 * fits 32 bits. */
DEVICE u32 low_part(u32 wrapped, u32 high, u32 shift)
{
    return wrapped - (high << shift);
}

DEVICE u32 join_moment(u32 wrapped, u32 high, u32 shift)
{
    return high + round_shift(low_part(wrapped, high, shift), shift);
}

#ifdef F64

/* WHOLE plus a whole number below 2^52 is a double whose two words hold the bits of that number,
 * below 0x43300000 in the upper word. */
#define WHOLE 4503599627370496.0
#define WHOLE_WORD 0x43300000u

/* (sum - WHOLE) >> shift, which must fit 32 bits. */
DEVICE u32 bits_above(f64 sum, u32 shift)
{
    return u32((u64(high_word(sum)) << 32 | u64(low_word(sum))) >> shift);
}

DEVICE f64 f64_of_u32(u32 x)
{
    return f64_of_words(x, WHOLE_WORD) - WHOLE;
}

#endif

DEVICE void put_mean(u32 row, u32 value)
{
    PUT_WORD(columns, COLUMN_AT(0u, row, LOCAL_X), value);
}

DEVICE void put_moment(u32 place, u32 row, u32 value)
{
#ifdef WIDE_COLUMNS
    moment_columns[MOMENT_AT(place, row, LOCAL_X)] = f64_of_u32(value);
#else
    PUT_WORD(columns, COLUMN_AT(place, row, LOCAL_X), value);
#endif
}

#endif

#if VIF_SCALE == 3

/* Vertically filters the rows around 2 * y of the scale above, at word column x, with this scale's
 * taps. The taps never run past the last row, so only the border at the top needs mirroring. */
DEVICE u32 filtered_above(u32 x, u32 y)
{
    u32 sum_r = 0u, sum_d = 0u;
    UNROLL for (i32 k = 0; k < 3; k++) {
        u32 pair = planes[u32(abs_i32(i32(2u * y) - 1 + k)) * stride + x];
        sum_r += (pair & 0xffffu) * taps[k];
        sum_d += (pair >> 16) * taps[k];
    }
    return round_pair(sum_r, sum_d, 16u);
}

/* The word at x, y of this scale: both pictures, filtered both ways and halved. */
DEVICE u32 halved(u32 x, u32 y)
{
    u32 sum_r = 0u, sum_d = 0u;
    UNROLL for (i32 k = 0; k < 3; k++) {
        u32 pair = filtered_above(u32(abs_i32(i32(2u * x) - 1 + k)), y);
        sum_r += (pair & 0xffffu) * taps[k];
        sum_d += (pair >> 16) * taps[k];
    }
    return round_pair(sum_r, sum_d, 16u);
}

#endif

/* Filters the thread's column for all rows of the tile. Where shared memory is small, returns the
 * moments of ref * dist, which have no room there yet, one word for each row; else zeros. */
DEVICE u32x4 filter_column(u32 x, i32 y)
{
    u32 products[VIF_ROWS];
    UNROLL for (u32 j = 0u; j < VIF_ROWS; j++)
        products[j] = 0u;
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
#if VIF_SCALE == 3
        r[i] = halved(x, mirror(y - VIF_REACH + i, i32(height)));
#else
        r[i] = planes[mirror(y - VIF_REACH + i, i32(height)) * stride + x];
#endif
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
        half_columns[u32(j) * GROUP_W + LOCAL_X] = round_pair(sum_r, sum_d, mean_shift);
    }
#endif
#ifndef VIF_HALVE
    UNROLL for (i32 j = 0; j < VIF_ROWS; j++) {
        u32 sum_r = r[j + VIF_REACH] * taps[VIF_REACH], sum_d = d[j + VIF_REACH] * taps[VIF_REACH];
        UNROLL for (i32 k = 0; k < VIF_REACH; k++) {
            sum_r += (r[j + k] + r[j + 2 * VIF_REACH - k]) * taps[k];
            sum_d += (d[j + k] + d[j + 2 * VIF_REACH - k]) * taps[k];
        }
        put_mean(u32(j), round_pair(sum_r, sum_d, mean_shift));
    }
    UNROLL for (u32 q = 1u; q < 4u; q++) { /* ref * ref, dist * dist, ref * dist */
        u32 m[VIF_SAMPLES], moment[VIF_ROWS];
        UNROLL for (i32 i = 0; i < VIF_SAMPLES; i++)
            m[i] = (q == 2u ? d[i] : r[i]) * (q == 1u ? r[i] : d[i]);
#if defined(F64) && WIDE_MOMENTS
        f64 sum[VIF_ROWS];
        UNROLL for (i32 j = 0; j < VIF_ROWS; j++)
            sum[j] = f64_of_words((1u << MOMENT_SHIFT) >> 1, WHOLE_WORD);
        UNROLL for (i32 i = 0; i < VIF_SAMPLES; i++) {
            f64 value = f64_of_u32(m[i]);
            UNROLL for (i32 j = 0; j < VIF_ROWS; j++)
                if (i >= j && i - j <= 2 * VIF_REACH)
                    sum[j] = fma_f64(value, taps_f64[i - j], sum[j]);
        }
        UNROLL for (i32 j = 0; j < VIF_ROWS; j++)
            moment[j] = bits_above(sum[j], MOMENT_SHIFT);
#else
        u32 wrapped[VIF_ROWS];
        UNROLL for (i32 j = 0; j < VIF_ROWS; j++) {
            wrapped[j] = m[j + VIF_REACH] * taps[VIF_REACH];
            UNROLL for (i32 k = 0; k < VIF_REACH; k++)
                wrapped[j] += (m[j + k] + m[j + 2 * VIF_REACH - k]) * taps[k];
        }
#if !WIDE_MOMENTS
        UNROLL for (i32 j = 0; j < VIF_ROWS; j++)
            moment[j] = wrapped[j];
#else
        UNROLL for (i32 i = 0; i < VIF_SAMPLES; i++)
            m[i] = m[i] >> MOMENT_SHIFT;
        UNROLL for (i32 j = 0; j < VIF_ROWS; j++) {
            u32 high = m[j + VIF_REACH] * taps[VIF_REACH];
            UNROLL for (i32 k = 0; k < VIF_REACH; k++)
                high += (m[j + k] + m[j + 2 * VIF_REACH - k]) * taps[k];
            moment[j] = join_moment(wrapped[j], high, MOMENT_SHIFT);
        }
#endif
#endif
        UNROLL for (i32 j = 0; j < VIF_ROWS; j++) {
            if (q == 3u && LITTLE_SHARED == 1)
                products[j] = moment[j];
            else
                put_moment(q, u32(j), moment[j]);
        }
    }
#endif
    return U32X4(products[0], products[1], products[2], products[3]);
}

#ifdef HALVE_TAPS

/* Filters the rows that filter_column left in half_columns and keeps every other column. */
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
            half_planes[out_y * half_width + out_x] = round_pair(sum_r, sum_d, 16u);
    }
}

#endif

#ifndef VIF_HALVE

#include "feature/vif/vif_information.h"

/* Chooses between two values. Both are evaluated: otherwise compilers choose between two addresses,
 * and the arrays can no longer stay in registers. */
DEVICE i32 pick(bool first, i32 a, i32 b)
{
    return first ? a : b;
}

/* Loads the words of `columns` that a run reads into v. */
#define LOAD_WINDOW(place)                                                                         \
    u32 v[VIF_WINDOW];                                                                             \
    UNROLL for (u32 i_ = 0u; i_ < VIF_WINDOW / 4; i_++)                                            \
    {                                                                                              \
        u32x4 four_ = columns[COLUMN_AT(place, row, first + 4u * i_) / 4u];                        \
        v[4u * i_] = four_.x;                                                                      \
        v[4u * i_ + 1u] = four_.y;                                                                 \
        v[4u * i_ + 2u] = four_.z;                                                                 \
        v[4u * i_ + 3u] = four_.w;                                                                 \
    }

/* Filters v: `wrapped` gets the last 32 bits of the sums, `high` the sums of the upper halves. */
#define FILTER_WINDOW(wrapped, high)                                                               \
    u32 wrapped[VIF_RUN], high[VIF_RUN];                                                           \
    UNROLL for (u32 c_ = 0u; c_ < VIF_RUN; c_++)                                                   \
    {                                                                                              \
        wrapped[c_] = v[c_ + VIF_REACH] * taps[VIF_REACH];                                         \
        UNROLL for (u32 k_ = 0u; k_ < VIF_REACH; k_++)                                             \
            wrapped[c_] += (v[c_ + k_] + v[c_ + 2u * VIF_REACH - k_]) * taps[k_];                  \
    }                                                                                              \
    UNROLL for (u32 i_ = 0u; i_ < VIF_WINDOW; i_++)                                                \
        v[i_] = v[i_] >> 16;                                                                       \
    UNROLL for (u32 c_ = 0u; c_ < VIF_RUN; c_++)                                                   \
    {                                                                                              \
        high[c_] = v[c_ + VIF_REACH] * taps[VIF_REACH];                                            \
        UNROLL for (u32 k_ = 0u; k_ < VIF_REACH; k_++)                                             \
            high[c_] += (v[c_ + k_] + v[c_ + 2u * VIF_REACH - k_]) * taps[k_];                     \
    }

#ifdef WIDE_COLUMNS
#define LOAD_MOMENTS(place)
#define MOMENT(place, i) moment_columns[MOMENT_AT(place, row, (i) % 4u) + first + (i) / 4u * 4u]
#else
#define LOAD_MOMENTS(place) LOAD_WINDOW(place)
#define MOMENT(place, i) f64_of_u32(v[i])
#endif

/* Filters one kind of second moment for the outputs of a run. */
#ifdef F64
#define FILTER_MOMENTS(place, moments)                                                             \
    do {                                                                                           \
        LOAD_MOMENTS(place)                                                                        \
        f64 sum_[VIF_RUN];                                                                         \
        UNROLL for (u32 c_ = 0u; c_ < VIF_RUN; c_++)                                               \
            sum_[c_] = WHOLE + 32768.0;                                                            \
        UNROLL for (u32 i_ = 0u; i_ < VIF_RUN + 2u * VIF_REACH; i_++)                              \
        {                                                                                          \
            f64 moment_ = MOMENT(place, i_);                                                       \
            UNROLL for (u32 c_ = 0u; c_ < VIF_RUN; c_++)                                           \
                if (i_ >= c_ && i_ - c_ <= 2u * VIF_REACH)                                         \
                    sum_[c_] = fma_f64(moment_, taps_f64[i_ - c_], sum_[c_]);                      \
        }                                                                                          \
        UNROLL for (u32 c_ = 0u; c_ < VIF_RUN; c_++)                                               \
            moments[c_] = bits_above(sum_[c_], 16u);                                               \
    } while (false)
#else
#define FILTER_MOMENTS(place, moments)                                                             \
    do {                                                                                           \
        LOAD_WINDOW(place)                                                                         \
        FILTER_WINDOW(wrapped_, high_)                                                             \
        UNROLL for (u32 c_ = 0u; c_ < VIF_RUN; c_++)                                               \
            moments[c_] = join_moment(wrapped_[c_], high_[c_], 16u);                               \
    } while (false)
#endif

/* Filters a run of outputs of one row, `count` of which lie inside the picture, and adds their
 * terms to the sums. Where moments wait for room in shared memory, threads without a run call this
 * too, for its barriers. */
DEVICE void measure_run(bool has_run, u32 row, u32 first, u32 count, u32x4 products,
                        INOUT(u64) logs, INOUT(u64) flats)
{
    u32 m1[VIF_RUN], m2[VIF_RUN], rr[VIF_RUN], dd[VIF_RUN], rd[VIF_RUN];
    if (has_run) {
        FILTER_MOMENTS(1u, rr);
        FILTER_MOMENTS(2u, dd);
    }
#if LITTLE_SHARED
    BARRIER();
    put_moment(PRODUCT_PLACE, 0u, products.x);
    put_moment(PRODUCT_PLACE, 1u, products.y);
    put_moment(PRODUCT_PLACE, 2u, products.z);
    put_moment(PRODUCT_PLACE, 3u, products.w);
    BARRIER();
#endif
    if (!has_run)
        return;
    FILTER_MOMENTS(PRODUCT_PLACE, rd);
    LOAD_WINDOW(0u)
    FILTER_WINDOW(wrapped, high)
    UNROLL for (u32 c = 0u; c < VIF_RUN; c++) {
        m1[c] = low_part(wrapped[c], high[c], 16u);
        m2[c] = high[c];
    }
    i32 s1[VIF_RUN], s2[VIF_RUN], s12[VIF_RUN];
    UNROLL for (u32 c = 0u; c < VIF_RUN; c++) {
        s1[c] = i32(rr[c] - round_mul_hi(m1[c], m1[c]));
        s2[c] = max_i32(i32(dd[c] - round_mul_hi(m2[c], m2[c])), 0);
        s12[c] = i32(rd[c] - round_mul_hi(m1[c], m2[c]));
        COMPUTE_HERE(s1[c]);
        COMPUTE_HERE(s2[c]);
        COMPUTE_HERE(s12[c]);
    }
    u32 num_log = 0u, den_log = 0u, doubts = 0u;
    UNROLL for (u32 c = 0u; c < VIF_RUN; c++) {
        bool is_flat = s1[c] < i32(NOISE), counts = c < count, close = false;
        u32 variance = u32(max_i32(s1[c], i32(NOISE)));
        u32 told = information(variance, u32(s2[c]), u32(max_i32(s12[c], 0)), close);
        bool tells = counts && !is_flat && s12[c] > 0 && s2[c] > 0;
        num_log += tells && !close ? told : 0u;
        doubts |= tells && close ? 1u << c : 0u;
        den_log += counts && !is_flat ? log2_fixed(NOISE + variance) - 2048u * 17u : 0u;
        flats += counts && is_flat ? u64(u32(s2[c])) | u64(1) << 48 : u64(0);
    }
    while (doubts != 0u) {
        u32 c = top_bit_u32(doubts);
        i32 doubted_1 = s1[0], doubted_2 = s2[0], doubted_12 = s12[0];
        UNROLL for (u32 i = 1u; i < VIF_RUN; i++) {
            doubted_1 = pick(i == c, s1[i], doubted_1);
            doubted_2 = pick(i == c, s2[i], doubted_2);
            doubted_12 = pick(i == c, s12[i], doubted_12);
        }
        num_log += look_closer(u32(doubted_1), u32(doubted_2), u32(doubted_12));
        doubts ^= 1u << c;
    }
    logs += u64(num_log) | u64(den_log) << 32;
}

#define VIF_SUMS VIF_SUMS_AT(VIF_SCALE) /* where the scale's sums begin */

DEVICE u64 joined(u32 low, u32 high)
{
    return u64(high) << 32 | u64(low);
}

/* Writes a thread's two sums over the columns, which are no longer needed. */
DEVICE void put_shares(u64 logs, u64 flats)
{
    columns[LOCAL_X] = U32X4(u32(logs), u32(logs >> 32), u32(flats), u32(flats >> 32));
}

/* Each of the first `left` threads adds the shares of three others to its own. */
DEVICE void add_shares(u32 left, INOUT(u64) logs, INOUT(u64) flats)
{
    BARRIER();
    if (LOCAL_X < left) {
        UNROLL for (u32 i = 1u; i < 4u; i++) {
            u32x4 share = columns[LOCAL_X + i * left];
            logs += joined(share.x, share.y);
            flats += joined(share.z, share.w);
        }
        put_shares(logs, flats);
    }
}

/* Adds up the shares of all threads and adds the total to the result, in few and short steps
 * because other workgroups wait until this one has ended. A workgroup's total is below 2^48 for the
 * flat energies and below 2^32 for each of the other sums. */
DEVICE void add_sums(u64 logs, u64 flats)
{
    BARRIER();
    put_shares(logs, flats);
    add_shares(GROUP_W / 4u, logs, flats);
    add_shares(GROUP_W / 16u, logs, flats);
    add_shares(GROUP_W / 64u, logs, flats);
    BARRIER();
    if (LOCAL_X < 4u) {
        u64 sum = u64(0);
        UNROLL for (u32 i = 0u; i < GROUP_W / 64u; i++) {
            u32x4 share = columns[i];
            sum += LOCAL_X < 2u ? joined(share.x, share.y) : joined(share.z, share.w);
        }
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
    u32x4 products = filter_column(mirror(x, i32(width)), i32(GROUP_Y * VIF_ROWS));
    BARRIER();
#ifdef HALVE_TAPS
    halve_rows();
#endif
#ifndef VIF_HALVE
    u64 logs = u64(0), flats = u64(0);
#if LITTLE_SHARED /* no thread has more than one run */
    u32 row = RUN_ROW(LOCAL_X), first = RUN_FIRST(LOCAL_X), out_x = GROUP_X * VIF_COLUMNS + first;
    bool has_run = row < VIF_ROWS && GROUP_Y * VIF_ROWS + row < height && out_x < width;
    measure_run(has_run, row, first, width - out_x, products, logs, flats);
#else
    for (u32 i = LOCAL_X; i < VIF_ROWS * VIF_RUNS; i += GROUP_W) {
        u32 row = RUN_ROW(i), first = RUN_FIRST(i), out_x = GROUP_X * VIF_COLUMNS + first;
        if (GROUP_Y * VIF_ROWS + row < height && out_x < width)
            measure_run(true, row, first, width - out_x, products, logs, flats);
    }
#endif
    add_sums(logs, flats);
#endif
}
KERNEL_END
