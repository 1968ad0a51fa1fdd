/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The decoupling, weights, masks and energies of adm in vectors: everything after the split. It
 * works in integers except for the comparison of directions. */
#include "feature/adm/adm.h"

#include <math.h>

#include "base/simd.h"

/* ---- directions ---- */

/* Single precision decides whether gradients are aligned where that is safe. `unsure` marks lanes
 * so near the limit that the rounding of these few operations, about 2^-21, could change the
 * answer. */
typedef struct Direction {
    vm aligned, unsure;
} Direction;

V_INLINE Direction compare_directions(vf dot, vf oo, vf tt)
{
    const vf cos2 = v_set_f32(0x1.ffd814p-1f);
    const vf left = v_mul_f32(dot, dot), right = v_mul_f32(v_mul_f32(cos2, oo), tt);
    const vf gap = v_abs_f32(v_sub_f32(left, right));
    return (Direction){
        .aligned = vm_and(vm_ge_f32(dot, v_set_f32(0.0f)), vm_ge_f32(left, right)),
        .unsure = vm_gt_f32(v_mul_f32(right, v_set_f32(0x1p-19f)), gap),
    };
}

/* ---- the ratio of two magnitudes ---- */

/* floor(2^30 / x) for x in 1…32768, and some number for 0. The first quotient is made too small, by
 * less than 700 / x + 1, so that the rest is small, positive and exact in single precision. The
 * quotient of the rest is exact when x is a power of two. Otherwise it is at least 1 / x away from
 * any whole number, which is more than its rounding error. */
V_INLINE vi reciprocal_q30(vi x)
{
    const vf inverse = v_div_f32(v_set_f32(1.0f), v_s32_to_f32(x));
    const vi first = v_f32_to_s32_trunc(v_mul_f32(inverse, v_set_f32(0x1p30f - 0x1p8f)));
    const vi rest = v_sub32(v_set32(1 << 30), v_mul32(first, x));
    return v_add32(first, v_f32_to_s32_trunc(v_mul_f32(v_s32_to_f32(rest), inverse)));
}

/* ---- level 0: 16 bits a coefficient, |o| and |t| up to 22930 ---- */

/* t/o in Q15, for magnitudes in 32-bit lanes. o has 15 bits. t is limited to o + 1, because the
 * ratio is 1 from there on; then the product fits. */
V_INLINE vi ratio_fine(vi o, vi t)
{
    const vi product = v_mul32(reciprocal_q30(o), t);
    return v_min_s32(v_shr_u32(v_add32(product, v_set32(1 << 14)), 15), v_set32(32768));
}

/* Decides lane by lane where single precision could not. */
static __attribute__((noinline)) vi settle_fine(const int16_t *const o[2],
                                                const int16_t *const t[2], vi aligned, vi unsure)
{
    int16_t a[V16], u[V16];
    v_store(a, aligned);
    v_store(u, unsure);
    for (int i = 0; i < V16; i++) {
        if (u[i])
            a[i] = adm_aligned(o[0][i], o[1][i], t[0][i], t[1][i]) ? -1 : 0;
    }
    return v_load(a);
}

/* All ones in the 16-bit lanes whose gradients are aligned. */
V_INLINE vi aligned_fine(const int16_t *oh, const int16_t *ov, const int16_t *th, const int16_t *tv)
{
    const vi all = v_set32(-1);
    const vi o[2] = { v_zip_lo16(v_load(oh), v_load(ov)), v_zip_hi16(v_load(oh), v_load(ov)) };
    const vi t[2] = { v_zip_lo16(v_load(th), v_load(tv)), v_zip_hi16(v_load(th), v_load(tv)) };
    Direction d[2];
    for (int i = 0; i < 2; i++)
        d[i] = compare_directions(v_s32_to_f32(v_madd16(o[i], t[i])),
                                  v_s32_to_f32(v_madd16(o[i], o[i])),
                                  v_s32_to_f32(v_madd16(t[i], t[i])));
    const vi aligned = v_pack_s32(v_keep32(d[0].aligned, all), v_keep32(d[1].aligned, all));
    if (!vm_any(vm_or(d[0].unsure, d[1].unsure)))
        return aligned;
    const int16_t *const ref[2] = { oh, ov }, *const dist[2] = { th, tv };
    return settle_fine(ref, dist, aligned,
                       v_pack_s32(v_keep32(d[0].unsure, all), v_keep32(d[1].unsure, all)));
}

