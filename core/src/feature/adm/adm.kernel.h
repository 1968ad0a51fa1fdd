/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ADM on the GPU, a kernel for each level: one level of the wavelet transform of both pictures, the
 * decoupling of the distorted bands into what was restored and what was added, contrast masking, and
 * the cubes of what is visible of both of these and of the reference itself.
 *
 * A thread takes ADM_RUN neighbouring columns of one row of the bands, straight from the samples, and
 * meets the others of its group twice: for the masks around it, and for the sums. The outermost positions
 * of a group are there for their masks only. Groups that lie outside of the core have nothing to do but
 * the low-pass band, which the next level splits.
 *
 * Every sum is kept per row of the band, because the metric rounds rows before it adds them up: the
 * host does that. The build defines ADM_LEVEL. */
#include "feature/adm/adm_tile.h"

#define GROUP_W ADM_LANES
#define GROUP_H ADM_ROWS
#define ADM_SUM_PITCH 127u /* the nine sums of each of the 14 rows, and one so that no two lanes meet in a bank */

#if ADM_LEVEL == 0
#define ADM_RUN ADM_RUN_0
#define BUFFERS IN(0, u32, ref) IN(1, u32, dist) OUT(2, u32, next_approx) OUT(3, u32, row_sums)
#elif ADM_LEVEL == 1
#define ADM_RUN ADM_RUN_1
#define BUFFERS IN(0, u32, approx) OUT(1, u32x2, next_approx) OUT(2, u32, row_sums)
#else
#define ADM_RUN ADM_RUN_2
#define BUFFERS IN(0, u32x2, approx) OUT(1, u32x2, next_approx) OUT(2, u32, row_sums)
#endif
#define PARAMS ADM_LEVEL_PARAMS
/* The masks, by row, column of a thread and thread; later the sums, by thread. */
#define SHARED_ARRAYS SHARED(u32x2, work, ADM_SUM_PITCH * ADM_LANES)

#include "gpu/prelude/prelude.h"

KERNEL_BEGIN

#include "gpu/prelude/soft_double.h"

#include "feature/adm/adm_decouple.h"

DEVICE i32 low_16(u32 word)
{
    return i32(word << 16) >> 16;
}

DEVICE i32 high_16(u32 word)
{
    return i32(word) >> 16;
}

/* Both are looked at, or compilers would give arrays addresses to choose between. */
DEVICE i32 pick(bool first, i32 a, i32 b)
{
    return first ? a : b;
}

/* ---- The split */

#define ADM_SPAN (2 * ADM_RUN + 2) /* columns of the level above that a thread needs */

/* The edge sample is repeated at the far end only. */
DEVICE u32 reflect(i32 i, i32 n)
{
    i = abs_i32(i);
    i = i >= n ? 2 * n - 1 - i : i;
    return u32(clamp_i32(i, 0, n - 1));
}

/* The filters (db2, Q15): tap i, and all of them on four neighbours. */
#define LOW_TAP(i) ((i) == 0 ? 15826 : (i) == 1 ? 27411 : (i) == 2 ? 7345 : -4240)
#define HIGH_TAP(i) ((i) == 0 ? -4240 : (i) == 1 ? -7345 : (i) == 2 ? 27411 : -15826)

/* Columns stay within 32 bits but from level 2 on, rows at level 0 alone. Unsigned where they may wrap on
 * the way: differences fit where the sums themselves do not. */
#if ADM_LEVEL < 2
#define COLUMN u32
#else
#define COLUMN i64
#endif
#if ADM_LEVEL == 0
#define ROW u32
#else
#define ROW i64
#endif
#define OF_COLUMN(x) ROW(i32(x))

DEVICE ROW low_pass(ROW a, ROW b, ROW c, ROW d)
{
    return ROW(15826) * a + ROW(27411) * b + ROW(7345) * c - ROW(4240) * d;
}

