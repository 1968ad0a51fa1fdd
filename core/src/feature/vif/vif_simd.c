/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The row routines of vif in vectors. They compute the same bits as vif_scalar.c:
 *
 * Multiply-add of signed 16-bit pairs does all filtering, so its input is centred on zero: samples
 * of b bits minus 2^(b-1), channels minus 32768. As a kernel sums to 65536, an offset leaves a
 * filter as that offset times 65536; the value that the sums start from corrects it.
 *
 * A pair of rows is stored as blocks of two vectors: the even columns, then the odd ones. Each
 * 32-bit lane holds the samples of both rows. v_trn_* makes blocks from rows, and rows from blocks.
 *
 * To multiply a 32-bit number by a 16-bit tap, its halves are filtered separately with the same
 * kernel.
 *
 * The last kernel's centre tap, 43728, exceeds 16 bits. The code uses it minus 65536, and adds the
 * centre sample shifted up by 16 to make up for it (the `heavy` kernel). */
#include "feature/vif/vif_simd.h"

/* ---- rows to pairs ---- */

V_INLINE void store_pair(uint16_t *pair, vi even, vi odd)
{
    v_store(pair, v_trn_even16(even, odd));
    v_store(pair + V16, v_trn_odd16(even, odd));
}

static void join_8(uint16_t *pair, const void *even, const void *odd, int n, int depth)
{
    const uint8_t *const a = even, *const b = odd;
    const vi middle = v_set16(128);
    int x = 0;
    for (; x + V16 <= n; x += V16)
        store_pair(pair + 2 * x, v_sub16(v_load_u8_to_16(a + x), middle),
                   v_sub16(v_load_u8_to_16(b + x), middle));
    if (x < n) {
        uint8_t tail[2][V16] = { { 0 } };
        memcpy(tail[0], a + x, (size_t)(n - x));
        memcpy(tail[1], b + x, (size_t)(n - x));
        store_pair(pair + 2 * x, v_sub16(v_load_u8_to_16(tail[0]), middle),
                   v_sub16(v_load_u8_to_16(tail[1]), middle));
    }
}

static void join_16(uint16_t *pair, const void *even, const void *odd, int n, int depth)
{
    const uint16_t *const a = even, *const b = odd;
    const vi middle = v_set16((int16_t)(1 << (depth - 1)));
    int x = 0;
    for (; x + V16 <= n; x += V16)
        store_pair(pair + 2 * x, v_sub16(v_load(a + x), middle), v_sub16(v_load(b + x), middle));
    if (x < n) {
        uint16_t tail[2][V16] = { { 0 } };
        memcpy(tail[0], a + x, (size_t)(n - x) * sizeof(*a));
        memcpy(tail[1], b + x, (size_t)(n - x) * sizeof(*b));
        store_pair(pair + 2 * x, v_sub16(v_load(tail[0]), middle),
                   v_sub16(v_load(tail[1]), middle));
    }
}

/* ---- vertical pass ---- */

/* Channels of half a block (even or odd columns), for the two rows. Means are in the low halves,
 * minus 32768. Moments are offset by 2^31 + 2^15: then their high half is the number rounded to a
 * multiple of 65536, minus 32768, and the low half is the signed remainder plus 32768. */
typedef struct Half {
    vi mean[2][2];   /* [ref, dis][row] */
    vi moment[3][2]; /* [ref², dis², ref·dis][row] */
} Half;

#define MOMENT_OFFSET ((int32_t)0x80008000)

