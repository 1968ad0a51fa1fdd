/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* psnr's row functions, compiled for each instruction set. */
#include "base/simd_fn.h"
#include "feature/common/psnr/psnr_rows.h"

void SIMD_FN(psnr_dsp_init)(PsnrDsp *dsp, unsigned bpc);

SIMD_ONCE void SIMD_FN(psnr_dsp_init)(PsnrDsp *dsp, unsigned bpc)
{
    psnr_rows_fill(dsp, bpc);
}
