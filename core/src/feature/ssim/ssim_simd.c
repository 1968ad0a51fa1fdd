/* The SSIM family's rows, for each instruction set. */
#include "feature/ssim/ssim_dsp.h"

#include "engine/simd.h"
#include "feature/ssim/ssim_terms.h"

void SIMD_FN(ssim_dsp_init)(SsimDsp *dsp);

/* Columns done at once: enough independent sums to hide the time of an addition. */
#define COLUMNS (2 * V32)

static void weigh_columns(float *out, const float *const *rows, const float *taps, unsigned count,
                          size_t x)
{
    vd sum0 = v_set_f64(0.0), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    for (unsigned k = 0; k < count; k++) {
        const vf tap = v_set_f32(taps[k]);
        const vf near = v_mul_f32(v_load_f32(rows[k] + x), tap);
        const vf far = v_mul_f32(v_load_f32(rows[k] + x + V32), tap);
        sum0 = v_add_f64(sum0, v_f32_lo_to_f64(near));
        sum1 = v_add_f64(sum1, v_f32_hi_to_f64(near));
        sum2 = v_add_f64(sum2, v_f32_lo_to_f64(far));
        sum3 = v_add_f64(sum3, v_f32_hi_to_f64(far));
    }
    v_store_f32(out + x, v_f64_to_f32(sum0, sum1));
    v_store_f32(out + x + V32, v_f64_to_f32(sum2, sum3));
}

static void weigh(float *out, const float *const *rows, const float *taps, unsigned count, size_t n)
{
    size_t x = 0;
    for (; x + COLUMNS <= n; x += COLUMNS)
        weigh_columns(out, rows, taps, count, x);
    if (x == n)
        return;
    if (n >= COLUMNS) { /* the last columns once more: nothing is read that is written */
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

void SIMD_FN(ssim_dsp_init)(SsimDsp *dsp)
{
    *dsp = (SsimDsp) { .weigh = weigh, .add = ssim_add, .terms = ssim_terms };
}
