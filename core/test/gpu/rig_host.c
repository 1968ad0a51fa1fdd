/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The host backend's part of the rig: any memory can be imported, and it has semaphores. */
#include <errno.h>

#include "base/mem.h"
#include "gpu/backend/host/host.h"
#include "rig.h"

static int memory_create(GpuDevice *device, size_t size, RigMemory *out)
{
    void *block = mem_zalloc(size);
    *out = (RigMemory){ { GPU_HANDLE_ADDRESS, (intptr_t)block, size }, block, block };
    return block ? 0 : -ENOMEM;
}

static void memory_destroy(GpuDevice *device, RigMemory *memory)
{
    mem_free(memory->own);
}

static uintptr_t clock_create(GpuDevice *device)
{
    HostSemaphore *semaphore;
    assert_int_equal(0, host_semaphore_create(&semaphore));
    return (uintptr_t)semaphore;
}

static void clock_destroy(GpuDevice *device, uintptr_t clock)
{
    host_semaphore_destroy((HostSemaphore *)clock);
}

static void clock_set(GpuDevice *device, uintptr_t clock, uint64_t value)
{
    host_semaphore_signal((HostSemaphore *)clock, value);
}

static uint64_t clock_get(GpuDevice *device, uintptr_t clock)
{
    return host_semaphore_value((HostSemaphore *)clock);
}

const RigBackend rig_host = {
    .name = "host",
    .memory_create = memory_create,
    .memory_destroy = memory_destroy,
    .clock_create = clock_create,
    .clock_destroy = clock_destroy,
    .clock_set = clock_set,
    .clock_get = clock_get,
};
