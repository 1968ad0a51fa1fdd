/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernels of xpsnr. */

#if defined(KERNEL_xpsnr_sums)
/* Everything that a frame needs, in one pass: activity and squared errors of a block of luma, and
 * squared errors of the chroma at the same place. A workgroup takes a band of a block: at most
 * XPSNR_BAND_ROWS rows. A thread takes chunks of 4x4 samples of luma, whose words it reads with
 * those of a border, and single words of chroma. With LARGE the activity is measured at half the
 * resolution. Samples of 16 bits count as signed numbers in activities. */
#include "feature/xpsnr/xpsnr_tile.h"
#define BUFFERS                                                                                    \
    IN(0, u32, ref_0) IN(1, u32, dist_0) IN(2, u32, before_1) IN(3, u32, before_2)                 \
    IN(4, u32, ref_1) IN(5, u32, dist_1) IN(6, u32, ref_2) IN(7, u32, dist_2) OUT(8, u64, sums)
#define PARAMS XPSNR_SUMS_PARAMS
#define GROUP_W XPSNR_GROUP_W
/* First the sums of the threads, then those of XPSNR_LANES groups of threads. */
#define SHARED_ARRAYS                                                                              \
    SHARED(u32, activity, XPSNR_SUM_SQUARES * XPSNR_GROUP_W)                                       \
    SHARED(SQUARES, squares, 3 * XPSNR_GROUP_W) SHARED(u64, part, XPSNR_SUMS * XPSNR_LANES)
/* A squared difference fits 32 bits at every depth; at 8 bits the sum of a thread does. */
#if HBD
#define SQUARES u64
#else
#define SQUARES u32
#endif
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN

#ifdef LARGE
#define BORDER 2 /* columns and rows around a chunk */
#else
#define BORDER 1
#endif
#define SPAN (XPSNR_CHUNK + 2 * BORDER)
#define WORDS (XPSNR_CHUNK / SAMPLES_PER_WORD + 2u) /* words of a row of a chunk with its border */

/* The sums of a thread. */
struct Sums {
    u32 spatial, now, change_1, change_2; /* `now` stands for a change from a frame of zeros */
    SQUARES luma, cb, cr;
};

/* A sample as a number of an activity. */
DEVICE i32 number_of(u32 word, u32 i)
{
#if HBD
    return i32(sample_of(word, i) ^ 0x8000u) - 0x8000;
#else
    return i32(sample_of(word, i));
#endif
}

DEVICE u32 square(u32 a, u32 b)
{
    u32 d = a - b;
    return d * d;
}

/* Chooses between two values. Both are evaluated: otherwise compilers choose between two addresses,
 * and the arrays can no longer stay in registers. */
DEVICE i32 pick(bool first, i32 a, i32 b)
{
    return first ? a : b;
}

/* The magnitude of a value; 0 if its position does not count. */
DEVICE u32 size_of(i32 value, bool counts)
{
    return counts ? u32(abs_i32(value)) : 0u;
}

/* Column k of a row that begins at `row`, counted from the first column of a chunk's border. */
#define COLUMN_WORD(k) word[(SAMPLES_PER_WORD - u32(BORDER) + (k)) / SAMPLES_PER_WORD]
#define COLUMN_LANE(k) ((SAMPLES_PER_WORD - u32(BORDER) + (k)) % SAMPLES_PER_WORD)
#define COLUMN(plane, k) number_of(plane[row + COLUMN_WORD(k)], COLUMN_LANE(k))

#ifdef LARGE
/* The high-pass of one row of the 6x6 samples around a position. The columns are added in pairs
 * that have equal weights, from the outer pair to the inner one. */
DEVICE i32 high_pass(i32 which, i32 outer, i32 middle, i32 inner)
{
    i32 most = outer + 3 * middle - 12 * inner; /* rows 2 and 3 */
    i32 some = outer + 2 * middle + 3 * inner;  /* rows 1 and 4 */
    i32 least = middle + inner;                 /* rows 0 and 5 */
    return which == 0 || which == 5 ? least : which == 1 || which == 4 ? some : most;
}
#endif

/* Adds a chunk of luma, whose first sample is at (x, y). Columns and rows outside of the picture
 * stand for those at its edge; the large high-pass uses one of them. */
