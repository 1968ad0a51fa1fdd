/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures that the device copies from where they are.
 *
 * Upload blocks: mapped memory that the host writes. Mirror blocks: device memory that some command
 * of the device fills, with mapped memory beside it for features that run on the CPU, filled on
 * request only. To the engine both are plain blocks of a pool. */
#ifndef GPU_UPLOAD_H
#define GPU_UPLOAD_H

#include "engine/picture.h"
#include "gpu/device.h"

/* Known to upload_find until freed. They keep the device open. */
int upload_alloc(GpuDevice *device, size_t size, void **block);
int upload_alloc_mirror(GpuDevice *device, size_t size, void **block);
void upload_free(GpuDevice *device, void *block);

/* Whether plane p of the picture lies, `size` bytes of it at the device's stride, in such a block;
 * then *from is where the device copies it from. */
bool upload_find(GpuDevice *device, const VmafPicture *pic, unsigned p, size_t size,
                 GpuRange *from);

/* The device's memory of a picture in a mirror block; NULL for any other picture. */
GpuBuffer *upload_source(GpuDevice *device, const VmafPicture *pic);

/* Makes the host see what the device holds of the picture; waits. Nothing to do but for mirrors. */
int upload_fetch(GpuDevice *device, const VmafPicture *pic);

#endif
