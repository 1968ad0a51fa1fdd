/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdint.h>
#include <string.h>

#include "base/simd_fn.h"
#include "feature/float_vif/float_vif.h"

SIMD_DECLARE(float_vif_dsp_init, FloatVifDsp *dsp);

static const float tiny = 1.0e-10f;

static float max_f(float a, float b)
{
    return a > b ? a : b;
}

/* The logarithm of the metric's definition: exponent plus a polynomial in the mantissa. Zero,
 * infinity and NaN are treated like any other bits. */
static float log2_poly(float x)
{
    static const float coefficients[] = VIF_LOG2_POLY;
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    const int exponent = (int)(bits >> 23 & 255) - 127;
    bits = (bits & 0x7fffff) | 0x3f800000;
    float one_up;
    memcpy(&one_up, &bits, sizeof(one_up));
    const float y = one_up - 1.0f;
    float value = 0.0f;
    for (size_t i = 0; i < sizeof(coefficients) / sizeof(coefficients[0]); i++)
        value = value * y + coefficients[i];
    return (float)exponent + value;
}

static void information(float *num, float *den, float *const filtered[VIF_CHANNELS],
                        const FloatVifConstants *c, size_t n)
{
    const double noise = c->noise;
    for (size_t i = 0; i < n; i++) {
        const float m1 = filtered[VIF_REF][i], m2 = filtered[VIF_DIS][i];
        float s1 = max_f(filtered[VIF_REF2][i] - m1 * m1, 0.0f);
        const float s2 = max_f(filtered[VIF_DIS2][i] - m2 * m2, 0.0f);
        const float s12 = filtered[VIF_REF_DIS][i] - m1 * m2;

        float gain = s12 / (s1 + tiny);
        float rest = s2 - gain * s12;
        if (s1 < tiny) {
            gain = 0.0f;
            rest = s2;
            s1 = 0.0f;
        }
        if (s2 < tiny) {
            gain = 0.0f;
            rest = 0.0f;
        }
        if (gain < 0.0f) {
            rest = s2;
            gain = 0.0f;
        }
        rest = max_f(rest, tiny);
        gain = gain < c->gain_limit ? gain : c->gain_limit;

        if (s1 < noise) {
            num[i] = 1.0f - s2 * c->flat_weight;
            den[i] = 1.0f;
            continue;
        }
        num[i] = s12 < 0.0f ? 0.0f : log2_poly((float)(1.0 + gain * gain * s1 / (rest + noise)));
        den[i] = log2_poly((float)(1.0 + s1 / noise));
    }
}

void float_vif_dsp_init(FloatVifDsp *dsp, unsigned cpu)
{
    dsp->information = information;
    SIMD_CALL(cpu, float_vif_dsp_init, dsp);
}