/* The restored component of t: first its magnitude, which then gets o's sign. `gain` is a whole
 * number. */
V_INLINE vi restore_fine(vi o, vi t, vi aligned, int gain)
{
    const vi sign = v_shr_s16(o, 15), magnitude = v_abs_s16(o);
    const vi same = v_max_s16(v_sub16(v_xor(t, sign), sign), v_zero()); /* t if its sign is that of
                                                                         * o, else 0 */
    const vi limited = v_min_s16(same, v_add16(magnitude, v_set16(1)));
    const vi zero = v_zero();
    const vi k = v_pack_u32(ratio_fine(v_zip_lo16(magnitude, zero), v_zip_lo16(limited, zero)),
                            ratio_fine(v_zip_hi16(magnitude, zero), v_zip_hi16(limited, zero)));

    /* (k * magnitude + 16384) >> 15, with 1 subtracted before the shift where o is negative: the
     * shift rounds down, not towards zero. */
    const vi high = v_mulhi_u16(k, magnitude), low = v_mul16(k, magnitude);
    const vi carry = v_shr_u16(v_avg_u16(low, v_add16(v_set16(16383), sign)), 14);
    const vi r = v_add16(v_add16(high, high), carry);

    const vi cap = v_set16((int16_t)(65535 / gain));
    const vi enhanced = v_min_u16(v_mul16(v_min_u16(r, cap), v_set16((int16_t)gain)), same);
    const vi chosen = v_or(v_and(aligned, enhanced), v_andnot(aligned, r));
    return v_sub16(v_xor(chosen, sign), sign);
}

static void decouple_row_fine(const AdmLevel *l, const void *const ref[ADM_BANDS],
                              const void *const dist[ADM_BANDS], void *const restored[ADM_BANDS],
                              void *const additive[ADM_BANDS])
{
    const int gain = (int)l->gain_limit;
    for (int x = align_column(l->x0, V16); x < l->x1; x += V16) {
        const vi aligned =
            aligned_fine((const int16_t *)ref[ADM_H] + x, (const int16_t *)ref[ADM_V] + x,
                         (const int16_t *)dist[ADM_H] + x, (const int16_t *)dist[ADM_V] + x);
        for (int b = 0; b < ADM_BANDS; b++) {
            const vi t = v_load((const int16_t *)dist[b] + x);
            const vi r = restore_fine(v_load((const int16_t *)ref[b] + x), t, aligned, gain);
            v_store((int16_t *)restored[b] + x, r);
            v_store((int16_t *)additive[b] + x, v_sub16(t, r));
        }
    }
}

/* ---- levels 1…3: 32 bits a coefficient ---- */

/* t/o in Q15, for magnitudes. o is rounded to its top 15 bits. */
V_INLINE vi ratio_coarse(vi o, vi t)
{
    const vi excess = v_max_s32(v_sub32(v_log2_floor32(o), v_set32(14)), v_zero());
    const vi top = v_shr_u32(v_add32(v_shrv_u32(v_add32(o, o), excess), v_set32(1)), 1);

    /* From t = 1.5 o on the ratio is 1. Both factors are shifted up as far as possible, by 18 -
     * excess in all, so that the upper half of the product is the ratio in Q16. The reciprocal of 1
     * would not fit and is reduced by one unit, which does not show in the result. */
    const vi limited = v_min_u32(t, v_add32(o, v_shr_u32(o, 1)));
    const vi a = v_shl32(v_min_u32(reciprocal_q30(top), v_set32((1 << 30) - 1)), 2);
    const vi b = v_shlv32(limited, v_sub32(v_set32(16), excess));
    const vi q16 = v_mulhi_u32(a, b);
    return v_min_s32(v_shr_u32(v_add32(q16, v_set32(1)), 1), v_set32(32768));
}

static __attribute__((noinline)) vi
settle_coarse(const int32_t *const o[2], const int32_t *const t[2], vi aligned, unsigned unsure)
{
    int32_t a[V32];
    v_store(a, aligned);
    for (int i = 0; i < V32; i++) {
        if (unsure >> i & 1)
            a[i] = adm_aligned(o[0][i], o[1][i], t[0][i], t[1][i]) ? -1 : 0;
    }
    return v_load(a);
}