DEVICE void add_chunk(INOUT(Sums) all, u32 x, u32 y)
{
    u32 word[WORDS];
    UNROLL for (u32 k = 0u; k < WORDS; k++)
        word[k] = u32(clamp_i32(i32(x / SAMPLES_PER_WORD + k) - 1, 0, i32(stride_0) - 1));
    i32 column = i32(x), at_row = i32(y), w = i32(width_0), h = i32(height_0);
#ifdef LARGE
    i32 filtered[4], cell[6];
    UNROLL for (u32 k = 0u; k < 4u; k++)
        filtered[k] = 0;
    UNROLL for (u32 k = 0u; k < 6u; k++)
        cell[k] = 0;
#else
    i32 filtered[XPSNR_CHUNK * XPSNR_CHUNK];
    UNROLL for (u32 k = 0u; k < XPSNR_CHUNK * XPSNR_CHUNK; k++)
        filtered[k] = 0;
#endif
    UNROLL for (i32 i = 0; i < SPAN; i++) {
        u32 row = u32(clamp_i32(at_row - BORDER + i, 0, h - 1)) * stride_0;
        bool is_inner = i >= BORDER && i < BORDER + XPSNR_CHUNK;
        bool is_inside = at_row - BORDER + i < h;
        i32 v[SPAN];
        UNROLL for (u32 k = 0u; k < SPAN; k++)
            v[k] = COLUMN(ref_0, k);
        i32 back_1[XPSNR_CHUNK], back_2[XPSNR_CHUNK];
        UNROLL for (u32 k = 0u; k < XPSNR_CHUNK; k++) {
            back_1[k] = 0;
            back_2[k] = 0;
            if (is_inner) {
                back_1[k] = COLUMN(before_1, k + u32(BORDER));
                back_2[k] = COLUMN(before_2, k + u32(BORDER));
                u32 at = row + COLUMN_WORD(k + u32(BORDER)), lane = COLUMN_LANE(k + u32(BORDER));
                u32 error = square(sample_of(ref_0[at], lane), sample_of(dist_0[at], lane));
                all.luma += SQUARES(is_inside && x + k < width_0 ? error : 0u);
            }
        }
#ifdef LARGE
        UNROLL for (i32 k = 1; k < SPAN; k++)
            v[k] = pick(column - BORDER + k == w, v[k - 1], v[k]);
        UNROLL for (i32 k = 1; k < XPSNR_CHUNK; k++) {
            back_1[k] = pick(column + k == w, back_1[k - 1], back_1[k]);
            back_2[k] = pick(column + k == w, back_2[k - 1], back_2[k]);
        }
        UNROLL for (i32 c = 0; c < 2; c++) {
            i32 outer = v[2 * c] + v[2 * c + 5], middle = v[2 * c + 1] + v[2 * c + 4];
            i32 inner = v[2 * c + 2] + v[2 * c + 3];
            UNROLL for (i32 r = 0; r < 2; r++) {
                if (i >= 2 * r && i < 2 * r + 6)
                    filtered[2 * r + c] += high_pass(i - 2 * r, outer, middle, inner);
            }
            if (is_inner) {
                i32 now = inner;
                i32 old = back_1[2 * c] + back_1[2 * c + 1];
                i32 oldest = back_2[2 * c] + back_2[2 * c + 1];
                cell[c] += now;
                cell[2 + c] += now - i32(order) * old;
                cell[4 + c] += now - i32(order) * old + oldest;
                if ((i - BORDER) % 2 == 1) {
                    bool counts = column + 2 * c < w && at_row - BORDER + i - 1 < h;
                    all.now += size_of(cell[c], counts);
                    all.change_1 += size_of(cell[2 + c], counts);
                    all.change_2 += size_of(cell[4 + c], counts);
                    cell[c] = 0;
                    cell[2 + c] = 0;
                    cell[4 + c] = 0;
                }
            }
        }
#else
        UNROLL for (i32 c = 0; c < XPSNR_CHUNK; c++) {
            i32 sides = v[c] + v[c + 2], centre = v[c + 1];
            UNROLL for (i32 r = 0; r < XPSNR_CHUNK; r++) {
                if (i == r || i == r + 2)
                    filtered[r * XPSNR_CHUNK + c] -= sides + 2 * centre;
                else if (i == r + 1)
                    filtered[r * XPSNR_CHUNK + c] += 12 * centre - 2 * sides;
            }
            if (is_inner) {
                bool counts = is_inside && column + c < w;
                i32 change = centre - i32(order) * back_1[c];
                all.now += size_of(centre, counts);
                all.change_1 += size_of(change, counts);
                all.change_2 += size_of(change + back_2[c], counts);
            }
        }
#endif
    }
    /* The positions of the high-pass that are far enough from the edges of the picture. */
#ifdef LARGE
#define STEP 2
#else
#define STEP 1
#endif
    UNROLL for (i32 r = 0; r < XPSNR_CHUNK / STEP; r++) {
        UNROLL for (i32 c = 0; c < XPSNR_CHUNK / STEP; c++) {
            i32 px = column + STEP * c, py = at_row + STEP * r;
            bool counts = px >= BORDER && px + BORDER < w && py >= BORDER && py + BORDER < h;
            all.spatial += size_of(filtered[r * (XPSNR_CHUNK / STEP) + c], counts);
        }
    }
}

