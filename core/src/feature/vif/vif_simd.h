/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Shared by the vector code of the vertical and the horizontal pass: kernels, and the steps of a
 * filter. */
#ifndef FEATURE_VIF_VIF_SIMD_H
#define FEATURE_VIF_VIF_SIMD_H

#include "base/simd.h"
#include "feature/vif/vif.h"

/* Fills in the horizontal pass of every scale. */
void SIMD_FN(vif_rows_init)(VifDsp *dsp);

#define UNROLL _Pragma("GCC unroll 16")

/* Taps in pairs for multiply-add, of kernels padded to an even reach: [0] for an output at the even
 * position of a pair (of rows or columns), [1] for the odd position. */
typedef struct PairTaps {
    int16_t at[2][VIF_REACH + 1][2];
} PairTaps;

static const PairTaps kernel[VIF_SCALES] = {
    { { { { 489, 935 },
          { 1640, 2640 },
          { 3896, 5274 },
          { 6547, 7455 },
          { 7784, 7455 },
          { 6547, 5274 },
          { 3896, 2640 },
          { 1640, 935 },
          { 489, 0 } },
        { { 0, 489 },
          { 935, 1640 },
          { 2640, 3896 },
          { 5274, 6547 },
          { 7455, 7784 },
          { 7455, 6547 },
          { 5274, 3896 },
          { 2640, 1640 },
          { 935, 489 } } } },
    { { { { 1244, 3663 }, { 7925, 12590 }, { 14692, 12590 }, { 7925, 3663 }, { 1244, 0 } },
        { { 0, 1244 }, { 3663, 7925 }, { 12590, 14692 }, { 12590, 7925 }, { 3663, 1244 } } } },
    { { { { 3571, 16004 }, { 26386, 16004 }, { 3571, 0 } },
        { { 0, 3571 }, { 16004, 26386 }, { 16004, 3571 } } } },
    { { { { 0, 10904 }, { 43728 - 65536, 10904 }, { 0, 0 } },
        { { 0, 0 }, { 10904, 43728 - 65536 }, { 10904, 0 } } } },
};

static inline int is_heavy(int scale)
{
    return scale == VIF_SCALES - 1;
}

/* Tap pair i of kernel `scale` for an output at the even (0) or odd (1) position. */
V_INLINE vi taps(int scale, int place, int i)
{
    return v_set_pair16(kernel[scale].at[place][i][0], kernel[scale].at[place][i][1]);
}

/* The centre sample times 65536: what the heavy kernel's centre tap lacks (see vif_simd.c). */
V_INLINE vi centre(vi pair, int place)
{
    return place ? v_and(pair, v_set32((int32_t)0xffff0000)) : v_shl32(pair, 16);
}

/* One step of a filter for both positions: multiplies `pair` by tap pair i and adds the
 * products. */
V_INLINE void filter(vacc sum[2], vi pair, int scale, int i)
{
    for (int place = 0; place < 2; place++)
        sum[place] = v_acc_madd16(sum[place], pair, taps(scale, place, i));
}

V_INLINE vi total(vacc sum, vi middle, int scale, int place)
{
    const vi s = v_acc_sum(sum);
    return is_heavy(scale) ? v_add32(s, centre(middle, place)) : s;
}

V_INLINE void start(vacc sum[2], int32_t from)
{
    sum[0] = sum[1] = v_acc_from(v_set32(from));
}

#endif
