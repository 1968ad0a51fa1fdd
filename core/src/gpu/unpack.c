/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Two planes side by side, or values in the high bits: sorted out by a kernel. */
#include <errno.h>

#include "gpu/feature_gpu.h"
#include "gpu/import.h"
#include "gpu/import_tile.h"

GPU_PARAMS(ImportPlaneParams, IMPORT_PLANE_PARAMS);

int import_unpack_begin(ImportTarget *target, GpuBuffer **raw)
{
    GpuDevice *device = target->device;
    const GpuOps *ops = device->ops;
    ImportUnpacking *u = import_slot_unpacking(target->slot);
    const FrameShape *shape = target->shape;
    const size_t size = picture_size(shape);
    const KernelInfo *info =
        kernel_info_find(shape->bpc > 8 ? "import_plane_16" : "import_plane_8");
    int err = info ? ops->kernel_get(device, info, &u->kernel) : -EINVAL;
    /* Twice a picture is enough: each of two paired planes is copied with both. */
    if (!err && !u->raw)
        err = ops->buffer_create(device, GPU_DEVICE, 2 * size, &u->raw);
    if (!err && !u->planes)
        err = ops->buffer_create(device, GPU_DEVICE, size, &u->planes);
    if (!err && !u->bindings) {
        const GpuRange ranges[2] = { { u->raw, 0, u->raw->size },
                                     { u->planes, 0, u->planes->size } };
        err = ops->bindings_create(device, u->kernel, ranges, &u->bindings);
    }
    *raw = u->raw;
    return err;
}

static void unpack_plane(ImportTarget *target, unsigned p, const ImportPacking *packing,
                         unsigned shift)
{
    const FrameShape *shape = target->shape;
    const ImportUnpacking *u = import_slot_unpacking(target->slot);
    const size_t stride = picture_stride(shape, p), offset = import_plane_offset(shape, p);
    const ImportPlaneParams params = {
        .width = shape->w[p],
        .image_stride = (uint32_t)(stride * packing->step / 4),
        .plane_stride = (uint32_t)(stride / 4),
        .plane_offset = (uint32_t)(offset / 4),
        .image_offset = (uint32_t)(2 * offset / 4),
        .step = packing->step,
        .first = packing->first,
        .shift = shift,
    };
    const unsigned samples = IMPORT_GROUP_W * gpu_samples_per_word(shape);
    target->device->ops->dispatch(
        target->commands, u->kernel, u->bindings, &params,
        (unsigned[3]){ gpu_groups(shape->w[p], samples), shape->h[p], 1 });
}

void import_unpack(ImportTarget *target, unsigned first_plane, const ImportPacking packing[3],
                   unsigned shift)
{
    const GpuOps *ops = target->device->ops;
    const FrameShape *shape = target->shape;
    const ImportUnpacking *u = import_slot_unpacking(target->slot);
    ops->barrier(target->commands);
    for (unsigned p = first_plane; p < 3 && shape->h[p]; p++)
        unpack_plane(target, p, &packing[p], shift);
    ops->barrier(target->commands);
    const size_t from = import_plane_offset(shape, first_plane);
    const size_t bytes = picture_size(shape) - from;
    ops->copy(target->commands, &(GpuRange){ u->planes, from, bytes },
              &(GpuRange){ target->picture, from, bytes });
}

void import_unpacking_destroy(GpuDevice *device, ImportUnpacking *u)
{
    device->ops->bindings_destroy(device, u->bindings);
    device->ops->buffer_destroy(device, u->raw);
    device->ops->buffer_destroy(device, u->planes);
}
