/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/adm/adm_simd.h"

void adm_dsp_init(AdmDsp *dsp, const AdmLevel level[ADM_LEVELS], unsigned bpc, unsigned cpu)
{
    adm_dsp_init_scalar(dsp, bpc);
    SIMD_CALL(cpu, adm_split_init, dsp, bpc);
    SIMD_CALL(cpu, adm_decouple_init, dsp, level);
    SIMD_CALL(cpu, adm_energy_init, dsp, level);
}
