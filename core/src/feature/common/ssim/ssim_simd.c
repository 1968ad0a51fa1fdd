/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SSIM's row functions, compiled for each instruction set. */
#include "feature/common/ssim/ssim_window.h"

#include "base/simd.h"
#include "feature/common/ssim/ssim_terms.h"

void SIMD_FN(ssim_dsp_init)(SsimDsp *dsp);

/* Half a vector of floats, weighed and widened to a vector of doubles. */
V_INLINE vd weighed(const float *from, vhalf tap)
{
    vhalf v;
    memcpy(&v, from, sizeof(v));
    return v_half_to_f64(v * tap);
}

V_INLINE void store_narrow(float *to, vd v)
{
    const vhalf narrow = v_f64_to_half(v);
    memcpy(to, &narrow, sizeof(narrow));
}

/* Columns per step: enough independent sums to hide the latency of an addition. */
enum { SUMS = 4, COLUMNS = SUMS * V64 };

static void weigh_columns(float *out, const float *const *rows, const float *taps, unsigned count,
                          size_t x)
{
    vd sum[SUMS];
    for (unsigned i = 0; i < SUMS; i++)
        sum[i] = v_set_f64(0.0);
    for (unsigned k = 0; k < count; k++) {
        const vhalf tap = (vhalf){ 0 } + taps[k];
        for (unsigned i = 0; i < SUMS; i++)
            sum[i] += weighed(rows[k] + x + i * V64, tap);
    }
    for (unsigned i = 0; i < SUMS; i++)
        store_narrow(out + x + i * V64, sum[i]);
}

static void weigh(float *out, const float *const *rows, const float *taps, unsigned count, size_t n)
{
    size_t x = 0;
    for (; x + COLUMNS <= n; x += COLUMNS)
        weigh_columns(out, rows, taps, count, x);
    if (x == n)
        return;
    if (n >= COLUMNS) { /* do the last columns once more: no input is overwritten */
        weigh_columns(out, rows, taps, count, n - COLUMNS);
        return;
    }
    for (; x < n; x++) {
        double sum = 0.0;
        for (unsigned k = 0; k < count; k++)
            sum += (double)(rows[k][x] * taps[k]);
        out[x] = (float)sum;
    }
}

V_INLINE void store_wide(double *out, vd low, vd high)
{
    v_store_f64(out, low);
    v_store_f64(out + V64, high);
}

/* (2 * a * b + ssim_c1) / d, all in double */
V_INLINE vd luminance(vd a, vd b, vd d)
{
    return (a * 2.0 * b + (double)ssim_c1) / d;
}

V_INLINE vd contrast(vd sd, vd d)
{
    return (sd * 2.0 + (double)ssim_c2) / d;
}

static void terms_columns(const SsimTerms *out, const float *const maps[SSIM_MAPS], size_t x)
{
    const vf zero = v_set_f32(0.0f);
    const vf a = v_load_f32(maps[SSIM_A] + x), b = v_load_f32(maps[SSIM_B] + x);
    const vf var_a = v_max_f32(v_load_f32(maps[SSIM_AA] + x) - a * a, zero);
    const vf var_b = v_max_f32(v_load_f32(maps[SSIM_BB] + x) - b * b, zero);
    const vf covar = v_load_f32(maps[SSIM_AB] + x) - a * b;
    const vf sd = v_sqrt_f32(var_a * var_b);
    const vf luma = a * a + b * b + ssim_c1, both = var_a + var_b + ssim_c2;
    const vm opposed = vm_and(vm_gt_f32(zero, covar), vm_ge_f32(zero, sd));
    const vf s = (v_select_f32(opposed, zero, covar) + ssim_c3) / (sd + ssim_c3);
    store_wide(out->l + x, luminance(v_f32_lo_to_f64(a), v_f32_lo_to_f64(b), v_f32_lo_to_f64(luma)),
               luminance(v_f32_hi_to_f64(a), v_f32_hi_to_f64(b), v_f32_hi_to_f64(luma)));
    store_wide(out->c + x, contrast(v_f32_lo_to_f64(sd), v_f32_lo_to_f64(both)),
               contrast(v_f32_hi_to_f64(sd), v_f32_hi_to_f64(both)));
    store_wide(out->s + x, v_f32_lo_to_f64(s), v_f32_hi_to_f64(s));
}

static void terms(const SsimTerms *out, const float *const maps[SSIM_MAPS], size_t n)
{
    if (n < V32) {
        ssim_terms(out, maps, n);
        return;
    }
    for (size_t x = 0; x + V32 <= n; x += V32)
        terms_columns(out, maps, x);
    terms_columns(out, maps, n - V32);
}

SIMD_ONCE void SIMD_FN(ssim_dsp_init)(SsimDsp *dsp)
{
    *dsp = (SsimDsp){ .weigh = weigh, .add = ssim_add, .terms = terms };
}
