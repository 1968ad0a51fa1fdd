/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Kernels that exist with doubles and without. */
#ifndef TEST_GPU_VARIANTS_H
#define TEST_GPU_VARIANTS_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "gpu/kernels.h"

#define VARIANT "_f64"

static inline bool is_variant(const char *kernel)
{
    const size_t length = strlen(kernel);
    return length > strlen(VARIANT) && !strcmp(kernel + length - strlen(VARIANT), VARIANT);
}

static inline bool has_variant(const char *kernel)
{
    char name[128];
    snprintf(name, sizeof(name), "%s" VARIANT, kernel);
    return kernel_info_find(name);
}

/* True if one of these kernels, which gpu_check named, has a variant with doubles. */
static inline bool any_has_two_forms(const char *kernels)
{
    char names[1024];
    bool any = false;
    snprintf(names, sizeof(names), "%s", kernels);
    for (const char *name = strtok(names, ", "); name; name = strtok(NULL, ", "))
        any |= is_variant(name) || has_variant(name);
    return any;
}

#endif
