/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The parts of the rig that CUDA and HIP share. On the fake driver they use its control functions
 * (fake_driver/control.h). A real device reports no complaints and no clocks. */
#ifndef TEST_GPU_RIG_DRIVER_H
#define TEST_GPU_RIG_DRIVER_H

#include "rig.h"

/* A function of control.h; NULL: this is a real driver. */
void *rig_driver_control(const char *name);

unsigned rig_driver_complaints(GpuDevice *device);
int rig_driver_memory_create(GpuDevice *device, size_t size, RigMemory *out);
void rig_driver_memory_destroy(GpuDevice *device, RigMemory *memory);
uintptr_t rig_driver_clock_create(GpuDevice *device);
void rig_driver_clock_destroy(GpuDevice *device, uintptr_t clock);
void rig_driver_clock_set(GpuDevice *device, uintptr_t clock, uint64_t value);
uint64_t rig_driver_clock_get(GpuDevice *device, uintptr_t clock);

#define RIG_DRIVER(backend)                                                                        \
    {                                                                                              \
        .name = backend, .complaints = rig_driver_complaints,                                      \
        .memory_create = rig_driver_memory_create, .memory_destroy = rig_driver_memory_destroy,    \
        .clock_create = rig_driver_clock_create, .clock_destroy = rig_driver_clock_destroy,        \
        .clock_set = rig_driver_clock_set, .clock_get = rig_driver_clock_get,                      \
    }

#endif
