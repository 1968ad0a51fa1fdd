/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/backend/cuda_hip/device.h"

static int allocate(CudaHipDevice *dev, enum GpuMemory memory, CudaHipBuffer *buffer)
{
    int err = cuda_hip_enter(dev);
    if (err)
        return err;
    if (memory == GPU_DEVICE)
        err = CUDA_HIP_TRY(dev, MemAlloc, &buffer->address, buffer->gpu.size);
    else /* cached by the CPU in both directions: CPU features read uploaded pictures, too */
        err = CUDA_HIP_TRY(dev, MemHostAlloc, &buffer->gpu.host, buffer->gpu.size,
                           CUDA_HIP_HOST_PORTABLE);
    cuda_hip_leave(dev);
    return err;
}

int cuda_hip_buffer_create(GpuDevice *gpu, enum GpuMemory memory, size_t size, GpuBuffer **out)
{
    *out = NULL;
    CudaHipBuffer *buffer = mem_zalloc(sizeof(*buffer));
    if (!buffer)
        return -ENOMEM;
    buffer->gpu.size = size ? (size + 3) & ~(size_t)3 : 4; /* fills write whole words */
    buffer->ours = true;
    const int err = allocate((CudaHipDevice *)gpu, memory, buffer);
    if (err)
        mem_free(buffer);
    else
        *out = &buffer->gpu;
    return err;
}

void cuda_hip_buffer_destroy(GpuDevice *gpu, GpuBuffer *gpu_buffer)
{
    if (!gpu_buffer)
        return;
    CudaHipDevice *dev = (CudaHipDevice *)gpu;
    CudaHipBuffer *buffer = (CudaHipBuffer *)gpu_buffer;
    if (buffer->ours && cuda_hip_enter_anyway(dev)) {
        if (buffer->registered)
            dev->api->call.MemHostUnregister(buffer->gpu.host);
        else if (buffer->gpu.host)
            dev->api->call.MemFreeHost(buffer->gpu.host);
        else
            dev->api->call.MemFree(buffer->address);
        if (buffer->external)
            dev->api->call.DestroyExternalMemory(buffer->external);
        cuda_hip_leave(dev);
    }
    mem_free(buffer);
}

uintptr_t cuda_hip_address(const GpuBuffer *buffer)
{
    return ((const CudaHipBuffer *)buffer)->address;
}

/* ---- memory and semaphores of other APIs ---- */

#ifdef _WIN32
static int open_handle(const GpuHandle *handle, CudaHipOsHandle *out)
{
    out->win32.handle = (void *)handle->value;
    return 0;
}

static void close_handle(const CudaHipOsHandle *handle)
{
}

static bool is_known(enum GpuHandleType type)
{
    return type == GPU_HANDLE_WIN32;
}
#else
#include <fcntl.h>
#include <unistd.h>

/* Duplicates the descriptor, because the driver takes over the one it gets and the caller keeps its
 * own. */
static int open_handle(const GpuHandle *handle, CudaHipOsHandle *out)
{
    out->fd = fcntl((int)handle->value, F_DUPFD_CLOEXEC, 0);
    return out->fd < 0 ? -errno : 0;
}

static void close_handle(const CudaHipOsHandle *handle)
{
    close(handle->fd);
}

static bool is_known(enum GpuHandleType type)
{
    return type == GPU_HANDLE_OPAQUE_FD || type == GPU_HANDLE_DMABUF;
}
#endif

static int refused(CudaHipDevice *dev, const char *what, int result)
{
    log_error("%s: %s cannot import the %s (%s)", dev->api->name, dev->gpu.name, what,
              dev->api->error_name(result));
    return result == CUDA_HIP_OUT_OF_MEMORY ? -ENOMEM : -ENOTSUP;
}

