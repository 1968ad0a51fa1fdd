/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/simd_fn.h"
#include "dsp/check.h"

SIMD_DECLARE_ICL(simd_ops_check, const CheckSet *set);

/* Checks only the best instruction set of this entry: the others have entries of their own. */
void simd_check(const CheckSet *set)
{
    unsigned best = set->cpu;
    while (best & (best - 1))
        best &= best - 1;
    SIMD_CALL_ICL(best, simd_ops_check, set);
}
