/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernels of cambi. They work in integers, except for one product per contrast. */
#include "feature/cambi/cambi_tile.h"

#if defined(KERNEL_cambi_range)
/* Counts words with samples that exceed the depth. */
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
/* Converts samples to 10-bit codes and makes the mask of flat areas: samples with enough flat
 * samples in the 7x7 square around them. With `halve` only every other sample of every other row is
 * kept. A thread goes down CAMBI_PREPARE_ROWS rows, for four neighbouring columns. */
#define BUFFERS IN(0, u32, plane) IN(1, u32, from) OUT(2, u32, out_words)
#define PARAMS CAMBI_PREPARE_PARAMS
#define GROUP_W CAMBI_PREPARE_W
#define GROUP_H CAMBI_PREPARE_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
DEVICE u32 code_of(u32 v)
{
#if HBD
    return bpc <= 10u ? v << (10u - bpc) : (v + (1u << (bpc - 11u))) >> (bpc - 10u);
#else
    return v << 2;
#endif
}

/* A sample of the resized picture. `from` has source positions: of the columns, then of the
 * rows. */
DEVICE u32 resampled_at(i32 x, u32 from_row)
{
    return SAMPLE(plane, from_row, from[u32(clamp_i32(x, 0, i32(width) - 1))]);
}

/* Codes per row: the thread's four columns, three before them and four behind. */
#define PREPARE_CODES 11
#define PREPARE_WORDS ((PREPARE_CODES + 2 + SAMPLES_PER_WORD - 1) / SAMPLES_PER_WORD)

