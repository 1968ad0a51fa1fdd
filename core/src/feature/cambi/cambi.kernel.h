/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernels of cambi. All is integers, but for one product per contrast. */
#include "feature/cambi/cambi_tile.h"

#if defined(KERNEL_cambi_range)
/* Counts samples that exceed the depth. */
#define BUFFERS IN(0, u32, plane) OUT(1, u32, result)
#define PARAMS CAMBI_RANGE_PARAMS
#define GROUP_W CAMBI_RANGE_GROUP_W
#define GROUP_H CAMBI_RANGE_GROUP_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
KERNEL_MAIN
{
    u32 word = GROUP_X * GROUP_W + LOCAL_X, y = GROUP_Y * GROUP_H + LOCAL_Y, x = 2u * word;
    if (x >= width || y >= height)
        return;
    u32 samples = plane[y * stride + word];
    if (x + 1u == width)
        samples &= 0xffffu;
    if (((samples & 0xffffu) >> bpc) != 0u || (samples >> (16u + bpc)) != 0u)
        ATOMIC_ADD(result, picture, 1u);
}
KERNEL_END
#endif

#if defined(KERNEL_cambi_prepare)
/* Samples to 10-bit codes and the mask of flat parts: those with enough flat samples in the 7x7 around.
 * With `halve` only every other sample of every other row is kept. */
#define BUFFERS IN(0, u32, plane) IN(1, u32, from) OUT(2, u32, out_words)
#define PARAMS CAMBI_PREPARE_PARAMS
#define PREPARE_W (2 * (CAMBI_TILE_W - 1) + 8)
#define PREPARE_H (2 * (CAMBI_TILE_H - 1) + 8)
#define SHARED_ARRAYS SHARED(u32, codes, PREPARE_W * PREPARE_H) SHARED(u32, flats, PREPARE_W * PREPARE_H) \
    SHARED(u32, sums, CAMBI_TILE_W * PREPARE_H)
#define GROUP_W CAMBI_TILE_W
#define GROUP_H CAMBI_TILE_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
/* A sample before smoothing; `from` has the source's columns, then its rows. */
DEVICE u32 raw_code(u32 x, u32 y)
{
    u32 from_x = resampled != 0u ? from[x] : x, from_y = resampled != 0u ? from[width + y] : y;
    u32 v = SAMPLE(plane, from_y * stride, from_x);
#if HBD
    return bpc <= 10u ? v << (10u - bpc) : (v + (1u << (bpc - 11u))) >> (bpc - 10u);
#else
    return v << 2;
#endif
}

/* Past the last column or row the sample itself stands in. */
DEVICE u32 code_at(u32 x, u32 y)
{
    u32 v = raw_code(x, y);
    if (smoothed == 0u)
        return v;
    u32 right = min_u32(x + 1u, width - 1u), below = min_u32(y + 1u, height - 1u);
    return (v + raw_code(right, y) + raw_code(x, below) + raw_code(right, below)) >> 2;
}

KERNEL_MAIN
{
    i32 left = i32((GROUP_X * CAMBI_TILE_W) << halve) - 3, top = i32((GROUP_Y * CAMBI_TILE_H) << halve) - 3;
    u32 tile_w = ((CAMBI_TILE_W - 1u) << halve) + 8u, tile_h = ((CAMBI_TILE_H - 1u) << halve) + 8u;
    for (u32 row = LOCAL_Y; row < tile_h; row += GROUP_H) {
        u32 y = u32(clamp_i32(top + i32(row), 0, i32(height) - 1));
        for (u32 column = LOCAL_X; column < tile_w; column += GROUP_W) {
            u32 x = u32(clamp_i32(left + i32(column), 0, i32(width) - 1));
            codes[row * tile_w + column] = code_at(x, y);
        }
    }
    BARRIER();
    for (u32 row = LOCAL_Y; row + 1u < tile_h; row += GROUP_H) {
        i32 y = top + i32(row);
        for (u32 column = LOCAL_X; column + 1u < tile_w; column += GROUP_W) {
            i32 x = left + i32(column);
            u32 at = row * tile_w + column;
            bool inside = x >= 0 && x < i32(width) && y >= 0 && y < i32(height);
            bool across = x == i32(width) - 1 || codes[at] == codes[at + 1u];
            bool down = y == i32(height) - 1 || codes[at] == codes[at + tile_w];
            flats[at] = inside && across && down ? 1u : 0u;
        }
    }
    BARRIER();
    for (u32 row = LOCAL_Y; row + 1u < tile_h; row += GROUP_H) {
        u32 at = row * tile_w + (LOCAL_X << halve), sum = 0u;
        for (u32 k = 0u; k < 7u; k++)
            sum += flats[at + k];
        sums[row * CAMBI_TILE_W + LOCAL_X] = sum;
    }
    BARRIER();
    u32 kept_w = (width + halve) >> halve, kept_h = (height + halve) >> halve;
    u32 x = GROUP_X * CAMBI_TILE_W + LOCAL_X, y = GROUP_Y * CAMBI_TILE_H + LOCAL_Y;
    if (x >= kept_w || y >= kept_h)
        return;
    u32 row = LOCAL_Y << halve, flat_count = 0u;
    for (u32 k = 0u; k < 7u; k++)
        flat_count += sums[(row + k) * CAMBI_TILE_W + LOCAL_X];
    u32 code = codes[(row + 3u) * tile_w + (LOCAL_X << halve) + 3u];
    out_words[y * kept_w + x] = code | (flat_count > needed ? CAMBI_FLAT_BIT : 0u);
}
KERNEL_END
#endif