/* 8-bit samples: products fit 16 bits, and nothing is rounded. */
V_INLINE void half_8(Half *out, const uint16_t *const *pairs, int at)
{
    enum { scale = 0, reach = VIF_REACH };
    vacc r[2], d[2], rr[2], dd[2], rd[2];
    start(r, 128);
    start(d, 128);
    /* The rounding term 128 in r and d appears in the moments as 2^15. */
    start(rr, (1 << 30) - (1 << 15) + MOMENT_OFFSET);
    start(dd, (1 << 30) - (1 << 15) + MOMENT_OFFSET);
    start(rd, (1 << 30) - (1 << 15) + MOMENT_OFFSET);
    UNROLL
    for (int i = 0; i <= reach; i++) {
        const vi ref = v_load(pairs[i] + at);
        const vi dis = v_load(pairs[i] + VIF_PAIR_WORDS / 2 + at);
        filter(r, ref, scale, i);
        filter(d, dis, scale, i);
        filter(rr, v_mul16(ref, ref), scale, i);
        filter(dd, v_mul16(dis, dis), scale, i);
        filter(rd, v_mul16(ref, dis), scale, i);
    }
    for (int row = 0; row < 2; row++) {
        const vi sr = v_acc_sum(r[row]), sd = v_acc_sum(d[row]);
        out->mean[0][row] = v_shr_u32(sr, 8);
        out->mean[1][row] = v_shr_u32(sd, 8);
        out->moment[0][row] = v_add32(v_acc_sum(rr[row]), v_shl32(sr, 8));
        out->moment[1][row] = v_add32(v_acc_sum(dd[row]), v_shl32(sd, 8));
        out->moment[2][row] = v_add32(v_acc_sum(rd[row]), v_shl32(v_add32(sr, sd), 7));
    }
}

/* 32-bit products of 16-bit lanes, split into halves for multiply-add: the high half signed, the
 * low half minus 32768. */
typedef struct Product {
    vacc hi[2], lo[2];
} Product;

V_INLINE void start_product(Product *p, int32_t round)
{
    start(p->hi, (1 << 30) + MOMENT_OFFSET);
    start(p->lo, (int32_t)(0x80000000u + (uint32_t)round));
}

V_INLINE void filter_product(Product *p, vi a, vi b, int scale, int i, vi middle[2])
{
    const vi hi = v_mulhi_s16(a, b);
    const vi lo = v_xor(v_mul16(a, b), v_set16(INT16_MIN));
    filter(p->hi, hi, scale, i);
    filter(p->lo, lo, scale, i);
    if (is_heavy(scale) && i == vif_pair_reach(scale) / 2) {
        middle[0] = hi;
        middle[1] = lo;
    }
}

/* The high sum of a product. The samples' offset c = 2^(depth-1) is corrected with the means: (x +
 * c)(y + c) = xy + c (x + y) + c². */
V_INLINE vi product_hi(const Product *p, const vi middle[2], int scale, int row, int depth)
{
    const vi hi = total(p->hi[row], middle[0], scale, row);
    if (depth == 16)
        return hi;
    /* The value that the sum started from must not be shifted with it. */
    const vi offset = v_set32((1 << 30) + MOMENT_OFFSET);
    return v_add32(v_shl32(v_sub32(hi, offset), 32 - 2 * depth), offset);
}

/* Samples of 9…16 bits. `depth` is a constant at 16 bits, where shifts vanish and sums reach the
 * sign bit. */
