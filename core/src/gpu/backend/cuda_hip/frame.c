/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/backend/cuda_hip/cuda_hip.h"

#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "gpu/backend/cuda_hip/device.h"
#include "gpu/client.h"

/* ---- checks ---- */

/* True if one plane holds Cb and Cr, interleaved. */
static bool is_paired(const CudaHipFrame *frame)
{
    return frame->pix_fmt != VMAF_PIX_FMT_YUV400P && !frame->plane[2];
}

static int check_planes(const CudaHipFrame *frame, const FrameShape *shape, char *why, size_t size)
{
    const unsigned bytes = shape_sample_size(shape);
    const bool paired = is_paired(frame);
    for (unsigned p = 0; p < (paired ? 2u : 3u); p++) {
        const size_t row = (size_t)shape->w[p] * bytes * (p && paired ? 2 : 1);
        if (!shape->h[p])
            continue;
        if (!frame->plane[p] || frame->pitch[p] < row) {
            snprintf(why, size, "plane %u %s", p,
                     frame->plane[p] ? "has a pitch shorter than a row" : "is missing");
            return -EINVAL;
        }
    }
    if (frame->shift > 8 * bytes - frame->bpc) {
        snprintf(why, size, "samples of %u bits, shifted left by %u, do not fit in %u bits",
                 frame->bpc, frame->shift, 8 * bytes);
        return -EINVAL;
    }
    return 0;
}

static int check(const GpuClient *client, const CudaHipFrame *frame, FrameShape *shape, char *why,
                 size_t size)
{
    int err = shape_init(shape, frame->pix_fmt, frame->bpc, frame->w, frame->h);
    if (err)
        snprintf(why, size, "unsupported size, depth or format: %ux%u, %u bits, pixel format %d",
                 frame->w, frame->h, frame->bpc, (int)frame->pix_fmt);
    if (!err)
        err = check_planes(frame, shape, why, size);
    if (!err && frame->context && frame->context != cuda_hip_context(client->session->device)) {
        snprintf(why, size, "the frame is in another context than the one used for scoring");
        err = -ENOTSUP;
    }
    return err;
}

int cuda_hip_can_read(VmafContext *vmaf, const GpuBackend *backend, const CudaHipFrame *frame,
                      char *why, size_t why_size)
{
    char nowhere[1];
    FrameShape shape;
    const GpuClient *client = client_of(vmaf, backend);
    if (!why || !why_size) {
        why = nowhere;
        why_size = sizeof(nowhere);
    }
    why[0] = '\0';
    if (client)
        return check(client, frame, &shape, why, why_size);
    snprintf(why, why_size, "the context does not use %s", backend->title);
    return -EINVAL;
}

/* ---- copies ---- */

/* A buffer that starts at address 0, so that an offset into it is an address. */
static CudaHipBuffer everywhere = { .gpu = { .size = SIZE_MAX } };

/* Copies the samples of plane p; with `step` 2 the rows of the frame hold two planes,
 * interleaved. */
static void copy_plane(const ImportTarget *target, const CudaHipFrame *frame, unsigned p,
                       GpuBuffer *to, size_t offset, unsigned step)
{
    const FrameShape *shape = target->shape;
    const unsigned source = step > 1 ? 1 : p;
    target->device->ops->copy_rows(
        target->commands, &(GpuRows){ .from = &everywhere.gpu,
                                      .from_offset = frame->plane[source],
                                      .from_stride = frame->pitch[source],
                                      .to = to,
                                      .to_offset = offset,
                                      .to_stride = picture_stride(shape, p) * step,
                                      .row = (size_t)shape->w[p] * step * shape_sample_size(shape),
                                      .rows = shape->h[p] });
}

/* Copies planes that need shifting or separating to temporary memory, and records the kernels that
 * unpack them. */
static int copy_and_unpack(ImportTarget *target, const CudaHipFrame *frame, unsigned planes)
{
    ImportPacking packing[3];
    GpuBuffer *raw;
    const int err = import_unpack_begin(target, &raw);
    if (err)
        return err;
    for (unsigned p = 0; p < 3; p++) {
        if (!(planes >> p & 1))
            continue;
        packing[p] = import_packing(planes, p, p && is_paired(frame));
        if (!packing[p].with_cb)
            copy_plane(target, frame, p, raw, import_raw_offset(target->shape, p), packing[p].step);
    }
    import_unpack(target, planes, packing, frame->shift);
    return 0;
}

static int record(ImportTarget *target, const void *source)
{
    const CudaHipFrame *frame = source;
    unsigned packed = 0;
    for (unsigned p = 0; p < 3; p++) {
        if (!import_wants(target, p))
            continue;
        if (frame->shift || (p && is_paired(frame)))
            packed |= 1u << p;
        else
            copy_plane(target, frame, p, target->picture, target->offset[p], 1);
    }
    target->in_range = frame->shift + frame->bpc == 16;
    return packed ? copy_and_unpack(target, frame, packed) : 0;
}

/* ---- reading a pair ---- */

typedef struct CudaHipArrival {
    GpuArrival gpu;
    CudaHipFrame frames[2]; /* reference, distorted */
} CudaHipArrival;

static int check_pair(const GpuClient *client, const CudaHipFrame frames[2], FrameShape *shape)
{
    char why[256] = "";
    int err = check(client, &frames[1], shape, why, sizeof(why));
    if (!err)
        err = check(client, &frames[0], shape, why, sizeof(why));
    if (!err && (frames[0].w != frames[1].w || frames[0].h != frames[1].h ||
                 frames[0].bpc != frames[1].bpc || frames[0].pix_fmt != frames[1].pix_fmt)) {
        snprintf(why, sizeof(why), "the frames of the pair differ in size, format or depth");
        err = -EINVAL;
    }
    if (err)
        log_error("%s: %s", client->session->backend->name, why);
    return err;
}

static void wait_for_streams(GpuArrival *arrival, const CudaHipFrame frames[2])
{
    arrival->waits[arrival->wait_count++] = (GpuForeign){ frames[0].stream, 0 };
    if (frames[1].stream != frames[0].stream)
        arrival->waits[arrival->wait_count++] = (GpuForeign){ frames[1].stream, 0 };
}

static int read_arrival(VmafContext *vmaf, const GpuBackend *backend, CudaHipArrival *arrival)
{
    GpuClient *client = client_of(vmaf, backend);
    FrameShape shape;
    if (!client) {
        log_error("%s: cannot read frames: the VmafContext does not use %s", backend->name,
                  backend->title);
        return -EINVAL;
    }
    const int err = check_pair(client, arrival->frames, &shape);
    if (err)
        return err;
    wait_for_streams(&arrival->gpu, arrival->frames);
    return client_read_arrival(client, &shape, &arrival->gpu);
}

int cuda_hip_read_frames(VmafContext *vmaf, const GpuBackend *backend, const CudaHipFrame *ref,
                         const CudaHipFrame *dist, unsigned index)
{
    const GpuRelease release[2] = { { ref->release, ref->release_opaque },
                                    { dist->release, dist->release_opaque } };
    CudaHipArrival *arrival = arrival_create(sizeof(*arrival), release);
    if (!arrival)
        return -ENOMEM;
    arrival->gpu.record = record;
    arrival->gpu.index = index;
    for (unsigned side = 0; side < 2; side++) {
        arrival->frames[side] = side ? *dist : *ref;
        arrival->gpu.source[side] = &arrival->frames[side];
    }
    const int err = read_arrival(vmaf, backend, arrival);
    arrival_release(&arrival->gpu);
    return err;
}
