/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SYCL's part of the rig: memory that both sides see. It has no semaphores. */
#include <errno.h>
#include <string.h>

#include "rig.h"
#include "gpu/backend/sycl/device.h"

static int memory_create(GpuDevice *device, size_t size, RigMemory *out)
{
    const SyclDevice *dev = sycl_device(device);
    void *block;
    const int err = dev->plugin->alloc(dev->handle, SYCL_HOST_MEMORY, size, &block);
    if (err)
        return err;
    memset(block, 0, size);
    *out = (RigMemory){ { GPU_HANDLE_ADDRESS, (intptr_t)block, size }, block, block };
    return 0;
}

static void memory_destroy(GpuDevice *device, RigMemory *memory)
{
    const SyclDevice *dev = sycl_device(device);
    dev->plugin->free(dev->handle, memory->own);
}

const RigBackend rig_sycl = {
    .name = "sycl",
    .memory_create = memory_create,
    .memory_destroy = memory_destroy,
};
