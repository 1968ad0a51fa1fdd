/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The row routine of float_vif in vectors: each lane does the operations of the scalar code. */
#include "base/simd.h"
#include "feature/float_vif/float_vif.h"

void SIMD_FN(float_vif_dsp_init)(FloatVifDsp *dsp);

V_INLINE vf log2_poly(vf x)
{
    static const float coefficients[] = VIF_LOG2_POLY;
    const vi bits = (vi)x;
    const vi exponent = v_sub32(v_and(v_shr_u32(bits, 23), v_set32(255)), v_set32(127));
    const vi one_up = v_or(v_and(bits, v_set32(0x7fffff)), v_set32(0x3f800000));
    const vf y = v_sub_f32((vf)one_up, v_set_f32(1.0f));
    vf value = v_set_f32(coefficients[0]);
    for (size_t i = 1; i < sizeof(coefficients) / sizeof(coefficients[0]); i++)
        value = v_add_f32(v_mul_f32(value, y), v_set_f32(coefficients[i]));
    return v_add_f32(v_s32_to_f32(exponent), value);
}

/* (float)(1 + a / (b + noise)), with + and / in double */
V_INLINE vf one_plus_ratio(vf a, vf b, vd noise)
{
    const vd one = v_set_f64(1.0);
    const vd lo = v_div_f64(v_f32_lo_to_f64(a), v_add_f64(v_f32_lo_to_f64(b), noise));
    const vd hi = v_div_f64(v_f32_hi_to_f64(a), v_add_f64(v_f32_hi_to_f64(b), noise));
    return v_f64_to_f32(v_add_f64(one, lo), v_add_f64(one, hi));
}

V_INLINE void pixels(float *num, float *den, float *const filtered[VIF_CHANNELS],
                     const FloatVifConstants *c, size_t i)
{
    const vf zero = v_set_f32(0.0f), one = v_set_f32(1.0f), tiny = v_set_f32(1.0e-10f);
    const vf m1 = v_load_f32(filtered[VIF_REF] + i), m2 = v_load_f32(filtered[VIF_DIS] + i);
    const vf xx = v_load_f32(filtered[VIF_REF2] + i), yy = v_load_f32(filtered[VIF_DIS2] + i);
    vf s1 = v_max_f32(v_sub_f32(xx, v_mul_f32(m1, m1)), zero);
    const vf s2 = v_max_f32(v_sub_f32(yy, v_mul_f32(m2, m2)), zero);

    /* The scalar code compares s1 < noise in double. A float is below the noise exactly when it is
     * below noise_up. */
    const vm textured = vm_ge_f32(s1, v_set_f32(c->noise_up));
    vf n = v_sub_f32(one, v_mul_f32(s2, v_set_f32(c->flat_weight)));
    vf d = one;
    if (vm_any(textured)) {
        const vf s12 = v_sub_f32(v_load_f32(filtered[VIF_REF_DIS] + i), v_mul_f32(m1, m2));
        vf gain = v_div_f32(s12, v_add_f32(s1, tiny));
        vf rest = v_sub_f32(s2, v_mul_f32(gain, s12));
        const vm no_ref = vm_gt_f32(tiny, s1);
        gain = v_select_f32(no_ref, zero, gain);
        rest = v_select_f32(no_ref, s2, rest);
        s1 = v_select_f32(no_ref, zero, s1);
        const vm no_dis = vm_gt_f32(tiny, s2);
        gain = v_select_f32(no_dis, zero, gain);
        rest = v_select_f32(no_dis, zero, rest);
        const vm against = vm_gt_f32(zero, gain);
        rest = v_select_f32(against, s2, rest);
        gain = v_select_f32(against, zero, gain);
        rest = v_max_f32(rest, tiny);
        gain = v_min_f32(gain, v_set_f32(c->gain_limit));

        const vd noise = v_set_f64(c->noise);
        const vf signal = v_mul_f32(v_mul_f32(gain, gain), s1);
        const vf kept = log2_poly(one_plus_ratio(signal, rest, noise));
        n = v_select_f32(textured, v_select_f32(vm_gt_f32(zero, s12), zero, kept), n);
        d = v_select_f32(textured, log2_poly(one_plus_ratio(s1, zero, noise)), d);
    }
    v_store_f32(num + i, n);
    v_store_f32(den + i, d);
}

static void information(float *num, float *den, float *const filtered[VIF_CHANNELS],
                        const FloatVifConstants *c, size_t n)
{
    size_t i = 0;
    for (; i + V32 <= n; i += V32)
        pixels(num, den, filtered, c, i);
    if (i == n)
        return;
    /* The last columns, which do not fill a vector, are copied to local lines. */
    float in[VIF_CHANNELS][V32] = { { 0 } }, out_num[V32], out_den[V32];
    float *rest[VIF_CHANNELS];
    for (unsigned k = 0; k < VIF_CHANNELS; k++) {
        rest[k] = in[k];
        memcpy(in[k], filtered[k] + i, (n - i) * sizeof(float));
    }
    pixels(out_num, out_den, rest, c, 0);
    memcpy(num + i, out_num, (n - i) * sizeof(float));
    memcpy(den + i, out_den, (n - i) * sizeof(float));
}

SIMD_ONCE void SIMD_FN(float_vif_dsp_init)(FloatVifDsp *dsp)
{
    dsp->information = information;
}
