/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* adm on the GPU, from samples to sums: the wavelet levels of both pictures, the decoupling of the
 * distorted bands into a restored and an additive component, contrast masking, and the cubes of the
 * visible magnitudes of both components and of the reference itself. Two kernels run one after the
 * other:
 *
 *   adm_0         level 0, and the low-pass bands of levels 0 and 1
 *   adm_coarse    levels 1, 2 and 3 side by side, each workgroup at one of them. The workgroups of
 *                 level 3 make for themselves what they split, the low-pass band of level 2.
 *
 * A thread takes some neighbouring columns of one row of the bands. It shares with the other
 * threads of its workgroup the samples to split, the masks around it, and the sums. The outermost
 * positions of a workgroup exist only for their masks.
 *
 * Every sum is kept for each row of the band, because the metric rounds rows before it adds them:
 * the host does that.
 *
 * The gain limit is a whole number in most models. The kernels for other limits (ADM_FRACTIONAL)
 * multiply by a double in integers, which is too much code to have in all of them.
 *
 * The kernels for several views (ADM_VIEWS) split and compare the bands once, and then repeat what
 * depends on the contrast sensitivity for each view. They take the weights from a table and leave
 * those of the parameters alone. A loop costs the usual single view registers, which is why they
 * are kernels of their own.
 *
 * The build defines ADM_COARSE and ADM_VIEWS, each 0 or 1. */
#include "feature/adm/adm_tile.h"
#include "gpu/prelude/target.h"

#define GROUP_W ADM_LANES
#define GROUP_H ADM_ROWS

#if ADM_COARSE
#define ADM_RUN 1
#define ONE_VIEW_BUFFERS IN(0, u32, approx_0) IN(1, u32x2, approx_1) OUT(2, u32, row_sums)
#define BUFFERS ONE_VIEW_BUFFERS VIEWS_BUFFER(3)
#define PARAMS ADM_COARSE_PARAMS
#else
#define ADM_RUN ADM_FINE_RUN
#define ONE_VIEW_BUFFERS                                                                           \
    IN(0, u32, ref) IN(1, u32, dist) OUT(2, u32, approx_0) OUT(3, u32x2, approx_1)                 \
    OUT(4, u32, row_sums)
#define BUFFERS ONE_VIEW_BUFFERS VIEWS_BUFFER(5)
#define PARAMS ADM_FINE_PARAMS
#endif
#if ADM_VIEWS
#define VIEWS_BUFFER(binding) IN(binding, u32, views)
#else
#define VIEWS_BUFFER(binding)
#endif

/* Shared memory. It holds in turn the values to split; the masks, followed at level 0 by the
 * low-pass band; and the sums: nine for each of 14 rows, and one more so that no two lanes use the
 * same bank. The sums take more room than anything else in adm_coarse: where shared memory is
 * small, pairs of its lanes first add theirs. */
#define ADM_SUM_PITCH 127u
#define ADM_SPLIT 34u
#if ADM_COARSE && LITTLE_SHARED
#define ADM_SUM_LANES (ADM_LANES / 2u)
#define ADM_WORK (ADM_SPLIT * ADM_SPLIT)
#else
#define ADM_SUM_LANES ADM_LANES
#define ADM_WORK (ADM_SUM_PITCH * ADM_LANES)
#endif
#define SHARED_ARRAYS SHARED(u32x2, work, ADM_WORK)

#include "gpu/prelude/prelude.h"

KERNEL_BEGIN

#include "feature/adm/adm_decouple.h"

DEVICE i32 low_16(u32 word)
{
    return i32(word << 16) >> 16;
}

DEVICE i32 high_16(u32 word)
{
    return i32(word) >> 16;
}

/* Chooses between two values. Both are evaluated: otherwise compilers choose between two addresses,
 * and the arrays can no longer stay in registers. */
DEVICE i32 pick(bool first, i32 a, i32 b)
{
    return first ? a : b;
}

/* ---- The split */

