/* The psnr family's rows, for each instruction set. */
#include "engine/simd_fn.h"
#include "feature/psnr/psnr_rows.h"

void SIMD_FN(psnr_dsp_init)(PsnrDsp *dsp, unsigned bpc);

void SIMD_FN(psnr_dsp_init)(PsnrDsp *dsp, unsigned bpc)
{
    psnr_rows_fill(dsp, bpc);
}