/* All ones in the 32-bit lanes whose gradients are aligned. The sums of products are not exact
 * here. Their error is a few 2^-24 of the product of the gradients' lengths, which is small against
 * the margin of compare_directions. */
V_INLINE vi aligned_coarse(const int32_t *oh, const int32_t *ov, const int32_t *th,
                           const int32_t *tv)
{
    const vf o0 = v_s32_to_f32(v_load(oh)), o1 = v_s32_to_f32(v_load(ov));
    const vf t0 = v_s32_to_f32(v_load(th)), t1 = v_s32_to_f32(v_load(tv));
    const Direction d = compare_directions(v_add_f32(v_mul_f32(o0, t0), v_mul_f32(o1, t1)),
                                           v_add_f32(v_mul_f32(o0, o0), v_mul_f32(o1, o1)),
                                           v_add_f32(v_mul_f32(t0, t0), v_mul_f32(t1, t1)));
    const vi aligned = v_keep32(d.aligned, v_set32(-1));
    if (!vm_any(d.unsure))
        return aligned;
    const int32_t *const ref[2] = { oh, ov }, *const dist[2] = { th, tv };
    return settle_coarse(ref, dist, aligned, vm_bits(d.unsure));
}

V_INLINE vi restore_coarse(vi o, vi t, vi aligned, int gain)
{
    const vi sign = v_shr_s32(o, 31), magnitude = v_abs_s32(o);
    const vi same = v_max_s32(v_sub32(v_xor(t, sign), sign), v_zero());
    const vi k = ratio_coarse(magnitude, same);

    /* (k * magnitude + 16384) >> 15 in two parts; see restore_fine. */
    const vi low = v_mul32(k, v_and(magnitude, v_set32(0x7fff)));
    const vi carry = v_shr_u32(v_add32(low, v_add32(v_set32(16384), sign)), 15);
    const vi r = v_add32(v_mul32(k, v_shr_u32(magnitude, 15)), carry);

    const vi cap = v_set32((int32_t)(UINT32_MAX / (uint32_t)gain));
    const vi enhanced = v_min_u32(v_mul32(v_min_u32(r, cap), v_set32(gain)), same);
    const vi chosen = v_or(v_and(aligned, enhanced), v_andnot(aligned, r));
    return v_sub32(v_xor(chosen, sign), sign);
}

static void decouple_row_coarse(const AdmLevel *l, const void *const ref[ADM_BANDS],
                                const void *const dist[ADM_BANDS], void *const restored[ADM_BANDS],
                                void *const additive[ADM_BANDS])
{
    const int gain = (int)l->gain_limit;
    for (int x = align_column(l->x0, V32); x < l->x1; x += V32) {
        const vi aligned =
            aligned_coarse((const int32_t *)ref[ADM_H] + x, (const int32_t *)ref[ADM_V] + x,
                           (const int32_t *)dist[ADM_H] + x, (const int32_t *)dist[ADM_V] + x);
        for (int b = 0; b < ADM_BANDS; b++) {
            const vi t = v_load((const int32_t *)dist[b] + x);
            const vi r = restore_coarse(v_load((const int32_t *)ref[b] + x), t, aligned, gain);
            v_store((int32_t *)restored[b] + x, r);
            v_store((int32_t *)additive[b] + x, v_sub32(t, r));
        }
    }
}

SIMD_ONCE void SIMD_FN(adm_decouple_init)(AdmDsp *dsp, const AdmLevel level[ADM_LEVELS])
{
    /* A limit with a fraction is rounded in double precision: the scalar code does that. */
    if (level[0].gain_limit != floor(level[0].gain_limit))
        return;
    dsp->decouple_row[0] = decouple_row_fine;
    dsp->decouple_row[1] = decouple_row_coarse;
}

/* ---- weights of level 0, in lanes of 16 bits ---- */

typedef struct Mask {
    vi near;   /* added to the neighbours' thresholds */
    vi centre; /* added to its own */
} Mask;

/* Masks from a weighted magnitude, 0…32768: a thirtieth and a fifteenth of it in Q5, by adding a
 * fifteenth part: (4369 s + 2048) >> 12 = s + ((273 s + 2048) >> 12). The product with 32768 is
 * negative, hence the absolute value. */