/* Reflects an index at the edges. The edge sample is repeated at the far end only. */
DEVICE u32 reflect(i32 i, i32 n)
{
    i = abs_i32(i);
    i = i >= n ? 2 * n - 1 - i : i;
    return u32(clamp_i32(i, 0, n - 1));
}

/* sum / 2^shift, rounded. */
DEVICE i64 round_shift(i64 sum, u32 shift)
{
    return (sum + i64(u64((1u << shift) >> 1))) >> shift;
}

/* The filters (db2, Q15) applied to four neighbours. */
DEVICE i32 low_pass(i32 a, i32 b, i32 c, i32 d, u32 shift)
{
    return i32(round_shift(i64(15826) * i64(a) + i64(27411) * i64(b) + i64(7345) * i64(c) -
                               i64(4240) * i64(d), shift));
}

DEVICE i32 high_pass(i32 a, i32 b, i32 c, i32 d, u32 shift)
{
    return i32(round_shift(i64(27411) * i64(c) - i64(4240) * i64(a) - i64(7345) * i64(b) -
                               i64(15826) * i64(d), shift));
}

#if ADM_COARSE

/* The values that a workgroup splits. Columns with odd numbers follow those with even ones, which
 * threads read at the same time. */
#define SPLIT_AT(row, column)                                                                      \
    work[(row) * ADM_SPLIT + ((column) & 1u) * (ADM_SPLIT / 2u) + ((column) >> 1)]

/* A value of the low-pass band of level 2, of both pictures. */
DEVICE u32x2 make_approx_2(u32 x, u32 y, u32 width_1, u32 height_1)
{
    i32 p[4], q[4]; /* samples of the reference and of the distorted picture */
    UNROLL for (i32 k = 0; k < 4; k++) {
        u32 column = reflect(2 * i32(x) - 1 + k, i32(width_1));
        u32x2 a = approx_1[reflect(2 * i32(y) - 1, i32(height_1)) * width_1 + column];
        u32x2 b = approx_1[reflect(2 * i32(y), i32(height_1)) * width_1 + column];
        u32x2 c = approx_1[reflect(2 * i32(y) + 1, i32(height_1)) * width_1 + column];
        u32x2 d = approx_1[reflect(2 * i32(y) + 2, i32(height_1)) * width_1 + column];
        p[k] = low_pass(i32(a.x), i32(b.x), i32(c.x), i32(d.x), 16u);
        q[k] = low_pass(i32(a.y), i32(b.y), i32(c.y), i32(d.y), 16u);
    }
    return U32X2(u32(low_pass(p[0], p[1], p[2], p[3], 16u)),
                 u32(low_pass(q[0], q[1], q[2], q[3], 16u)));
}

/* The value at row y and column x of the plane that a level splits, of both pictures. */
DEVICE u32x2 split_input(u32 level, u32 x, u32 y, u32 in_w)
{
    if (level == 1u) {
        u32 both = approx_0[y * in_w + x];
        return U32X2(u32(low_16(both)), u32(high_16(both)));
    }
    if (level == 2u)
        return approx_1[y * in_w + x];
    return make_approx_2(x, y, (in_width + 1u) / 2u, (in_height + 1u) / 2u);
}

/* Computes bands H, V and D of one picture at this thread's position. */
#define SPLIT(picture, bands)                                                                      \
    do {                                                                                           \
        i32 l_[4], h_[4];                                                                          \
        UNROLL for (u32 k_ = 0u; k_ < 4u; k_++)                                                    \
        {                                                                                          \
            u32 column_ = 2u * lane + k_;                                                          \
            i32 a_ = i32(SPLIT_AT(2u * row, column_).picture);                                     \
            i32 b_ = i32(SPLIT_AT(2u * row + 1u, column_).picture);                                \
            i32 c_ = i32(SPLIT_AT(2u * row + 2u, column_).picture);                                \
            i32 d_ = i32(SPLIT_AT(2u * row + 3u, column_).picture);                                \
            l_[k_] = low_pass(a_, b_, c_, d_, column_shift);                                       \
            h_[k_] = high_pass(a_, b_, c_, d_, column_shift);                                      \
        }                                                                                          \
        bands[0] = low_pass(h_[0], h_[1], h_[2], h_[3], row_shift);                                \
        bands[1] = high_pass(l_[0], l_[1], l_[2], l_[3], row_shift);                               \
        bands[2] = high_pass(h_[0], h_[1], h_[2], h_[3], row_shift);                               \
    } while (false)

