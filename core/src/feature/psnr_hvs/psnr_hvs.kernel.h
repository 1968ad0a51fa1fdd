/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* GPU kernels of psnr_hvs. */
#include "feature/psnr_hvs/psnr_hvs_tile.h"

#if defined(KERNEL_hvs_blocks)
/* Weighted squared errors of the coefficients of each block, one thread a block: sums over a block must
 * keep their order. Term k of block b goes to terms[k * blocks + b]. */
#define BUFFERS IN(0, u32, ref) IN(1, u32, dist) IN(2, f32, tables) OUT(3, f32, terms)
#define PARAMS HVS_BLOCKS_PARAMS
#define GROUP_W HVS_BLOCKS_GROUP
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#include "gpu/prelude/exact_float.h"

/* Half of v, towards zero. */
DEVICE i32 halved(i32 v)
{
    return (v - (v >> 31)) >> 1;
}

/* v * num / 2^bits, to the nearest, halves up. Unsigned, so that samples beyond the depth may wrap. */
DEVICE i32 turn(i32 v, u32 num, u32 bits)
{
    return i32(u32(v) * num + (1u << (bits - 1u))) >> bits;
}

DEVICE i32 squared(i32 v)
{
    return i32(u32(v) * u32(v));
}

/* Eight samples of s, from `first` on and `step` apart, to eight frequencies, by lifting. */
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

/* How uneven a square of s is: squared distances from its mean. Leaves that in `spread`. */
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

