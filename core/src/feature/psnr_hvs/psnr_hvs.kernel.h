/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernels of psnr_hvs. */
#include "feature/psnr_hvs/psnr_hvs_tile.h"

#if defined(KERNEL_hvs_blocks)
/* Computes the weighted squared error (term) of each coefficient of each block. Sums over a block
 * must keep their order, so one thread per picture transforms the whole block; then these two
 * threads share the coefficients between them. Term k of block b is stored in
 * terms[64 * first_block + k * blocks + b]. `totals` gets the approximate sum of a workgroup's
 * terms. */
#define BUFFERS                                                                                    \
    IN(0, u32, ref) IN(1, u32, dist) IN(2, f32, tables) OUT(3, f32, terms) OUT(4, f32, totals)
#define PARAMS HVS_BLOCKS_PARAMS
#define GROUP_W HVS_BLOCKS_W
#define GROUP_H 2 /* reference and distorted picture */
#define SHARED_ARRAYS                                                                              \
    SHARED(i32, coefs, 64 * HVS_BLOCKS_W) SHARED(f32, levels, 2 * HVS_BLOCKS_W)                    \
    SHARED(f32, part, 2 * HVS_BLOCKS_W)
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#include "gpu/prelude/exact_float.h"

/* Half of v, rounded towards zero. */
DEVICE i32 halved(i32 v)
{
    return (v - (v >> 31)) >> 1;
}

/* v * num / 2^bits, rounded to the nearest integer, halves up. Multiplies as unsigned, so that
 * samples beyond the depth may overflow. */
DEVICE i32 turn(i32 v, u32 num, u32 bits)
{
    return i32(u32(v) * num + (1u << (bits - 1u))) >> bits;
}

DEVICE i32 squared(i32 v)
{
    return i32(u32(v) * u32(v));
}

/* Transforms eight samples of s, from `first` on in steps of `step`, to eight frequencies, by
 * lifting. */
#define HVS_DCT8(first, step)                                                                      \
    {                                                                                              \
        i32 o1 = s[first] - s[first + 7 * step], p16 = s[first + step] + s[first + 6 * step];      \
        i32 o3 = s[first + 2 * step] - s[first + 5 * step];                                        \
        i32 p34 = s[first + 3 * step] + s[first + 4 * step];                                       \
        i32 d07_half = halved(o1), p16_half = halved(p16), p34_half = halved(p34);                 \
        i32 o5 = s[first + 6 * step] - p16_half, o7 = p34_half - s[first + 4 * step];              \
        i32 e0 = s[first] - d07_half + p34_half;                                                   \
        i32 e6 = e0 - p34;                                                                         \
        i32 e2 = p16_half - (s[first + 2 * step] - halved(o3));                                    \
        i32 e4 = e2 - p16;                                                                         \
        e0 -= turn(e4, 13573u, 15u);                                                               \
        e4 += turn(e0, 11585u, 14u);                                                               \
        e0 -= turn(e4, 13573u, 15u);                                                               \
        e6 -= turn(e2, 21895u, 15u);                                                               \
        e2 += turn(e6, 15137u, 14u);                                                               \
        e6 -= turn(e2, 21895u, 15u);                                                               \
        o3 += turn(o5, 19195u, 15u);                                                               \
        o5 += turn(o3, 11585u, 14u);                                                               \
        o3 -= turn(o5, 7489u, 13u);                                                                \
        o7 = halved(o5) - o7;                                                                      \
        o5 -= o7;                                                                                  \
        o3 = d07_half - o3;                                                                        \
        o1 -= o3;                                                                                  \
        o7 += turn(o1, 3227u, 15u);                                                                \
        o1 -= turn(o7, 6393u, 15u);                                                                \
        o7 += turn(o1, 3227u, 15u);                                                                \
        o5 += turn(o3, 2485u, 13u);                                                                \
        o3 -= turn(o5, 18205u, 15u);                                                               \
        o5 += turn(o3, 2485u, 13u);                                                                \
        s[first] = e0;                                                                             \
        s[first + step] = o1;                                                                      \
        s[first + 2 * step] = e2;                                                                  \
        s[first + 3 * step] = o3;                                                                  \
        s[first + 4 * step] = e4;                                                                  \
        s[first + 5 * step] = o5;                                                                  \
        s[first + 6 * step] = e6;                                                                  \
        s[first + 7 * step] = o7;                                                                  \
    }

