/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* cambi's row functions for any CPU. */
#include "base/simd_fn.h"
#include "feature/cambi/cambi_loops.h"

SIMD_DECLARE_ICL(cambi_dsp_init, CambiDsp *dsp);

const uint8_t cambi_step_weight[CAMBI_MAX_STEPS + 1] = {
    0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8,
    8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
};

static unsigned runs(uint16_t *starts, const uint16_t *codes, size_t n)
{
    unsigned count = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || codes[i] != codes[i - 1])
            starts[count++] = (uint16_t)i;
    }
    starts[count] = (uint16_t)n;
    return count;
}

static void add(uint16_t *counts, const uint16_t *by, size_t n)
{
    for (size_t i = 0; i < n; i++)
        counts[i] += by[i];
}

static void subtract(uint16_t *counts, const uint16_t *by, size_t n)
{
    for (size_t i = 0; i < n; i++)
        counts[i] -= by[i];
}

static void contrast(float *out, const CambiRun *run, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = contrast_of(run, run->own + i);
}

static double sum_above(const float *values, size_t n, float limit, size_t *count)
{
    double sum = 0.0;
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        if (values[i] > limit) {
            sum += values[i];
            ++*count;
        }
    }
    return sum;
}

void cambi_dsp_init(CambiDsp *dsp, unsigned cpu)
{
    *dsp = (CambiDsp){
        .widen_8 = widen_8,
        .narrow_16 = narrow_16,
        .smooth = smooth,
        .flat = flat,
        .slide = slide,
        .mask = mask,
        .keep_even_16 = keep_even_16,
        .keep_even_8 = keep_even_8,
        .mode3 = mode3,
        .masked = masked,
        .cancel = cancel,
        .runs = runs,
        .add = add,
        .subtract = subtract,
        .contrast = contrast,
        .sum_above = sum_above,
    };
    SIMD_CALL_ICL(cpu, cambi_dsp_init, dsp);
}