V_INLINE void half_16(Half *out, const uint16_t *const *pairs, int at, int scale, int depth)
{
    const int reach = vif_pair_reach(scale), square = 2 * (depth - 8);
    const int32_t round = 1 << (depth - 1), square_round = 1 << (square - 1);
    vacc r[2], d[2];
    Product rr, dd, rd;
    vi mid_r = v_zero(), mid_d = v_zero(), mid_rr[2], mid_dd[2], mid_rd[2], sums[2][2];
    start(r, 0);
    start(d, 0);
    start_product(&rr, square_round);
    start_product(&dd, square_round);
    start_product(&rd, square_round);
    UNROLL
    for (int i = 0; i <= reach; i++) {
        const vi ref = v_load(pairs[i] + at);
        const vi dis = v_load(pairs[i] + VIF_PAIR_WORDS / 2 + at);
        filter(r, ref, scale, i);
        filter(d, dis, scale, i);
        filter_product(&rr, ref, ref, scale, i, mid_rr);
        filter_product(&dd, dis, dis, scale, i, mid_dd);
        mid_r = i == reach / 2 ? ref : mid_r;
        mid_d = i == reach / 2 ? dis : mid_d;
    }
    for (int row = 0; row < 2; row++) {
        const vi sr = sums[0][row] = total(r[row], mid_r, scale, row);
        const vi sd = sums[1][row] = total(d[row], mid_d, scale, row);
        out->mean[0][row] = v_shr_u32(v_add32(sr, v_set32(round)), depth);
        out->mean[1][row] = v_shr_u32(v_add32(sd, v_set32(round)), depth);
        const vi rr_lo = v_shr_u32(total(rr.lo[row], mid_rr[1], scale, row), square);
        const vi dd_lo = v_shr_u32(total(dd.lo[row], mid_dd[1], scale, row), square);
        out->moment[0][row] = v_add32(v_add32(product_hi(&rr, mid_rr, scale, row, depth), rr_lo),
                                      v_shl32(sr, 16 - depth));
        out->moment[1][row] = v_add32(v_add32(product_hi(&dd, mid_dd, scale, row, depth), dd_lo),
                                      v_shl32(sd, 16 - depth));
    }
    /* The mixed product has a loop of its own because registers are few. */
    UNROLL
    for (int i = 0; i <= reach; i++)
        filter_product(&rd, v_load(pairs[i] + at), v_load(pairs[i] + VIF_PAIR_WORDS / 2 + at),
                       scale, i, mid_rd);
    for (int row = 0; row < 2; row++) {
        const vi hi = product_hi(&rd, mid_rd, scale, row, depth);
        const vi lo = total(rd.lo[row], mid_rd[1], scale, row);
        const vi sr = sums[0][row], sd = sums[1][row];
        if (depth == 16) {
            /* (sr + sd) / 2 without a 33rd bit. Its half goes to the low sum, which has room for
             * it: the sum is odd only if some product is even. */
            const vi differ = v_xor(sr, sd);
            const vi mean = v_add32(v_and(sr, sd), v_shr_s32(differ, 1));
            const vi half = v_and(v_shl32(differ, 15), v_set32(1 << 15));
            out->moment[2][row] = v_add32(v_add32(hi, mean), v_shr_u32(v_add32(lo, half), square));
        } else {
            out->moment[2][row] =
                v_add32(v_add32(hi, v_shr_u32(lo, square)), v_shl32(v_add32(sr, sd), 15 - depth));
        }
    }
}

/* Turns even and odd columns back into rows of channels. */
V_INLINE void store_block(uint16_t *columns, const Half *even, const Half *odd)
{
    const vi flip = v_set16(INT16_MIN);
    for (int row = 0; row < 2; row++, columns += VIF_ROW_WORDS) {
        for (int c = 0; c < 2; c++)
            v_store(columns + c * VIF_PITCH, v_trn_even16(even->mean[c][row], odd->mean[c][row]));
        for (int c = 0; c < 3; c++) {
            const vi a = even->moment[c][row], b = odd->moment[c][row];
            v_store(columns + (VIF_REF_REF_HI + 2 * c) * VIF_PITCH, v_trn_odd16(a, b));
            v_store(columns + (VIF_REF_REF_LO + 2 * c) * VIF_PITCH,
                    v_xor(v_trn_even16(a, b), flip));
        }
    }
}

static void stats_columns_8(uint16_t *columns, const uint16_t *const *pairs, int n,
                            const VifShifts *shifts)
{
    for (int x = 0; x < n; x += V16) {
        Half even, odd;
        half_8(&even, pairs, 2 * x);
        half_8(&odd, pairs, 2 * x + V16);
        store_block(columns + x, &even, &odd);
    }
}

V_INLINE void stats_columns(uint16_t *columns, const uint16_t *const *pairs, int n, int scale,
                            int depth)
{
    for (int x = 0; x < n; x += V16) {
        Half even, odd;
        half_16(&even, pairs, 2 * x, scale, depth);
        half_16(&odd, pairs, 2 * x + V16, scale, depth);
        store_block(columns + x, &even, &odd);
    }
}