#if defined(KERNEL_cambi_mode)
/* Takes every (1 << decimate)-th sample and filters codes: in rows, then in columns, the value that
 * occurs twice among three, else the least. Then notes for each sample how many from it on, up to the
 * tile's end, count alike. */
#define BUFFERS IN(0, u32, in_words) OUT(1, u32, out_words)
#define PARAMS CAMBI_MODE_PARAMS
#define SHARED_ARRAYS SHARED(u32, keys, CAMBI_TILE_W * CAMBI_TILE_H)
#define GROUP_W CAMBI_TILE_W
#define GROUP_H CAMBI_TILE_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
DEVICE u32 word_at(u32 x, u32 y)
{
    return in_words[(y << decimate) * in_width + (x << decimate)];
}

DEVICE u32 mode3(u32 a, u32 b, u32 c)
{
    u32 least = min_u32(min_u32(a, b), c);
    return a == b || a == c ? a : b == c ? b : least;
}

DEVICE u32 mode_across(u32 x, u32 y)
{
    u32 here = word_at(x, y) & CAMBI_CODE_MASK;
    if (x == 0u || x + 1u >= width)
        return here;
    return mode3(word_at(x - 1u, y) & CAMBI_CODE_MASK, here, word_at(x + 1u, y) & CAMBI_CODE_MASK);
}

KERNEL_MAIN
{
    u32 x = GROUP_X * CAMBI_TILE_W + LOCAL_X, y = GROUP_Y * CAMBI_TILE_H + LOCAL_Y;
    bool inside = x < width && y < height;
    u32 word = 0u, key = 0xfffeu;
    if (inside) {
        word = word_at(x, y) & (CAMBI_CODE_MASK | CAMBI_FLAT_BIT);
        if (y > 0u && y + 1u < height) {
            u32 code = mode3(mode_across(x, y - 1u), mode_across(x, y), mode_across(x, y + 1u));
            word = (word & CAMBI_FLAT_BIT) | code;
        }
        i32 code = i32(word & CAMBI_CODE_MASK);
        bool counts = (word & CAMBI_FLAT_BIT) != 0u && code >= low && code <= high;
        key = counts ? u32(code) : 0xffffu;
    }
    keys[LOCAL_INDEX] = key;
    BARRIER();
    if (!inside)
        return;
    u32 run = 1u;
    while (LOCAL_X + run < CAMBI_TILE_W && keys[LOCAL_INDEX + run] == key)
        run++;
    out_words[y * width + x] = word | (run << CAMBI_RUN_SHIFT);
}
KERNEL_END
#endif

#if defined(KERNEL_cambi_contrast)
/* A group slides a window down a strip of columns, a thread a column, with counters of each code in
 * shared memory, two to a word. Runs of equal codes are counted at once. */
#define BUFFERS IN(0, u32, words) IN(1, u32, table) OUT(2, u32, map)
#define PARAMS CAMBI_CONTRAST_PARAMS
#define CAMBI_LINE (CAMBI_STRIP_W + 2 * CAMBI_MAX_RADIUS)
#define SHARED_ARRAYS SHARED(u32, counts, CAMBI_COUNTS) SHARED(u32, enter, CAMBI_LINE) SHARED(u32, leave, CAMBI_LINE)
#define GROUP_W CAMBI_STRIP_W
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#define CAMBI_NO_KEY 0xffffu