V_INLINE Mask mask_fine(vi seen)
{
    return (Mask){
        .near = v_add16(seen, v_abs_s16(v_mulhrs_s16(seen, v_set16(273 * 8)))),
        .centre = v_add16(v_add16(seen, seen), v_abs_s16(v_mulhrs_s16(seen, v_set16(546 * 8)))),
    };
}

/* Horizontal and vertical bands: |(q m + 16384) >> 15|, wrapped to 16 bits before the sign is
 * dropped. The shift rounds down, so for a negative m the magnitude is reduced by 1 before it. */
V_INLINE vi weigh_hv(vi m, vi q)
{
    const vi sign = v_shr_s16(m, 15), magnitude = v_abs_s16(m);
    const vi high = v_mulhi_u16(magnitude, q), low = v_mul16(magnitude, q);
    const vi carry = v_shr_u16(v_avg_u16(low, v_add16(v_set16(16383), sign)), 14);
    const vi seen = v_add16(v_add16(high, high), carry);
    return v_min_u16(seen, v_sub16(v_zero(), seen));
}

/* Diagonal band: |(q m + 65535) >> 17|. For a negative m the magnitude is increased by 1 before the
 * shift. Either addend carries into the upper half unless everything below is zero. */
V_INLINE vi weigh_d(vi m, vi q)
{
    const vi sign = v_shr_s16(m, 15), magnitude = v_abs_s16(m);
    const vi high = v_mulhi_u16(magnitude, q), low = v_mul16(magnitude, q);
    const vi carry = v_min_u16(v_or(low, sign), v_set16(1));
    return v_shr_u16(v_add16(high, carry), 1);
}

V_INLINE vi sum3_lo(vi a, vi b, vi c)
{
    return v_add32(v_add32(v_widen_lo_s16(a), v_widen_lo_s16(b)), v_widen_lo_s16(c));
}

V_INLINE vi sum3_hi(vi a, vi b, vi c)
{
    return v_add32(v_add32(v_widen_hi_s16(a), v_widen_hi_s16(b)), v_widen_hi_s16(c));
}

static void weigh_row_fine(const AdmLevel *l, const void *const masker[ADM_BANDS],
                           uint32_t *const weighed[ADM_BANDS], int32_t *near, int32_t *own)
{
    const vi q_hv = v_set16((int16_t)(uint16_t)l->q[ADM_H]),
             q_d = v_set16((int16_t)(uint16_t)l->q[ADM_D]);
    (void)weighed;
    for (int x = align_column(l->x0, V16); x < l->x1; x += V16) {
        const Mask h = mask_fine(weigh_hv(v_load((const int16_t *)masker[ADM_H] + x), q_hv));
        const Mask v = mask_fine(weigh_hv(v_load((const int16_t *)masker[ADM_V] + x), q_hv));
        const Mask d = mask_fine(weigh_d(v_load((const int16_t *)masker[ADM_D] + x), q_d));
        const vi near_lo = sum3_lo(h.near, v.near, d.near),
                 near_hi = sum3_hi(h.near, v.near, d.near);
        v_store(near + x, near_lo);
        v_store(near + x + V32, near_hi);
        v_store(own + x, v_sub32(sum3_lo(h.centre, v.centre, d.centre), near_lo));
        v_store(own + x + V32, v_sub32(sum3_hi(h.centre, v.centre, d.centre), near_hi));
    }
}

/* ---- weights of levels 1…3, in lanes of 32 bits ---- */

/* |(q m + 2^27) >> 28|, wrapped to 32 bits before the sign is dropped; q below 2^31. */
V_INLINE vi weigh_coarse(vi m, vi q)
{
    const vi half = v_set64(1 << 27);
    const vi even = v_add64(v_mul_even_s32(m, q), half);
    const vi odd = v_add64(v_mul_even_s32(v_shr_u64(m, 32), q), half);
    return v_abs_s32(v_blend_odd32(v_shr_u64(even, 28), v_shl64(odd, 4)));
}

/* Sums over the bands, in the upper halves of 64-bit lanes; the lower halves are meaningless. */
typedef struct MaskSum {
    vi near, centre;
} MaskSum;

/* Adds a thirtieth and a fifteenth of the even lanes, each minus half a unit: 143165577 s - 2^31
 * and 286331153 s - 2^31. The second product is twice the first, minus s. */
