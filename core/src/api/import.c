/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libvmaf/device.h: pictures that are on the device already. */
#include <errno.h>

#include "gpu/import.h"
#include "gpu/client.h"
#include "libvmaf/device.h"

static const enum GpuHandleType types[] = {
    [VMAF_MEMORY_OPAQUE_FD] = GPU_HANDLE_OPAQUE_FD,
    [VMAF_MEMORY_DMABUF] = GPU_HANDLE_DMABUF,
    [VMAF_MEMORY_WIN32] = GPU_HANDLE_WIN32,
    [VMAF_MEMORY_ADDRESS] = GPU_HANDLE_ADDRESS,
};

int vmaf_import_picture(VmafContext *vmaf, const VmafSharedPicture *picture)
{
    GpuClient *client = client_of(vmaf, NULL);
    if (!client || !picture || picture->size < sizeof(*picture) ||
        picture->type < VMAF_MEMORY_OPAQUE_FD || picture->type > VMAF_MEMORY_ADDRESS)
        return -EINVAL;
    GpuForeign waits[2];
    const GpuForeign signal = { picture->semaphore, picture->signal_value };
    GpuIncoming in = {
        .w = picture->w,
        .h = picture->h,
        .bpc = picture->bpc,
        .pix_fmt = picture->pix_fmt,
        .is_ref = picture->is_ref != 0,
        .index = picture->index,
        .waits = waits,
        .signals = &signal,
        .signal_count = picture->semaphore && picture->signal_value,
    };
    if (picture->semaphore && picture->wait_value)
        waits[in.wait_count++] = (GpuForeign){ picture->semaphore, picture->wait_value };
    if (picture->type == VMAF_MEMORY_ADDRESS && client->session->backend->streams)
        waits[in.wait_count++] = (GpuForeign){ picture->stream, 0 };

    GpuForeignPicture memory = {
        .memory = { types[picture->type], picture->handle, picture->bytes },
    };
    for (unsigned p = 0; p < 3; p++) {
        memory.offset[p] = picture->offset[p];
        memory.stride[p] = picture->stride[p];
    }
    return imports_add_memory(client->imports, &in, &memory);
}

int vmaf_read_imported_pictures(VmafContext *vmaf, unsigned index)
{
    GpuClient *client = client_of(vmaf, NULL);
    return client ? client_read_imported(client, index) : -EINVAL;
}