/* What counts at sample x of row y, less the lowest code, and how many from it on count alike. */
DEVICE u32 run_at(i32 x, i32 y)
{
    if (y < 0 || y >= i32(height) || x >= i32(width))
        return CAMBI_NO_KEY | (u32(CAMBI_LINE) << CAMBI_RUN_SHIFT);
    if (x < 0)
        return CAMBI_NO_KEY | (u32(-x) << CAMBI_RUN_SHIFT);
    u32 word = words[u32(y) * width + u32(x)];
    i32 key = i32(word & CAMBI_CODE_MASK) - low;
    bool counted = (word & CAMBI_FLAT_BIT) != 0u && key >= 0 && key < code_count;
    return (word & 0xffff0000u) | (counted ? u32(key) : CAMBI_NO_KEY);
}

/* Whether the group has anything to do: most of most pictures is not flat. */
DEVICE bool any_counts(i32 left, i32 top, i32 end, bool works)
{
    u32 own = 0u;
    for (i32 y = top; works && own == 0u && y < end; y++)
        own = (run_at(left + i32(LOCAL_X), y) & 0xffffu) != CAMBI_NO_KEY ? 1u : 0u;
    enter[LOCAL_X] = own;
    BARRIER();
    u32 any = 0u;
    for (u32 i = 0u; i < GROUP_SIZE; i++)
        any |= enter[i];
    return any != 0u;
}

DEVICE void load_lines(i32 left, i32 enter_y, i32 leave_y)
{
    BARRIER();
    for (u32 i = LOCAL_X; i < columns + 2u * radius; i += GROUP_SIZE) {
        enter[i] = run_at(left - i32(radius) + i32(i), enter_y);
        leave[i] = run_at(left - i32(radius) + i32(i), leave_y);
    }
    BARRIER();
}

/* Adds the runs of this thread's window, `sign` times; returns how far it came. */
DEVICE u32 count_run(u32 run, u32 at, u32 sign)
{
    u32 key = run & 0xffffu;
    u32 length = min_u32(run >> CAMBI_RUN_SHIFT, LOCAL_X + 2u * radius + 1u - at);
    if (key != CAMBI_NO_KEY)
        counts[(key >> 1) * columns + LOCAL_X] += (length * sign) << ((key & 1u) * 16u);
    return at + length;
}

DEVICE u32 count_of(i32 key)
{
    if (key < 0 || key >= code_count)
        return 0u;
    return (counts[u32(key >> 1) * columns + LOCAL_X] >> ((u32(key) & 1u) * 16u)) & 0xffffu;
}

DEVICE f32 contrast_of(i32 key)
{
    f32 best = 0.0f;
    u32 own = count_of(key);
    for (u32 step = table[u32(CAMBI_FIRST_STEP + low + key)]; step <= steps; step++) {
        u32 other = max_u32(count_of(key + i32(step)), count_of(key - i32(step)));
        i32 product = i32(table[CAMBI_WEIGHT + step] * own * other);
        PRECISE f32 contrast = f32(product) * f32_of_bits(table[own + other]);
        best = max_f32(best, contrast);
    }
    return best;
}

KERNEL_MAIN
{
    i32 left = i32(GROUP_X * columns), reach = i32(radius);
    i32 top = i32(GROUP_Y * rows), end = min_i32(top + i32(rows), i32(height));
    bool works = LOCAL_X < columns && left + i32(LOCAL_X) < i32(width);
    u32 window_end = LOCAL_X + 2u * radius + 1u;
    if (!any_counts(left, top, end, works)) {
        for (i32 y = top; works && y < end; y++)
            map[u32(y) * width + u32(left) + LOCAL_X] = 0u;
        return;
    }
    for (u32 i = LOCAL_X; i < (u32(code_count + 1) >> 1) * columns; i += GROUP_SIZE)
        counts[i] = 0u;
    for (i32 y = top - 2 * reach; y < end; y++) {
        /* Rows that left before the first window was complete were never counted. */
        load_lines(left, y + reach, y > top ? y - reach - 1 : -1);
        for (u32 at = LOCAL_X; works && at < window_end;)
            at = count_run(enter[at], at, 1u);
        for (u32 at = LOCAL_X; works && at < window_end;)
            at = count_run(leave[at], at, 0xffffffffu);
        if (works && y >= top) {
            u32 at = u32(y) * width + u32(left) + LOCAL_X;
            u32 own = run_at(left + i32(LOCAL_X), y) & 0xffffu;
            f32 contrast = own == CAMBI_NO_KEY ? 0.0f : contrast_of(i32(own));
            map[at] = bits_of_f32(contrast);
        }
    }
}
KERNEL_END
#endif

