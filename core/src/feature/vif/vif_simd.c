/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vif in vectors. Bit for bit what vif_scalar.c computes, by these means:
 *
 * Multiply-add of signed 16-bit pairs does all filtering, so everything it reads is centred on
 * zero: samples of b bits minus 2^(b-1), channels minus 32768. As a kernel sums to 65536, an offset
 * comes out of a filter as that offset times 65536, and is put right by what the sums start from.
 *
 * A pair of rows is stored as blocks of two vectors: the even columns, then the odd ones, each
 * 32-bit lane with the samples of both rows. v_trn_* makes that from rows, and rows from it.
 *
 * A 32-bit number times a 16-bit tap: its halves are filtered apart, with the same kernel.
 *
 * The last kernel's centre tap, 43728, exceeds 16 bits: it is used less 65536, and the centre
 * sample shifted up by 16 makes up for it (`heavy`). */
#include "base/simd.h"
#include "feature/vif/vif_dsp.h"

#define UNROLL _Pragma("GCC unroll 16")

/* Taps as multiply-add wants them, for kernels padded to an even reach: [0] for an output at the
 * even place of a pair (row or column), [1] for the odd place. */
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

/* Tap pair i of kernel `scale` for an output at the even (0) or odd (1) place. */
V_INLINE vi taps(int scale, int place, int i)
{
    return v_set_pair16(kernel[scale].at[place][i][0], kernel[scale].at[place][i][1]);
}

/* What the heavy kernel's centre sample adds. */
V_INLINE vi centre(vi pair, int place)
{
    return place ? v_and(pair, v_set32((int32_t)0xffff0000)) : v_shl32(pair, 16);
}

/* One step of a filter for both places; i is the middle of the kernel at `mid`. */
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
 * less 32768. Moments are offset by 2^31 + 2^15, so that their high half is the number, rounded to
 * 65536, less 32768, and the low half the signed remainder plus 32768. */
typedef struct Half {
    vi mean[2][2];   /* [ref, dis][row] */
    vi moment[3][2]; /* [ref², dis², ref·dis][row] */
} Half;

#define MOMENT_OFFSET ((int32_t)0x80008000)

V_INLINE void start(vacc sum[2], int32_t from)
{
    sum[0] = sum[1] = v_acc_from(v_set32(from));
}