/* Sets `spread` to the variation in a square of s: the sum of squared distances from its mean,
 * times `scale`. */
#define HVS_SPREAD(spread, first, side, scale)                                                     \
    {                                                                                              \
        i32 sum = 0;                                                                               \
        UNROLL                                                                                     \
        for (u32 i = 0u; i < side * side; i++)                                                     \
            sum += s[first + i / side * 8u + i % side];                                            \
        PRECISE f32 mean = f32(sum) * (1.0f / f32(side * side));                                   \
        PRECISE f32 all = 0.0f;                                                                    \
        UNROLL                                                                                     \
        for (u32 i = 0u; i < side * side; i++) {                                                   \
            PRECISE f32 distance = f32(s[first + i / side * 8u + i % side]) - mean;                \
            all = all + distance * distance;                                                       \
        }                                                                                          \
        spread = all * scale;                                                                      \
    }

#define HVS_WHOLE f32_of_bits(0x3f820821u)   /* 64 / 63 */
#define HVS_QUARTER f32_of_bits(0x3f888889u) /* 16 / 15 */

DEVICE u32 word_at(u32 at)
{
    return LOCAL_Y == 0u ? ref[at] : dist[at];
}

KERNEL_MAIN
{
    u32 block = GROUP_X * HVS_BLOCKS_W + LOCAL_X;
    bool inside = block < blocks;
    u32 near = min_u32(block, blocks - 1u), block_y = near / across;
    u32 left = (near - block_y * across) * 7u, top = block_y * 7u;
    u32 first_word = left / SAMPLES_PER_WORD,
        shift = left % SAMPLES_PER_WORD * (32u / SAMPLES_PER_WORD);
    i32 s[64];
    UNROLL
    for (u32 y = 0u; y < 8u; y++) {
        u32 row = (top + y) * stride, word = word_at(row + first_word);
        UNROLL
        for (u32 x = 0u; x < 8u; x += SAMPLES_PER_WORD) {
            u32 next = word_at(row + min_u32(first_word + x / SAMPLES_PER_WORD + 1u, stride - 1u));
            u32 joined = (word >> shift) | ((next << 1) << (31u - shift));
            UNROLL
            for (u32 i = 0u; i < SAMPLES_PER_WORD; i++)
                s[8u * y + x + i] = i32(sample_of(joined, i));
            word = next;
        }
    }
    PRECISE f32 whole;
    PRECISE f32 top_left;
    PRECISE f32 bottom_left;
    PRECISE f32 top_right;
    PRECISE f32 bottom_right;
    HVS_SPREAD(whole, 0u, 8u, HVS_WHOLE)
    HVS_SPREAD(top_left, 0u, 4u, HVS_QUARTER)
    HVS_SPREAD(bottom_left, 32u, 4u, HVS_QUARTER)
    HVS_SPREAD(top_right, 4u, 4u, HVS_QUARTER)
    HVS_SPREAD(bottom_right, 36u, 4u, HVS_QUARTER)
    PRECISE f32 quarters = top_left + bottom_left + top_right + bottom_right;
    f32 texture = whole > 0.0f ? exact_div(quarters, max_f32(whole, 1e-6f)) : 0.0f;
    UNROLL
    for (u32 x = 0u; x < 8u; x++)
        HVS_DCT8(x, 8u)
    UNROLL
    for (u32 y = 0u; y < 8u; y++)
        HVS_DCT8(8u * y, 1u)
    PRECISE f32 energy = 0.0f;
    UNROLL
    for (u32 k = 1u; k < 64u; k++)
        energy = energy + f32(squared(s[k])) * tables[HVS_MASKS + k];
    PRECISE f32 square = energy * texture;
    PRECISE f32 level = exact_sqrt(square) * 0.03125f;
    levels[LOCAL_INDEX] = level;
    if (LOCAL_Y == 1u) {
        UNROLL
        for (u32 k = 0u; k < 64u; k++)
            coefs[k * HVS_BLOCKS_W + LOCAL_X] = s[k];
    }
    BARRIER();
    if (LOCAL_Y == 0u) {
        UNROLL
        for (u32 k = 0u; k < 64u; k++)
            coefs[k * HVS_BLOCKS_W + LOCAL_X] = abs_i32(s[k] - coefs[k * HVS_BLOCKS_W + LOCAL_X]);
    }
    BARRIER();
    f32 hidden = max_f32(levels[LOCAL_X], levels[HVS_BLOCKS_W + LOCAL_X]), total = 0.0f;
    for (u32 k = 32u * LOCAL_Y; inside && k < 32u * LOCAL_Y + 32u; k++) {
        PRECISE f32 e = f32(coefs[k * HVS_BLOCKS_W + LOCAL_X]);
        PRECISE f32 seen = e - exact_div(hidden, tables[HVS_MASKS + k]);
        if (k != 0u) /* an error of the mean is never hidden */
            e = max_f32(seen, 0.0f);
        PRECISE f32 weighed = e * tables[k];
        PRECISE f32 term = weighed * weighed;
        terms[64u * first_block + k * blocks + block] = term;
        total += term;
    }
    GROUP_SUM(part, total);
    if (LOCAL_INDEX == 0u)
        totals[first_total + GROUP_X] = part[0];
}
KERNEL_END
#endif