#if defined(KERNEL_cambi_contrast_small)
/* The same for scales that the window reaches across. There the CPU also counts what lies beside the scale
 * in memory, where earlier scales left it: up to the radius, columns in every window of their row, rows in
 * every window. Such scales are few samples: each thread counts for one of them. */
#define BUFFERS                                                                                    \
    IN(0, u32, words0) IN(1, u32, words1) IN(2, u32, words2) IN(3, u32, words3)                    \
    IN(4, u32, words4) IN(5, u32, table) OUT(6, u32, map)
#define PARAMS CAMBI_SMALL_PARAMS
#define GROUP_W CAMBI_SMALL_W
#define GROUP_H CAMBI_SMALL_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#define CAMBI_NO_KEY (-1)

/* The code at a place in memory, less the lowest: that of the last scale which reached it. */
DEVICE i32 key_at(u32 x, u32 y)
{
    u32 w = stored_width, h = stored_height, pitch = w, from = 0u;
    for (u32 s = 1u; s <= scale; s++) {
        w = (w + 1u) >> 1;
        h = (h + 1u) >> 1;
        if (x < w && y < h) {
            pitch = w;
            from = s;
        }
    }
    u32 at = y * pitch + x, word;
    if (from == 0u)
        word = words0[at];
    else if (from == 1u)
        word = words1[at];
    else if (from == 2u)
        word = words2[at];
    else if (from == 3u)
        word = words3[at];
    else
        word = words4[at];
    i32 key = i32(word & CAMBI_CODE_MASK) - low;
    bool counted = (word & CAMBI_FLAT_BIT) != 0u && key >= 0 && key < code_count;
    return counted ? key : CAMBI_NO_KEY;
}

/* How many samples of the window have one key, and how many the other. */
DEVICE void count_row(u32 x, u32 y, i32 above, i32 below, INOUT(u32) higher, INOUT(u32) lower)
{
    u32 first = x > radius ? x - radius : 0u, end = min_u32(x + radius + 1u, width);
    u32 beside = max_u32(width, min_u32(radius, stored_width));
    for (u32 i = first; i < beside; i++) {
        if (i == end)
            i = width;
        if (i >= beside)
            break;
        i32 key = key_at(i, y);
        if (key == above)
            higher += 1u;
        if (key == below)
            lower += 1u;
    }
}

DEVICE void count_window(u32 x, u32 y, i32 above, i32 below, INOUT(u32) higher, INOUT(u32) lower)
{
    u32 first = y > radius ? y - radius : 0u, end = min_u32(y + radius + 1u, height);
    for (u32 i = first; i < end; i++)
        count_row(x, i, above, below, higher, lower);
    for (u32 i = height; i < min_u32(radius, stored_height); i++)
        count_row(x, i, above, below, higher, lower);
}

DEVICE f32 contrast_of(u32 x, u32 y, i32 key)
{
    f32 best = 0.0f;
    u32 own = 0u, unused = 0u;
    count_window(x, y, key, code_count, own, unused);
    for (u32 step = table[u32(CAMBI_FIRST_STEP + low + key)]; step <= steps; step++) {
        u32 higher = 0u, lower = 0u;
        i32 below = key - i32(step);
        count_window(x, y, key + i32(step), below < 0 ? code_count : below, higher, lower);
        u32 other = max_u32(higher, lower);
        i32 product = i32(table[CAMBI_WEIGHT + step] * own * other);
        PRECISE f32 contrast = f32(product) * f32_of_bits(table[own + other]);
        best = max_f32(best, contrast);
    }
    return best;
}

KERNEL_MAIN
{
    u32 x = GROUP_X * GROUP_W + LOCAL_X, y = GROUP_Y * GROUP_H + LOCAL_Y;
    if (x < width && y < height) {
        i32 own = key_at(x, y);
        f32 contrast = 0.0f;
        if (own != CAMBI_NO_KEY)
            contrast = contrast_of(x, y, own);
        map[y * width + x] = bits_of_f32(contrast);
    }
}
KERNEL_END
#endif

#if defined(KERNEL_cambi_rank) || defined(KERNEL_cambi_sum)
/* The largest contrasts. They are 0 or at least 0.5 and below 2^14, so their bits, less those of 0.5,
 * order them in 27 bits. Three ranks of nine bits, counted one after the other among the contrasts that
 * the ranks before left in doubt, find the k-th largest; then the larger ones are added up. */
