/* Pictures in upload memory: the host writes them, the device copies them from where they are. */
#ifndef GPU_UPLOAD_H
#define GPU_UPLOAD_H

#include "engine/picture.h"
#include "gpu/device.h"

/* A block of upload memory known to upload_find until it is freed. It keeps the device open. */
int upload_alloc(GpuDevice *device, size_t size, void **block);
void upload_free(GpuDevice *device, void *block);

/* Whether plane p of the picture lies, `size` bytes of it at the device's stride, in such a block. */
bool upload_find(GpuDevice *device, const VmafPicture *pic, unsigned p, size_t size, GpuRange *range);

#endif
