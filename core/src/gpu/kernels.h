/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The kernels that the build embedded: made from feature/meson.build, sorted by nothing. */
#ifndef GPU_KERNELS_H
#define GPU_KERNELS_H

#include <stddef.h>
#include <stdint.h>

typedef struct KernelCode {
    const char *name;
    const uint32_t *spirv;
    size_t size; /* bytes */
} KernelCode;

extern const KernelCode kernel_codes[]; /* name NULL ends the table */
const KernelCode *kernel_code_find(const char *name);

#endif
