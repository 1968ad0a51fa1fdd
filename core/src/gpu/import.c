/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/import.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/picture.h"
#include "gpu/feature_gpu.h"
#include "gpu/import_tile.h"
#include "gpu/upload.h"

typedef struct ImportSlot {
    bool claimed; /* a thread is filling or emptying it */
    bool full;
    unsigned index;
    VmafPicture pic; /* in a mirror block (upload.h) */
    GpuPoint done;   /* the copies into `pic` are done */
    GpuCommands *commands;
    ImportScratch scratch;
} ImportSlot;

struct GpuImports {
    GpuDevice *device;
    unsigned depth;

    pthread_mutex_t lock;
    pthread_cond_t unclaimed;
    bool has_shape; /* set by the first picture */
    FrameShape shape;
    PicturePool *pool;
    ImportSlot (*slots)[2]; /* [i][is_ref] */
    /* Imported memory that nobody reads any more; has room for the memory of all slots. */
    GpuBuffer **retired;
    unsigned retired_count;
};

size_t import_plane_offset(const FrameShape *shape, unsigned plane)
{
    size_t offset = 0;
    for (unsigned p = 0; p < plane; p++)
        offset += picture_stride(shape, p) * shape->h[p];
    return offset;
}

void import_scratch_destroy(GpuDevice *device, ImportScratch *scratch)
{
    device->ops->buffer_destroy(device, scratch->foreign);
    import_unpacking_destroy(device, &scratch->unpacking);
    import_range_destroy(device, &scratch->range);
}

/* ---- creating and destroying ---- */

int imports_create(GpuImports **out, GpuDevice *device, unsigned depth)
{
    *out = NULL;
    GpuImports *imports = mem_zalloc(sizeof(*imports));
    if (!imports)
        return -ENOMEM;
    pthread_mutex_init(&imports->lock, NULL);
    pthread_cond_init(&imports->unclaimed, NULL);
    imports->device = device;
    imports->depth = depth;
    *out = imports;
    return 0;
}

static void slot_destroy(GpuDevice *device, ImportSlot *slot)
{
    gpu_device_wait(device, slot->done);
    picture_release(&slot->pic);
    device->ops->commands_destroy(device, slot->commands);
    import_scratch_destroy(device, &slot->scratch);
}

static void destroy_slots(GpuImports *imports)
{
    for (unsigned i = 0; imports->slots && i < imports->depth; i++)
        for (unsigned side = 0; side < 2; side++)
            slot_destroy(imports->device, &imports->slots[i][side]);
    for (unsigned i = 0; i < imports->retired_count; i++)
        imports->device->ops->buffer_destroy(imports->device, imports->retired[i]);
    mem_free(imports->retired);
    mem_free(imports->slots);
    imports->retired = NULL;
    imports->retired_count = 0;
    imports->slots = NULL;
    picture_pool_destroy(imports->pool);
    imports->pool = NULL;
}

void imports_destroy(GpuImports *imports)
{
    if (!imports)
        return;
    destroy_slots(imports);
    pthread_cond_destroy(&imports->unclaimed);
    pthread_mutex_destroy(&imports->lock);
    mem_free(imports);
}

static int alloc_mirror(void *device, size_t size, void **block)
{
    return upload_alloc_mirror(device, size, block);
}

static void free_mirror(void *device, void *block)
{
    upload_free(device, block);
}

/* Creates the slots and the pool, for the shape of the first picture. */
static int create_slots_locked(GpuImports *imports, const FrameShape *shape)
{
    GpuDevice *device = imports->device;
    const PoolMemory memory = {
        .alloc = alloc_mirror,
        .free = free_mirror,
        .opaque = device,
        .as_is = true,
    };
    imports->slots = mem_array(imports->depth, sizeof(*imports->slots));
    imports->retired = mem_array(2 * imports->depth, sizeof(GpuBuffer *));
    int err = imports->slots && imports->retired ? 0 : -ENOMEM;
    /* Room for pairs waiting in slots, pairs in flight, the two references kept, and one pair being
     * read. */
    if (!err)
        err = picture_pool_create_in(&imports->pool, shape, 4 * imports->depth + 4, &memory);
    for (unsigned i = 0; !err && i < imports->depth; i++)
        for (unsigned side = 0; !err && side < 2; side++)
            err = device->ops->commands_create(device, GPU_COMPUTE,
                                               &imports->slots[i][side].commands);
    if (err)
        destroy_slots(imports);
    imports->has_shape = !err;
    imports->shape = *shape;
    return err;
}