KERNEL_MAIN
{
    u32 left = (GROUP_X * GROUP_W + LOCAL_X) * 4u,
        top = (GROUP_Y * GROUP_H + LOCAL_Y) * CAMBI_PREPARE_ROWS;
    if (left >= width || top >= height)
        return;
    /* Bits for the ten columns whose flatness matters. `inside`: columns of the picture. `edge`:
     * its last column, which has no right neighbour. */
    u32 inside = (1023u << (left == 0u ? 3u : 0u)) &
                 (1023u >> (left + 7u > width ? left + 7u - width : 0u));
    u32 edge = left + 7u >= width ? 1u << (width + 2u - left) : 0u;
    u32 kept_w = (width + halve) >> halve;
    /* Arrays with an entry for each column. codes: the codes of a row. pairs: sums of two
     * neighbouring codes of the row loaded last, for smoothing. totals: the number of flat samples
     * in the last seven rows, in the seven columns around. recent: the same number for each of the
     * last rows, in three bits each. */
    u32 codes[PREPARE_CODES], pairs[PREPARE_CODES], totals[4], recent[4];
    /* Codes of the four columns, two per word, of a row and of the three rows before it. */
    u32x2 here = U32X2(0u, 0u), one = here, two = here, three = here;
    UNROLL
    for (u32 i = 0u; i < PREPARE_CODES; i++)
        codes[i] = pairs[i] = 0u;
    UNROLL
    for (u32 i = 0u; i < 4u; i++)
        totals[i] = recent[i] = 0u;
    /* Row y of the samples makes the flatness of row y - lag known. */
    i32 lag = smoothed != 0u ? 2 : 1, begin = i32(top) - 3, end = i32(top + CAMBI_PREPARE_ROWS) + 3;
    for (i32 y = begin; y < end + lag; y++) {
        u32 row = u32(clamp_i32(y, 0, i32(height) - 1)), raw[PREPARE_CODES + 1],
            next[PREPARE_CODES];
        if (resampled != 0u) {
            u32 from_row = from[width + row] * stride;
            UNROLL
            for (u32 i = 0u; i <= PREPARE_CODES; i++)
                raw[i] = resampled_at(i32(left + i) - 3, from_row);
        } else {
            UNROLL
            for (u32 k = 0u; k < PREPARE_WORDS; k++) {
                i32 at = i32(left / SAMPLES_PER_WORD + k) - i32(4u / SAMPLES_PER_WORD);
                u32 word = plane[row * stride + u32(clamp_i32(at, 0, i32(stride) - 1))];
                UNROLL
                for (u32 j = 0u; j < SAMPLES_PER_WORD; j++) {
                    /* The index of the column, counted from left - 4. */
                    u32 i = k * SAMPLES_PER_WORD + j;
                    if (i > 0u && i <= PREPARE_CODES + 1u)
                        raw[i - 1u] = sample_of(word, j);
                }
            }
        }
        u32 value = raw[0];
        UNROLL
        for (u32 i = 0u; i < PREPARE_CODES; i++) {
            /* Behind the last column, the value itself is used. */
            u32 after = resampled == 0u && left + i == width + 2u ? value : raw[i + 1u];
            u32 code = code_of(value), pair = code + code_of(after);
            value = after;
            next[i] = smoothed != 0u ? (pairs[i] + pair) >> 2 : code;
            pairs[i] = pair;
        }
        i32 flat_y = y - lag;
        u32 across = edge, down = flat_y == i32(height) - 1 ? 1023u : 0u;
        UNROLL
        for (u32 i = 0u; i + 1u < PREPARE_CODES; i++) {
            across |= codes[i] == codes[i + 1u] ? 1u << i : 0u;
            down |= codes[i] == next[i] ? 1u << i : 0u;
        }
        bool counts = flat_y >= max_i32(begin, 0) && flat_y < i32(height);
        u32 is_flat = counts ? inside & across & down : 0u;
        three = two;
        two = one;
        one = here;
        here = U32X2(codes[3] | (codes[4] << 16), codes[5] | (codes[6] << 16));
        i32 out_y = flat_y - 3;
        bool writes = out_y >= i32(top) && out_y < i32(height) && (u32(out_y) & halve) == 0u;
        UNROLL
        for (u32 i = 0u; i < 4u; i++) {
            u32 sum = count_bits_u32((is_flat >> i) & 127u);
            totals[i] += sum - ((recent[i] >> 18) & 7u);
            recent[i] = (recent[i] << 3) | sum;
            u32 two_codes = i < 2u ? three.x : three.y,
                code = (two_codes >> (16u * (i & 1u))) & 0xffffu;
            if (writes && left + i < width && (i & halve) == 0u) {
                u32 at = (u32(out_y) >> halve) * kept_w + ((left + i) >> halve);
                out_words[at] = code | (totals[i] > needed ? CAMBI_FLAT_BIT : 0u);
            }
        }
        UNROLL
        for (u32 i = 0u; i < PREPARE_CODES; i++)
            codes[i] = next[i];
    }
}
KERNEL_END
#endif

#if defined(KERNEL_cambi_mode)
/* Takes every (1 << decimate)-th sample and filters the codes, along rows and then along columns: a
 * code becomes the value that occurs at least twice among three neighbours, else the smallest. Then
 * it stores for each sample the length of the run of samples that count the same, up to the end of
 * the tile, and for each tile the mask of the kinds of codes that count in it. A thread takes some
 * rows of a column. */
#define BUFFERS OUT(0, u32, words) OUT(1, u32, tiles)
#define PARAMS CAMBI_MODE_PARAMS
#define MODE_ROWS (CAMBI_TILE_H / GROUP_H)
#define MODE_PITCH (CAMBI_TILE_W + 1)
#define MODE_PARTS (GROUP_SIZE / CAMBI_TILE_H) /* threads that share a row */
#define SHARED_ARRAYS                                                                              \
    SHARED(u32, keys, MODE_PITCH * CAMBI_TILE_H) SHARED(u32, ends, GROUP_SIZE)                     \
    SHARED(u32, kinds, CAMBI_KINDS)
#define GROUP_W CAMBI_TILE_W
#define GROUP_H CAMBI_MODE_GROUP_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
DEVICE u32 word_at(u32 x, u32 y)
{
    return words[first_in + (y << decimate) * in_width + (x << decimate)];
}

