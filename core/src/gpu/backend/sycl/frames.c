/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The two frame buffers of a VmafContext: device memory that the program fills, or lets us fill.
 * Reading a pair imports them like foreign pictures and copies their content. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/import.h"
#include "gpu/backend/sycl/device.h"

/* Rows have no gaps between them. */
typedef struct SyclFrames {
    unsigned w, h, bpc;
    size_t row; /* bytes */
    struct {
        GpuBuffer *buffer, *staging;
        GpuCommands *upload; /* copies staging to buffer */
    } sides[2];              /* indexed by is_ref */
} SyclFrames;

static void frames_destroy(GpuClient *client)
{
    SyclFrames *frames = client->own;
    GpuDevice *device = client->session->device;
    for (unsigned side = 0; side < 2; side++) {
        device->ops->commands_destroy(device, frames->sides[side].upload);
        device->ops->buffer_destroy(device, frames->sides[side].staging);
        device->ops->buffer_destroy(device, frames->sides[side].buffer);
    }
    mem_free(frames);
    client->own = NULL;
}

/* Creates the buffers of one side, filled with black. */
static int side_create(GpuDevice *device, SyclFrames *frames, unsigned side)
{
    const size_t size = frames->row * frames->h;
    GpuBuffer **buffer = &frames->sides[side].buffer, **staging = &frames->sides[side].staging;
    GpuCommands **upload = &frames->sides[side].upload;
    int err = device->ops->buffer_create(device, GPU_DEVICE, size, buffer);
    if (!err)
        err = device->ops->buffer_create(device, GPU_UPLOAD, size, staging);
    if (!err)
        err = device->ops->commands_create(device, GPU_COMPUTE, upload);
    if (err)
        return err;
    memset((*staging)->host, 0, size);
    device->ops->begin(*upload);
    device->ops->copy(*upload, &(GpuRange){ *staging, 0, size }, &(GpuRange){ *buffer, 0, size });
    err = device->ops->end(*upload);
    return err ? err : gpu_device_run(device, *upload);
}

static int frames_create(GpuClient *client, unsigned w, unsigned h, unsigned bpc)
{
    FrameShape shape;
    if (bpc != 8 && bpc != 10 && bpc != 12 && bpc != 16)
        return -EINVAL;
    int err = shape_init(&shape, VMAF_PIX_FMT_YUV400P, bpc, w, h);
    if (err)
        return err;
    SyclFrames *frames = mem_zalloc(sizeof(*frames));
    if (!frames)
        return -ENOMEM;
    frames->w = w;
    frames->h = h;
    frames->bpc = bpc;
    frames->row = (size_t)w * shape_sample_size(&shape);
    client->own = frames;
    client->own_destroy = frames_destroy;
    for (unsigned side = 0; side < 2 && !err; side++)
        err = side_create(client->session->device, frames, side);
    if (err)
        frames_destroy(client);
    return err;
}

static bool has_geometry(const SyclFrames *frames, unsigned w, unsigned h, unsigned bpc)
{
    if (frames->w == w && frames->h == h && frames->bpc == bpc)
        return true;
    log_error("sycl: the frame buffers of this context are %ux%u of %u bits, not %ux%u of %u",
              frames->w, frames->h, frames->bpc, w, h, bpc);
    return false;
}

int vmaf_sycl_init_frame_buffers(VmafContext *vmaf, unsigned w, unsigned h, unsigned bpc)
{
    GpuClient *client = client_of(vmaf, &sycl_backend);
    if (!client)
        return -EINVAL;
    if (client->own)
        return has_geometry(client->own, w, h, bpc) ? 0 : -EINVAL;
    return frames_create(client, w, h, bpc);
}

static void *address_of(const SyclFrames *frames, bool is_ref)
{
    return ((SyclBuffer *)frames->sides[is_ref].buffer)->address;
}

int vmaf_sycl_get_frame_buffers(VmafContext *vmaf, void **ref, void **dis)
{
    const GpuClient *client = client_of(vmaf, &sycl_backend);
    if (!client || !client->own || !ref || !dis)
        return -EINVAL;
    *ref = address_of(client->own, true);
    *dis = address_of(client->own, false);
    return 0;
}

/* ---- filling ---- */

static void stage(const SyclFrames *frames, char *to, const SyclPlane *plane)
{
    const char *from = plane->data;
    for (unsigned y = 0; y < frames->h; y++, from += plane->pitch, to += frames->row) {
        memcpy(to, from, frames->row);
        for (unsigned x = 0; plane->shift && x < frames->w; x++)
            ((uint16_t *)to)[x] >>= plane->shift;
    }
}

int sycl_frames_fill(VmafSyclState *state, bool is_ref, const SyclPlane *plane)
{
    GpuClient *client = session_client(sycl_session(state));
    const SyclFrames *frames = client ? client->own : NULL;
    if (client && !frames)
        log_error("sycl: no frame buffers; call vmaf_sycl_init_frame_buffers first");
    if (!frames || !has_geometry(frames, plane->w, plane->h, plane->bpc) ||
        plane->pitch < frames->row)
        return -EINVAL;
    stage(frames, frames->sides[is_ref].staging->host, plane);
    return gpu_device_run(client->session->device, frames->sides[is_ref].upload);
}

int vmaf_sycl_upload_plane(VmafSyclState *state, const void *src, unsigned pitch, int is_ref,
                           unsigned w, unsigned h, unsigned bpc)
{
    if (!state || !src)
        return -EINVAL;
    return sycl_frames_fill(state, is_ref != 0, &(SyclPlane){ src, pitch, w, h, bpc, 0 });
}

/* ---- scoring ---- */

static int import_side(GpuClient *client, unsigned index, bool is_ref)
{
    const SyclFrames *frames = client->own;
    const GpuIncoming in = {
        .w = frames->w,
        .h = frames->h,
        .bpc = frames->bpc,
        .pix_fmt = VMAF_PIX_FMT_YUV400P,
        .is_ref = is_ref,
        .index = index,
    };
    const GpuForeignPicture picture = {
        .memory = { GPU_HANDLE_ADDRESS, (intptr_t)address_of(frames, is_ref),
                    frames->row * frames->h },
        .stride = { frames->row },
    };
    return imports_add_memory(client->imports, &in, &picture);
}

int vmaf_read_pictures_sycl(VmafContext *vmaf, unsigned index)
{
    GpuClient *client = client_of(vmaf, &sycl_backend);
    if (!client || !client->own)
        return -EINVAL;
    int err = import_side(client, index, true);
    if (!err)
        err = import_side(client, index, false);
    return err ? err : client_read_imported(client, index);
}