#if defined(KERNEL_hvs_runs) || defined(KERNEL_hvs_sum)
/* Adds up all terms of a plane in one chain of single-precision additions, block after block.
 *
 * While the sum stays between two powers of two, its last place has a constant value. In units of
 * that last place the sum is an integer, and each term adds an integer to it that depends on the
 * sum only by its parity (if the term is halfway between two integers, the sum becomes even). So a
 * run of terms can be described by two numbers, the amounts that it adds to an even and to an odd
 * sum, and neighbouring runs can be combined in any order.
 *
 * hvs_runs makes a run of each chunk of terms, for the two exponents that the sum is likely to have
 * there, judging by the approximate sum of all terms before the chunk. hvs_sum, with one workgroup
 * per plane, puts chunks together while they have been made for the exponent that the sum really
 * has, and while that exponent does not change. Where it changes, a scan finds the piece of the
 * chunk in which the sum reaches the next power of two, and this piece is added term by term. */
#if defined(KERNEL_hvs_runs)
#define BUFFERS IN(0, f32, terms) IN(1, f32, totals) OUT(2, u32, runs)
#define SHARED_ARRAYS                                                                              \
    SHARED(f32, part, HVS_CHUNK) SHARED(u32, lower_even, HVS_CHUNK)                                \
    SHARED(u32, lower_odd, HVS_CHUNK) SHARED(u32, upper_even, HVS_CHUNK)                           \
    SHARED(u32, upper_odd, HVS_CHUNK)
#else
#define BUFFERS IN(0, f32, terms) IN(1, u32, runs) OUT(2, u32, error)
#define SHARED_ARRAYS                                                                              \
    SHARED(u32, if_even, 2 * HVS_CHUNK) SHARED(u32, if_odd, 2 * HVS_CHUNK) SHARED(u32, found, 2)
#endif
#define PARAMS HVS_CHAIN_PARAMS
#define GROUP_W HVS_CHUNK
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#define HVS_CROSSED 0x1000000u /* at so many units the sum has reached the next power of two */
#define HVS_LIMIT 0x2000000u   /* larger amounts need not be distinguished */

/* The amounts that a run of terms adds to an even and to an odd sum, in units of the last place. */
struct Run {
    u32 even, odd;
};

DEVICE Run run_made(u32 even, u32 odd)
{
    Run run;
    run.even = even;
    run.odd = odd;
    return run;
}

DEVICE u32 limited(u32 units)
{
    return min_u32(units, HVS_LIMIT);
}

