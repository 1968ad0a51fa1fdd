/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Recording copies into an ImportTarget, and the host side of the kernels in import.kernel.h. */
#include <errno.h>

#include "engine/picture.h"
#include "gpu/feature_gpu.h"
#include "gpu/import.h"
#include "gpu/import_tile.h"

size_t import_plane_offset(const FrameShape *shape, unsigned plane)
{
    size_t offset = 0;
    for (unsigned p = 0; p < plane; p++)
        offset += picture_stride(shape, p) * shape->h[p];
    return offset;
}

void import_target_init(ImportTarget *target, GpuDevice *device, const FrameShape *shape,
                        GpuBuffer *picture)
{
    *target = (ImportTarget){ .device = device, .shape = shape, .picture = picture };
    for (unsigned p = 0; p < 3; p++) {
        target->offset[p] = import_plane_offset(shape, p);
        target->planes |= (shape->w[p] && shape->h[p] ? 1u : 0) << p;
    }
}

void import_scratch_destroy(GpuDevice *device, ImportScratch *scratch)
{
    device->ops->buffer_destroy(device, scratch->foreign);
    device->ops->bindings_destroy(device, scratch->unpacking.bound.bindings);
    device->ops->buffer_destroy(device, scratch->unpacking.raw);
    import_range_destroy(device, &scratch->range);
}

/* Gets the kernel and binds it to the target's picture, unless it is bound to it already. */
static int bind_kernel(const ImportTarget *target, const char *name, const GpuRange ranges[2],
                       ImportKernel *bound)
{
    GpuDevice *device = target->device;
    const GpuOps *ops = device->ops;
    const KernelInfo *info = gpu_kernel_for(device, name);
    const int err = info ? ops->kernel_get(device, info, &bound->kernel) : -EINVAL;
    if (!target->is_fixed) {
        ops->bindings_destroy(device, bound->bindings);
        bound->bindings = NULL;
    }
    if (err || bound->bindings)
        return err;
    return ops->bindings_create(device, bound->kernel, ranges, &bound->bindings);
}

/* ---- the check for samples above the depth (engine/picture.h) ----
 *
 * A kernel checks imported pictures on the device. */

GPU_PARAMS(ImportRangeParams, IMPORT_RANGE_PARAMS);

#define COUNT_BYTES (3 * sizeof(uint32_t))

static int prepare_range(const ImportTarget *target, ImportRange *r)
{
    GpuDevice *device = target->device;
    const GpuOps *ops = device->ops;
    int err = 0;
    if (!r->counts)
        err = ops->buffer_create(device, GPU_DEVICE, COUNT_BYTES, &r->counts);
    if (!err && !r->readback)
        err = ops->buffer_create(device, GPU_READBACK, COUNT_BYTES, &r->readback);
    const GpuRange ranges[2] = { { target->picture, 0, target->picture->size },
                                 { r->counts, 0, COUNT_BYTES } };
    return err ? err : bind_kernel(target, "import_range", ranges, &r->bound);
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
    target->device->ops->dispatch(target->commands, r->bound.kernel, r->bound.bindings, &params,
                                  (unsigned[3]){ gpu_workgroups(shape->w[p], words),
                                                 gpu_workgroups(shape->h[p], IMPORT_RANGE_ROWS),
                                                 1 });
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
    const int err = prepare_range(target, r);
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
    device->ops->bindings_destroy(device, r->bound.bindings);
    device->ops->buffer_destroy(device, r->counts);
    device->ops->buffer_destroy(device, r->readback);
}

/* ---- unpacking ----
 *
 * A kernel separates planes that are interleaved and shifts down values that are in the high
 * bits. */

GPU_PARAMS(ImportPlaneParams, IMPORT_PLANE_PARAMS);

/* Cb and Cr of an interleaved plane are copied together, so each plane has twice the room. */
size_t import_raw_offset(const FrameShape *shape, unsigned plane)
{
    return 2 * import_plane_offset(shape, plane);
}

int import_unpack_begin(ImportTarget *target, GpuBuffer **raw)
{
    GpuDevice *device = target->device;
    ImportUnpacking *u = &target->scratch->unpacking;
    const FrameShape *shape = target->shape;
    int err = 0;
    if (!u->raw)
        err = device->ops->buffer_create(device, GPU_DEVICE, 2 * picture_size(shape), &u->raw);
    *raw = u->raw;
    if (err)
        return err;
    const GpuRange ranges[2] = { { u->raw, 0, u->raw->size },
                                 { target->picture, 0, target->picture->size } };
    return bind_kernel(target, shape->bpc > 8 ? "import_plane_16" : "import_plane_8", ranges,
                       &u->bound);
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
        target->commands, u->bound.kernel, u->bound.bindings, &params,
        (unsigned[3]){ gpu_workgroups(shape->w[p], samples), shape->h[p], 1 });
}

void import_unpack(ImportTarget *target, unsigned planes, const ImportPacking packing[3],
                   unsigned shift)
{
    target->device->ops->barrier(target->commands);
    for (unsigned p = 0; p < 3; p++)
        if (planes >> p & 1)
            unpack_plane(target, p, &packing[p], shift);
}