V_INLINE void add_masks(MaskSum *sum, vi seen)
{
    const vi product = v_mul_even_u32(seen, v_set32(143165577));
    const vi near = v_sub64(product, v_set64((int64_t)1 << 31));
    const vi centre = v_sub64(v_add64(near, product), seen);
    sum->near = v_add32(sum->near, near);
    sum->centre = v_add32(sum->centre, centre);
}

V_INLINE vi join_upper(vi even, vi odd)
{
    return v_blend_odd32(v_shr_u64(even, 32), odd);
}

static void weigh_row_coarse(const AdmLevel *l, const void *const masker[ADM_BANDS],
                             uint32_t *const weighed[ADM_BANDS], int32_t *near, int32_t *own)
{
    const vi even_lanes = v_set64(0xffffffff);
    for (int x = align_column(l->x0, V32); x < l->x1; x += V32) {
        MaskSum even = { v_zero(), v_zero() }, odd = { v_zero(), v_zero() };
        for (int b = 0; b < ADM_BANDS; b++) {
            const vi seen =
                weigh_coarse(v_load((const int32_t *)masker[b] + x), v_set32((int32_t)l->q[b]));
            v_store(weighed[b] + x, seen);
            add_masks(&even, v_and(seen, even_lanes));
            add_masks(&odd, v_shr_u64(seen, 32));
        }
        const vi n = join_upper(even.near, odd.near);
        v_store(near + x, n);
        v_store(own + x, v_sub32(join_upper(even.centre, odd.centre), n));
    }
}

/* ---- energies ---- */

/* v in those of the columns from x on that belong to the core, else 0. */
V_INLINE vi keep_core(const AdmLevel *l, int x, vi v)
{
    if (x >= l->left && x + V32 <= l->right)
        return v;
    return v_keep32(vm_and(vm_first32(l->right - x), vm_not(vm_first32(l->left - x))), v);
}

static inline int64_t half_of(int shift)
{
    return shift == 0 ? 0 : (int64_t)1 << (shift - 1);
}

/* Adds the cubes of y >= 0. Squares may wrap and turn negative, and not every instruction set has
 * an arithmetic shift of 64 bits: 2^63 is added before the shift and subtracted from the sum at the
 * end. */
V_INLINE vi add_cubes(vi sum, vi y, const AdmLevel *l, int b)
{
    const vi square_half = v_set64(half_of(l->square[b]));
    const vi cube_half = v_set64((int64_t)((uint64_t)half_of(l->cube[b]) + ((uint64_t)1 << 63)));
    const vi odd = v_shr_u64(y, 32);
    const vi z0 = v_shr_u64(v_add64(v_mul_even_u32(y, y), square_half), l->square[b]);
    const vi z1 = v_shr_u64(v_add64(v_mul_even_u32(odd, odd), square_half), l->square[b]);
    const vi c0 = v_shr_u64(v_add64(v_mul_even_s32(z0, y), cube_half), l->cube[b]);
    const vi c1 = v_shr_u64(v_add64(v_mul_even_s32(z1, odd), cube_half), l->cube[b]);
    return v_add64(sum, v_add64(c0, c1));
}

/* The sum without what add_cubes added for each of `lanes` lanes. */
V_INLINE int64_t cube_total(vi sum, const AdmLevel *l, int b, uint64_t lanes)
{
    return (int64_t)(v_sum_u64(sum) - lanes * ((uint64_t)1 << (63 - l->cube[b])));
}

V_INLINE vi load_signal(const AdmLevel *l, const void *const signal[ADM_BANDS], int b, int x,
                        bool fine)
{
    if (!fine)
        return v_load((const uint32_t *)signal[b] + x);
    return v_mul32(v_abs_s32(v_load_s16_to_32((const int16_t *)signal[b] + x)),
                   v_set32((int32_t)l->q[b]));
}

V_INLINE vi threshold_at(const AdmMaskRows *mask, int x)
{
    const vi sides = v_add32(v_load(mask->work + x - 1), v_load(mask->work + x + 1));
    return v_add32(v_add32(sides, v_load(mask->work + x)), v_load(mask->own + x));
}

