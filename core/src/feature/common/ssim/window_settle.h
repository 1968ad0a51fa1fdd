/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The sums of SSIM's window once they are gathered: rounded, and where that is in doubt added up anew. Include it after
 * window_sums.h and double_sum.h. */

DEVICE f32 map_of(Across row, u32 map)
{
    return map == 0u ? row.a : map == 1u ? row.b : map == 2u ? row.aa : map == 3u ? row.bb : row.ab;
}

DEVICE void replace(INOUT(Across) row, u32 map, f32 value)
{
    row.a = map == 0u ? value : row.a;
    row.b = map == 1u ? value : row.b;
    row.aa = map == 2u ? value : row.aa;
    row.bb = map == 3u ? value : row.bb;
    row.ab = map == 4u ? value : row.ab;
}

/* The value of tap k, of the lines or the kept rows from `at` on. */
DEVICE f32 window_value(u32 map, u32 k, bool down, u32 at)
{
    if (down)
        return map_of(kept_at(i32(at + k * SSIM_GROUP_W)), map);
    return map_of(line_at(i32(at + k)), map);
}

/* The window's sum of one map, one addition after the other as a double does it. */
DEVICE f32 exact_sum(u32 map, bool down, u32 at)
{
    /* SSIM_TAPS, yet no constant: a loop so rare is not worth the time that compilers take to unroll it. */
    u32 count = min_u32(rows + SSIM_TAPS, SSIM_TAPS);
    DoubleSum sum = double_sum_start();
    for (u32 k = 0u; k < count; k++) {
        PRECISE f32 term = window_value(map, k, down, at) * taps[k];
        double_sum_add(sum, term);
    }
    return double_sum_round(sum);
}

/* Of the window from `at` on. */
DEVICE Across sums_end(Sums s, Anchors anchors, bool down, u32 at)
{
    u32 doubt = 0u;
    Across row = sums_round(s, anchors, doubt);
    while (doubt != 0u) {
        u32 map = top_bit_u32(doubt);
        doubt ^= 1u << map;
        replace(row, map, exact_sum(map, down, at));
    }
    return row;
}