DEVICE ROW high_pass(ROW a, ROW b, ROW c, ROW d)
{
    return ROW(27411) * c - ROW(4240) * a - ROW(7345) * b - ROW(15826) * d;
}

/* ADM_START is what a low-pass column begins with: its rounding, and the samples' middle taken off. */
#if ADM_LEVEL == 0
#if HBD
#define ADM_DEPTH depth
#else
#define ADM_DEPTH 8u
#endif
#define ADM_HALF (1u << (ADM_DEPTH - 1u))
#define ADM_START (ADM_HALF - 46342u * ADM_HALF)
#define ROUNDED_COLUMN(sum) (i32(sum) >> ADM_DEPTH)
#define ROUNDED_ROW(sum) (i32((sum) + 32768u) >> 16)
#elif ADM_LEVEL == 1
#define ADM_HALF 0u
#define ADM_START 0u
#define ROUNDED_COLUMN(sum) i32(sum)
#define ROUNDED_ROW(sum) i32(((sum) + i64(16384)) >> 15)
#else
#define ADM_HALF i64(32768)
#define ADM_START i64(32768)
#define ROUNDED_COLUMN(sum) i32((sum) >> 16)
#if ADM_LEVEL == 2
#define ROUNDED_ROW(sum) i32(((sum) + i64(32768)) >> 16)
#else
#define ROUNDED_ROW(sum) i32(((sum) + i64(16384)) >> 15)
#endif
#endif

/* A row of the thread's columns. Level 0 loads whole words, of which the first sample is not needed
 * (columns are odd), and sets the edges right after the vertical filters; the others find each column by
 * itself. Level 0 leaves both pictures in one word, later ones leave them in two. */
#if ADM_LEVEL == 0
#define ADM_WORDS ((ADM_SPAN + 1u + SAMPLES_PER_WORD - 1u) / SAMPLES_PER_WORD)
#define ADM_OFFSETS ADM_WORDS
#define LOAD_ROW(picture, row)                                                                     \
    u32 word_[ADM_WORDS];                                                                          \
    UNROLL for (u32 i_ = 0u; i_ < ADM_WORDS; i_++) word_[i_] = picture[(row) + offset[i_]];
#define LOADED(picture, k) sample_of(word_[((k) + 1u) / SAMPLES_PER_WORD], (k) + 1u)
#define SET_EDGES(values)                                                                          \
    if (at_edge) {                                                                                 \
        UNROLL for (i32 k_ = 1; k_ < ADM_SPAN; k_++)                                               \
            values[k_] = pick(2 * x - 1 + k_ == i32(in_width), values[k_ - 1], values[k_]);        \
        UNROLL for (i32 k_ = 3; k_ < ADM_SPAN; k_++)                                               \
            values[k_] = pick(2 * x - 2 + k_ == i32(in_width), values[k_ - 3], values[k_]);        \
        values[2] = pick(x < 0, values[4], values[2]);                                             \
    }
#else
#define ADM_OFFSETS ADM_SPAN
#define LOAD_ROW(picture, row)
#define SET_EDGES(values)
#if ADM_LEVEL == 1
#define LOADED(picture, k) u32(picture##_16(approx[row_ + offset[k]]))
#else
#define LOADED(picture, k) i64(i32(approx[row_ + offset[k]].picture))
#endif
#endif

