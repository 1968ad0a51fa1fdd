/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The row routines of float_adm in vectors: each lane does the operations of the scalar code. */
#include "base/simd.h"
#include "feature/float_adm/float_adm.h"

void SIMD_FN(float_adm_dsp_init)(FloatAdmDsp *dsp);

#define SIGN_BIT INT32_MIN

V_INLINE vf absolute(vf x)
{
    return (vf)v_and((vi)x, v_set32(INT32_MAX));
}

/* See the scalar code. Entry i of its table is 2^25 / (4097 + 2i), rounded. Single precision gets
 * only entry 1984 wrong, which lies just below a half. */
V_INLINE vf reciprocal_estimate(vf x)
{
    const vi bits = (vi)x;
    const vi interval = v_and(v_shr_u32(bits, 12), v_set32(2047));
    const vi exponent = v_and(v_shr_u32(bits, 23), v_set32(255));
    const vi divisor = v_add32(v_add32(interval, interval), v_set32(4097));
    const vf quotient = v_div_f32(v_set_f32(33554432.0f), v_s32_to_f32(divisor));
    vi entry = v_f32_to_s32_trunc(v_add_f32(quotient, v_set_f32(0.5f)));
    entry = v_sub32(entry, v_keep32(vm_eq32(interval, v_set32(1984)), v_set32(1)));
    /* times 2^(127 - exponent) / 8192 */
    const vf scale = (vf)v_shl32(v_sub32(v_set32(127 + 127 - 13), exponent), 23);
    const vi sign = v_and(bits, v_set32(SIGN_BIT));
    return (vf)v_or((vi)v_mul_f32(v_s32_to_f32(entry), scale), sign);
}

V_INLINE vf reciprocal(vf x)
{
    const vf e = reciprocal_estimate(x);
    return v_add_f32(e, v_mul_f32(e, v_sub_f32(v_set_f32(1.0f), v_mul_f32(x, e))));
}

V_INLINE vm aligned(vf oh, vf ov, vf th, vf tv)
{
    const vf dot = v_add_f32(v_mul_f32(oh, th), v_mul_f32(ov, tv));
    const vf oo = v_add_f32(v_mul_f32(oh, oh), v_mul_f32(ov, ov));
    const vf tt = v_add_f32(v_mul_f32(th, th), v_mul_f32(tv, tv));
    const vf limit = v_mul_f32(v_mul_f32(v_set_f32(0.99969542026519775f), oo), tt);
    return vm_and(vm_ge_f32(dot, v_set_f32(0.0f)), vm_ge_f32(v_mul_f32(dot, dot), limit));
}

/* r * gain_limit, but at most t, for positive r and t; negative ones are mirrored at zero. */
V_INLINE vf enhanced(vf r, vf t, vd gain_limit)
{
    const vi sign = v_and((vi)r, v_set32(SIGN_BIT));
    const vf size = (vf)v_xor((vi)r, sign), top = (vf)v_xor((vi)t, sign);
    const vd lo = v_min_f64(v_mul_f64(v_f32_lo_to_f64(size), gain_limit), v_f32_lo_to_f64(top));
    const vd hi = v_min_f64(v_mul_f64(v_f32_hi_to_f64(size), gain_limit), v_f32_hi_to_f64(top));
    return (vf)v_xor((vi)v_f64_to_f32(lo, hi), sign);
}

V_INLINE vf restore(vf o, vf t, vm same, vd gain_limit)
{
    const vf zero = v_set_f32(0.0f), one = v_set_f32(1.0f);
    vf k = v_mul_f32(t, reciprocal(v_add_f32(o, v_set_f32(1e-30f))));
    k = v_select_f32(vm_gt_f32(zero, k), zero, k);
    k = v_select_f32(vm_gt_f32(k, one), one, k);
    const vf r = v_mul_f32(k, o);
    const vm moves = vm_and(same, vm_gt_f32(absolute(r), zero));
    return vm_any(moves) ? v_select_f32(moves, enhanced(r, t, gain_limit), r) : r;
}

V_INLINE void decouple_block(float *const restored[ADM_BANDS], float *const additive[ADM_BANDS],
                             float *const own[ADM_BANDS], const float *const ref[ADM_BANDS],
                             const float *const dis[ADM_BANDS], const float weight[ADM_BANDS],
                             double gain_limit, size_t i)
{
    vf o[ADM_BANDS], t[ADM_BANDS];
    for (unsigned b = 0; b < ADM_BANDS; b++) {
        o[b] = v_load_f32(ref[b] + i);
        t[b] = v_load_f32(dis[b] + i);
    }
    const vm same = aligned(o[ADM_H], o[ADM_V], t[ADM_H], t[ADM_V]);
    for (unsigned b = 0; b < ADM_BANDS; b++) {
        const vf w = v_set_f32(weight[b]);
        const vf r = restore(o[b], t[b], same, v_set_f64(gain_limit));
        v_store_f32(restored[b] + i, absolute(v_mul_f32(w, r)));
        v_store_f32(additive[b] + i, absolute(v_mul_f32(w, v_sub_f32(t[b], r))));
        v_store_f32(own[b] + i, absolute(v_mul_f32(w, o[b])));
    }
}

/* The last vector ends with the row and repeats columns already done. Rows narrower than a vector
 * are copied to local lines. */