static int import_memory(CudaHipDevice *dev, const GpuHandle *handle, CudaHipBuffer *buffer)
{
    const CudaHipCalls *call = &dev->api->call;
    CudaHipExternalMemory memory = { .size = handle->size };
    memory.type = handle->type == GPU_HANDLE_DMABUF  ? dev->api->dmabuf
                  : handle->type == GPU_HANDLE_WIN32 ? CUDA_HIP_EXTERNAL_WIN32
                                                     : CUDA_HIP_EXTERNAL_FD;
    const int err = open_handle(handle, &memory.handle);
    if (err)
        return err;
    int result = call->ImportExternalMemory(&buffer->external, &memory);
    if (result) {
        close_handle(&memory.handle);
        return refused(dev, "memory", result);
    }
    const CudaHipExternalBuffer whole = { .size = handle->size };
    result = call->ExternalMemoryGetMappedBuffer(&buffer->address, buffer->external, &whole);
    if (result) {
        call->DestroyExternalMemory(buffer->external);
        return refused(dev, "memory", result);
    }
    buffer->ours = true;
    return 0;
}

/* Pins pages of the caller. The driver may refuse, for instance because they are pinned already.
 * The caller then copies the data instead, so this logs nothing. */
static int pin_pages(CudaHipDevice *dev, const GpuHandle *handle, CudaHipBuffer *buffer)
{
    void *const pages = (void *)handle->value;
    const int result = dev->api->call.MemHostRegister(pages, handle->size, CUDA_HIP_HOST_PORTABLE);
    if (result)
        return -ENOTSUP;
    buffer->gpu.host = pages;
    buffer->ours = buffer->registered = true;
    return 0;
}

int cuda_hip_buffer_import(GpuDevice *gpu, const GpuHandle *handle, GpuBuffer **out)
{
    CudaHipDevice *dev = (CudaHipDevice *)gpu;
    *out = NULL;
    const bool pinned =
        handle->type == GPU_HANDLE_UPLOAD; /* for all devices, see CUDA_HIP_HOST_PORTABLE */
    const bool wrapped = handle->type == GPU_HANDLE_ADDRESS || pinned;
    const bool plain = handle->type == GPU_HANDLE_PAGES;
    if (!wrapped && !plain && !is_known(handle->type))
        return -ENOTSUP;
    CudaHipBuffer *buffer = mem_zalloc(sizeof(*buffer));
    if (!buffer)
        return -ENOMEM;
    buffer->gpu.size = handle->size;
    int err = 0;
    if (pinned) {
        buffer->gpu.host = (void *)handle->value;
    } else if (wrapped) {
        buffer->address = (CudaHipAddress)handle->value;
    } else if (!(err = cuda_hip_enter(dev))) {
        err = plain ? pin_pages(dev, handle, buffer) : import_memory(dev, handle, buffer);
        cuda_hip_leave(dev);
    }
    if (err)
        mem_free(buffer);
    else
        *out = &buffer->gpu;
    return err;
}

int cuda_hip_semaphore_import(GpuDevice *gpu, const GpuHandle *handle, uintptr_t *semaphore)
{
    CudaHipDevice *dev = (CudaHipDevice *)gpu;
    *semaphore = 0;
    if (!is_known(handle->type) || handle->type == GPU_HANDLE_DMABUF)
        return -ENOTSUP;
    CudaHipExternalSemaphore what = { .type = handle->type == GPU_HANDLE_WIN32
                                                  ? CUDA_HIP_TIMELINE_WIN32
                                                  : CUDA_HIP_TIMELINE_FD };
    CudaHipHandle imported = NULL;
    int err = cuda_hip_enter(dev);
    if (err)
        return err;
    err = open_handle(handle, &what.handle);
    if (!err) {
        const int result = dev->api->call.ImportExternalSemaphore(&imported, &what);
        if (result) {
            close_handle(&what.handle);
            err = refused(dev, "semaphore", result);
        }
    }
    cuda_hip_leave(dev);
    if (!err)
        *semaphore = (uintptr_t)imported;
    return err;
}

void cuda_hip_semaphore_destroy(GpuDevice *gpu, uintptr_t semaphore)
{
    CudaHipDevice *dev = (CudaHipDevice *)gpu;
    if (!semaphore || !cuda_hip_enter_anyway(dev))
        return;
    dev->api->call.DestroyExternalSemaphore((CudaHipHandle)semaphore);
    cuda_hip_leave(dev);
}