/* Bands A, H, V and D of the thread's columns, four by four. */
#define SPLIT(picture, bands)                                                                      \
    do {                                                                                           \
        COLUMN low_[ADM_SPAN], high_[ADM_SPAN];                                                    \
        UNROLL for (u32 k_ = 0u; k_ < ADM_SPAN; k_++)                                              \
        {                                                                                          \
            low_[k_] = ADM_START;                                                                  \
            high_[k_] = ADM_HALF;                                                                  \
        }                                                                                          \
        UNROLL for (i32 tap_ = 0; tap_ < 4; tap_++)                                                \
        {                                                                                          \
            u32 row_ = reflect(2 * y - 1 + tap_, i32(in_height)) * in_stride;                      \
            LOAD_ROW(picture, row_)                                                                \
            UNROLL for (u32 k_ = 0u; k_ < ADM_SPAN; k_++)                                          \
            {                                                                                      \
                COLUMN v_ = LOADED(picture, k_);                                                   \
                low_[k_] += COLUMN(LOW_TAP(tap_)) * v_;                                            \
                high_[k_] += COLUMN(HIGH_TAP(tap_)) * v_;                                          \
            }                                                                                      \
        }                                                                                          \
        i32 l_[ADM_SPAN], h_[ADM_SPAN];                                                            \
        UNROLL for (u32 k_ = 0u; k_ < ADM_SPAN; k_++)                                              \
        {                                                                                          \
            l_[k_] = ROUNDED_COLUMN(low_[k_]);                                                     \
            h_[k_] = ROUNDED_COLUMN(high_[k_]);                                                    \
        }                                                                                          \
        SET_EDGES(l_)                                                                              \
        SET_EDGES(h_)                                                                              \
        UNROLL for (u32 j_ = 0u; j_ < ADM_RUN; j_++)                                               \
        {                                                                                          \
            ROW a_ = OF_COLUMN(l_[2u * j_]), b_ = OF_COLUMN(l_[2u * j_ + 1u]);                     \
            ROW c_ = OF_COLUMN(l_[2u * j_ + 2u]), d_ = OF_COLUMN(l_[2u * j_ + 3u]);                \
            bands[4u * j_] = ROUNDED_ROW(low_pass(a_, b_, c_, d_));                                \
            bands[4u * j_ + 2u] = ROUNDED_ROW(high_pass(a_, b_, c_, d_));                          \
            a_ = OF_COLUMN(h_[2u * j_]);                                                           \
            b_ = OF_COLUMN(h_[2u * j_ + 1u]);                                                      \
            c_ = OF_COLUMN(h_[2u * j_ + 2u]);                                                      \
            d_ = OF_COLUMN(h_[2u * j_ + 3u]);                                                      \
            bands[4u * j_ + 1u] = ROUNDED_ROW(low_pass(a_, b_, c_, d_));                           \
            bands[4u * j_ + 3u] = ROUNDED_ROW(high_pass(a_, b_, c_, d_));                          \
        }                                                                                          \
    } while (false)

/* ---- Energies */

#define WEIGHT(band) ((band) < 2u ? weight_hv : weight_d)

/* sum / 2^shift, rounded. */
DEVICE u64 rounded_cube(i64 cube, u32 shift)
{
    return u64((cube + i64(u64((1u << shift) >> 1))) >> shift);
}

DEVICE u64 plain_cube(i32 o)
{
    u32 m = u32(abs_i32(o));
#if ADM_LEVEL == 0
    return u64(m * m) * u64(m);
#else
    u32 j = ADM_LEVEL == 2 ? 30u : 31u;
    u32 square = u32((u64(m) * u64(m) + (u64(1) << j)) >> j);
    return rounded_cube(i64(u64(square) * u64(m)), plain_cube_shift);
#endif
}

#if ADM_LEVEL == 0

/* A coefficient as the energies want it, and as masks do: in 16 bits that wrap. */
DEVICE i32 weigh(u32 band, i32 x)
{
    return i32(WEIGHT(band) * u32(x));
}

DEVICE u32 seen(u32 band, i32 weighed)
{
    i32 s = band < 2u ? i32(u32(weighed) + 16384u) >> 15 : i32(u32(weighed) + 65535u) >> 17;
    return u32(abs_i32(low_16(u32(s))));
}

DEVICE i32 as_neighbour(u32 s)
{
    return low_16((4369u * s + 2048u) >> 12);
}