DEVICE u32 mode3(u32 a, u32 b, u32 c)
{
    u32 least = min_u32(min_u32(a, b), c);
    return a == b || a == c ? a : b == c ? b : least;
}

KERNEL_MAIN
{
    u32 x = GROUP_X * CAMBI_TILE_W + LOCAL_X, top = GROUP_Y * CAMBI_TILE_H + LOCAL_Y * MODE_ROWS;
    u32 near_x = min_u32(x, width - 1u), before = near_x > 0u ? near_x - 1u : 0u,
        behind = min_u32(near_x + 1u, width - 1u);
    bool filtered = x > 0u && x + 1u < width;
    u32 word[MODE_ROWS], across[MODE_ROWS + 2];
    UNROLL
    for (u32 i = 0u; i < MODE_ROWS + 2u; i++) {
        u32 y = min_u32(max_u32(top + i, 1u) - 1u, height - 1u);
        u32 here = word_at(near_x, y) & (CAMBI_CODE_MASK | CAMBI_FLAT_BIT),
            code = here & CAMBI_CODE_MASK;
        u32 mode = mode3(word_at(before, y) & CAMBI_CODE_MASK, code,
                         word_at(behind, y) & CAMBI_CODE_MASK);
        across[i] = filtered ? mode : code;
        if (i > 0u && i <= MODE_ROWS)
            word[i - 1u] = here;
    }
    UNROLL
    for (u32 i = 0u; i < MODE_ROWS; i++) {
        u32 y = top + i, key = 0xfffeu; /* outside of the picture */
        if (y > 0u && y + 1u < height)
            word[i] = (word[i] & CAMBI_FLAT_BIT) | mode3(across[i], across[i + 1u], across[i + 2u]);
        if (x < width && y < height) {
            i32 code = i32(word[i] & CAMBI_CODE_MASK);
            bool counts = (word[i] & CAMBI_FLAT_BIT) != 0u && code >= low && code <= high;
            key = counts ? u32(code - low) : 0xffffu;
        }
        keys[(LOCAL_Y * MODE_ROWS + i) * MODE_PITCH + LOCAL_X] = key;
    }
    if (LOCAL_INDEX < CAMBI_KINDS)
        kinds[LOCAL_INDEX] = 0u;
    BARRIER();
    /* A bit for each sample that is the last of its run. Each thread makes the bits for a section
     * of a row; then they are joined. */
    u32 row = LOCAL_INDEX / MODE_PARTS,
        first = LOCAL_INDEX % MODE_PARTS * (CAMBI_TILE_W / MODE_PARTS), bits = 0u;
    for (u32 column = first; column < first + CAMBI_TILE_W / MODE_PARTS; column++) {
        u32 at = row * MODE_PITCH + column, key = keys[at];
        if (column + 1u == CAMBI_TILE_W || keys[at + 1u] != key)
            bits |= 1u << column;
        if (key < 0xfffeu)
            kinds[CAMBI_KIND(key)] = 1u;
    }
    ends[LOCAL_INDEX] = bits;
    BARRIER();
    if (LOCAL_INDEX == 0u) {
        u32 mask = 0u;
        for (u32 k = 0u; k < CAMBI_KINDS; k++)
            mask |= kinds[k] << k;
        tiles[first_tile + GROUP_Y * ((width + CAMBI_TILE_W - 1u) / CAMBI_TILE_W) + GROUP_X] = mask;
    }
    UNROLL
    for (u32 i = 0u; i < MODE_ROWS; i++) {
        u32 all = 0u;
        for (u32 k = 0u; k < MODE_PARTS; k++)
            all |= ends[(LOCAL_Y * MODE_ROWS + i) * MODE_PARTS + k];
        u32 behind_x = all >> LOCAL_X, run = top_bit_u32(behind_x & (0u - behind_x)) + 1u;
        if (x < width && top + i < height)
            words[first_out + (top + i) * width + x] = word[i] | (run << CAMBI_RUN_SHIFT);
    }
}
KERNEL_END
#endif