/* ---- filling slots ---- */

static int check_shape_locked(GpuImports *imports, const GpuIncoming *in)
{
    FrameShape shape;
    const int err = shape_init(&shape, in->pix_fmt, in->bpc, in->w, in->h);
    if (err)
        return err;
    if (!imports->has_shape)
        return create_slots_locked(imports, &shape);
    if (memcmp(&shape, &imports->shape, sizeof(shape))) {
        log_error("%s: the imported picture differs from the first one in size, format or depth",
                  imports->device->backend);
        return -EINVAL;
    }
    return 0;
}

/* Claims the slot for the picture. It is this thread's alone until slot_release. */
static int slot_claim(GpuImports *imports, const GpuIncoming *in, ImportSlot **out)
{
    pthread_mutex_lock(&imports->lock);
    const int err = check_shape_locked(imports, in);
    if (!err) {
        ImportSlot *slot = &imports->slots[in->index % imports->depth][in->is_ref];
        while (slot->claimed)
            pthread_cond_wait(&imports->unclaimed, &imports->lock);
        slot->claimed = true;
        slot->full = false;
        *out = slot;
    }
    pthread_mutex_unlock(&imports->lock);
    return err;
}

static void slot_release(GpuImports *imports, ImportSlot *slot, unsigned index, bool full)
{
    pthread_mutex_lock(&imports->lock);
    slot->claimed = false;
    slot->full = full;
    slot->index = index;
    pthread_cond_broadcast(&imports->unclaimed);
    pthread_mutex_unlock(&imports->lock);
}

/* Drops what is left in the slot if nobody took it, and fetches a fresh picture. */
static int slot_prepare(GpuImports *imports, ImportSlot *slot)
{
    GpuDevice *device = imports->device;
    if (gpu_device_wait(device, slot->done))
        return -EIO;
    device->ops->buffer_destroy(device, slot->scratch.foreign);
    slot->scratch.foreign = NULL;
    picture_release(&slot->pic);
    return picture_pool_fetch(imports->pool, &slot->pic);
}

static int slot_fill(GpuImports *imports, ImportSlot *slot, const GpuIncoming *in,
                     ImportRecord record, const void *source)
{
    GpuDevice *device = imports->device;
    const GpuOps *ops = device->ops;
    ImportTarget target = {
        .device = device,
        .shape = &imports->shape,
        .commands = slot->commands,
        .picture = upload_source(device, &slot->pic),
        .scratch = &slot->scratch,
    };
    for (unsigned p = 0; p < 3; p++) {
        target.offset[p] = import_plane_offset(target.shape, p);
        target.planes |= (target.shape->w[p] && target.shape->h[p] ? 1u : 0) << p;
    }
    ops->begin(slot->commands);
    int err = record(&target, source);
    if (!err)
        err = import_range_record(&target, &slot->scratch.range);
    ops->barrier(slot->commands);
    const int end_err = ops->end(slot->commands);
    if (!err)
        err = end_err;
    if (!err)
        err = gpu_device_submit(device,
                                &(GpuSubmit){ .queue = GPU_COMPUTE,
                                              .commands = &slot->commands,
                                              .command_count = 1,
                                              .foreign_waits = in->waits,
                                              .foreign_wait_count = in->wait_count,
                                              .foreign_signals = in->signals,
                                              .foreign_signal_count = in->signal_count },
                                &slot->done);
    return err;
}

int imports_add(GpuImports *imports, const GpuIncoming *in, ImportRecord record, const void *source)
{
    ImportSlot *slot;
    if (!imports) {
        log_error(
            "pictures on a device cannot be imported while frames are spread over several devices; "
            "open that device alone");
        return -ENOTSUP;
    }
    int err = slot_claim(imports, in, &slot);
    if (err)
        return err;
    err = slot_prepare(imports, slot);
    if (!err)
        err = slot_fill(imports, slot, in, record, source);
    if (err)
        picture_release(&slot->pic);
    slot_release(imports, slot, in->index, !err);
    return err;
}

/* ---- memory of the caller ---- */

static int check_layout(const GpuForeignPicture *picture, const FrameShape *shape)
{
    const uint64_t size = picture->memory.size;
    for (unsigned p = 0; p < 3 && shape->h[p]; p++) {
        const uint64_t row = (uint64_t)shape->w[p] * shape_sample_size(shape);
        const uint64_t offset = picture->offset[p], stride = picture->stride[p];
        if (stride < row || offset > size || row > size - offset ||
            (size - offset - row) / stride < shape->h[p] - 1)
            return -EINVAL;
    }
    return 0;
}