DEVICE i32 as_centre(u32 s)
{
    return low_16((8738u * s + 2048u) >> 12);
}

DEVICE u64 visible_cube(u32 band, i32 weighed, i32 threshold)
{
    i32 y = i32(u32(abs_i32(weighed)) - (u32(threshold) << (band < 2u ? 10u : 12u)));
    y = max_i32(y, 0);
    u64 square = u64(u32(y)) * u64(u32(y)) + (band < 2u ? u64(1u << 28) : u64(1u << 29));
    i32 z = i32(u32(square >> (band < 2u ? 29u : 30u)));
    return rounded_cube(i64(z) * i64(y), band < 2u ? cube_shift_hv : cube_shift_d);
}

/* What is kept of a coefficient's two parts. */
#define ADM_KEPT 1u
#define KEEP(at, restored, added) kept[at] = (u32(restored) & 0xffffu) | u32(added) << 16
#define KEPT_RESTORED(band, at) weigh(band, low_16(kept[at]))
#define KEPT_ADDED(band, at) weigh(band, high_16(kept[at]))
#define KEEP_WEIGHED(at, restored, added)

#else

DEVICE i32 weigh(u32 band, i32 x)
{
    u64 product = u64(WEIGHT(band)) * u64(i64(x)) + u64(1u << 27);
    return i32(u32(i64(product) >> 28));
}

DEVICE u32 seen(u32 band, i32 weighed)
{
    return u32(abs_i32(weighed));
}

/* A thirtieth and a fifteenth; half a unit is taken off, not added. */
DEVICE i32 as_neighbour(u32 s)
{
    return i32((i64(143165577) * i64(u64(s)) - (i64(1) << 31)) >> 32);
}

DEVICE i32 as_centre(u32 s)
{
    return i32((i64(286331153) * i64(u64(s)) - (i64(1) << 31)) >> 32);
}

DEVICE u64 visible_cube(u32 band, i32 weighed, i32 threshold)
{
    i32 y = max_i32(i32(u32(abs_i32(weighed)) - u32(threshold)), 0);
    i32 z = i32(u32((u64(u32(y)) * u64(u32(y)) + u64(1u << 29)) >> 30));
    return rounded_cube(i64(z) * i64(y), cube_shift_hv);
}

#define ADM_KEPT 2u
#define KEEP(at, restored, added)
#define KEPT_RESTORED(band, at) i32(kept[2u * (at)])
#define KEPT_ADDED(band, at) i32(kept[2u * (at) + 1u])
#define KEEP_WEIGHED(at, restored, added)                                                          \
    do {                                                                                           \
        kept[2u * (at)] = u32(restored);                                                           \
        kept[2u * (at) + 1u] = u32(added);                                                         \
    } while (false)

#endif

/* Where the masks of a position lie; column is one of a thread's. */
#define MASK(row, column, lane) work[((row) * ADM_RUN + (column)) * ADM_LANES + (lane)]

