/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The row routines of motion in vectors. A pair is stored in blocks of two vectors, first the even
 * columns, then the odd ones. Each 32-bit lane holds the differences of both rows, so that
 * multiply-add of 16-bit pairs can filter them.
 *
 * A number v of 17 bits is filtered as 2 * (v >> 1) + (v & 1):
 *     (sum g v + 2^15) >> 16  =  (sum g (v >> 1) + 2^14 + (sum g (v & 1) >> 1)) >> 15
 * where no step leaves 32 bits. Columns always are numbers like that, and differences are at 16
 * bits. A pair then has the blocks of the halves, and from its middle on the blocks of the odd
 * bits. */
#include "base/simd.h"
#include "feature/motion/motion.h"

#define UNROLL _Pragma("GCC unroll 3")

/* [0] for an output at the even position of a pair (of rows or columns), [1] for the odd
 * position. */
static const int16_t pair_taps[2][MOTION_PAIRS][2] = {
    { { 3571, 16004 }, { 26386, 16004 }, { 3571, 0 } },
    { { 0, 3571 }, { 16004, 26386 }, { 16004, 3571 } },
};

V_INLINE vi taps(int place, int i)
{
    return v_set_pair16(pair_taps[place][i][0], pair_taps[place][i][1]);
}

/* ---- rows to pairs ---- */

V_INLINE void store_pair(uint32_t *pair, vi even, vi odd)
{
    v_store(pair, v_trn_even16(even, odd));
    v_store(pair + V32, v_trn_odd16(even, odd));
}

V_INLINE vi load_samples(const void *row, int x, int bytes)
{
    return bytes == 1 ? v_load_u8_to_16((const uint8_t *)row + x)
                      : v_load((const uint16_t *)row + x);
}

/* a - b of unsigned 16-bit lanes, halved and rounded down; `odd` gets the bit that is lost. */
V_INLINE vi half_difference(vi a, vi b, vi *odd)
{
    *odd = v_and(v_xor(a, b), v_set16(1));
    /* a - b = (a >> 1) - (b >> 1) + (a & 1) - (b & 1): halving loses 1 where only b is odd. */
    const vi borrow = v_and(v_andnot(a, b), v_set16(1));
    return v_sub16(v_sub16(v_shr_u16(a, 1), v_shr_u16(b, 1)), borrow);
}

V_INLINE void join_block(uint32_t *pair, const void *const earlier[2], const void *const current[2],
                         int x, int bytes, int wide)
{
    vi a[2], b[2], odd[2];
    for (int row = 0; row < 2; row++) {
        a[row] = load_samples(earlier[row], x, bytes);
        b[row] = load_samples(current[row], x, bytes);
    }
    if (wide) {
        const vi even_half = half_difference(a[0], b[0], &odd[0]);
        const vi odd_half = half_difference(a[1], b[1], &odd[1]);
        store_pair(pair, even_half, odd_half);
        store_pair(pair + MOTION_PITCH, odd[0], odd[1]);
    } else {
        store_pair(pair, v_sub16(a[0], b[0]), v_sub16(a[1], b[1]));
    }
}

V_INLINE void join(uint32_t *pair, const void *const earlier[2], const void *const current[2],
                   int n, int bytes, int wide)
{
    int x = 0;
    for (; x + V16 <= n; x += V16)
        join_block(pair + x, earlier, current, x, bytes, wide);
    if (x == n)
        return;
    uint16_t tail[4][V16] = { { 0 } };
    const void *ends[4];
    for (int i = 0; i < 4; i++) {
        const uint8_t *const row = i < 2 ? earlier[i] : current[i - 2];
        memcpy(tail[i], row + (size_t)x * (size_t)bytes, (size_t)(n - x) * (size_t)bytes);
        ends[i] = tail[i];
    }
    join_block(pair + x, ends, ends + 2, 0, bytes, wide);
}

static void join_8(uint32_t *pair, const void *const earlier[2], const void *const current[2],
                   int n)
{
    join(pair, earlier, current, n, 1, 0);
}