static int record_memory(ImportTarget *target, const void *source)
{
    const GpuForeignPicture *picture = source;
    GpuDevice *device = target->device;
    const FrameShape *shape = target->shape;
    if (check_layout(picture, shape))
        return -EINVAL;
    int err = -ENOTSUP;
    if (device->ops->buffer_import)
        err = device->ops->buffer_import(device, &picture->memory, &target->scratch->foreign);
    if (err == -ENOTSUP)
        log_error("%s: %s cannot import memory of this kind", device->backend, device->name);
    for (unsigned p = 0; !err && p < 3; p++)
        if (import_wants(target, p))
            device->ops->copy_rows(
                target->commands, &(GpuRows){ .from = target->scratch->foreign,
                                              .from_offset = picture->offset[p],
                                              .from_stride = picture->stride[p],
                                              .to = target->picture,
                                              .to_offset = target->offset[p],
                                              .to_stride = picture_stride(shape, p),
                                              .row = (size_t)shape->w[p] * shape_sample_size(shape),
                                              .rows = shape->h[p] });
    return err;
}

int imports_add_memory(GpuImports *imports, const GpuIncoming *in, const GpuForeignPicture *picture)
{
    return imports_add(imports, in, record_memory, picture);
}

/* ---- emptying slots ---- */

static bool holds(const ImportSlot *slot, unsigned index)
{
    return slot->full && !slot->claimed && slot->index == index;
}

/* Claims both slots of the index. NULL: one of them does not hold it. */
static ImportSlot *claim_pair(GpuImports *imports, unsigned index)
{
    pthread_mutex_lock(&imports->lock);
    ImportSlot *slots = imports->has_shape ? imports->slots[index % imports->depth] : NULL;
    const bool both = slots && holds(&slots[0], index) && holds(&slots[1], index);
    for (unsigned side = 0; both && side < 2; side++)
        slots[side].claimed = true;
    pthread_mutex_unlock(&imports->lock);
    return both ? slots : NULL;
}

static bool push_retired(GpuImports *imports, GpuBuffer *buffer)
{
    pthread_mutex_lock(&imports->lock);
    const bool room = imports->retired_count < 2 * imports->depth;
    if (room)
        imports->retired[imports->retired_count++] = buffer;
    pthread_mutex_unlock(&imports->lock);
    return room;
}

static GpuBuffer *pop_retired(GpuImports *imports)
{
    pthread_mutex_lock(&imports->lock);
    GpuBuffer *buffer = imports->retired_count ? imports->retired[--imports->retired_count] : NULL;
    pthread_mutex_unlock(&imports->lock);
    return buffer;
}

/* Keeps imported memory to free it later. A driver waits for all work before it frees memory, and
 * an import may wait for work that its owner has yet to start. So importing frees nothing; taking
 * pictures out frees the memory of several frames at once. */
static void retire(GpuImports *imports, GpuBuffer **foreign)
{
    while (*foreign && !push_retired(imports, *foreign))
        for (GpuBuffer *old; (old = pop_retired(imports));)
            imports->device->ops->buffer_destroy(imports->device, old);
    *foreign = NULL;
}

/* Waits for the copies and takes the picture out of the slot. */
static int slot_empty(GpuImports *imports, ImportSlot *slot, unsigned index, VmafPicture *pic)
{
    const int err = gpu_device_wait(imports->device, slot->done);
    *pic = slot->pic;
    slot->pic = (VmafPicture){ 0 };
    if (err)
        picture_release(pic);
    else
        import_range_note(&slot->scratch.range, pic);
    retire(imports, &slot->scratch.foreign);
    slot_release(imports, slot, index, false);
    return err;
}

int imports_take(GpuImports *imports, unsigned index, VmafPicture *ref, VmafPicture *dist)
{
    ImportSlot *slots = imports ? claim_pair(imports, index) : NULL;
    if (!slots)
        return -EINVAL;
    int err = slot_empty(imports, &slots[1], index, ref);
    const int dist_err = slot_empty(imports, &slots[0], index, dist);
    if (!err)
        err = dist_err;
    if (err) {
        picture_release(ref);
        picture_release(dist);
    }
    return err;
}

/* ---- the check for samples above the depth (engine/picture.h) ----
 *
 * A kernel checks imported pictures on the device. */

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

void import_unpacking_destroy(GpuDevice *device, ImportUnpacking *u)
{
    device->ops->bindings_destroy(device, u->bindings);
    device->ops->buffer_destroy(device, u->raw);
}
