/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CUDA in a build without it: its name is known. */
#include "gpu/backend.h"

const GpuBackend cuda_backend = {
    .name = "cuda",
    .title = "CUDA",
    .needs = "NVIDIA driver (libcuda)",
};