/* Appends a term, given by its bits, to a run. `exponent` is that of the sum. */
DEVICE void run_add(INOUT(Run) run, u32 term, u32 exponent)
{
    i32 shift = i32(exponent) - i32(term >> 23);
    u32 down = u32(clamp_i32(shift, 0, 25));
    u32 mantissa = term != 0u ? (term & 0x7fffffu) | 0x800000u : 0u;
    u32 whole = mantissa >> down, twice = (mantissa - (whole << down)) << 1, unit = 1u << down;
    /* A term at least as large as the sum takes it to the next power of two. */
    whole = shift > 0 ? whole : mantissa != 0u ? HVS_CROSSED : 0u;
    u32 up = twice > unit ? 1u : 0u, tie = twice == unit ? 1u : 0u;
    run.even = limited(run.even + whole + (up | (tie & (whole + run.even))));
    run.odd = limited(run.odd + whole + (up | (tie & (whole + run.odd + 1u))));
}

/* The run of `first` followed by `next`. */
DEVICE Run run_then(Run first, Run next)
{
    u32 even = first.even + ((first.even & 1u) == 0u ? next.even : next.odd);
    u32 odd = first.odd + ((first.odd & 1u) == 0u ? next.odd : next.even);
    return run_made(limited(even), limited(odd));
}

/* The number of blocks of a plane. */
DEVICE u32 blocks_of(u32 plane)
{
    return plane == 0u ? luma_blocks : chroma_blocks;
}

/* The number of blocks of all planes before it. */
DEVICE u32 blocks_before(u32 plane)
{
    return plane == 0u ? 0u : luma_blocks + (plane - 1u) * chroma_blocks;
}

DEVICE u32 chunks_of(u32 plane)
{
    return (blocks_of(plane) + HVS_CHUNK_BLOCKS - 1u) / HVS_CHUNK_BLOCKS;
}

/* The first word of a chunk. Its words are the lower exponent, then the runs for that exponent and
 * for the next one. */
DEVICE u32 chunk_words(u32 plane, u32 chunk)
{
    u32 before = plane == 0u ? 0u : chunks_of(0u) + (plane - 1u) * chunks_of(1u);
    return (before + chunk) * HVS_RUN_WORDS;
}

DEVICE f32 term_of(u32 plane, u32 piece, u32 i)
{
    u32 block = piece / HVS_PIECES, k = piece % HVS_PIECES * HVS_PIECE + i;
    return terms[64u * blocks_before(plane) + k * blocks_of(plane) + block];
}

#if defined(KERNEL_hvs_runs)
KERNEL_MAIN
{
    u32 plane = GROUP_Y, piece = GROUP_X * HVS_CHUNK + LOCAL_X;
    if (GROUP_X >= chunks_of(plane))
        return;
    u32 totals_each = HVS_CHUNK_BLOCKS / HVS_BLOCKS_W;
    u32 first_total = chunk_words(plane, 0u) / HVS_RUN_WORDS * totals_each;
    f32 before = 0.0f;
    for (u32 i = LOCAL_X; i < GROUP_X * totals_each; i += GROUP_SIZE)
        before += totals[first_total + i];
    GROUP_SUM(part, before);
    /* The two exponents cover sums from about half to twice the expected one. */
    u32 expected = bits_of_f32(part[0]),
        exponent = expected < HVS_SQRT2 ? 0u : (expected - HVS_SQRT2) >> 23;
    Run lower = run_made(0u, 0u), upper = lower;
    if (piece < HVS_PIECES * blocks_of(plane)) {
        UNROLL
        for (u32 i = 0u; i < HVS_PIECE; i++) {
            u32 term = bits_of_f32(term_of(plane, piece, i));
            run_add(lower, term, exponent);
            run_add(upper, term, exponent + 1u);
        }
    }
    for (u32 reach = 1u; reach < GROUP_SIZE; reach <<= 1) {
        lower_even[LOCAL_X] = lower.even;
        lower_odd[LOCAL_X] = lower.odd;
        upper_even[LOCAL_X] = upper.even;
        upper_odd[LOCAL_X] = upper.odd;
        BARRIER();
        if (LOCAL_X % (2u * reach) == 0u) {
            u32 next = LOCAL_X + reach;
            lower = run_then(lower, run_made(lower_even[next], lower_odd[next]));
            upper = run_then(upper, run_made(upper_even[next], upper_odd[next]));
        }
        BARRIER();
    }
    if (LOCAL_X == 0u) {
        u32 at = chunk_words(plane, GROUP_X);
        runs[at] = exponent;
        runs[at + 1u] = lower.even;
        runs[at + 2u] = lower.odd;
        runs[at + 3u] = upper.even;
        runs[at + 4u] = upper.odd;
    }
}
#else
/* The run of a chunk at this exponent. If the chunk was made for other exponents, a run that is too
 * large. */