#if defined(KERNEL_cambi_contrast)
/* Contrasts of all scales except those that are smaller than the radius of the window. A workgroup
 * slides the window down a tile, with a thread for each column and counters of codes in shared
 * memory, two per word. There is room for some codes only, so that many workgroups fit on the
 * device at once. If more codes occur in a tile, the workgroup starts again for the next of them.
 * Runs of equal codes are counted in one step. */
#define BUFFERS IN(0, u32, words) IN(1, u32, tiles) IN(2, u32, table) OUT(3, u32, map)
#define PARAMS CAMBI_CONTRAST_PARAMS
#define CAMBI_LINE (CAMBI_TILE_W + 2 * CAMBI_MAX_RADIUS)
#define CAMBI_LOADS (CAMBI_LINE / CAMBI_TILE_W)
#define SHARED_ARRAYS                                                                              \
    SHARED(u32, counts, CAMBI_COUNTED / 2 * CAMBI_TILE_W) SHARED(u32, enter, CAMBI_LINE)           \
    SHARED(u32, leave, CAMBI_LINE)
#define GROUP_W CAMBI_TILE_W
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#include "feature/cambi/cambi_scale.h"
#define CAMBI_NO_KEY 0xffffu

/* The key of sample x of row y (its code less the lowest one, or CAMBI_NO_KEY) and the length of
 * the run of equal samples that begins there. */
DEVICE u32 run_at(Scale of, i32 x, i32 y)
{
    if (y < 0 || y >= i32(of.h) || x >= i32(of.w))
        return CAMBI_NO_KEY | (u32(CAMBI_LINE) << CAMBI_RUN_SHIFT);
    if (x < 0)
        return CAMBI_NO_KEY | (u32(-x) << CAMBI_RUN_SHIFT);
    u32 word = words[first_word + of.first + u32(y) * of.w + u32(x)];
    i32 key = i32(word & CAMBI_CODE_MASK) - low;
    bool counted = (word & CAMBI_FLAT_BIT) != 0u && key >= 0 && key < code_count;
    return (word & 0xffff0000u) | (counted ? u32(key) : CAMBI_NO_KEY);
}

/* Counts a run in this thread's window, `sign` times (1 or -1), and returns the position behind it.
 * Only keys from `base` on have counters. */
DEVICE u32 count_run(u32 run, u32 at, u32 base, u32 sign)
{
    u32 key = (run & 0xffffu) - base;
    u32 length = min_u32(run >> CAMBI_RUN_SHIFT, LOCAL_X + 2u * radius + 1u - at);
    if (key < CAMBI_COUNTED)
        counts[(key >> 1) * CAMBI_TILE_W + LOCAL_X] += (length * sign) << ((key & 1u) * 16u);
    return at + length;
}

/* The count of a key; `key` is given less the base. */
DEVICE u32 count_of(u32 key)
{
    return (counts[(key >> 1) * CAMBI_TILE_W + LOCAL_X] >> ((key & 1u) * 16u)) & 0xffffu;
}

/* The contrast of a sample with that key. */
DEVICE f32 contrast_of(u32 key, u32 base)
{
    f32 best = 0.0f;
    u32 own = count_of(key - base);
    for (u32 step = table[u32(CAMBI_FIRST_STEP + low) + key]; step <= steps; step++) {
        u32 other = max_u32(count_of(key - base + step), count_of(key - base - step));
        i32 product = i32(table[CAMBI_WEIGHT + step] * own * other);
        PRECISE f32 contrast = f32(product) * f32_of_bits(table[own + other]);
        best = max_f32(best, contrast);
    }
    return best;
}

