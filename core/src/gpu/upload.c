#include "gpu/upload.h"

#include <errno.h>

#include "engine/mem.h"

struct GpuUpload {
    GpuUpload *next;
    GpuBuffer *buffer;
};

int upload_alloc(GpuDevice *device, size_t size, void **block)
{
    GpuUpload *upload = mem_zalloc(sizeof(*upload));
    if (!upload)
        return -ENOMEM;
    const int err = device->ops->buffer_create(device, GPU_UPLOAD, size, &upload->buffer);
    if (err) {
        mem_free(upload);
        return err;
    }
    gpu_device_ref(device);
    pthread_mutex_lock(&device->uploads_lock);
    upload->next = device->uploads;
    device->uploads = upload;
    pthread_mutex_unlock(&device->uploads_lock);
    *block = upload->buffer->host;
    return 0;
}

void upload_free(GpuDevice *device, void *block)
{
    pthread_mutex_lock(&device->uploads_lock);
    GpuUpload **link = &device->uploads;
    while (*link && (*link)->buffer->host != block)
        link = &(*link)->next;
    GpuUpload *upload = *link;
    if (upload)
        *link = upload->next;
    pthread_mutex_unlock(&device->uploads_lock);
    if (!upload)
        return;
    device->ops->buffer_destroy(device, upload->buffer);
    mem_free(upload);
    gpu_device_unref(device);
}

bool upload_find(GpuDevice *device, const VmafPicture *pic, unsigned p, size_t size, GpuRange *range)
{
    FrameShape shape;
    shape_of_picture(&shape, pic);
    if (pic->stride[p] != (ptrdiff_t)picture_stride(&shape, p))
        return false;
    const uintptr_t at = (uintptr_t)pic->data[p];
    bool found = false;
    pthread_mutex_lock(&device->uploads_lock);
    for (const GpuUpload *u = device->uploads; u && !found; u = u->next) {
        const uintptr_t base = (uintptr_t)u->buffer->host;
        found = at >= base && at - base + size <= u->buffer->size;
        if (found)
            *range = (GpuRange){ u->buffer, at - base, size };
    }
    pthread_mutex_unlock(&device->uploads_lock);
    return found;
}