V_INLINE void energy_row(const AdmLevel *l, const void *const signal[ADM_BANDS],
                         const AdmMaskRows *mask, int64_t sum[ADM_BANDS], bool fine)
{
    const int first = align_column(l->left, V32);
    const int32_t *const *const near = mask->near;
    for (int x = first - V32; x < l->right + 1; x += V32)
        v_store(mask->work + x,
                v_add32(v_add32(v_load(near[0] + x), v_load(near[1] + x)), v_load(near[2] + x)));

    vi total[ADM_BANDS] = { v_zero(), v_zero(), v_zero() };
    int x = first;
    for (; x < l->right; x += V32) {
        const vi t = threshold_at(mask, x);
        for (int b = 0; b < ADM_BANDS; b++) {
            const vi limit = fine ? v_shl32(t, b == ADM_D ? 12 : 10) : t;
            const vi above =
                v_max_s32(v_sub32(load_signal(l, signal, b, x, fine), limit), v_zero());
            total[b] = add_cubes(total[b], keep_core(l, x, above), l, b);
        }
    }
    for (int b = 0; b < ADM_BANDS; b++)
        sum[b] = cube_total(total[b], l, b, (uint64_t)(x - first));
}

static void energy_row_fine(const AdmLevel *l, const void *const signal[ADM_BANDS],
                            const AdmMaskRows *mask, int64_t sum[ADM_BANDS])
{
    energy_row(l, signal, mask, sum, true);
}

static void energy_row_coarse(const AdmLevel *l, const void *const signal[ADM_BANDS],
                              const AdmMaskRows *mask, int64_t sum[ADM_BANDS])
{
    energy_row(l, signal, mask, sum, false);
}

V_INLINE vi plain_cubes_fine(vi m)
{
    const vi square = v_madd16(m, m);
    const vi odd = v_mul_even_u32(v_shr_u64(square, 32), v_shr_u64(m, 32));
    return v_add64(v_mul_even_u32(square, m), odd);
}

/* Cubes of the even lanes. A whole unit is added to the square before its shift. */
V_INLINE vi plain_cubes_even(const AdmLevel *l, vi m)
{
    const vi unit = v_set64((int64_t)1 << l->plain_square), half = v_set64(half_of(l->plain_cube));
    const vi square = v_shr_u64(v_add64(v_mul_even_u32(m, m), unit), l->plain_square);
    return v_shr_u64(v_add64(v_mul_even_u32(square, m), half), l->plain_cube);
}

V_INLINE void plain_row(const AdmLevel *l, const void *const ref[ADM_BANDS], int64_t sum[ADM_BANDS],
                        bool fine)
{
    vi total[ADM_BANDS] = { v_zero(), v_zero(), v_zero() };
    for (int x = align_column(l->left, V32); x < l->right; x += V32) {
        for (int b = 0; b < ADM_BANDS; b++) {
            const vi o = fine ? v_load_s16_to_32((const int16_t *)ref[b] + x)
                              : v_load((const int32_t *)ref[b] + x);
            const vi m = keep_core(l, x, v_abs_s32(o));
            const vi cubes =
                fine ? plain_cubes_fine(m)
                     : v_add64(plain_cubes_even(l, m), plain_cubes_even(l, v_shr_u64(m, 32)));
            total[b] = v_add64(total[b], cubes);
        }
    }
    for (int b = 0; b < ADM_BANDS; b++)
        sum[b] = (int64_t)v_sum_u64(total[b]);
}

static void plain_row_fine(const AdmLevel *l, const void *const ref[ADM_BANDS],
                           int64_t sum[ADM_BANDS])
{
    plain_row(l, ref, sum, true);
}

static void plain_row_coarse(const AdmLevel *l, const void *const ref[ADM_BANDS],
                             int64_t sum[ADM_BANDS])
{
    plain_row(l, ref, sum, false);
}

SIMD_ONCE void SIMD_FN(adm_energy_init)(AdmDsp *dsp, const AdmLevel level[ADM_LEVELS])
{
    bool small = true;
    for (int i = 1; i < ADM_LEVELS; i++)
        small = small && level[i].q[ADM_H] <= INT32_MAX && level[i].q[ADM_D] <= INT32_MAX;

    dsp->weigh_row[0] = weigh_row_fine;
    if (small) /* only unusual options give larger weights: the scalar code handles them */
        dsp->weigh_row[1] = weigh_row_coarse;
    dsp->energy_row[0] = energy_row_fine;
    dsp->energy_row[1] = energy_row_coarse;
    dsp->plain_row[0] = plain_row_fine;
    dsp->plain_row[1] = plain_row_coarse;
}