/* 8-bit samples: products fit 16 bits, nothing is rounded. */
V_INLINE void half_8(Half *out, const uint16_t *const *pairs, int at)
{
    enum { scale = 0, reach = VIF_REACH };
    vacc r[2], d[2], rr[2], dd[2], rd[2];
    start(r, 128);
    start(d, 128);
    /* The rounding term 128 in r and d shows in the moments as 2^15. */
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

/* 32-bit products of 16-bit lanes, as halves fit for multiply-add: the high one signed, the low one
 * less 32768. */
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

/* The sums of a product, less what the samples' offset c = 2^(depth-1) owes to the means:
 * (x + c)(y + c) = xy + c (x + y) + c². */
V_INLINE vi product_hi(const Product *p, const vi middle[2], int scale, int row, int depth)
{
    const vi hi = total(p->hi[row], middle[0], scale, row);
    if (depth == 16)
        return hi;
    /* What the sum started from must not be shifted with it. */
    const vi offset = v_set32((1 << 30) + MOMENT_OFFSET);
    return v_add32(v_shl32(v_sub32(hi, offset), 32 - 2 * depth), offset);
}

/* Samples of 9…16 bits. At 16, where shifts vanish and sums reach the sign bit, `depth` is a
 * constant. */
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
    /* The mixed product in a loop of its own: registers are few. */
    UNROLL
    for (int i = 0; i <= reach; i++)
        filter_product(&rd, v_load(pairs[i] + at), v_load(pairs[i] + VIF_PAIR_WORDS / 2 + at),
                       scale, i, mid_rd);
    for (int row = 0; row < 2; row++) {
        const vi hi = product_hi(&rd, mid_rd, scale, row, depth);
        const vi lo = total(rd.lo[row], mid_rd[1], scale, row);
        const vi sr = sums[0][row], sd = sums[1][row];
        if (depth == 16) {
            /* (sr + sd) / 2 without a 33rd bit; its half goes to the low sum, which has room: it is
             * odd only if some product is even. */
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

/* Even and odd columns back into rows of channels. */
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

/* 9…15 bits. */
static void stats_columns_hbd(uint16_t *columns, const uint16_t *const *pairs, int n,
                              const VifShifts *shifts)
{
    stats_columns(columns, pairs, n, 0, shifts->mean);
}

/* ---- horizontal pass ---- */

/* Two channels at once, for even and odd outputs. */
V_INLINE void filter_row(vi out[2][2], const uint16_t *a, const uint16_t *b, int scale,
                         int32_t start_a, int32_t start_b)
{
    const int reach = vif_pair_reach(scale);
    vacc sum_a[2], sum_b[2];
    start(sum_a, start_a);
    start(sum_b, start_b);
    UNROLL
    for (int i = 0; i <= reach; i++) {
        filter(sum_a, v_load(a + 2 * i - reach), scale, i);
        filter(sum_b, v_load(b + 2 * i - reach), scale, i);
    }
    for (int place = 0; place < 2; place++) {
        out[0][place] = total(sum_a[place], v_load(a), scale, place);
        out[1][place] = total(sum_b[place], v_load(b), scale, place);
    }
}

/* A second moment, from the channels of its halves. */
V_INLINE void filter_moment(vi out[2], const uint16_t *hi, int scale)
{
    vi sums[2][2];
    filter_row(sums, hi, hi + VIF_PITCH, scale, INT32_MIN, 1 << 15);
    for (int place = 0; place < 2; place++)
        out[place] = v_add32(sums[0][place], v_shr_s32(sums[1][place], 16));
}

/* ---- pixels ---- */

/* Each eighth of [1, 2) has a cubic in the 12 bits that follow its own three (as a number, 256
 * times too large), which gives 2048 * log2 + 1/2 well enough that its whole part, in single
 * precision without fusing, is the table's entry for each of the 32768 leading bit patterns. Found
 * by linear programming; the test of this file's routines tries every pattern. */
static const float log_cubic[4][8] = {
    { 0x1.028d36p-1f, 0x1.5c8244p+8f, 0x1.49e7c4p+9f, 0x1.d6b57ep+9f, 0x1.2ba04cp+10f,
      0x1.66c01ep+10f, 0x1.9d7db4p+10f, 0x1.d0740cp+10f },
    { 0x1.714604p-12f, 0x1.4844ccp-12f, 0x1.277166p-12f, 0x1.0c96fep-12f, 0x1.ec6c12p-13f,
      0x1.c68c14p-13f, 0x1.a614f4p-13f, 0x1.89f1a8p-13f },
    { -0x1.6db97cp-36f, -0x1.21f14ep-36f, -0x1.d5e912p-37f, -0x1.84ec88p-37f, -0x1.46fe62p-37f,
      -0x1.16c3f2p-37f, -0x1.e0fedcp-38f, -0x1.a30f04p-38f },
    { 0x1.967d34p-60f, 0x1.278d3ap-60f, 0x1.b2949ep-61f, 0x1.4d6170p-61f, 0x1.0276aep-61f,
      0x1.999346p-62f, 0x1.4b85f4p-62f, 0x1.0e3088p-62f },
};

/* 2048 * log2 x from the top 16 bits of x, 2^17 <= x < 2^31: `power` + 127 whole twos, and the
 * rest. */
typedef struct Log {
    vi power, rest;
} Log;

V_INLINE Log log_q11(vi x)
{
    /* Clears the bit 18 places below the top one: the conversion cannot round past it. */
    const vi bits = v_cast_f32(v_s32_to_f32(v_andnot(v_shr_u32(x, 18), x)));
    const vi piece = v_shr_u32(bits, 20);
    const vf u = v_s32_to_f32(v_and(bits, v_set32(0x000fff00)));
    vf p = v_lookup8_f32(log_cubic[3], piece);
    for (int k = 2; k >= 0; k--)
        p = v_add_f32(v_mul_f32(p, u), v_lookup8_f32(log_cubic[k], piece));
    return (Log){ .power = v_shr_u32(bits, 23), .rest = v_f32_to_s32_trunc(p) };
}

/* log a - log b. */
V_INLINE vi log_ratio(Log a, Log b)
{
    return v_add32(v_shl32(v_sub32(a.power, b.power), 11), v_sub32(a.rest, b.rest));
}

typedef struct RowSums {
    vi num, den, energy, count; /* energy has 64-bit lanes */
} RowSums;

typedef struct Gain {
    vd rest, signal;
} Gain;

V_INLINE Gain gain_of(vd var_ref, vd var_dis, vd cov, vd limit)
{
    const vd gain = v_div_f64(cov, v_add_f64(var_ref, v_set_f64(65536 * 1.0e-10)));
    const vd capped = v_min_f64(gain, limit);
    return (Gain){
        .rest = v_sub_f64(var_dis, v_mul_f64(gain, cov)),
        .signal = v_mul_f64(v_mul_f64(capped, capped), var_ref),
    };
}

V_INLINE void add_pixels(RowSums *sums, vi var_ref, vi var_dis, vi cov, vd limit)
{
    const vi noise = v_set32(VIF_NOISE);
    const vm flat = vm_gt_s32(noise, var_ref), textured = vm_not(flat);
    var_dis = v_max_s32(var_dis, v_zero());
    sums->energy = v_add64(sums->energy, v_widen_sum_u32(v_keep32(flat, var_dis)));
    sums->count = v_add32(sums->count, v_keep32(flat, v_set32(1)));
    if (!vm_any(textured))
        return;
    var_ref = v_max_s32(var_ref, noise); /* spares the other lanes strange numbers */
    const Log noise_log = { .power = v_set32(127 + 17), .rest = v_zero() };
    const vi den = log_ratio(log_q11(v_add32(var_ref, noise)), noise_log);
    sums->den = v_add32(sums->den, v_keep32(textured, den));

    const vm linked =
        vm_and(vm_and(textured, vm_gt_s32(cov, v_zero())), vm_gt_s32(var_dis, v_zero()));
    if (!vm_any(linked))
        return;
    cov = v_keep32(linked, cov);
    const Gain lo =
        gain_of(v_s32_lo_to_f64(var_ref), v_s32_lo_to_f64(var_dis), v_s32_lo_to_f64(cov), limit);
    const Gain hi =
        gain_of(v_s32_hi_to_f64(var_ref), v_s32_hi_to_f64(var_dis), v_s32_hi_to_f64(cov), limit);
    const vi rest = v_max_s32(v_f64_to_s32_trunc(lo.rest, hi.rest), v_zero());
    const vi signal = v_f64_to_s32_trunc(lo.signal, hi.signal);
    const vi remains = v_add32(rest, noise);
    const vi num = log_ratio(log_q11(v_add32(remains, signal)), log_q11(remains));
    sums->num = v_add32(sums->num, v_keep32(linked, num));
}

V_INLINE void add_lanes(uint64_t *lanes, vi v)
{
    v_store(lanes, v_add64(v_load(lanes), v));
}

V_INLINE void stats_row(VifLaneSums *lanes, const uint16_t *columns, int n,
                        const VifPixelParams *params, int scale)
{
    const vd limit = v_set_f64(params->gain_limit);
    RowSums sums = { v_zero(), v_zero(), v_zero(), v_zero() };
    for (int x = 0; x < n; x += V16) {
        const uint16_t *const at = columns + x;
        vi mean[2][2], rr[2], dd[2], rd[2];
        filter_row(mean, at + VIF_MEAN_REF * VIF_PITCH, at + VIF_MEAN_DIS * VIF_PITCH, scale,
                   INT32_MIN, INT32_MIN);
        filter_moment(rr, at + VIF_REF_REF_HI * VIF_PITCH, scale);
        filter_moment(dd, at + VIF_DIS_DIS_HI * VIF_PITCH, scale);
        filter_moment(rd, at + VIF_REF_DIS_HI * VIF_PITCH, scale);
        for (int place = 0; place < 2; place++) {
            const vi mr = mean[0][place], md = mean[1][place];
            vi var_ref = v_sub32(rr[place], v_mulhi_round_u32(mr, mr));
            vi var_dis = v_sub32(dd[place], v_mulhi_round_u32(md, md));
            vi cov = v_sub32(rd[place], v_mulhi_round_u32(mr, md));
            if (n - x < V16) { /* columns past the end: flat, without energy */
                const vm inside = vm_first32((n - x + 1 - place) / 2);
                var_ref = v_keep32(inside, var_ref);
                var_dis = v_keep32(inside, var_dis);
            }
            add_pixels(&sums, var_ref, var_dis, cov, limit);
        }
    }
    add_lanes(lanes->num_log, v_widen_sum_u32(sums.num));
    add_lanes(lanes->den_log, v_widen_sum_u32(sums.den));
    add_lanes(lanes->flat_energy, sums.energy);
    add_lanes(lanes->flat_count, v_widen_sum_u32(sums.count));
    lanes->flat_count[0] -= (uint64_t)(-n & (V16 - 1));
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
        vacc sum = v_acc_from(v_set32((int32_t)0x80008000)); /* the centring, and half a step */
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
    }                                                                                              \
    static void stats_row_##s(VifLaneSums *sums, const uint16_t *columns, int n,                   \
                              const VifPixelParams *params)                                        \
    {                                                                                              \
        stats_row(sums, columns, n, params, s);                                                    \
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

void SIMD_FN(vif_dsp_init)(VifDsp *dsp, unsigned bpc)
{
    *dsp = (VifDsp){ {
        { join_16, stats_columns_0, stats_row_0, halve_columns_to_1, halve_row_to_1 },
        { join_16, stats_columns_1, stats_row_1, halve_columns_to_2, halve_row_to_2 },
        { join_16, stats_columns_2, stats_row_2, halve_columns_to_3, halve_row_to_3 },
        { join_16, stats_columns_3, stats_row_3, NULL, NULL },
    } };
    if (bpc < 16)
        dsp->scale[0].stats_columns = bpc > 8 ? stats_columns_hbd : stats_columns_8;
    if (bpc == 8)
        dsp->scale[0].join = join_8;
}
