/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the vector code fills in of the table, per instruction set (base/simd_fn.h). */
#ifndef FEATURE_ADM_ADM_SIMD_H
#define FEATURE_ADM_ADM_SIMD_H

#include <stdbool.h>

#include "base/simd_fn.h"
#include "feature/adm/adm_dsp.h"

/* Where routines that take `step` columns at a time start, for their vectors to be aligned. */
static inline int align_column(int x, int step)
{
    return x / step * step;
}

SIMD_DECLARE(adm_split_init, AdmDsp *dsp, unsigned bpc);
SIMD_DECLARE(adm_decouple_init, AdmDsp *dsp, const AdmLevel level[ADM_LEVELS]);
SIMD_DECLARE(adm_energy_init, AdmDsp *dsp, const AdmLevel level[ADM_LEVELS]);

#endif
