/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CUDA's column of driver/api.h. */
#ifndef CUDA_SYMBOLS_H
#define CUDA_SYMBOLS_H

#include "gpu/backend/cuda_hip/api.h"

extern const GpuBackend cuda_backend;

/* Opens libcuda on first use and keeps it. NULL when the machine has none that we can use. Thread-safe. */
const DriverApi *cuda_api(void);

/* The version of NVIDIA's driver, as "570.124.06"; empty when it cannot be told. */
void cuda_driver_version(char *text, size_t size);

#endif
