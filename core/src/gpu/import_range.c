/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Imported pictures are looked at where they are: see engine/range.h. */
#include <errno.h>

#include "engine/range.h"
#include "gpu/feature_gpu.h"
#include "gpu/import.h"
#include "gpu/import_tile.h"

GPU_PARAMS(ImportRangeParams, IMPORT_RANGE_PARAMS);

#define COUNT_BYTES (3 * sizeof(uint32_t))

static int prepare(const ImportTarget *target, ImportRange *r)
{
    GpuDevice *device = target->device;
    const GpuOps *ops = device->ops;
    const KernelInfo *info = gpu_kernel_for(device, "import_range");
    int err = info ? ops->kernel_get(device, info, &r->kernel) : -EINVAL;
    if (!err && !r->counts)
        err = ops->buffer_create(device, GPU_DEVICE, COUNT_BYTES, &r->counts);
    if (!err && !r->readback)
        err = ops->buffer_create(device, GPU_READBACK, COUNT_BYTES, &r->readback);
    if (!target->is_fixed) {
        ops->bindings_destroy(device, r->bindings);
        r->bindings = NULL;
    }
    if (!err && !r->bindings) {
        const GpuRange ranges[2] = { { target->picture, 0, target->picture->size },
                                     { r->counts, 0, COUNT_BYTES } };
        err = ops->bindings_create(device, r->kernel, ranges, &r->bindings);
    }
    return err;
}

static void look_at_plane(const ImportTarget *target, const ImportRange *r, unsigned p)
{
    const FrameShape *shape = target->shape;
    const uint32_t above = 0xffffu & ~((1u << shape->bpc) - 1);
    const ImportRangeParams params = {
        .width = shape->w[p],
        .height = shape->h[p],
        .plane_stride = (uint32_t)(picture_stride(shape, p) / 4),
        .plane_offset = (uint32_t)(target->offset[p] / 4),
        .plane = p,
        .above = above | above << 16,
    };
    const unsigned words = IMPORT_GROUP_W * gpu_samples_per_word(shape);
    target->device->ops->dispatch(target->commands, r->kernel, r->bindings, &params,
                                  (unsigned[3]){ gpu_groups(shape->w[p], words),
                                                 gpu_groups(shape->h[p], IMPORT_RANGE_ROWS), 1 });
}

int import_range_record(const ImportTarget *target, ImportRange *r)
{
    const GpuOps *ops = target->device->ops;
    const FrameShape *shape = target->shape;
    r->recorded = range_matters(shape->bpc) && !target->in_range &&
                  target->picture->size <= target->device->limits.max_binding;
    r->in_range = target->in_range;
    if (!r->recorded)
        return 0;
    const int err = prepare(target, r);
    if (err)
        return err;
    const GpuRange counts = { r->counts, 0, COUNT_BYTES };
    ops->fill(target->commands, &counts, 0);
    ops->barrier(target->commands);
    for (unsigned p = 0; p < 3; p++)
        if (import_wants(target, p))
            look_at_plane(target, r, p);
    ops->barrier(target->commands);
    ops->copy(target->commands, &counts, &(GpuRange){ r->readback, 0, COUNT_BYTES });
    return 0;
}

void import_range_note(const ImportRange *r, const VmafPicture *pic)
{
    for (unsigned p = 0; p < 3; p++)
        if (r->recorded || r->in_range)
            range_set(pic, p, r->recorded && ((const uint32_t *)r->readback->host)[p] != 0);
}

void import_range_destroy(GpuDevice *device, ImportRange *r)
{
    device->ops->bindings_destroy(device, r->bindings);
    device->ops->buffer_destroy(device, r->counts);
    device->ops->buffer_destroy(device, r->readback);
}
