/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The parts of the rig that CUDA and HIP share. On the fake driver they use its control functions
 * (fake_driver/control.h). A real device reports no complaints and no clocks. */
#ifndef TEST_GPU_RIG_CUDA_HIP_H
#define TEST_GPU_RIG_CUDA_HIP_H

#include "rig.h"

/* A function of control.h; NULL: this is a real driver. */
void *rig_cuda_hip_control(const char *name);

unsigned rig_cuda_hip_complaints(GpuDevice *device);
int rig_cuda_hip_memory_create(GpuDevice *device, size_t size, RigMemory *out);
void rig_cuda_hip_memory_destroy(GpuDevice *device, RigMemory *memory);
uintptr_t rig_cuda_hip_clock_create(GpuDevice *device);
void rig_cuda_hip_clock_destroy(GpuDevice *device, uintptr_t clock);
void rig_cuda_hip_clock_set(GpuDevice *device, uintptr_t clock, uint64_t value);
uint64_t rig_cuda_hip_clock_get(GpuDevice *device, uintptr_t clock);

#define RIG_CUDA_HIP(backend)                                                                      \
    {                                                                                              \
        .name = backend, .complaints = rig_cuda_hip_complaints,                                    \
        .memory_create = rig_cuda_hip_memory_create,                                               \
        .memory_destroy = rig_cuda_hip_memory_destroy, .clock_create = rig_cuda_hip_clock_create,  \
        .clock_destroy = rig_cuda_hip_clock_destroy, .clock_set = rig_cuda_hip_clock_set,          \
        .clock_get = rig_cuda_hip_clock_get,                                                       \
    }

#endif