static void join_16(uint32_t *pair, const void *const earlier[2], const void *const current[2],
                    int n)
{
    join(pair, earlier, current, n, 2, 0);
}

static void join_wide(uint32_t *pair, const void *const earlier[2], const void *const current[2],
                      int n)
{
    join(pair, earlier, current, n, 2, 1);
}

/* ---- vertical pass ---- */

/* Filters the same columns of three pairs, for one of the two positions. */
V_INLINE vi filter_pairs(const uint32_t *const *pairs, int at, int place, int32_t from)
{
    vacc sum = v_acc_from(v_set32(from));
    UNROLL
    for (int i = 0; i < MOTION_PAIRS; i++)
        sum = v_acc_madd16(sum, v_load(pairs[i] + at), taps(place, i));
    return v_acc_sum(sum);
}

V_INLINE vi blur_column(const uint32_t *const *pairs, int at, int row, int bpc, int wide)
{
    if (!wide)
        return v_shr_s32(filter_pairs(pairs, at, row, 1 << (bpc - 1)), bpc);
    const vi half = filter_pairs(pairs, at, row, 1 << 14);
    const vi odd = filter_pairs(pairs, at + MOTION_PITCH, row, 0);
    return v_shr_s32(v_add32(half, v_shr_u32(odd, 1)), 15);
}

V_INLINE void blur_columns(int16_t *columns, const uint32_t *const *pairs, int n, int bpc, int wide)
{
    const vi one = v_set16(1);
    for (int row = 0; row < 2; row++, columns += MOTION_ROW_WORDS) {
        for (int x = 0; x < n; x += V16) {
            const vi even = blur_column(pairs, x, row, bpc, wide);
            const vi odd = blur_column(pairs, x + V32, row, bpc, wide);
            v_store(columns + x, v_trn_even16(v_shr_s32(even, 1), v_shr_s32(odd, 1)));
            v_store(columns + MOTION_PITCH + x, v_and(v_trn_even16(even, odd), one));
        }
    }
}

static void blur_columns_narrow(int16_t *columns, const uint32_t *const *pairs, int n, int bpc)
{
    blur_columns(columns, pairs, n, bpc, 0);
}

static void blur_columns_wide(int16_t *columns, const uint32_t *const *pairs, int n, int bpc)
{
    blur_columns(columns, pairs, n, 16, 1);
}

/* ---- horizontal pass ---- */

V_INLINE vi blur_row_block(const int16_t *at, int place)
{
    vacc half = v_acc_from(v_set32(1 << 14)), odd = v_acc_zero();
    UNROLL
    for (int i = 0; i < MOTION_PAIRS; i++) {
        half = v_acc_madd16(half, v_load(at + 2 * i - 2), taps(place, i));
        odd = v_acc_madd16(odd, v_load(at + MOTION_PITCH + 2 * i - 2), taps(place, i));
    }
    const vi sum = v_add32(v_acc_sum(half), v_shr_u32(v_acc_sum(odd), 1));
    return v_abs_s32(v_shr_s32(sum, 15));
}

/* A strip is too narrow for the sum of a lane to exceed 32 bits. */
static uint64_t blur_row(const int16_t *columns, int n)
{
    vi sum = v_zero();
    int x = 0;
    for (; x + V16 <= n; x += V16)
        sum = v_add32(sum, v_add32(blur_row_block(columns + x, 0), blur_row_block(columns + x, 1)));
    if (x < n) {
        for (int place = 0; place < 2; place++)
            sum = v_add32(sum, v_keep32(vm_first32((n - x + 1 - place) / 2),
                                        blur_row_block(columns + x, place)));
    }
    return v_sum_u32(sum);
}

SIMD_ONCE void SIMD_FN(motion_dsp_init)(MotionDsp *dsp, unsigned bpc)
{
    *dsp = bpc == 8   ? (MotionDsp){ join_8, blur_columns_narrow, blur_row }
           : bpc < 16 ? (MotionDsp){ join_16, blur_columns_narrow, blur_row }
                      : (MotionDsp){ join_wide, blur_columns_wide, blur_row };
}
