/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Memory and semaphores that another API shares. */
#include <errno.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/backend/cuda_hip/device.h"

#ifdef _WIN32
static int open_handle(const GpuHandle *handle, DriverOsHandle *out)
{
    out->win32.handle = (void *)handle->value;
    return 0;
}

static void close_handle(const DriverOsHandle *handle)
{
}

static bool is_known(enum GpuHandleType type)
{
    return type == GPU_HANDLE_WIN32;
}
#else
#include <fcntl.h>
#include <unistd.h>

/* The driver takes over the descriptor it is given: the caller keeps its own. */
static int open_handle(const GpuHandle *handle, DriverOsHandle *out)
{
    out->fd = fcntl((int)handle->value, F_DUPFD_CLOEXEC, 0);
    return out->fd < 0 ? -errno : 0;
}

static void close_handle(const DriverOsHandle *handle)
{
    close(handle->fd);
}

static bool is_known(enum GpuHandleType type)
{
    return type == GPU_HANDLE_OPAQUE_FD || type == GPU_HANDLE_DMABUF;
}
#endif

static int refused(DriverDevice *dev, const char *what, int result)
{
    log_error("%s: %s refuses the %s (%s)", dev->api->name, dev->gpu.name, what,
              dev->api->error_name(result));
    return result == DRIVER_OUT_OF_MEMORY ? -ENOMEM : -ENOTSUP;
}

static int import_memory(DriverDevice *dev, const GpuHandle *handle, DriverBuffer *buffer)
{
    const DriverCalls *call = &dev->api->call;
    DriverExternalMemory memory = { .size = handle->size };
    memory.type = handle->type == GPU_HANDLE_DMABUF  ? dev->api->dmabuf
                  : handle->type == GPU_HANDLE_WIN32 ? DRIVER_EXTERNAL_WIN32
                                                     : DRIVER_EXTERNAL_FD;
    const int err = open_handle(handle, &memory.handle);
    if (err)
        return err;
    int result = call->ImportExternalMemory(&buffer->external, &memory);
    if (result) {
        close_handle(&memory.handle);
        return refused(dev, "memory", result);
    }
    const DriverExternalBuffer whole = { .size = handle->size };
    result = call->ExternalMemoryGetMappedBuffer(&buffer->address, buffer->external, &whole);
    if (result) {
        call->DestroyExternalMemory(buffer->external);
        return refused(dev, "memory", result);
    }
    buffer->ours = true;
    return 0;
}

/* A driver may refuse it for reasons of its own, or because it is pinned, by whomever: the caller has another way then. */
static int pin_pages(DriverDevice *dev, const GpuHandle *handle, DriverBuffer *buffer)
{
    void *const pages = (void *)handle->value;
    const int result = dev->api->call.MemHostRegister(pages, handle->size, DRIVER_HOST_PORTABLE);
    if (result)
        return -ENOTSUP;
    buffer->gpu.host = pages;
    buffer->ours = buffer->registered = true;
    return 0;
}

int driver_buffer_import(GpuDevice *gpu, const GpuHandle *handle, GpuBuffer **out)
{
    DriverDevice *dev = (DriverDevice *)gpu;
    *out = NULL;
    const bool pinned = handle->type == GPU_HANDLE_UPLOAD; /* for all devices (buffer.c) */
    const bool wrapped = handle->type == GPU_HANDLE_ADDRESS || pinned;
    const bool plain = handle->type == GPU_HANDLE_PAGES;
    if (!wrapped && !plain && !is_known(handle->type))
        return -ENOTSUP;
    DriverBuffer *buffer = mem_zalloc(sizeof(*buffer));
    if (!buffer)
        return -ENOMEM;
    buffer->gpu.size = handle->size;
    int err = 0;
    if (pinned) {
        buffer->gpu.host = (void *)handle->value;
    } else if (wrapped) {
        buffer->address = (DriverAddress)handle->value;
    } else if (!(err = driver_enter(dev))) {
        err = plain ? pin_pages(dev, handle, buffer) : import_memory(dev, handle, buffer);
        driver_leave(dev);
    }
    if (err)
        mem_free(buffer);
    else
        *out = &buffer->gpu;
    return err;
}

int driver_semaphore_import(GpuDevice *gpu, const GpuHandle *handle, uintptr_t *semaphore)
{
    DriverDevice *dev = (DriverDevice *)gpu;
    *semaphore = 0;
    if (!is_known(handle->type) || handle->type == GPU_HANDLE_DMABUF)
        return -ENOTSUP;
    DriverExternalSemaphore what = { .type = handle->type == GPU_HANDLE_WIN32
                                                 ? DRIVER_TIMELINE_WIN32
                                                 : DRIVER_TIMELINE_FD };
    DriverHandle imported = NULL;
    int err = driver_enter(dev);
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
    driver_leave(dev);
    if (!err)
        *semaphore = (uintptr_t)imported;
    return err;
}

void driver_semaphore_destroy(GpuDevice *gpu, uintptr_t semaphore)
{
    DriverDevice *dev = (DriverDevice *)gpu;
    if (!semaphore || !driver_enter_anyway(dev))
        return;
    dev->api->call.DestroyExternalSemaphore((DriverHandle)semaphore);
    driver_leave(dev);
}
