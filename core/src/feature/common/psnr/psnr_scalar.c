/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/simd_fn.h"
#include "feature/common/psnr/psnr_rows.h"

SIMD_DECLARE(psnr_dsp_init, PsnrDsp *dsp, unsigned bpc);

void psnr_dsp_init(PsnrDsp *dsp, unsigned bpc, unsigned cpu)
{
    psnr_rows_fill(dsp, bpc);
    SIMD_CALL(cpu, psnr_dsp_init, dsp, bpc);
}
