/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The tile of an image that a workgroup halves, in shared memory: HALVE_IN_H rows of HALVE_IN_W
 * pairs of samples. Beyond the edges of the image the samples are reflected. Include it after
 * KERNEL_BEGIN and exact_float.h, in a kernel that has
 *   value_at(at, r, c)  the sample in row r and column c, counted from `at`
 *   extents             (without F64 and BYTES) a shared array with an element for each thread */
#ifndef F64
#include "feature/common/ssim/double_sum.h"
#endif
#include "feature/float_ms_ssim/halving_sum.h"

/* The position of a sample, reflected at the edges so that the edge sample is repeated. Positions
 * that no output needs may be further out; they are clamped to the image. */
DEVICE u32 reflect(i32 i, u32 n)
{
    i32 r = i < 0 ? -1 - i : i < i32(n) ? i : 2 * i32(n) - 1 - i;
    return u32(clamp_i32(r, 0, i32(n) - 1));
}

/* The row of nine samples that begins at pair `at` of the tile. (`at` is signed so that compilers
 * may assume that it does not wrap where a part of it is constant.) */
DEVICE Row row_at(i32 at)
{
    u32x2 p0 = tile[at], p1 = tile[at + 1], p2 = tile[at + 2], p3 = tile[at + 3], p4 = tile[at + 4];
    Row row;
    row.v0 = f32_of_bits(p0.x);
    row.v1 = f32_of_bits(p0.y);
    row.v2 = f32_of_bits(p1.x);
    row.v3 = f32_of_bits(p1.y);
    row.v4 = f32_of_bits(p2.x);
    row.v5 = f32_of_bits(p2.y);
    row.v6 = f32_of_bits(p3.x);
    row.v7 = f32_of_bits(p3.y);
    row.v8 = f32_of_bits(p4.x);
    return row;
}

DEVICE f32 sample_at(u32 x, u32 y)
{
    if (GROUP_Z == 0u)
        return PIXEL(ref, first_in, stride, x, y);
    return PIXEL(dist, first_in, stride, x, y);
}

/* Four neighbouring samples of a row. */
struct Four {
    f32 v0, v1, v2, v3;
};

/* The four samples from x on. With 8 bits they are one word, because x is a multiple of four. */
DEVICE Four four_at(i32 x, u32 y)
{
    Four four;
#ifdef BYTES
    if (x >= 0 && x + 3 < i32(width)) {
        u32 at = y * stride + u32(x) / 4u, word;
        if (GROUP_Z == 0u)
            word = ref[at];
        else
            word = dist[at];
        four.v0 = f32(sample_of(word, 0u));
        four.v1 = f32(sample_of(word, 1u));
        four.v2 = f32(sample_of(word, 2u));
        four.v3 = f32(sample_of(word, 3u));
        return four;
    }
#endif
    four.v0 = sample_at(reflect(x, width), y);
    four.v1 = sample_at(reflect(x + 1, width), y);
    four.v2 = sample_at(reflect(x + 2, width), y);
    four.v3 = sample_at(reflect(x + 3, width), y);
    return four;
}

#if defined(F64) || defined(BYTES)

/* The bounds do not depend on the samples. */
struct Extent {
    u32 none;
};

DEVICE Extent extent_start()
{
    Extent e;
    e.none = 0u;
    return e;
}

DEVICE void extent_take(INOUT(Extent) e, f32 value)
{
}

DEVICE HalvingBounds bounds_of_tile(Extent e)
{
    BARRIER();
#ifdef F64
    return halving_bounds_of_doubles();
#else
    return halving_bounds_of_bytes();
#endif
}

#else

/* ---- the range of the tile's samples, which decides the bounds of their sums ---- */

#define HALVE_GATHERERS 16u /* threads that join the ranges found by all */

/* The range of magnitudes, as bits of floats, which have the same order. */
struct Extent {
    u32 peak, least; /* the largest magnitude; the smallest one but 0, less 1 */
};

DEVICE Extent extent_start()
{
    Extent e;
    e.peak = 0u;
    e.least = 0x4e800000u; /* 2^30 */
    return e;
}

DEVICE void extent_join(INOUT(Extent) e, u32 peak, u32 least)
{
    e.peak = max_u32(e.peak, peak);
    e.least = min_u32(e.least, least);
}

DEVICE void extent_take(INOUT(Extent) e, f32 value)
{
    u32 size = bits_of_f32(value) & 0x7fffffffu;
    extent_join(e, size, size - 1u);
}

DEVICE void put_extent(Extent e)
{
    extents[LOCAL_INDEX] = U32X2(e.peak, e.least);
}

/* The union of the ranges number `from`, from + every and so on, below `end`. */
DEVICE Extent extents_joined(u32 from, u32 end, u32 every)
{
    Extent e = extent_start();
    for (u32 i = from; i < end; i += every) {
        u32x2 words = extents[i];
        extent_join(e, words.x, words.y);
    }
    return e;
}

/* The bounds that follow from the ranges that all threads found. All threads must call this. */
DEVICE HalvingBounds bounds_of_tile(Extent extent)
{
    put_extent(extent);
    BARRIER();
    if (LOCAL_INDEX < HALVE_GATHERERS)
        put_extent(extents_joined(LOCAL_INDEX, GROUP_SIZE, HALVE_GATHERERS));
    BARRIER();
    extent = extents_joined(0u, HALVE_GATHERERS, 1u);
    return halving_bounds(2.0f * power_below(max_f32(f32_of_bits(extent.peak), 9.5367432e-7f)),
                          f32_of_bits(extent.least + 1u));
}

#endif

/* Loads the tile, which begins at sample in_left of row in_top, and returns the bounds for its
 * sums. All threads must call this. */
DEVICE HalvingBounds load_tile(i32 in_left, i32 in_top)
{
    Extent extent = extent_start();
    for (u32 i = LOCAL_INDEX; i < HALVE_IN_W / 2 * HALVE_IN_H; i += GROUP_SIZE) {
        u32 row = i / (HALVE_IN_W / 2), column = i % (HALVE_IN_W / 2);
        Four four = four_at(in_left + i32(4u * column), reflect(in_top + i32(row), height));
        tile[2u * i] = U32X2(bits_of_f32(four.v0), bits_of_f32(four.v1));
        tile[2u * i + 1u] = U32X2(bits_of_f32(four.v2), bits_of_f32(four.v3));
        extent_take(extent, four.v0);
        extent_take(extent, four.v1);
        extent_take(extent, four.v2);
        extent_take(extent, four.v3);
    }
    return bounds_of_tile(extent);
}

#ifndef F64

/* The low-pass from `at` on, one term after the other as a double adds them: for sums in doubt. */
DEVICE f32 exact_sum(u32 at)
{
    /* The count is always 81, but the compiler cannot know. So it does not spend time on unrolling
     * a loop that hardly ever runs. */
    u32 count = min_u32(width + 81u, 81u);
    DoubleSum sum = double_sum_start();
    for (u32 i = 0u; i < count; i++) {
        u32 r = i / 9u, c = i % 9u, fold_r = r <= 4u ? r : 8u - r, fold_c = c <= 4u ? c : 8u - c;
        PRECISE f32 term = value_at(at, r, c) * quarter[fold_r * 5u + fold_c];
        double_sum_add(sum, term);
    }
    return double_sum_round(sum);
}

#endif