KERNEL_MAIN
{
    u32 block = GROUP_X * HVS_BLOCKS_GROUP + LOCAL_X;
    if (block >= blocks)
        return;
    u32 block_y = block / across, left = (block - block_y * across) * 7u, top = block_y * 7u;
    i32 s[64], before[64];
    f32 hidden = 0.0f;
    UNROLL
    for (u32 k = 0u; k < 64u; k++)
        s[k] = 0;
    for (u32 image = 0u; image < 2u; image++) {
        UNROLL
        for (u32 k = 0u; k < 64u; k++) {
            before[k] = s[k];
            u32 row = (top + k / 8u) * stride, x = left + k % 8u;
            s[k] = i32(image == 0u ? SAMPLE(ref, row, x) : SAMPLE(dist, row, x));
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
        hidden = max_f32(hidden, level);
    }
    /* In two steps, through memory, so that the second is a short loop: as long as the first it would
     * take drivers seconds to compile. */
    UNROLL
    for (u32 k = 0u; k < 64u; k++)
        terms[k * blocks + block] = f32(abs_i32(before[k] - s[k]));
    for (u32 k = 0u; k < 64u; k++) {
        PRECISE f32 e = terms[k * blocks + block];
        PRECISE f32 seen = e - exact_div(hidden, tables[HVS_MASKS + k]);
        if (k != 0u) /* the mean is never hidden */
            e = max_f32(seen, 0.0f);
        PRECISE f32 weighed = e * tables[k];
        PRECISE f32 term = weighed * weighed;
        terms[k * blocks + block] = term;
    }
}
KERNEL_END
#endif

#if defined(KERNEL_hvs_sum)
/* All terms of a plane in one chain of single-precision additions, block after block, by one group.
 *
 * While the sum stays between two powers of two its last place is worth the same: the sum is a whole
 * number of such units, and a term adds to it a whole number that depends on it only by its parity
 * (where the term lies half way, the sum becomes even). So a run of terms is two numbers, what it adds
 * to an even and to an odd sum, and runs combine in any grouping. Each thread takes a block; a scan
 * finds the block in which the sum reaches the next power of two, and that one is added term by
 * term. */
#define BUFFERS IN(0, f32, terms) OUT(1, u32, error)
#define PARAMS HVS_SUM_PARAMS
#define SHARED_ARRAYS SHARED(u32, if_even, HVS_SUM_GROUP) SHARED(u32, if_odd, HVS_SUM_GROUP)           \
    SHARED(u32, found, 2)
#define GROUP_W HVS_SUM_GROUP
#include "gpu/prelude/prelude.h"

KERNEL_BEGIN
#define HVS_CROSSED 0x1000000u /* units at which the next power of two begins */
#define HVS_LIMIT 0x2000000u   /* more than that need not be told apart */

DEVICE f32 term_of(u32 block, u32 k)
{
    return terms[k * blocks + block];
}

/* What a run of terms adds to an even and to an odd sum, in units of the last place. */
struct Run {
    u32 even, odd;
};

DEVICE u32 limited(u32 units)
{
    return min_u32(units, HVS_LIMIT);
}

/* Adds a term, given by its bits, at the exponent of the sum. */
DEVICE void run_add(INOUT(Run) run, u32 term, u32 exponent)
{
    i32 shift = i32(exponent) - i32(term >> 23);
    u32 down = u32(clamp_i32(shift, 0, 25));
    u32 mantissa = term != 0u ? (term & 0x7fffffu) | 0x800000u : 0u;
    u32 whole = mantissa >> down, twice = (mantissa - (whole << down)) << 1, unit = 1u << down;
    /* At least as large as the sum: that crosses. */
    whole = shift > 0 ? whole : mantissa != 0u ? HVS_CROSSED : 0u;
    u32 up = twice > unit ? 1u : 0u, tie = twice == unit ? 1u : 0u;
    run.even = limited(run.even + whole + (up | (tie & (whole + run.even))));
    run.odd = limited(run.odd + whole + (up | (tie & (whole + run.odd + 1u))));
}

KERNEL_MAIN
{
    u32 sum = 0u; /* bits of a float; the same in all threads */
    u32 base = 0u;
    while (base < blocks) {
        u32 block = base + LOCAL_X;
        bool inside = block < blocks;
        u32 exponent = sum >> 23;
        u32 units = (sum & 0x7fffffu) | 0x800000u;
        Run run;
        run.even = 0u;
        run.odd = 0u;
        /* Loads in bunches: waiting for one after the other would take most of the time. */
        for (u32 k = 0u; inside && k < 64u; k += 8u) {
            u32 t0 = bits_of_f32(term_of(block, k)), t1 = bits_of_f32(term_of(block, k + 1u));
            u32 t2 = bits_of_f32(term_of(block, k + 2u)), t3 = bits_of_f32(term_of(block, k + 3u));
            u32 t4 = bits_of_f32(term_of(block, k + 4u)), t5 = bits_of_f32(term_of(block, k + 5u));
            u32 t6 = bits_of_f32(term_of(block, k + 6u)), t7 = bits_of_f32(term_of(block, k + 7u));
            run_add(run, t0, exponent);
            run_add(run, t1, exponent);
            run_add(run, t2, exponent);
            run_add(run, t3, exponent);
            run_add(run, t4, exponent);
            run_add(run, t5, exponent);
            run_add(run, t6, exponent);
            run_add(run, t7, exponent);
        }
        BARRIER();
        if_even[LOCAL_X] = run.even;
        if_odd[LOCAL_X] = run.odd;
        if (LOCAL_X == 0u)
            found[0] = GROUP_SIZE;
        BARRIER();
        u32 own_even = run.even, own_odd = run.odd;
        for (u32 reach = 1u; reach < GROUP_SIZE; reach <<= 1) {
            u32 first_even = 0u, first_odd = 0u;
            if (LOCAL_X >= reach) {
                first_even = if_even[LOCAL_X - reach];
                first_odd = if_odd[LOCAL_X - reach];
            }
            BARRIER();
            u32 then_even = (first_even & 1u) == 0u ? own_even : own_odd;
            u32 then_odd = (first_odd & 1u) == 0u ? own_odd : own_even;
            own_even = limited(first_even + then_even);
            own_odd = limited(first_odd + then_odd);
            if_even[LOCAL_X] = own_even;
            if_odd[LOCAL_X] = own_odd;
            BARRIER();
        }
        /* The sum before and after this thread's block. */
        bool is_odd = (units & 1u) != 0u;
        u32 after = units + (is_odd ? own_odd : own_even), start = units;
        if (LOCAL_X > 0u)
            start += is_odd ? if_odd[LOCAL_X - 1u] : if_even[LOCAL_X - 1u];
        u32 all = units + (is_odd ? if_odd[GROUP_SIZE - 1u] : if_even[GROUP_SIZE - 1u]);
        bool crosses = sum == 0u ? own_even != 0u && (LOCAL_X == 0u || if_even[LOCAL_X - 1u] == 0u)
                                 : after >= HVS_CROSSED && start < HVS_CROSSED;
        if (crosses) {
            PRECISE f32 chain = 0.0f;
            if (sum != 0u)
                chain = f32_of_bits((exponent << 23) + (start - 0x800000u));
            for (u32 k = 0u; k < 64u; k++)
                chain = chain + term_of(block, k);
            found[0] = LOCAL_X;
            found[1] = bits_of_f32(chain);
        }
        BARRIER();
        if (found[0] < GROUP_SIZE) {
            sum = found[1];
            base += found[0] + 1u;
        } else {
            sum = sum == 0u ? 0u : (exponent << 23) + (all - 0x800000u);
            base += GROUP_SIZE;
        }
    }
    if (LOCAL_X == 0u)
        error[plane] = sum;
}
KERNEL_END
#endif
