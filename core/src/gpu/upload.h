/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures that the device copies from where they are.
 *
 * Upload blocks: mapped memory that the host writes. Mirror blocks: device memory that some command
 * of the device fills, with mapped memory beside it for features that run on the CPU, filled on
 * request only. Device blocks: the same for callers who fill it with commands of their own, so that
 * their pictures hold addresses of the device; the mapped memory is made when first asked for. To the
 * engine all are plain blocks of a pool. */
#ifndef GPU_UPLOAD_H
#define GPU_UPLOAD_H

#include "engine/picture.h"
#include "gpu/device.h"

/* Known to upload_find until freed. They keep the device open. */
int upload_alloc(GpuDevice *device, size_t size, void **block);
int upload_alloc_mirror(GpuDevice *device, size_t size, void **block);
/* `address` tells where a buffer lies on the device. The block is full of UPLOAD_UNWRITTEN. */
int upload_alloc_device(GpuDevice *device, size_t size, uintptr_t (*address)(const GpuBuffer *),
                        void **block);
#define UPLOAD_UNWRITTEN 0x9e3779b9u /* in words: no picture looks like that */
void upload_free(GpuDevice *device, void *block);
/* With the device: of what was reserved no block is left. */
void upload_end(GpuDevice *device);

/* Whether plane p of the picture lies, `size` bytes of it at the device's stride, in such a block;
 * then *from is where the device copies it from. */
bool upload_find(GpuDevice *device, const VmafPicture *pic, unsigned p, size_t size,
                 GpuRange *from);

/* The device's memory of a picture in a mirror or device block; NULL for any other picture. */
GpuBuffer *upload_source(GpuDevice *device, const VmafPicture *pic);

/* Makes the host see what the device holds of the picture; waits. Nothing to do for upload blocks. */
int upload_fetch(GpuDevice *device, const VmafPicture *pic);

/* Whether its addresses are the device's: the host cannot read there. */
bool upload_is_device(GpuDevice *device, const VmafPicture *pic);
/* The picture as the host can read it: fetched, and with addresses of the host. Of any picture; `view`
 * may be `pic` and holds it no more than before. */
int upload_view(GpuDevice *device, const VmafPicture *pic, VmafPicture *view);

#endif