KERNEL_MAIN
{
    u32 tile = GROUP_X;
    Scale of = scale_first();
    while (tile >= tile_count(of)) {
        tile -= tile_count(of);
        of = scale_next(of);
    }
    u32 tile_y = tile / tiles_across(of), tile_x = tile - tile_y * tiles_across(of);
    i32 left = i32(tile_x * CAMBI_TILE_W), x = left + i32(LOCAL_X), reach = i32(radius);
    i32 top = i32(tile_y * CAMBI_TILE_H), end = min_i32(top + CAMBI_TILE_H, i32(of.h));
    bool works = x < i32(of.w), is_first = true;
    u32 line = CAMBI_TILE_W + 2u * radius, window_end = LOCAL_X + 2u * radius + 1u;
    u32 kinds = tiles[of.first_tile + tile],
        at_once = (CAMBI_COUNTED - 1u - 2u * steps) / CAMBI_KIND_CODES;
    /* In most pictures, most tiles have no flat samples at all. */
    for (i32 y = top; works && kinds == 0u && y < end; y++)
        map[of.first + u32(y) * of.w + u32(x)] = 0u;
    while (kinds != 0u) {
        /* Takes the next kinds of codes, with as many codes around them as the steps reach. */
        u32 kind = top_bit_u32(kinds & (0u - kinds)), base = kind * CAMBI_KIND_CODES - steps;
        kinds = kinds >> kind >> at_once << at_once << kind;
        for (u32 i = 0u; i < CAMBI_COUNTED / 2u; i++)
            counts[i * CAMBI_TILE_W + LOCAL_X] = 0u;
        /* The next lines are loaded while the current ones are counted. */
        u32 entering[CAMBI_LOADS], leaving[CAMBI_LOADS];
        UNROLL
        for (u32 i = 0u; i < CAMBI_LOADS; i++) {
            entering[i] = leaving[i] = CAMBI_NO_KEY | (u32(CAMBI_LINE) << CAMBI_RUN_SHIFT);
            if (i * CAMBI_TILE_W + LOCAL_X < line)
                entering[i] = run_at(of, x - reach + i32(i * CAMBI_TILE_W), top - reach);
        }
        for (i32 y = top - 2 * reach; y < end; y++) {
            BARRIER();
            UNROLL
            for (u32 i = 0u; i < CAMBI_LOADS; i++) {
                enter[i * CAMBI_TILE_W + LOCAL_X] = entering[i];
                leave[i * CAMBI_TILE_W + LOCAL_X] = leaving[i];
            }
            BARRIER();
            UNROLL
            for (u32 i = 0u; i < CAMBI_LOADS; i++) {
                if (i * CAMBI_TILE_W + LOCAL_X < line) {
                    i32 at = x - reach + i32(i * CAMBI_TILE_W);
                    entering[i] = run_at(of, at, y + 1 + reach);
                    /* Before the first window is complete, no row leaves it. */
                    leaving[i] = run_at(of, at, y + 1 > top ? y - reach : -1);
                }
            }
            u32 own = CAMBI_NO_KEY;
            if (works && y >= top)
                own = run_at(of, x, y) & 0xffffu;
            u32 enter_at = LOCAL_X, leave_at = LOCAL_X;
            while (works && (enter_at < window_end || leave_at < window_end)) {
                u32 enter_run = enter[min_u32(enter_at, window_end - 1u)];
                u32 leave_run = leave[min_u32(leave_at, window_end - 1u)];
                if (enter_at < window_end)
                    enter_at = count_run(enter_run, enter_at, base, 1u);
                if (leave_at < window_end)
                    leave_at = count_run(leave_run, leave_at, base, 0xffffffffu);
            }
            if (works && y >= top) {
                u32 at = of.first + u32(y) * of.w + u32(x), own_kind = CAMBI_KIND(own);
                if (own == CAMBI_NO_KEY) {
                    if (is_first)
                        map[at] = 0u;
                } else if (own_kind >= kind && own_kind < kind + at_once) {
                    f32 contrast = contrast_of(own, base);
                    map[at] = bits_of_f32(contrast);
                }
            }
        }
        is_first = false;
    }
}
KERNEL_END
#endif