#else

#if HBD
#define ADM_DEPTH depth
#else
#define ADM_DEPTH 8u
#endif
#define ADM_HALF (1u << (ADM_DEPTH - 1u))

/* The taps of both filters for row i of four. Sums may wrap in 32 bits: the final values fit. */
#define LOW_TAP(i) ((i) == 0 ? 15826 : (i) == 1 ? 27411 : (i) == 2 ? 7345 : -4240)
#define HIGH_TAP(i) ((i) == 0 ? -4240 : (i) == 1 ? -7345 : (i) == 2 ? 27411 : -15826)

DEVICE i32 low_band(i32 a, i32 b, i32 c, i32 d)
{
    return i32(15826u * u32(a) + 27411u * u32(b) + 7345u * u32(c) - 4240u * u32(d) + 32768u) >> 16;
}

DEVICE i32 high_band(i32 a, i32 b, i32 c, i32 d)
{
    return i32(27411u * u32(c) - 4240u * u32(a) - 7345u * u32(b) - 15826u * u32(d) + 32768u) >> 16;
}

/* Words that hold a row of the thread's columns. The first sample of the first word is not needed,
 * because the columns start at an odd one. */
#define ADM_SPAN (2 * ADM_RUN + 2)
#define ADM_WORDS ((ADM_SPAN + 1u + SAMPLES_PER_WORD - 1u) / SAMPLES_PER_WORD)

/* Sets the values beyond the edges: the taps of the first band column reach beyond the left edge,
 * those of the last one beyond the right. */
#define SET_EDGES(values)                                                                          \
    if (at_edge) {                                                                                 \
        UNROLL for (i32 k_ = 1; k_ < ADM_SPAN; k_++)                                               \
            values[k_] = pick(2 * x - 1 + k_ == i32(in_width), values[k_ - 1], values[k_]);        \
        UNROLL for (i32 k_ = 3; k_ < ADM_SPAN; k_++)                                               \
            values[k_] = pick(2 * x - 2 + k_ == i32(in_width), values[k_ - 3], values[k_]);        \
        values[2] = pick(x < 0, values[4], values[2]);                                             \
    }

/* Computes the thread's columns of band A, and of bands H, V and D in threes. The sum of a low-pass
 * column starts with its rounding, minus the middle of the sample range times the sum of the
 * taps. */