static void decouple(float *const restored[ADM_BANDS], float *const additive[ADM_BANDS],
                     float *const own[ADM_BANDS], const float *const ref[ADM_BANDS],
                     const float *const dis[ADM_BANDS], const float weight[ADM_BANDS],
                     double gain_limit, size_t n)
{
    size_t i = 0;
    for (; i + V32 <= n; i += V32)
        decouple_block(restored, additive, own, ref, dis, weight, gain_limit, i);
    if (i == n)
        return;
    if (n >= V32) {
        decouple_block(restored, additive, own, ref, dis, weight, gain_limit, n - V32);
        return;
    }
    float line[5][ADM_BANDS][V32] = { { { 0 } } };
    float *out[3][ADM_BANDS];
    const float *in[2][ADM_BANDS];
    for (unsigned b = 0; b < ADM_BANDS; b++) {
        memcpy(line[3][b], ref[b], n * sizeof(float));
        memcpy(line[4][b], dis[b], n * sizeof(float));
        for (unsigned k = 0; k < 3; k++)
            out[k][b] = line[k][b];
        in[0][b] = line[3][b];
        in[1][b] = line[4][b];
    }
    decouple_block(out[0], out[1], out[2], in[0], in[1], weight, gain_limit, 0);
    for (unsigned b = 0; b < ADM_BANDS; b++) {
        memcpy(restored[b], line[0][b], n * sizeof(float));
        memcpy(additive[b], line[1][b], n * sizeof(float));
        memcpy(own[b], line[2][b], n * sizeof(float));
    }
}

V_INLINE vf scaled(vf x, double by)
{
    const vd factor = v_set_f64(by);
    return v_f64_to_f32(v_mul_f64(v_f32_lo_to_f64(x), factor),
                        v_mul_f64(v_f32_hi_to_f64(x), factor));
}

static void spread(float *out, const float *weighted, size_t n)
{
    size_t i = 0;
    for (; i + V32 <= n; i += V32)
        v_store_f32(out + i, scaled(v_load_f32(weighted + i), 0.0333333351));
    for (; i < n; i++)
        out[i] = (float)(0.0333333351 * weighted[i]);
}

/* sum + share * x, in double */
V_INLINE vf plus_own(vf sum, vf x)
{
    const vd share = v_set_f64(0.0666666701);
    const vd lo = v_add_f64(v_f32_lo_to_f64(sum), v_mul_f64(share, v_f32_lo_to_f64(x)));
    const vd hi = v_add_f64(v_f32_hi_to_f64(sum), v_mul_f64(share, v_f32_hi_to_f64(x)));
    return v_f64_to_f32(lo, hi);
}

V_INLINE void threshold_block(float *out, const float *spread_rows[ADM_BANDS][3],
                              const float *const weighted[ADM_BANDS], size_t i)
{
    vf total = v_set_f32(0.0f);
    for (unsigned b = 0; b < ADM_BANDS; b++) {
        const float *above = spread_rows[b][0] + i, *here = spread_rows[b][1] + i;
        const float *below = spread_rows[b][2] + i;
        vf sum = v_add_f32(v_set_f32(0.0f), v_load_f32(above - 1));
        sum = v_add_f32(sum, v_load_f32(above));
        sum = v_add_f32(sum, v_load_f32(above + 1));
        sum = v_add_f32(sum, v_load_f32(here - 1));
        sum = plus_own(sum, v_load_f32(weighted[b] + i));
        sum = v_add_f32(sum, v_load_f32(here + 1));
        sum = v_add_f32(sum, v_load_f32(below - 1));
        sum = v_add_f32(sum, v_load_f32(below));
        sum = v_add_f32(sum, v_load_f32(below + 1));
        total = v_add_f32(total, sum);
    }
    v_store_f32(out + i, total);
}

static void threshold(float *out, const float *spread_rows[ADM_BANDS][3],
                      const float *const weighted[ADM_BANDS], size_t n)
{
    size_t i = 0;
    for (; i + V32 <= n; i += V32)
        threshold_block(out, spread_rows, weighted, i);
    if (i == n)
        return;
    if (n >= V32) {
        threshold_block(out, spread_rows, weighted, n - V32);
        return;
    }
    float line[ADM_BANDS][4][V32 + 2] = { { { 0 } } }, result[V32];
    const float *rows[ADM_BANDS][3], *own[ADM_BANDS];
    for (unsigned b = 0; b < ADM_BANDS; b++) {
        for (unsigned k = 0; k < 3; k++) {
            memcpy(line[b][k], spread_rows[b][k] - 1, (n + 2) * sizeof(float));
            rows[b][k] = line[b][k] + 1;
        }
        memcpy(line[b][3], weighted[b], n * sizeof(float));
        own[b] = line[b][3];
    }
    threshold_block(result, rows, own, 0);
    memcpy(out, result, n * sizeof(float));
}

static void excess_cubed(float *out, const float *signal, const float *limit, size_t n)
{
    size_t i = 0;
    for (; i + V32 <= n; i += V32) {
        const vf x = v_sub_f32(v_load_f32(signal + i), v_load_f32(limit + i));
        const vf y = v_select_f32(vm_gt_f32(v_set_f32(0.0f), x), v_set_f32(0.0f), x);
        v_store_f32(out + i, v_mul_f32(v_mul_f32(y, y), y));
    }
    for (; i < n; i++) {
        const float x = signal[i] - limit[i], y = x < 0.0f ? 0.0f : x;
        out[i] = y * y * y;
    }
}

SIMD_ONCE void SIMD_FN(float_adm_dsp_init)(FloatAdmDsp *dsp)
{
    dsp->decouple = decouple;
    dsp->spread = spread;
    dsp->threshold = threshold;
    dsp->excess_cubed = excess_cubed;
}
