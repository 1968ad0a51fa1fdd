/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Two planes side by side, or values in the high bits: sorted out by a kernel. */
#include <errno.h>

#include "gpu/feature_gpu.h"
#include "gpu/import.h"
#include "gpu/import_tile.h"

GPU_PARAMS(ImportPlaneParams, IMPORT_PLANE_PARAMS);

/* Each of two paired planes is copied with both: room for twice as much. */
size_t import_raw_offset(const FrameShape *shape, unsigned plane)
{
    return 2 * import_plane_offset(shape, plane);
}

int import_unpack_begin(ImportTarget *target, GpuBuffer **raw)
{
    GpuDevice *device = target->device;
    const GpuOps *ops = device->ops;
    ImportUnpacking *u = &target->scratch->unpacking;
    const FrameShape *shape = target->shape;
    const KernelInfo *info =
        gpu_kernel_for(device, shape->bpc > 8 ? "import_plane_16" : "import_plane_8");
    int err = info ? ops->kernel_get(device, info, &u->kernel) : -EINVAL;
    if (!err && !u->raw)
        err = ops->buffer_create(device, GPU_DEVICE, 2 * picture_size(shape), &u->raw);
    if (!target->is_fixed) {
        ops->bindings_destroy(device, u->bindings);
        u->bindings = NULL;
    }
    if (!err && !u->bindings) {
        const GpuRange ranges[2] = { { u->raw, 0, u->raw->size },
                                     { target->picture, 0, target->picture->size } };
        err = ops->bindings_create(device, u->kernel, ranges, &u->bindings);
    }
    *raw = u->raw;
    return err;
}

static void unpack_plane(ImportTarget *target, unsigned p, const ImportPacking *packing,
                         unsigned shift)
{
    const FrameShape *shape = target->shape;
    const ImportUnpacking *u = &target->scratch->unpacking;
    const size_t stride = picture_stride(shape, p);
    const ImportPlaneParams params = {
        .width = shape->w[p],
        .image_stride = (uint32_t)(stride * packing->step / 4),
        .plane_stride = (uint32_t)(stride / 4),
        .plane_offset = (uint32_t)(target->offset[p] / 4),
        .image_offset = (uint32_t)(import_raw_offset(shape, packing->with_cb ? 1 : p) / 4),
        .step = packing->step,
        .first = packing->first,
        .shift = shift,
    };
    const unsigned samples = IMPORT_GROUP_W * gpu_samples_per_word(shape);
    target->device->ops->dispatch(
        target->commands, u->kernel, u->bindings, &params,
        (unsigned[3]){ gpu_groups(shape->w[p], samples), shape->h[p], 1 });
}

void import_unpack(ImportTarget *target, unsigned planes, const ImportPacking packing[3],
                   unsigned shift)
{
    target->device->ops->barrier(target->commands);
    for (unsigned p = 0; p < 3; p++)
        if (planes >> p & 1)
            unpack_plane(target, p, &packing[p], shift);
}

void import_unpacking_destroy(GpuDevice *device, ImportUnpacking *u)
{
    device->ops->bindings_destroy(device, u->bindings);
    device->ops->buffer_destroy(device, u->raw);
}
