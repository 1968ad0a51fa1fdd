/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SpEED's sums of products, compiled for each instruction set. */
#include "base/simd.h"
#include "feature/speed/speed.h"

void SIMD_FN(speed_dsp_init)(SpeedDsp *dsp);

enum { VECTORS = (SPEED_LAGS + V64 - 1) / V64 };

V_INLINE void add_products(vd sum[VECTORS], const double *a, const double *b)
{
    const vd factor = v_set_f64(*a);
    for (int i = 0; i < VECTORS; i++)
        sum[i] = v_add_f64(sum[i], v_mul_f64(factor, v_load_f64(b + i * V64)));
}

/* Keeps two sums per lag, so that an addition need not wait for the one before. */
static void lags(double sums[SPEED_LAG_ROW], const double *a, const double *b, size_t n)
{
    vd even[VECTORS], odd[VECTORS];
    size_t x = 0;
    for (int i = 0; i < VECTORS; i++)
        even[i] = odd[i] = v_set_f64(0.0);
    for (; x + 2 <= n; x += 2) {
        add_products(even, a + x, b + x);
        add_products(odd, a + x + 1, b + x + 1);
    }
    if (x < n)
        add_products(even, a + x, b + x);
    for (int i = 0; i < VECTORS; i++)
        v_store_f64(sums + i * V64, v_add_f64(even[i], odd[i]));
}

SIMD_ONCE void SIMD_FN(speed_dsp_init)(SpeedDsp *dsp)
{
    dsp->lags = lags;
}