DEVICE Run chunk_run(u32 plane, u32 chunk, u32 exponent)
{
    u32 at = chunk_words(plane, chunk), lower = runs[at];
    if (exponent == lower)
        return run_made(runs[at + 1u], runs[at + 2u]);
    if (exponent == lower + 1u)
        return run_made(runs[at + 3u], runs[at + 4u]);
    return run_made(HVS_LIMIT, HVS_LIMIT);
}

DEVICE Run piece_run(u32 plane, u32 piece, u32 exponent)
{
    Run run = run_made(0u, 0u);
    UNROLL
    for (u32 i = 0u; i < HVS_PIECE; i++)
        run_add(run, bits_of_f32(term_of(plane, piece, i)), exponent);
    return run;
}

KERNEL_MAIN
{
    u32 plane = GROUP_X, pieces = HVS_PIECES * blocks_of(plane);
    u32 sum = 0u, at = 0u; /* bits of the sum, and the next piece: the same in all threads */
    bool stopped = false;  /* true at a chunk that must be taken piece by piece */
    while (at < pieces) {
        bool by_chunk = at % HVS_CHUNK == 0u && !stopped;
        u32 exponent = sum >> 23, units = (sum & 0x7fffffu) | 0x800000u;
        u32 piece = at + LOCAL_X, chunk = at / HVS_CHUNK + LOCAL_X;
        Run own = run_made(0u, 0u);
        if (by_chunk && chunk < chunks_of(plane))
            own = chunk_run(plane, chunk, exponent);
        else if (!by_chunk && piece < pieces && piece / HVS_CHUNK == at / HVS_CHUNK)
            own = piece_run(plane, piece, exponent);
        /* The run of all threads up to this one. */
        u32 side = 0u;
        if_even[LOCAL_X] = own.even;
        if_odd[LOCAL_X] = own.odd;
        if (LOCAL_X == 0u)
            found[0] = GROUP_SIZE;
        BARRIER();
        for (u32 reach = 1u; reach < GROUP_SIZE; reach <<= 1) {
            if (LOCAL_X >= reach) {
                u32 before = side + LOCAL_X - reach;
                own = run_then(run_made(if_even[before], if_odd[before]), own);
            }
            side = HVS_CHUNK - side;
            if_even[side + LOCAL_X] = own.even;
            if_odd[side + LOCAL_X] = own.odd;
            BARRIER();
        }
        bool is_odd = (units & 1u) != 0u;
        u32 after = units + (is_odd ? own.odd : own.even), start = units;
        if (LOCAL_X > 0u)
            start += is_odd ? if_odd[side + LOCAL_X - 1u] : if_even[side + LOCAL_X - 1u];
        u32 last = side + GROUP_SIZE - 1u, all = units + (is_odd ? if_odd[last] : if_even[last]);
        if (after >= HVS_CROSSED && start < HVS_CROSSED) {
            PRECISE f32 chain = 0.0f;
            if (sum != 0u)
                chain = f32_of_bits((exponent << 23) + (start - 0x800000u));
            for (u32 i = 0u; !by_chunk && i < HVS_PIECE; i++)
                chain = chain + term_of(plane, piece, i);
            found[0] = LOCAL_X;
            found[1] = bits_of_f32(chain);
        }
        BARRIER();
        bool crossed = found[0] < GROUP_SIZE;
        if (crossed)
            sum = found[1];
        else
            sum = sum == 0u ? 0u : (exponent << 23) + (all - 0x800000u);
        if (by_chunk)
            at += HVS_CHUNK * found[0];
        else
            at = crossed ? at + found[0] + 1u : (at / HVS_CHUNK + 1u) * HVS_CHUNK;
        stopped = by_chunk && crossed;
        BARRIER();
    }
    if (LOCAL_X == 0u)
        error[plane] = sum;
}
#endif
KERNEL_END
#endif
