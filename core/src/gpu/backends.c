/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The table of backends, alone in its file: the tests link another one, which has the host backend as well. */
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
