/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/upload.h"

#include <errno.h>

#include "base/mem.h"

struct GpuUpload {
    GpuUpload *next;
    GpuBuffer *source; /* what the device copies from */
    GpuBuffer *mapped; /* what the host sees: the same buffer, or a mirror's other half */
};

static void destroy(GpuDevice *device, GpuUpload *upload)
{
    if (upload->mapped != upload->source)
        device->ops->buffer_destroy(device, upload->mapped);
    device->ops->buffer_destroy(device, upload->source);
    mem_free(upload);
}

static int add(GpuDevice *device, GpuUpload *upload, void **block)
{
    gpu_device_retain(device);
    pthread_mutex_lock(&device->uploads_lock);
    upload->next = device->uploads;
    device->uploads = upload;
    pthread_mutex_unlock(&device->uploads_lock);
    *block = upload->mapped->host;
    return 0;
}

int upload_alloc(GpuDevice *device, size_t size, void **block)
{
    GpuUpload *upload = mem_zalloc(sizeof(*upload));
    if (!upload)
        return -ENOMEM;
    const int err = device->ops->buffer_create(device, GPU_UPLOAD, size, &upload->source);
    upload->mapped = upload->source;
    if (err) {
        destroy(device, upload);
        return err;
    }
    return add(device, upload, block);
}

int upload_alloc_mirror(GpuDevice *device, size_t size, void **block)
{
    GpuUpload *upload = mem_zalloc(sizeof(*upload));
    if (!upload)
        return -ENOMEM;
    int err = device->ops->buffer_create(device, GPU_DEVICE, size, &upload->source);
    if (!err)
        err = device->ops->buffer_create(device, GPU_READBACK, size, &upload->mapped);
    if (err) {
        destroy(device, upload);
        return err;
    }
    return add(device, upload, block);
}

void upload_free(GpuDevice *device, void *block)
{
    pthread_mutex_lock(&device->uploads_lock);
    GpuUpload **link = &device->uploads;
    while (*link && (*link)->mapped->host != block)
        link = &(*link)->next;
    GpuUpload *upload = *link;
    if (upload)
        *link = upload->next;
    pthread_mutex_unlock(&device->uploads_lock);
    if (!upload)
        return;
    destroy(device, upload);
    gpu_device_release(device);
}

/* The block that holds `size` bytes at `at`, as it was when asked: blocks in use are not freed. */
static bool find(GpuDevice *device, const void *at, size_t size, GpuUpload *found)
{
    bool is = false;
    pthread_mutex_lock(&device->uploads_lock);
    for (const GpuUpload *u = device->uploads; u && !is; u = u->next) {
        const uintptr_t base = (uintptr_t)u->mapped->host, offset = (uintptr_t)at - base;
        is = (uintptr_t)at >= base && offset + size <= u->mapped->size;
        if (is)
            *found = *u;
    }
    pthread_mutex_unlock(&device->uploads_lock);
    return is;
}

bool upload_find(GpuDevice *device, const VmafPicture *pic, unsigned p, size_t size, GpuRange *from)
{
    FrameShape shape;
    shape_of_picture(&shape, pic);
    GpuUpload upload;
    if (pic->stride[p] != (ptrdiff_t)picture_stride(&shape, p) ||
        !find(device, pic->data[p], size, &upload))
        return false;
    const size_t offset = (uintptr_t)pic->data[p] - (uintptr_t)upload.mapped->host;
    *from = (GpuRange){ upload.source, offset, size };
    return true;
}

GpuBuffer *upload_source(GpuDevice *device, const VmafPicture *pic)
{
    GpuUpload upload;
    const bool mirror = find(device, pic->data[0], 1, &upload) && upload.source != upload.mapped;
    return mirror ? upload.source : NULL;
}

int upload_fetch(GpuDevice *device, const VmafPicture *pic)
{
    const GpuOps *ops = device->ops;
    GpuUpload upload;
    if (!find(device, pic->data[0], 1, &upload) || upload.source == upload.mapped)
        return 0;
    GpuCommands *commands;
    int err = ops->commands_create(device, GPU_COMPUTE, &commands);
    if (err)
        return err;
    ops->begin(commands);
    ops->copy(commands, &(GpuRange){ upload.source, 0, upload.source->size },
              &(GpuRange){ upload.mapped, 0, upload.mapped->size });
    ops->barrier(commands);
    err = ops->end(commands);
    if (!err)
        err = gpu_device_run(device, commands);
    ops->commands_destroy(device, commands);
    return err;
}