/* For 9…15 bits. */
static void stats_columns_hbd(uint16_t *columns, const uint16_t *const *pairs, int n,
                              const VifShifts *shifts)
{
    stats_columns(columns, pairs, n, 0, shifts->mean);
}

/* ---- halving ---- */

V_INLINE void halve_columns(uint16_t *columns, const uint16_t *const *pairs, int n, int depth,
                            int next)
{
    const int reach = vif_pair_reach(next);
    const vi round = v_set32(1 << (depth - 1));
    for (int x = 0; x < n; x += V16) {
        for (int picture = 0; picture < 2; picture++) {
            const int at = picture * (VIF_PAIR_WORDS / 2) + 2 * x;
            vacc even = v_acc_zero(), odd = v_acc_zero();
            vi mid_even = v_zero(), mid_odd = v_zero();
            UNROLL
            for (int i = 0; i <= reach; i++) {
                const vi a = v_load(pairs[i] + at), b = v_load(pairs[i] + at + V16);
                even = v_acc_madd16(even, a, taps(next, 0, i));
                odd = v_acc_madd16(odd, b, taps(next, 0, i));
                mid_even = i == reach / 2 ? a : mid_even;
                mid_odd = i == reach / 2 ? b : mid_odd;
            }
            const vi sum_even = v_add32(total(even, mid_even, next, 0), round);
            const vi sum_odd = v_add32(total(odd, mid_odd, next, 0), round);
            v_store(columns + picture * VIF_PITCH + x,
                    v_trn_even16(v_shr_u32(sum_even, depth), v_shr_u32(sum_odd, depth)));
        }
    }
}

V_INLINE void halve_row(uint16_t *out, const uint16_t *channel, int n, int next)
{
    const int reach = vif_pair_reach(next);
    for (int i = 0; i < n; i += V32) {
        const uint16_t *const at = channel + 2 * i;
        vacc sum = v_acc_from(v_set32((int32_t)0x80008000)); /* undoes the centring, and rounds */
        UNROLL
        for (int k = 0; k <= reach; k++)
            sum = v_acc_madd16(sum, v_load(at + 2 * k - reach), taps(next, 0, k));
        v_store_32_to_16(out + i, v_shr_u32(total(sum, v_load(at), next, 0), 16));
    }
}

/* ---- the table ---- */

#define OF_SCALE(s)                                                                                \
    static void stats_columns_##s(uint16_t *columns, const uint16_t *const *pairs, int n,          \
                                  const VifShifts *shifts)                                         \
    {                                                                                              \
        stats_columns(columns, pairs, n, s, 16);                                                   \
    }
OF_SCALE(0)
OF_SCALE(1)
OF_SCALE(2)
OF_SCALE(3)

#define HALVE_TO(s)                                                                                \
    static void halve_columns_to_##s(uint16_t *columns, const uint16_t *const *pairs, int n,       \
                                     int depth)                                                    \
    {                                                                                              \
        halve_columns(columns, pairs, n, depth, s);                                                \
    }                                                                                              \
    static void halve_row_to_##s(uint16_t *out, const uint16_t *channel, int n)                    \
    {                                                                                              \
        halve_row(out, channel, n, s);                                                             \
    }
HALVE_TO(1)
HALVE_TO(2)
HALVE_TO(3)

SIMD_ONCE void SIMD_FN(vif_dsp_init)(VifDsp *dsp, unsigned bpc)
{
    /* The row routines come from vif_simd_row.c. */
    *dsp = (VifDsp){ {
        { join_16, stats_columns_0, NULL, halve_columns_to_1, halve_row_to_1 },
        { join_16, stats_columns_1, NULL, halve_columns_to_2, halve_row_to_2 },
        { join_16, stats_columns_2, NULL, halve_columns_to_3, halve_row_to_3 },
        { join_16, stats_columns_3, NULL, NULL, NULL },
    } };
    SIMD_FN(vif_rows_init)(dsp);
    if (bpc < 16)
        dsp->scale[0].stats_columns = bpc > 8 ? stats_columns_hbd : stats_columns_8;
    if (bpc == 8)
        dsp->scale[0].join = join_8;
}
