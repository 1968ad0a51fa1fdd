/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* psnr's row functions for any CPU, and the sum of squares in raster order. */
#include <stddef.h>

#include "base/simd_fn.h"
#include "feature/common/psnr/psnr_rows.h"

SIMD_DECLARE_ICL(psnr_dsp_init, PsnrDsp *dsp, unsigned bpc);

void psnr_dsp_init(PsnrDsp *dsp, unsigned bpc, unsigned cpu)
{
    psnr_rows_fill(dsp, bpc);
    SIMD_CALL_ICL(cpu, psnr_dsp_init, dsp, bpc);
}

uint64_t float_squares_in_order(const VmafPicture *a, const VmafPicture *b)
{
    double sum = 0;
    for (unsigned y = 0; y < a->h[0]; y++) {
        const uint16_t *row =
            (const void *)((const char *)a->data[0] + (ptrdiff_t)y * a->stride[0]);
        const uint16_t *other =
            b ? (const void *)((const char *)b->data[0] + (ptrdiff_t)y * b->stride[0]) : NULL;
        for (unsigned x = 0; x < a->w[0]; x++) {
            const float d = (float)((int)row[x] - (other ? (int)other[x] : 0));
            sum += (double)(d * d);
        }
    }
    return (uint64_t)sum;
}
