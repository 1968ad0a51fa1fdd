/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Blocks of memory for pictures that the device copies from without staging. To the engine each is
 * an ordinary block of a picture pool. Any thread may call these functions.
 *
 * Upload blocks are mapped memory that the host writes. Mirror blocks are device memory that
 * commands of the device fill; mapped memory beside it, which upload_fetch fills, serves features
 * on the CPU. Device blocks are device memory that the caller of the public API fills with commands
 * of its own: pictures in them hold addresses of the device, and the mapped memory is created when
 * it is first needed. */
#ifndef GPU_UPLOAD_H
#define GPU_UPLOAD_H

#include "engine/picture.h"
#include "gpu/device.h"

/* These create a block, which upload_find knows until upload_free. Each block keeps the device
 * open. */
int upload_alloc(GpuDevice *device, size_t size, void **block);
int upload_alloc_mirror(GpuDevice *device, size_t size, void **block);
/* `address` returns a buffer's address on the device. The block is filled with UPLOAD_UNWRITTEN. */
int upload_alloc_device(GpuDevice *device, size_t size, uintptr_t (*address)(const GpuBuffer *),
                        void **block);
#define UPLOAD_UNWRITTEN 0x9e3779b9u /* a 32-bit word; no picture consists of it */
void upload_free(GpuDevice *device, void *block);
/* Called when the device is destroyed: frees the reserve, of which no block is in use any more. */
void upload_end(GpuDevice *device);

/* True if `size` bytes of plane p, at the device's stride, lie in a block. Then *from is the range
 * that the device copies them from. */
bool upload_find(GpuDevice *device, const VmafPicture *pic, unsigned p, size_t size,
                 GpuRange *from);

/* The device memory of a picture in a mirror or device block; NULL for any other picture. */
GpuBuffer *upload_source(GpuDevice *device, const VmafPicture *pic);

/* Copies the device's content of the picture to where the host can read it. Waits. Does nothing for
 * upload blocks. */
int upload_fetch(GpuDevice *device, const VmafPicture *pic);

/* True if the picture's addresses are the device's, so that the host cannot read there. */
bool upload_is_device(GpuDevice *device, const VmafPicture *pic);
/* Makes *view a picture that the host can read: fetched, and with addresses of the host. Accepts
 * any picture. `view` may be `pic`, and takes no reference of its own. */
int upload_view(GpuDevice *device, const VmafPicture *pic, VmafPicture *view);

#endif
