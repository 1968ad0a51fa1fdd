/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "base/mem.h"
#include "gpu/backend/cuda_hip/device.h"

static int allocate(DriverDevice *dev, enum GpuMemory memory, DriverBuffer *buffer)
{
    int err = driver_enter(dev);
    if (err)
        return err;
    if (memory == GPU_DEVICE)
        err = DRIVER_TRY(dev, MemAlloc, &buffer->address, buffer->gpu.size);
    else /* cached on both ways: features on the CPU read what is uploaded */
        err = DRIVER_TRY(dev, MemHostAlloc, &buffer->gpu.host, buffer->gpu.size,
                         DRIVER_HOST_PORTABLE);
    driver_leave(dev);
    return err;
}

int driver_buffer_create(GpuDevice *gpu, enum GpuMemory memory, size_t size, GpuBuffer **out)
{
    *out = NULL;
    DriverBuffer *buffer = mem_zalloc(sizeof(*buffer));
    if (!buffer)
        return -ENOMEM;
    buffer->gpu.size = size ? (size + 3) & ~(size_t)3 : 4; /* fills work in words */
    buffer->ours = true;
    const int err = allocate((DriverDevice *)gpu, memory, buffer);
    if (err)
        mem_free(buffer);
    else
        *out = &buffer->gpu;
    return err;
}

void driver_buffer_destroy(GpuDevice *gpu, GpuBuffer *gpu_buffer)
{
    if (!gpu_buffer)
        return;
    DriverDevice *dev = (DriverDevice *)gpu;
    DriverBuffer *buffer = (DriverBuffer *)gpu_buffer;
    if (buffer->ours && driver_enter_anyway(dev)) {
        if (buffer->registered)
            dev->api->call.MemHostUnregister(buffer->gpu.host);
        else if (buffer->gpu.host)
            dev->api->call.MemFreeHost(buffer->gpu.host);
        else
            dev->api->call.MemFree(buffer->address);
        if (buffer->external)
            dev->api->call.DestroyExternalMemory(buffer->external);
        driver_leave(dev);
    }
    mem_free(buffer);
}

uintptr_t driver_address(const GpuBuffer *buffer)
{
    return ((const DriverBuffer *)buffer)->address;
}
