/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Stands in for the embedded kernels with one of them spoilt: a tap of VIF's first filter is off by
 * one. The table of all kernels is left alone, so that a verdict of the self-test on the true ones
 * is believed and only the gate can notice. */
#include <string.h>

#define kernel_code_find true_kernel_code_find
#include "kernels.c"
#undef kernel_code_find

#define SPOILT "vif_stats_0_8"
#define TAP 7784u

static uint32_t words[sizeof(kernel_vif_stats_0_8) / sizeof(uint32_t)];
static const KernelCode spoilt = { SPOILT, words, sizeof(words) };

const KernelCode *kernel_code_find(const char *name)
{
    const KernelCode *const code = true_kernel_code_find(name);
    if (!code || strcmp(name, SPOILT) != 0)
        return code;
    memcpy(words, code->spirv, code->size);
    for (size_t i = 0; i < code->size / sizeof(uint32_t); i++)
        words[i] += words[i] == TAP;
    return &spoilt;
}
