/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SSIM's row functions for any CPU. */
#include "feature/common/ssim/ssim_window.h"

#include "base/simd_fn.h"
#include "feature/common/ssim/ssim_terms.h"

SIMD_DECLARE(ssim_dsp_init, SsimDsp *dsp);

static void ssim_weigh(float *out, const float *const *rows, const float *taps, unsigned count,
                       size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (unsigned k = 0; k < count; k++)
            sum += (double)(rows[k][i] * taps[k]);
        out[i] = (float)sum;
    }
}

void ssim_dsp_init(SsimDsp *dsp, unsigned cpu)
{
    *dsp = (SsimDsp){ .weigh = ssim_weigh, .add = ssim_add, .terms = ssim_terms };
    SIMD_CALL(cpu, ssim_dsp_init, dsp);
}