#define SPLIT(picture, bands)                                                                      \
    do {                                                                                           \
        u32 low_[ADM_SPAN], high_[ADM_SPAN];                                                       \
        UNROLL for (u32 k_ = 0u; k_ < ADM_SPAN; k_++)                                              \
        {                                                                                          \
            low_[k_] = ADM_HALF - 46342u * ADM_HALF;                                               \
            high_[k_] = ADM_HALF;                                                                  \
        }                                                                                          \
        UNROLL for (i32 tap_ = 0; tap_ < 4; tap_++)                                                \
        {                                                                                          \
            u32 row_ = reflect(2 * y - 1 + tap_, i32(in_height)) * in_stride;                      \
            u32 word_[ADM_WORDS];                                                                  \
            UNROLL for (u32 i_ = 0u; i_ < ADM_WORDS; i_++)                                         \
                word_[i_] = picture[row_ + offset[i_]];                                            \
            UNROLL for (u32 k_ = 0u; k_ < ADM_SPAN; k_++)                                          \
            {                                                                                      \
                u32 v_ = sample_of(word_[(k_ + 1u) / SAMPLES_PER_WORD], k_ + 1u);                  \
                low_[k_] += u32(LOW_TAP(tap_)) * v_;                                               \
                high_[k_] += u32(HIGH_TAP(tap_)) * v_;                                             \
            }                                                                                      \
        }                                                                                          \
        i32 l_[ADM_SPAN], h_[ADM_SPAN];                                                            \
        UNROLL for (u32 k_ = 0u; k_ < ADM_SPAN; k_++)                                              \
        {                                                                                          \
            l_[k_] = i32(low_[k_]) >> ADM_DEPTH;                                                   \
            h_[k_] = i32(high_[k_]) >> ADM_DEPTH;                                                  \
        }                                                                                          \
        SET_EDGES(l_)                                                                              \
        SET_EDGES(h_)                                                                              \
        UNROLL for (u32 j_ = 0u; j_ < ADM_RUN; j_++)                                               \
        {                                                                                          \
            u32 i_ = 2u * j_;                                                                      \
            bands##_low[j_] = low_band(l_[i_], l_[i_ + 1u], l_[i_ + 2u], l_[i_ + 3u]);             \
            bands[3u * j_] = low_band(h_[i_], h_[i_ + 1u], h_[i_ + 2u], h_[i_ + 3u]);              \
            bands[3u * j_ + 1u] = high_band(l_[i_], l_[i_ + 1u], l_[i_ + 2u], l_[i_ + 3u]);        \
            bands[3u * j_ + 2u] = high_band(h_[i_], h_[i_ + 1u], h_[i_ + 2u], h_[i_ + 3u]);        \
        }                                                                                          \
    } while (false)

/* The workgroup's piece of the low-pass band in shared memory: after the masks, two columns in one
 * element. */
#define APPROX_AT(row, pair)                                                                       \
    work[ADM_ROWS * ADM_RUN * ADM_LANES + (row) * (ADM_RUN / 2u) * ADM_LANES + (pair)]

/* Splits the low-pass band again, for level 2: one value of level 1 for each four of level 0. */
DEVICE void store_approx_1(u32 tile_x, u32 tile_y, u32 width, u32 height)
{
    u32 columns = ADM_TILE_COLUMNS(ADM_RUN) / 2u;
    u32 x = tile_x / 2u + LOCAL_INDEX % columns, y = tile_y / 2u + LOCAL_INDEX / columns;
    if (LOCAL_INDEX >= columns * (ADM_TILE_ROWS / 2u) || x >= (width + 1u) / 2u ||
        y >= (height + 1u) / 2u)
        return;
    i32 p[4], q[4]; /* samples of the reference and of the distorted picture */
    UNROLL for (i32 k = 0; k < 4; k++) {
        u32 column = reflect(2 * i32(x) - 1 + k, i32(width)) + 1u - tile_x, r = 0u, d = 0u;
        UNROLL for (i32 i = 0; i < 4; i++) {
            u32 row = reflect(2 * i32(y) - 1 + i, i32(height)) + 1u - tile_y;
            u32x2 pair = APPROX_AT(row, column / 2u);
            u32 both = (column & 1u) != 0u ? pair.y : pair.x;
            r += u32(LOW_TAP(i)) * u32(low_16(both));
            d += u32(LOW_TAP(i)) * u32(high_16(both));
        }
        p[k] = i32(r);
        q[k] = i32(d);
    }
    approx_1[y * ((width + 1u) / 2u) + x] = U32X2(u32(low_pass(p[0], p[1], p[2], p[3], 15u)),
                                                 u32(low_pass(q[0], q[1], q[2], q[3], 15u)));
}

#endif

/* ---- Energies */

#if ADM_COARSE

DEVICE u64 plain_cube(i32 o, u32 square_shift, u32 cube_shift)
{
    u32 m = u32(abs_i32(o));
    u32 square = u32((u64(m) * u64(m) + (u64(1) << square_shift)) >> square_shift);
    return u64(round_shift(i64(u64(square) * u64(m)), cube_shift));
}

