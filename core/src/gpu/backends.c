/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The table of backends. It has a file of its own because the tests link another table, which also
 * has the host backend. */
#include "gpu/backend.h"

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
