/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/simd_fn.h"
#include "feature/speed/speed.h"

SIMD_DECLARE(speed_dsp_init, SpeedDsp *dsp);

static void lags(double sums[SPEED_LAG_ROW], const double *a, const double *b, size_t n)
{
    for (unsigned k = 0; k < SPEED_LAGS; k++) {
        double sum[2] = { 0.0, 0.0 };
        for (size_t x = 0; x < n; x++)
            sum[x % 2] += a[x] * b[x + k];
        sums[k] = sum[0] + sum[1];
    }
}

void speed_dsp_init(SpeedDsp *dsp, unsigned cpu)
{
    dsp->lags = lags;
    SIMD_CALL(cpu, speed_dsp_init, dsp);
}