KERNEL_MAIN
{
    u32 width = (in_width + 1u) / 2u, height = (in_height + 1u) / 2u, lane = LOCAL_X, row = LOCAL_Y;
    u32 tile_x = GROUP_X * ADM_TILE_COLUMNS(ADM_RUN), tile_y = GROUP_Y * ADM_TILE_ROWS;
    i32 x = i32(tile_x + lane * ADM_RUN) - 1, y = i32(tile_y + row) - 1;

    /* What the group answers for of the whole band, and of the core. */
    i32 end_x = i32(min_u32(tile_x + ADM_TILE_COLUMNS(ADM_RUN), width));
    i32 end_y = i32(min_u32(tile_y + ADM_TILE_ROWS, height));
    i32 left = i32(max_u32(tile_x, core_x)), right = min_i32(end_x, i32(width - core_x));
    i32 top = i32(max_u32(tile_y, core_y)), bottom = min_i32(end_y, i32(height - core_y));
    bool in_core = left < right && top < bottom;

    i32 o[4 * ADM_RUN], t[4 * ADM_RUN];
#if ADM_LEVEL == 3
    if (in_core)
#endif
    {
        u32 offset[ADM_OFFSETS];
#if ADM_LEVEL == 0
        bool at_edge = x < 0 || 2 * x + ADM_SPAN - 1 > i32(in_width);
        UNROLL for (u32 i = 0u; i < ADM_OFFSETS; i++)
            offset[i] = u32(clamp_i32((2 * x - 2 + i32(i * SAMPLES_PER_WORD)) / i32(SAMPLES_PER_WORD), 0,
                                      i32(in_stride) - 1));
        SPLIT(ref, o);
        SPLIT(dist, t);
#else
        UNROLL for (u32 i = 0u; i < ADM_OFFSETS; i++)
            offset[i] = reflect(2 * x - 1 + i32(i), i32(in_width));
#if ADM_LEVEL == 1
        SPLIT(low, o);
        SPLIT(high, t);
#else
        SPLIT(x, o);
        SPLIT(y, t);
#endif
#endif
    }
#if ADM_LEVEL < 3
    UNROLL for (i32 j = 0; j < ADM_RUN; j++) {
        if (x + j >= i32(tile_x) && x + j < end_x && y >= i32(tile_y) && y < end_y) {
            u32 at = u32(y) * width + u32(x + j);
#if ADM_LEVEL == 0
            next_approx[at] = (u32(o[4 * j]) & 0xffffu) | u32(t[4 * j]) << 16;
#else
            next_approx[at] = U32X2(u32(o[4 * j]), u32(t[4 * j]));
#endif
        }
    }
#endif

    if (in_core) {
        u32 same_way = 0u, doubts = 0u;
        UNROLL for (u32 j = 0u; j < ADM_RUN; j++) {
            u32 answer = nearly_aligned(o[4u * j + 1u], o[4u * j + 2u], t[4u * j + 1u], t[4u * j + 2u]);
            same_way |= (answer & 1u) << j;
            doubts |= (answer >> 1) << j;
        }
        while (doubts != 0u) {
            u32 j = top_bit_u32(doubts);
            doubts ^= 1u << j;
            i32 oh = o[1], ov = o[2], th = t[1], tv = t[2];
            UNROLL for (u32 i = 1u; i < ADM_RUN; i++) {
                oh = pick(i == j, o[4u * i + 1u], oh);
                ov = pick(i == j, o[4u * i + 2u], ov);
                th = pick(i == j, t[4u * i + 1u], th);
                tv = pick(i == j, t[4u * i + 2u], tv);
            }
            same_way &= ~(1u << j);
            same_way |= aligned(oh, ov, th, tv) ? 1u << j : 0u;
        }

        u64 sum[9];
        UNROLL for (u32 i = 0u; i < 9u; i++)
            sum[i] = u64(0);
        u32 kept[3u * ADM_KEPT * ADM_RUN];
        i32 near_added[ADM_RUN], near_restored[ADM_RUN];
        i32 under_added[ADM_RUN], under_restored[ADM_RUN]; /* thresholds */
        bool row_counts = y >= top && y < bottom;
        UNROLL for (u32 j = 0u; j < ADM_RUN; j++) {
            bool counts = row_counts && x + i32(j) >= left && x + i32(j) < right;
            near_added[j] = near_restored[j] = under_added[j] = under_restored[j] = 0;
            UNROLL for (u32 band = 0u; band < 3u; band++) {
                i32 original = o[4u * j + 1u + band], distorted = t[4u * j + 1u + band];
                i32 restored = restore(original, distorted, ((same_way >> j) & 1u) != 0u);
                i32 added = distorted - restored;
                KEEP(3u * j + band, restored, added);
                restored = weigh(band, restored);
                added = weigh(band, added);
                KEEP_WEIGHED(3u * j + band, restored, added);
                u32 size = seen(band, restored);
                near_restored[j] += as_neighbour(size);
                under_restored[j] += as_centre(size);
                size = seen(band, added);
                near_added[j] += as_neighbour(size);
                under_added[j] += as_centre(size);
                sum[ADM_DEN + band] += counts ? plain_cube(original) : u64(0);
            }
            MASK(row, j, lane) = U32X2(u32(near_added[j]), u32(near_restored[j]));
        }
        BARRIER();

        if (row_counts) {
            /* Below the last row stands that row itself, above the first one the second. */
            u32 below = y + 1 == i32(height) ? row : row + 1u, above = y == 0 ? below : row - 1u;
            u32 before = max_u32(lane, 1u) - 1u, after = min_u32(lane + 1u, ADM_LANES - 1u);
            /* Above and below, and all three, of the columns and one on either side. */
            i32 two_added[ADM_RUN + 2], two_restored[ADM_RUN + 2];
            i32 three_added[ADM_RUN + 2], three_restored[ADM_RUN + 2];
            UNROLL for (u32 j = 0u; j < ADM_RUN + 2u; j++) {
                u32 from = j == 0u ? before : j == ADM_RUN + 1u ? after : lane;
                u32 column = j == 0u ? ADM_RUN - 1u : j == ADM_RUN + 1u ? 0u : j - 1u;
                u32x2 a = MASK(above, column, from), b = MASK(below, column, from);
                u32x2 c = MASK(row, column, from);
                two_added[j] = i32(a.x + b.x);
                two_restored[j] = i32(a.y + b.y);
                three_added[j] = i32(a.x + b.x + c.x);
                three_restored[j] = i32(a.y + b.y + c.y);
            }
            UNROLL for (u32 j = 0u; j < ADM_RUN; j++) {
                i32 column = x + i32(j);
                if (column >= left && column < right) {
                    /* The same of columns. */
                    bool last = column + 1 == i32(width), first = column == 0;
                    i32 after_it = pick(last, three_added[j + 1u], three_added[j + 2u]);
                    i32 before_it = pick(first, after_it, three_added[j]);
                    i32 mask_added = under_added[j] + two_added[j + 1u] + before_it + after_it;
                    after_it = pick(last, three_restored[j + 1u], three_restored[j + 2u]);
                    before_it = pick(first, after_it, three_restored[j]);
                    i32 mask_restored = under_restored[j] + two_restored[j + 1u] + before_it + after_it;
                    UNROLL for (u32 band = 0u; band < 3u; band++) {
                        sum[ADM_NUM + band] +=
                            visible_cube(band, KEPT_RESTORED(band, 3u * j + band), mask_added);
                        sum[ADM_AIM + band] +=
                            visible_cube(band, KEPT_ADDED(band, 3u * j + band), mask_restored);
                    }
                }
            }
        }
        BARRIER();

        if (row > 0u && row <= ADM_TILE_ROWS) {
            UNROLL for (u32 i = 0u; i < 9u; i++)
                work[lane * ADM_SUM_PITCH + (row - 1u) * 9u + i] = U32X2(u32(sum[i]), u32(sum[i] >> 32));
        }
        BARRIER();
        u32 sum_y = tile_y + LOCAL_INDEX / 9u;
        if (LOCAL_INDEX < 9u * ADM_TILE_ROWS && i32(sum_y) >= top && i32(sum_y) < bottom) {
            u64 total = u64(0);
            UNROLL for (u32 i = 0u; i < ADM_LANES; i++) {
                u32x2 part = work[i * ADM_SUM_PITCH + LOCAL_INDEX];
                total += u64(part.x) | u64(part.y) << 32;
            }
            ATOMIC_ADD_U64(row_sums,
                           2u * (row_base + (sum_y - core_y) * ADM_SUMS_PER_ROW + LOCAL_INDEX % 9u), total);
        }
    }
}
KERNEL_END