#if defined(KERNEL_cambi_rank)
#define BUFFERS IN(0, u32, map) OUT(1, u32, bins)
#define PARAMS CAMBI_RANK_PARAMS
#else
#define BUFFERS IN(0, u32, map) OUT(1, u32, bins) OUT(2, u32, result)
#define PARAMS CAMBI_SUM_PARAMS
#endif
#define SHARED_ARRAYS SHARED(u32, tally, CAMBI_BINS) SHARED(u32, found, 2) SHARED(u64, part, CAMBI_RANK_GROUP)
#define GROUP_W CAMBI_RANK_GROUP
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#define CAMBI_HALF_BITS 0x3f000000u

/* The bin in which the `remaining`-th largest of a rank lies goes to found[0] (CAMBI_BINS: there are
 * fewer), and how many lie above that bin to found[1]. */
DEVICE void find_bin(u32 of_rank, u32 remaining)
{
    u32 high_bin = of_rank * CAMBI_BINS + CAMBI_BINS - 1u - 2u * LOCAL_X;
    u32 high_count = bins[high_bin], low_count = bins[high_bin - 1u];
    BARRIER();
    if (LOCAL_X == 0u) {
        found[0] = CAMBI_BINS;
        found[1] = 0u;
    }
    tally[LOCAL_X] = high_count + low_count;
    BARRIER();
    u32 sum = high_count + low_count;
    for (u32 reach = 1u; reach < GROUP_SIZE; reach <<= 1) {
        u32 more = LOCAL_X >= reach ? tally[LOCAL_X - reach] : 0u;
        BARRIER();
        sum += more;
        tally[LOCAL_X] = sum;
        BARRIER();
    }
    u32 above = sum - high_count - low_count;
    if (above < remaining && remaining <= sum) {
        bool is_high = remaining <= above + high_count;
        found[0] = CAMBI_BINS - 1u - 2u * LOCAL_X - (is_high ? 0u : 1u);
        found[1] = is_high ? above : above + high_count;
    }
    BARRIER();
}

KERNEL_MAIN
{
    /* What the ranks before found: the leading bits of the k-th largest, and how many are larger. */
    u32 prefix = 0u, larger = 0u;
    bool all = false;
    for (u32 r = 0u; r < rank; r++) {
        find_bin(r, wanted - larger);
        all = all || found[0] == CAMBI_BINS;
        prefix = (prefix << 9) | (found[0] & (CAMBI_BINS - 1u));
        larger += found[1];
    }
    u32 begin = GROUP_X * (CAMBI_RANK_GROUP * CAMBI_RANK_EACH) + LOCAL_X;
#if defined(KERNEL_cambi_rank)
    u32 shift = 18u - 9u * rank;
    tally[LOCAL_X] = 0u;
    tally[LOCAL_X + GROUP_SIZE] = 0u;
    BARRIER();
    for (u32 i = 0u; i < CAMBI_RANK_EACH; i++) {
        u32 at = begin + i * GROUP_SIZE;
        u32 bits = at < count && !all ? map[at] : 0u;
        u32 key = bits - CAMBI_HALF_BITS;
        if (bits != 0u && (key >> (shift + 9u)) == prefix)
            ATOMIC_ADD(tally, (key >> shift) & (CAMBI_BINS - 1u), 1u);
    }
    BARRIER();
    for (u32 i = LOCAL_X; i < CAMBI_BINS; i += GROUP_SIZE) {
        if (tally[i] != 0u)
            ATOMIC_ADD(bins, rank * CAMBI_BINS + i, tally[i]);
    }
#else
    u64 sum = u64(0); /* in units of 2^-24 */
    for (u32 i = 0u; i < CAMBI_RANK_EACH; i++) {
        u32 at = begin + i * GROUP_SIZE;
        u32 bits = at < count ? map[at] : 0u;
        if (bits != 0u && (all || bits - CAMBI_HALF_BITS > prefix))
            sum += u64((bits & 0x7fffffu) | 0x800000u) << ((bits >> 23) - 126u);
    }
    GROUP_SUM(part, sum);
    if (LOCAL_X == 0u) {
        ATOMIC_ADD_U64(result, first_word + CAMBI_SUM, part[0]);
        if (GROUP_X == 0u) {
            result[first_word + CAMBI_LARGER] = all ? 0u : larger;
            result[first_word + CAMBI_NEXT] = all ? 0u : prefix + CAMBI_HALF_BITS;
        }
    }
#endif
}
KERNEL_END
#endif
