/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "base/mem.h"
#include "gpu/backend/sycl/device.h"

int sycl_buffer_create(GpuDevice *gpu, enum GpuMemory memory, size_t size, GpuBuffer **out)
{
    SyclDevice *dev = sycl_device(gpu);
    *out = NULL;
    SyclBuffer *buffer = mem_zalloc(sizeof(*buffer));
    if (!buffer)
        return -ENOMEM;
    const size_t words = size ? (size + 3) / 4 : 1;
    void *block;
    const int err = dev->plugin->alloc(dev->handle,
                                       memory == GPU_DEVICE ? SYCL_DEVICE_MEMORY : SYCL_HOST_MEMORY,
                                       words * 4, &block);
    if (err) {
        mem_free(buffer);
        return sycl_error(dev, "memory", err);
    }
    buffer->address = block;
    buffer->gpu = (GpuBuffer){ words * 4, memory == GPU_DEVICE ? NULL : block };
    *out = &buffer->gpu;
    return 0;
}

static int import(SyclDevice *dev, const GpuHandle *handle, SyclBuffer *buffer)
{
    void *block = (void *)handle->value;
    buffer->foreign = true;
    buffer->dmabuf = handle->type == GPU_HANDLE_DMABUF;
    if (buffer->dmabuf) {
        const int err =
            dev->plugin->import_dmabuf(dev->handle, (int)handle->value, handle->size, &block);
        if (err)
            return err == -ENOTSUP ? err : sycl_error(dev, "importing a file descriptor", err);
    } else if (handle->type != GPU_HANDLE_ADDRESS ||
               dev->plugin->can_read(dev->handle, block) != 1) {
        return -ENOTSUP;
    }
    buffer->address = block;
    return 0;
}

int sycl_buffer_import(GpuDevice *gpu, const GpuHandle *handle, GpuBuffer **out)
{
    *out = NULL;
    SyclBuffer *buffer = mem_zalloc(sizeof(*buffer));
    if (!buffer)
        return -ENOMEM;
    const int err = import(sycl_device(gpu), handle, buffer);
    if (err) {
        mem_free(buffer);
        return err;
    }
    buffer->gpu = (GpuBuffer){ .size = handle->size };
    *out = &buffer->gpu;
    return 0;
}

void sycl_buffer_destroy(GpuDevice *gpu, GpuBuffer *gpu_buffer)
{
    if (!gpu_buffer)
        return;
    SyclDevice *dev = sycl_device(gpu);
    SyclBuffer *buffer = (SyclBuffer *)gpu_buffer;
    if (buffer->dmabuf)
        dev->plugin->release_dmabuf(dev->handle, buffer->address);
    else if (!buffer->foreign)
        dev->plugin->free(dev->handle, buffer->address);
    mem_free(buffer);
}
