/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "base/simd_fn.h"
#include "feature/speed/speed_dsp.h"

SIMD_DECLARE(speed_dsp_init, SpeedDsp *dsp);

static void products(double sums[SPEED_BLOCK][SPEED_ROW], const double *vectors, size_t n)
{
    memset(sums, 0, SPEED_BLOCK * sizeof(sums[0]));
    for (const double *v = vectors; v < vectors + n * SPEED_ROW; v += SPEED_ROW) {
        for (unsigned a = 0; a < SPEED_BLOCK; a++) {
            for (unsigned b = 0; b <= a; b++)
                sums[a][b] += v[a] * v[b];
        }
    }
}

void speed_dsp_init(SpeedDsp *dsp, unsigned cpu)
{
    dsp->products = products;
    SIMD_CALL(cpu, speed_dsp_init, dsp);
}
