/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/backend.h"

#include <string.h>

extern const GpuBackend vulkan_backend, cuda_backend, hip_backend, sycl_backend;
#ifdef HAVE_HOST
extern const GpuBackend host_backend;
#endif

const GpuBackend *const gpu_backends[] = {
    &cuda_backend, &hip_backend, &vulkan_backend, &sycl_backend,
#ifdef HAVE_HOST
    &host_backend,
#endif
    NULL,
};

const GpuBackend *gpu_backend_find(const char *name)
{
    for (const GpuBackend *const *b = gpu_backends; *b; b++)
        if (!strcmp((*b)->name, name))
            return *b;
    return NULL;
}

size_t gpu_backend_strip(const char *extractor)
{
    const char *suffix = strrchr(extractor, '_');
    const bool named = suffix && suffix > extractor && gpu_backend_find(suffix + 1);
    return named ? (size_t)(suffix - extractor) : strlen(extractor);
}
