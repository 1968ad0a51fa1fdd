/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/simd_fn.h"
#include "dsp/check.h"

SIMD_DECLARE(simd_ops_check, const CheckSet *set);

/* The best of the set's instructions alone: the others are sets of their own. */
void simd_check(const CheckSet *set)
{
    unsigned best = set->cpu;
    while (best & (best - 1))
        best &= best - 1;
    SIMD_CALL(best, simd_ops_check, set);
}
