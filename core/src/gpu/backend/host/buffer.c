/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/backend/host/device.h"

/* Bytes before and after each block, in which a changed byte reveals a write out of bounds. */
#define GUARD MEM_ALIGN
#define GUARD_BYTE 0xe7

static void *guarded_alloc(HostDevice *dev, size_t size)
{
    char *block = mem_aligned_alloc(size + 2 * GUARD);
    if (!block)
        return NULL;
    memset(block, GUARD_BYTE, GUARD);
    random_fill(&dev->random, block + GUARD, size);
    memset(block + GUARD + size, GUARD_BYTE, GUARD);
    return block;
}

static bool guard_holds(const unsigned char *block, size_t size)
{
    for (unsigned i = 0; i < GUARD; i++)
        if (block[i] != GUARD_BYTE || block[GUARD + size + i] != GUARD_BYTE)
            return false;
    return true;
}

static HostBuffer *buffer_alloc(size_t size)
{
    HostBuffer *buffer = mem_zalloc(sizeof(*buffer));
    if (!buffer)
        return NULL;
    buffer->gpu.size = size;
    buffer->object = (HostObject){ .kind = "buffer", .references = 1 };
    return buffer;
}

int host_buffer_create(GpuDevice *gpu, enum GpuMemory memory, size_t size, GpuBuffer **out)
{
    HostDevice *dev = (HostDevice *)gpu;
    *out = NULL;
    pthread_mutex_lock(&dev->lock);
    int err = host_fault_locked(dev, HOST_BUFFER_CREATE);
    HostBuffer *buffer = err ? NULL : buffer_alloc((size + 3) & ~(size_t)3);
    if (!err && !buffer)
        err = -ENOMEM;
    if (!err) {
        buffer->memory = memory;
        buffer->block = guarded_alloc(dev, buffer->gpu.size);
        if (memory == GPU_READBACK)
            buffer->host_block = guarded_alloc(dev, buffer->gpu.size);
        if (!buffer->block || (memory == GPU_READBACK && !buffer->host_block)) {
            mem_aligned_free(buffer->block);
            mem_aligned_free(buffer->host_block);
            mem_free(buffer);
            err = -ENOMEM;
        }
    }
    if (!err) {
        buffer->data = (char *)buffer->block + GUARD;
        if (memory == GPU_UPLOAD)
            buffer->gpu.host = buffer->data;
        if (memory == GPU_READBACK)
            buffer->gpu.host = (char *)buffer->host_block + GUARD;
        *out = &buffer->gpu;
    }
    pthread_mutex_unlock(&dev->lock);
    return err;
}

int host_buffer_import(GpuDevice *gpu, const GpuHandle *handle, GpuBuffer **out)
{
    *out = NULL;
    const int err = host_fault(gpu, HOST_BUFFER_IMPORT);
    if (err)
        return err;
    const bool upload = handle->type == GPU_HANDLE_UPLOAD || handle->type == GPU_HANDLE_PAGES;
    if (!upload && handle->type != GPU_HANDLE_ADDRESS)
        return -ENOTSUP;
    HostBuffer *buffer = buffer_alloc(handle->size);
    if (!buffer)
        return -ENOMEM;
    buffer->memory = upload ? GPU_UPLOAD : GPU_DEVICE;
    buffer->data = (char *)handle->value;
    if (upload)
        buffer->gpu.host = buffer->data;
    *out = &buffer->gpu;
    return 0;
}

void host_buffer_release(HostBuffer *buffer)
{
    if (--buffer->object.references == 0)
        mem_free(buffer);
}

static void forget_unseen(HostDevice *dev, const HostBuffer *buffer)
{
    HostBuffer **link = &dev->unseen;
    while (*link && *link != buffer)
        link = &(*link)->next_unseen;
    if (*link)
        *link = buffer->next_unseen;
}

void host_buffer_destroy(GpuDevice *gpu, GpuBuffer *gpu_buffer)
{
    if (!gpu_buffer)
        return;
    HostDevice *dev = (HostDevice *)gpu;
    HostBuffer *buffer = host_buffer(gpu_buffer);
    const size_t size = buffer->gpu.size;
    pthread_mutex_lock(&dev->lock);
    if (host_in_flight(dev, &buffer->object))
        host_lose_locked(dev, "buffer of %zu bytes destroyed while commands in flight use it",
                         size);
    if ((buffer->block && !guard_holds(buffer->block, size)) ||
        (buffer->host_block && !guard_holds(buffer->host_block, size)))
        host_lose_locked(dev, "memory beside a buffer of %zu bytes was overwritten", size);
    forget_unseen(dev, buffer);
    mem_aligned_free(buffer->block);
    mem_aligned_free(buffer->host_block);
    buffer->data = NULL;
    buffer->object.destroyed = true;
    host_buffer_release(buffer);
    pthread_mutex_unlock(&dev->lock);
}

void host_buffer_wrote(HostDevice *dev, HostBuffer *buffer, size_t begin, size_t end)
{
    if (!buffer->host_block || begin == end)
        return;
    if (buffer->unseen_end == 0) {
        buffer->next_unseen = dev->unseen;
        dev->unseen = buffer;
        buffer->unseen_begin = begin;
    }
    if (begin < buffer->unseen_begin)
        buffer->unseen_begin = begin;
    if (end > buffer->unseen_end)
        buffer->unseen_end = end;
}

void host_buffers_show(HostDevice *dev)
{
    for (HostBuffer *buffer = dev->unseen; buffer; buffer = buffer->next_unseen) {
        memcpy((char *)buffer->gpu.host + buffer->unseen_begin, buffer->data + buffer->unseen_begin,
               buffer->unseen_end - buffer->unseen_begin);
        buffer->unseen_begin = buffer->unseen_end = 0;
    }
    dev->unseen = NULL;
}
