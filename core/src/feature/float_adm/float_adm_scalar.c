/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/simd_fn.h"
#include "feature/float_adm/float_adm.h"

SIMD_DECLARE(float_adm_dsp_init, FloatAdmDsp *dsp);

/* cos^2 of one degree */
static const float cos2_limit = 0.99969542026519775f;

/* The reference divides with an estimate that Intel CPUs give, 12 bits of 1/x, and one Newton step.
 * For x = 2^n * 1.m the estimate depends on the top 11 bits of m: its table holds the rounded
 * reciprocals of the middles of 2048 intervals. */
static float reciprocal_estimate(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    const int exponent = (int)(bits >> 23 & 255) - 127;
    const unsigned interval = bits >> 12 & 2047;
    const double middle = 1.0 + (interval + 0.5) / 2048.0;
    const double estimate = floor(8192.0 / middle + 0.5) / 8192.0;
    return copysignf((float)ldexp(estimate, -exponent), x);
}

static float reciprocal(float x)
{
    const float e = reciprocal_estimate(x);
    return e + e * (1.0f - x * e);
}

static bool aligned(float oh, float ov, float th, float tv)
{
    const float dot = oh * th + ov * tv;
    const float oo = oh * oh + ov * ov, tt = th * th + tv * tv;
    return dot >= 0.0f && dot * dot >= cos2_limit * oo * tt;
}

static float restore(float o, float t, bool same_direction, double gain_limit)
{
    float k = t * reciprocal(o + 1e-30f);
    k = k < 0.0f ? 0.0f : k > 1.0f ? 1.0f : k;
    const float r = k * o;
    if (!same_direction || r == 0.0f)
        return r;
    const double gained = r * gain_limit;
    if (r > 0.0f)
        return (float)(gained < t ? gained : t);
    return (float)(gained > t ? gained : t);
}

static void decouple(float *const restored[ADM_BANDS], float *const additive[ADM_BANDS],
                     float *const own[ADM_BANDS], const float *const ref[ADM_BANDS],
                     const float *const dis[ADM_BANDS], const float weight[ADM_BANDS],
                     double gain_limit, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const bool same = aligned(ref[ADM_H][i], ref[ADM_V][i], dis[ADM_H][i], dis[ADM_V][i]);
        for (unsigned b = 0; b < ADM_BANDS; b++) {
            const float o = ref[b][i], t = dis[b][i];
            const float r = restore(o, t, same, gain_limit);
            restored[b][i] = fabsf(weight[b] * r);
            additive[b][i] = fabsf(weight[b] * (t - r));
            own[b][i] = fabsf(weight[b] * o);
        }
    }
}

static void spread(float *out, const float *weighted, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (float)(0.0333333351 * weighted[i]);
}

static void threshold(float *out, const float *spread_rows[ADM_BANDS][3],
                      const float *const weighted[ADM_BANDS], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float total = 0.0f;
        for (unsigned b = 0; b < ADM_BANDS; b++) {
            const float *above = spread_rows[b][0] + i, *here = spread_rows[b][1] + i;
            const float *below = spread_rows[b][2] + i;
            float sum = 0.0f + above[-1];
            sum += above[0];
            sum += above[1];
            sum += here[-1];
            sum = (float)(sum + 0.0666666701 * weighted[b][i]);
            sum += here[1];
            sum += below[-1];
            sum += below[0];
            sum += below[1];
            total += sum;
        }
        out[i] = total;
    }
}

static float excess(float signal, float limit)
{
    const float x = signal - limit;
    return x < 0.0f ? 0.0f : x;
}

static void excess_cubed(float *out, const float *signal, const float *limit, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float x = excess(signal[i], limit[i]);
        out[i] = x * x * x;
    }
}

static void excess_raised(float *out, const float *signal, const float *limit, float power,
                          size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = powf(excess(signal[i], limit[i]), power);
}

void float_adm_dsp_init(FloatAdmDsp *dsp, unsigned cpu)
{
    *dsp = (FloatAdmDsp){
        .decouple = decouple,
        .spread = spread,
        .threshold = threshold,
        .excess_cubed = excess_cubed,
        .excess_raised = excess_raised,
    };
    SIMD_CALL(cpu, float_adm_dsp_init, dsp);
}