#if defined(KERNEL_cambi_contrast_small)
/* Contrasts of a scale that is smaller than the radius of the window. There the CPU also counts the
 * samples that earlier scales left beside this scale in memory, up to the radius: columns count in
 * every window of their row, rows in every window. Such scales have few samples, so each thread
 * counts for one sample. */
#define BUFFERS IN(0, u32, words) IN(1, u32, table) OUT(2, u32, map)
#define PARAMS CAMBI_SMALL_PARAMS
#define GROUP_W CAMBI_SMALL_W
#define GROUP_H CAMBI_SMALL_H
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#include "feature/cambi/cambi_scale.h"
#define CAMBI_NO_KEY (-1)

/* The key at a position of the plane: the code, less the lowest one, of the last scale that covers
 * this position. */
DEVICE i32 key_at(u32 x, u32 y)
{
    Scale of = scale_first();
    u32 at = y * of.w + x;
    for (u32 s = 1u; s <= scale; s++) {
        of = scale_next(of);
        if (x < of.w && y < of.h)
            at = of.first + y * of.w + x;
    }
    u32 word = words[first_word + at];
    i32 key = i32(word & CAMBI_CODE_MASK) - low;
    bool counted = (word & CAMBI_FLAT_BIT) != 0u && key >= 0 && key < code_count;
    return counted ? key : CAMBI_NO_KEY;
}

/* Counts the samples of a row of the window that have the key `above`, and those that have the key
 * `below`. */
DEVICE void count_row(Scale of, u32 x, u32 y, i32 above, i32 below, INOUT(u32) higher,
                      INOUT(u32) lower)
{
    u32 first = x > radius ? x - radius : 0u, end = min_u32(x + radius + 1u, of.w);
    u32 beside = max_u32(of.w, min_u32(radius, width));
    for (u32 i = first; i < beside; i++) {
        if (i == end)
            i = of.w;
        if (i >= beside)
            break;
        i32 key = key_at(i, y);
        if (key == above)
            higher += 1u;
        if (key == below)
            lower += 1u;
    }
}

/* Counts such samples in the whole window. */
DEVICE void count_window(Scale of, u32 x, u32 y, i32 above, i32 below, INOUT(u32) higher,
                         INOUT(u32) lower)
{
    u32 first = y > radius ? y - radius : 0u, end = min_u32(y + radius + 1u, of.h);
    for (u32 i = first; i < end; i++)
        count_row(of, x, i, above, below, higher, lower);
    for (u32 i = of.h; i < min_u32(radius, height); i++)
        count_row(of, x, i, above, below, higher, lower);
}

