/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The low-pass one term after the other, as a double does it, where halving_sum.h is in doubt. Include it after
 * double_sum.h, where value_at(at, r, c) is the sample of that row and column from `at` on. */

DEVICE f32 exact_sum(u32 at)
{
    /* 81, yet no constant: a loop so rare is not worth the time that compilers take to unroll it. */
    u32 count = min_u32(width + 81u, 81u);
    DoubleSum sum = double_sum_start();
    for (u32 i = 0u; i < count; i++) {
        u32 r = i / 9u, c = i % 9u, fold_r = r <= 4u ? r : 8u - r, fold_c = c <= 4u ? c : 8u - c;
        PRECISE f32 term = value_at(at, r, c) * quarter[fold_r * 5u + fold_c];
        double_sum_add(sum, term);
    }
    return double_sum_round(sum);
}