DEVICE i32 weigh(u32 weight, i32 x)
{
    u64 product = u64(weight) * u64(i64(x)) + u64(1u << 27);
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

DEVICE u64 visible_cube(u32 band, i32 weighed, i32 threshold, u32 cube_shift)
{
    i32 y = max_i32(i32(u32(abs_i32(weighed)) - u32(threshold)), 0);
    i32 z = i32(u32((u64(u32(y)) * u64(u32(y)) + u64(1u << 29)) >> 30));
    return u64(round_shift(mul_wide_i32(z, y), cube_shift));
}

#define ADM_KEPT 2u
#define KEEP(at, restored, added)                                                                  \
    do {                                                                                           \
        kept[2u * (at)] = u32(restored);                                                           \
        kept[2u * (at) + 1u] = u32(added);                                                         \
    } while (false)
#define KEPT_RESTORED(at) i32(kept[2u * (at)])
#define KEPT_ADDED(at) i32(kept[2u * (at) + 1u])
#define PLAIN_CUBE(o) plain_cube(o, square_shift, plain_cube_shift)
#define CUBE_SHIFT(band) cube_shift

#else

DEVICE u64 plain_cube(i32 o)
{
    u32 m = u32(abs_i32(o));
    return u64(m * m) * u64(m);
}

/* weigh() gives a coefficient as the energies use it, seen() as the masks use it: in 16 bits that
 * wrap. */
DEVICE i32 weigh(u32 weight, i32 x)
{
    return i32(weight * u32(x));
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

DEVICE u64 visible_cube(u32 band, i32 weighed, i32 threshold, u32 cube_shift)
{
    i32 y = i32(u32(abs_i32(weighed)) - (u32(threshold) << (band < 2u ? 10u : 12u)));
    y = max_i32(y, 0);
    u64 square = u64(u32(y)) * u64(u32(y)) + (band < 2u ? u64(1u << 28) : u64(1u << 29));
    i32 z = i32(u32(square >> (band < 2u ? 29u : 30u)));
    return u64(round_shift(mul_wide_i32(z, y), cube_shift));
}

#define ADM_KEPT 1u
#define KEEP(at, restored, added) kept[at] = (u32(restored) & 0xffffu) | u32(added) << 16
#define KEPT_RESTORED(at) low_16(kept[at])
#define KEPT_ADDED(at) high_16(kept[at])
#define PLAIN_CUBE(o) plain_cube(o)
#define CUBE_SHIFT(band) ((band) < 2u ? cube_shift_hv : cube_shift_d)

#endif
#if ADM_VIEWS
#define WEIGHT(band) ((band) < 2u ? view_hv : view_d)
#else
#define WEIGHT(band) ((band) < 2u ? weight_hv : weight_d)
#endif

/* The masks at a position; `column` is one of a thread's columns. */
#define MASK(row, column, lane) work[((row) * ADM_RUN + (column)) * ADM_LANES + (lane)]

/* Sum i of the thread's row that `lane` adds. */
#define SUM_AT(lane, i) work[(lane) * ADM_SUM_PITCH + (row - 1u) * 9u + (i)]

/* The loop over views, the place of a view's weights in the table, and the number of its first
 * sum. */
#if ADM_VIEWS
#define EACH_VIEW for (u32 view = 0u; view < views[ADM_VIEWS_COUNT]; view++)
#define FIRST_VIEW view == 0u
#define VIEW_WEIGHTS (ADM_VIEWS_WEIGHTS + view * ADM_VIEW_WORDS + 2u * ADM_LEVEL)
#define VIEW_BASE view * views[ADM_VIEWS_SUMS]
#else
#define EACH_VIEW
#define FIRST_VIEW true
#define VIEW_BASE 0u
#endif
#if ADM_COARSE
#define ADM_LEVEL level
#else
#define ADM_LEVEL 0u
#endif

KERNEL_MAIN
{
    u32 lane = LOCAL_X, row = LOCAL_Y;
    i32 o[3 * ADM_RUN], t[3 * ADM_RUN];

    /* The tile of the workgroup, and the range of it that lies in the core. */
#if ADM_COARSE
    u32 level = GROUP_X < first_of_2 ? 3u : GROUP_X < first_of_1 ? 2u : 1u;
#define OF_LEVEL(name) (level == 1u ? name##_1 : level == 2u ? name##_2 : name##_3)
    u32 core_x = OF_LEVEL(core_x), core_y = OF_LEVEL(core_y), row_base = OF_LEVEL(row_base);
#if !ADM_VIEWS
    u32 weight_hv = OF_LEVEL(weight_hv), weight_d = OF_LEVEL(weight_d);
#endif
    u32 cube_shift = OF_LEVEL(cube_shift), plain_cube_shift = OF_LEVEL(plain_cube_shift);
    u32 square_shift = level == 2u ? 30u : 31u;
    u32 column_shift = level == 1u ? 0u : 16u, row_shift = level == 2u ? 16u : 15u;
    u32 width = (in_width + 1u) / 2u, height = (in_height + 1u) / 2u;
    u32 in_w = in_width, in_h = in_height;
    for (u32 i = 1u; i < level; i++) {
        in_w = width;
        in_h = height;
        width = (width + 1u) / 2u;
        height = (height + 1u) / 2u;
    }
    u32 group = GROUP_X - (level == 3u ? 0u : level == 2u ? first_of_2 : first_of_1);
    u32 groups_x = (width - 2u * core_x + ADM_TILE_COLUMNS(1u) - 1u) / ADM_TILE_COLUMNS(1u);
    u32 tile_x = core_x + group % groups_x * ADM_TILE_COLUMNS(1u);
    u32 tile_y = core_y + group / groups_x * ADM_TILE_ROWS;
    i32 left = i32(tile_x), right = i32(min_u32(tile_x + ADM_TILE_COLUMNS(1u), width - core_x));
    i32 top = i32(tile_y), bottom = i32(min_u32(tile_y + ADM_TILE_ROWS, height - core_y));
    bool in_core = true;
#else
    u32 width = (in_width + 1u) / 2u, height = (in_height + 1u) / 2u;
    u32 tile_x = GROUP_X * ADM_TILE_COLUMNS(ADM_RUN), tile_y = GROUP_Y * ADM_TILE_ROWS;
    i32 end_x = i32(min_u32(tile_x + ADM_TILE_COLUMNS(ADM_RUN), width));
    i32 end_y = i32(min_u32(tile_y + ADM_TILE_ROWS, height));
    i32 left = i32(max_u32(tile_x, core_x)), right = min_i32(end_x, i32(width - core_x));
    i32 top = i32(max_u32(tile_y, core_y)), bottom = min_i32(end_y, i32(height - core_y));
    bool in_core = left < right && top < bottom;
#endif
    i32 x = i32(tile_x + lane * ADM_RUN) - 1, y = i32(tile_y + row) - 1;
    bool row_counts = y >= top && y < bottom;

#if ADM_COARSE
    for (u32 i = LOCAL_INDEX; i < ADM_SPLIT * ADM_SPLIT; i += GROUP_SIZE) {
        u32 r = i / ADM_SPLIT, c = i % ADM_SPLIT;
        SPLIT_AT(r, c) = split_input(level, reflect(i32(2u * tile_x + c) - 3, i32(in_w)),
                                     reflect(i32(2u * tile_y + r) - 3, i32(in_h)), in_w);
    }
    BARRIER();
    SPLIT(x, o);
    SPLIT(y, t);
    BARRIER();
#else
    u32 offset[ADM_WORDS];
    bool at_edge = x < 0 || 2 * x + ADM_SPAN - 1 > i32(in_width);
    UNROLL for (u32 i = 0u; i < ADM_WORDS; i++)
        offset[i] = u32(clamp_i32((2 * x - 2) / i32(SAMPLES_PER_WORD) + i32(i), 0,
                                  i32(in_stride) - 1));
    i32 o_low[ADM_RUN], t_low[ADM_RUN];
    SPLIT(ref, o);
    SPLIT(dist, t);
    u32 low[ADM_RUN];
    UNROLL for (i32 j = 0; j < ADM_RUN; j++) {
        low[j] = (u32(o_low[j]) & 0xffffu) | u32(t_low[j]) << 16;
        if (x + j >= i32(tile_x) && x + j < end_x && y >= i32(tile_y) && y < end_y)
            approx_0[u32(y) * width + u32(x + j)] = low[j];
    }
    UNROLL for (u32 j = 0u; j < ADM_RUN; j += 2u)
        APPROX_AT(row, (lane * ADM_RUN + j) / 2u) = U32X2(low[j], low[j + 1u]);
#endif

    /* The components of the thread's coefficients, and the sums of plain cubes. */
    u32 kept[3u * ADM_KEPT * ADM_RUN];
    u64 plain[3];
    if (in_core) {
        u32 same_way = 0u, doubts = 0u;
        UNROLL for (u32 j = 0u; j < ADM_RUN; j++) {
            u32 answer = nearly_aligned(o[3u * j], o[3u * j + 1u], t[3u * j], t[3u * j + 1u]);
            same_way |= (answer & 1u) << j;
            doubts |= (answer >> 1) << j;
        }
        while (doubts != 0u) {
            u32 j = top_bit_u32(doubts);
            doubts ^= 1u << j;
            i32 oh = o[0], ov = o[1], th = t[0], tv = t[1];
            UNROLL for (u32 i = 1u; i < ADM_RUN; i++) {
                oh = pick(i == j, o[3u * i], oh);
                ov = pick(i == j, o[3u * i + 1u], ov);
                th = pick(i == j, t[3u * i], th);
                tv = pick(i == j, t[3u * i + 1u], tv);
            }
            same_way &= ~(1u << j);
            same_way |= aligned(oh, ov, th, tv) ? 1u << j : 0u;
        }

        plain[0] = plain[1] = plain[2] = u64(0);
        UNROLL for (u32 j = 0u; j < ADM_RUN; j++) {
            bool counts = row_counts && x + i32(j) >= left && x + i32(j) < right;
            UNROLL for (u32 band = 0u; band < 3u; band++) {
                i32 original = o[3u * j + band], distorted = t[3u * j + band];
                i32 restored = restore(original, distorted, ((same_way >> j) & 1u) != 0u);
                KEEP(3u * j + band, restored, distorted - restored);
                plain[band] += counts ? PLAIN_CUBE(original) : u64(0);
            }
        }
    }

    EACH_VIEW {
#if ADM_VIEWS
        u32 view_hv = views[VIEW_WEIGHTS], view_d = views[VIEW_WEIGHTS + 1u];
#endif
        u64 sum[9];
        i32 under_added[ADM_RUN], under_restored[ADM_RUN]; /* thresholds */
        if (in_core) {
            UNROLL for (u32 band = 0u; band < 3u; band++) {
                sum[ADM_NUM + band] = sum[ADM_AIM + band] = u64(0);
                sum[ADM_DEN + band] = plain[band];
            }
            UNROLL for (u32 j = 0u; j < ADM_RUN; j++) {
                i32 near_added = 0, near_restored = 0;
                under_added[j] = under_restored[j] = 0;
                UNROLL for (u32 band = 0u; band < 3u; band++) {
                    u32 size = seen(band, weigh(WEIGHT(band), KEPT_RESTORED(3u * j + band)));
                    near_restored += as_neighbour(size);
                    under_restored[j] += as_centre(size);
                    size = seen(band, weigh(WEIGHT(band), KEPT_ADDED(3u * j + band)));
                    near_added += as_neighbour(size);
                    under_added[j] += as_centre(size);
                }
                MASK(row, j, lane) = U32X2(u32(near_added), u32(near_restored));
            }
        }
        BARRIER();
#if !ADM_COARSE
        if (FIRST_VIEW)
            store_approx_1(tile_x, tile_y, width, height);
#endif

        if (in_core) {
            if (row_counts) {
                /* The row below the last is the last itself; the row above the first is the
                 * second. */
                u32 below = y + 1 == i32(height) ? row : row + 1u;
                u32 above = y == 0 ? below : row - 1u;
                u32 before = max_u32(lane, 1u) - 1u, after = min_u32(lane + 1u, ADM_LANES - 1u);
                /* Sums over the rows above and below (two_…) and over all three rows (three_…), of
                 * the thread's columns and of one column on either side. */
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
                        /* Columns are mirrored in the same way. */
                        bool last = column + 1 == i32(width), first = column == 0;
                        i32 after_it = pick(last, three_added[j + 1u], three_added[j + 2u]);
                        i32 before_it = pick(first, after_it, three_added[j]);
                        i32 mask_added = under_added[j] + two_added[j + 1u] + before_it + after_it;
                        after_it = pick(last, three_restored[j + 1u], three_restored[j + 2u]);
                        before_it = pick(first, after_it, three_restored[j]);
                        i32 mask_restored =
                            under_restored[j] + two_restored[j + 1u] + before_it + after_it;
                        UNROLL for (u32 band = 0u; band < 3u; band++) {
                            i32 restored = weigh(WEIGHT(band), KEPT_RESTORED(3u * j + band));
                            i32 added = weigh(WEIGHT(band), KEPT_ADDED(3u * j + band));
                            sum[ADM_NUM + band] +=
                                visible_cube(band, restored, mask_added, CUBE_SHIFT(band));
                            sum[ADM_AIM + band] +=
                                visible_cube(band, added, mask_restored, CUBE_SHIFT(band));
                        }
                    }
                }
            }
            BARRIER();

            bool has_sums = row > 0u && row <= ADM_TILE_ROWS;
#if ADM_COARSE && LITTLE_SHARED
            if (has_sums && lane >= ADM_SUM_LANES) {
                UNROLL for (u32 i = 0u; i < 9u; i++)
                    SUM_AT(lane - ADM_SUM_LANES, i) = U32X2(u32(sum[i]), u32(sum[i] >> 32));
            }
            BARRIER();
            if (has_sums && lane < ADM_SUM_LANES) {
                UNROLL for (u32 i = 0u; i < 9u; i++)
                    sum[i] += u64(SUM_AT(lane, i).x) | u64(SUM_AT(lane, i).y) << 32;
            }
#endif
            if (has_sums && lane < ADM_SUM_LANES) {
                UNROLL for (u32 i = 0u; i < 9u; i++)
                    SUM_AT(lane, i) = U32X2(u32(sum[i]), u32(sum[i] >> 32));
            }
            BARRIER();
            u32 sum_y = tile_y + LOCAL_INDEX / 9u;
            if (LOCAL_INDEX < 9u * ADM_TILE_ROWS && i32(sum_y) >= top && i32(sum_y) < bottom) {
                u64 total = u64(0);
                UNROLL for (u32 i = 0u; i < ADM_SUM_LANES; i++) {
                    u32x2 part = work[i * ADM_SUM_PITCH + LOCAL_INDEX];
                    total += u64(part.x) | u64(part.y) << 32;
                }
                u32 at = VIEW_BASE + row_base + (sum_y - core_y) * ADM_SUMS_PER_ROW + LOCAL_INDEX % 9u;
                ATOMIC_ADD_U64(row_sums, 2u * at, total);
            }
        }
#if ADM_VIEWS
        BARRIER(); /* the next view's masks are where the sums are */
#endif
    }
}
KERNEL_END