DEVICE void add_luma(INOUT(Sums) all)
{
    u32 x0 = GROUP_X * edge_0, x1 = min_u32(x0 + edge_0, width_0);
    u32 y0 = GROUP_Y * edge_y_0 + GROUP_Z * rows_0;
    u32 y1 = min_u32(min_u32(y0 + rows_0, (GROUP_Y + 1u) * edge_y_0), height_0);
    u32 chunks_x = (x1 - x0 + XPSNR_CHUNK - 1u) / XPSNR_CHUNK;
    u32 chunks_y = y0 < y1 ? (y1 - y0 + XPSNR_CHUNK - 1u) / XPSNR_CHUNK : 0u;
    for (u32 i = LOCAL_INDEX; i < chunks_x * chunks_y; i += GROUP_SIZE)
        add_chunk(all, x0 + i % chunks_x * XPSNR_CHUNK, y0 + i / chunks_x * XPSNR_CHUNK);
}

/* A word of chroma may belong to two blocks. */
DEVICE void add_chroma(INOUT(Sums) all)
{
    u32 x0 = GROUP_X * edge_1, x1 = min_u32(x0 + edge_1, width_1);
    u32 y0 = GROUP_Y * edge_y_1 + GROUP_Z * rows_1;
    u32 y1 = min_u32(min_u32(y0 + rows_1, (GROUP_Y + 1u) * edge_y_1), height_1);
    u32 first = x0 / SAMPLES_PER_WORD;
    u32 words_x = x0 < x1 ? (x1 - 1u) / SAMPLES_PER_WORD + 1u - first : 0u;
    u32 words = y0 < y1 ? words_x * (y1 - y0) : 0u;
    for (u32 i = LOCAL_INDEX; i < words; i += GROUP_SIZE) {
        u32 word = first + i % words_x, at = (y0 + i / words_x) * stride_1 + word;
        u32 a_1 = ref_1[at], b_1 = dist_1[at], a_2 = ref_2[at], b_2 = dist_2[at];
        UNROLL for (u32 k = 0u; k < SAMPLES_PER_WORD; k++) {
            u32 x = word * SAMPLES_PER_WORD + k;
            bool counts = x >= x0 && x < x1;
            u32 cb = square(sample_of(a_1, k), sample_of(b_1, k));
            u32 cr = square(sample_of(a_2, k), sample_of(b_2, k));
            all.cb += SQUARES(counts ? cb : 0u);
            all.cr += SQUARES(counts ? cr : 0u);
        }
    }
}

/* Puts the sums of the threads into shared memory. */
#define SHARE(array, number, value) array[u32(number) * GROUP_SIZE + LOCAL_INDEX] = value

/* The sum of every XPSNR_LANES-th thread, from `lane` on. */
DEVICE u64 sum_of_lane(u32 number, u32 lane)
{
    u64 sum = u64(0u);
    UNROLL for (u32 i = 0u; i < GROUP_SIZE / XPSNR_LANES; i++) {
        u32 thread = i * XPSNR_LANES + lane;
        if (number < XPSNR_SUM_SQUARES)
            sum += u64(activity[number * GROUP_SIZE + thread]);
        else
            sum += u64(squares[(number - XPSNR_SUM_SQUARES) * GROUP_SIZE + thread]);
    }
    return sum;
}

KERNEL_MAIN
{
    Sums all;
    all.spatial = 0u;
    all.now = 0u;
    all.change_1 = 0u;
    all.change_2 = 0u;
    all.luma = SQUARES(0u);
    all.cb = SQUARES(0u);
    all.cr = SQUARES(0u);
    add_luma(all);
    add_chroma(all);

    SHARE(activity, XPSNR_SUM_SPATIAL, all.spatial);
    SHARE(activity, XPSNR_SUM_TEMPORAL, all.now);
    SHARE(activity, XPSNR_SUM_TEMPORAL + 1, all.change_1);
    SHARE(activity, XPSNR_SUM_TEMPORAL + 2, all.change_2);
    SHARE(squares, 0, all.luma);
    SHARE(squares, 1, all.cb);
    SHARE(squares, 2, all.cr);
    BARRIER();
    if (LOCAL_INDEX < XPSNR_SUMS * XPSNR_LANES)
        part[LOCAL_INDEX] = sum_of_lane(LOCAL_INDEX % XPSNR_SUMS, LOCAL_INDEX / XPSNR_SUMS);
    BARRIER();
    if (LOCAL_INDEX < XPSNR_SUMS) {
        u64 sum = u64(0u);
        UNROLL for (u32 i = 0u; i < XPSNR_LANES; i++)
            sum += part[i * XPSNR_SUMS + LOCAL_INDEX];
        u32 group = (GROUP_Z * down + GROUP_Y) * across + GROUP_X;
        sums[group * XPSNR_SUMS + LOCAL_INDEX] = sum;
    }
}
KERNEL_END
#endif