/* The contrast of sample (x, y), which has that key. */
DEVICE f32 contrast_of(Scale of, u32 x, u32 y, i32 key)
{
    f32 best = 0.0f;
    u32 own = 0u, unused = 0u;
    count_window(of, x, y, key, code_count, own, unused);
    for (u32 step = table[u32(CAMBI_FIRST_STEP + low + key)]; step <= steps; step++) {
        u32 higher = 0u, lower = 0u;
        i32 below = key - i32(step);
        count_window(of, x, y, key + i32(step), below < 0 ? code_count : below, higher, lower);
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
    Scale of = scale_of(scale);
    if (x < of.w && y < of.h) {
        i32 own = key_at(x, y);
        f32 contrast = 0.0f;
        if (own != CAMBI_NO_KEY)
            contrast = contrast_of(of, x, y, own);
        map[of.first + y * of.w + x] = bits_of_f32(contrast);
    }
}
KERNEL_END
#endif

#if defined(KERNEL_cambi_rank) || defined(KERNEL_cambi_sum)
/* Find and add the largest contrasts. A contrast is 0, or at least 0.5 and below 2^14, so its bits
 * less those of 0.5 have 27 bits and the same order. cambi_rank runs three times, for nine bits
 * each: it makes a histogram of these bits over the contrasts whose higher bits are those of the
 * k-th largest. Then cambi_sum adds all contrasts above the k-th largest. GROUP_Y is the scale. */
#if defined(KERNEL_cambi_rank)
#define BUFFERS IN(0, u32, map) OUT(1, u32, bins)
#define PARAMS CAMBI_RANK_PARAMS
#else
#define BUFFERS IN(0, u32, map) OUT(1, u32, bins) OUT(2, u32, result)
#define PARAMS CAMBI_SUM_PARAMS
#endif
#define SHARED_ARRAYS                                                                              \
    SHARED(u32, tally, CAMBI_BINS) SHARED(u32, found, 2) SHARED(u64, part, CAMBI_RANK_GROUP)
#define GROUP_W CAMBI_RANK_GROUP
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#include "feature/cambi/cambi_scale.h"
#define CAMBI_HALF_BITS 0x3f000000u

/* The number of contrasts of a scale that count. */
DEVICE u32 wanted_of(u32 scale)
{
    return scale == 0u   ? wanted0
           : scale == 1u ? wanted1
           : scale == 2u ? wanted2
           : scale == 3u ? wanted3
                         : wanted4;
}

/* Sets found[0] to the bin of a histogram that holds the `remaining`-th largest value, or to
 * CAMBI_BINS if there are fewer values, and found[1] to the number of values in higher bins. All
 * threads must call this. */
DEVICE void find_bin(u32 of_rank, u32 remaining)
{
    u32 low_bin = (GROUP_Y * CAMBI_RANKS + of_rank) * CAMBI_BINS + (CAMBI_BINS - 2u - 2u * LOCAL_X);
    u32 high_count = bins[low_bin + 1u], low_count = bins[low_bin];
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
    Scale of = scale_of(GROUP_Y);
    u32 begin = GROUP_X * (CAMBI_RANK_GROUP * CAMBI_RANK_EACH) + LOCAL_X, count = of.w * of.h;
    if (begin - LOCAL_X >= count)
        return;
    u32 wanted = wanted_of(GROUP_Y);
    /* From the histograms so far: the leading bits of the k-th largest contrast, and the number of
     * larger ones. */
    u32 prefix = 0u, larger = 0u;
    bool all = false;
    for (u32 r = 0u; r < rank; r++) {
        find_bin(r, wanted - larger);
        all = all || found[0] == CAMBI_BINS;
        prefix = (prefix << 9) | (found[0] & (CAMBI_BINS - 1u));
        larger += found[1];
    }
#if defined(KERNEL_cambi_rank)
    u32 shift = 18u - 9u * rank;
    tally[LOCAL_X] = 0u;
    tally[LOCAL_X + GROUP_SIZE] = 0u;
    BARRIER();
    for (u32 i = 0u; i < CAMBI_RANK_EACH; i++) {
        u32 at = begin + i * GROUP_SIZE;
        u32 bits = at < count && !all ? map[of.first + at] : 0u;
        u32 key = bits - CAMBI_HALF_BITS;
        if (bits != 0u && (key >> (shift + 9u)) == prefix)
            ATOMIC_ADD(tally, (key >> shift) & (CAMBI_BINS - 1u), 1u);
    }
    BARRIER();
    for (u32 i = LOCAL_X; i < CAMBI_BINS; i += GROUP_SIZE) {
        if (tally[i] != 0u)
            ATOMIC_ADD(bins, (GROUP_Y * CAMBI_RANKS + rank) * CAMBI_BINS + i, tally[i]);
    }
#else
    u64 sum = u64(0); /* sum of the larger contrasts, in units of 2^-24 */
    for (u32 i = 0u; i < CAMBI_RANK_EACH; i++) {
        u32 at = begin + i * GROUP_SIZE;
        u32 bits = at < count ? map[of.first + at] : 0u;
        if (bits != 0u && (all || bits - CAMBI_HALF_BITS > prefix))
            sum += u64((bits & 0x7fffffu) | 0x800000u) << ((bits >> 23) - 126u);
    }
    GROUP_SUM(part, sum);
    if (LOCAL_X == 0u) {
        u32 first_word = first_result + GROUP_Y * CAMBI_SCALE_WORDS;
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
