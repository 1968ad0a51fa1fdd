/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Stands in for the embedded kernels with one of them spoilt: a tap of VIF's first filter is off by
 * one. */
#include <string.h>

#define spirv_find true_spirv_find
#include "spirv_images.c"
#undef spirv_find

#define SPOILT "vif_stats_0_8"
#define TAP 7784u

static uint32_t words[sizeof(kernel_vif_stats_0_8) / sizeof(uint32_t)];
static const KernelImage spoilt = { SPOILT, words, sizeof(words) };

/* The first to ask is the self-test, which makes the name of its verdict of all images: it gets the true
 * one, so that an earlier verdict is believed and only the gate can notice. */
const KernelImage *spirv_find(const char *name)
{
    static unsigned asked;
    const KernelImage *const image = true_spirv_find(name);
    if (!image || strcmp(name, SPOILT) != 0 || asked++ == 0)
        return image;
    memcpy(words, image->data, image->size);
    for (size_t i = 0; i < image->size / sizeof(uint32_t); i++)
        words[i] += words[i] == TAP;
    return &spoilt;
}
