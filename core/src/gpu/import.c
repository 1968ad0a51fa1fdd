/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/import.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/picture.h"
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
    ImportTarget target;
    import_target_init(&target, device, &imports->shape, upload_source(device, &slot->pic));
    target.commands = slot->commands;
    target.scratch = &slot->scratch;
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

/* ---- arrivals ---- */

void arrival_init(GpuArrival *arrival)
{
    arrival->submitted = false;
    atomic_init(&arrival->has_left, false);
    atomic_init(&arrival->references, 1);
}

static void release_pair(const GpuRelease release[2])
{
    for (unsigned side = 0; side < 2; side++)
        if (release[side].call)
            release[side].call(release[side].opaque);
}

static void free_arrival(GpuArrival *arrival)
{
    mem_free(arrival);
}

void *arrival_create(size_t size, const GpuRelease release[2])
{
    GpuArrival *arrival = mem_zalloc(size);
    if (!arrival) {
        release_pair(release);
        return NULL;
    }
    arrival->release[0] = release[0];
    arrival->release[1] = release[1];
    arrival->destroy = free_arrival;
    arrival_init(arrival);
    return arrival;
}

void arrival_leave(GpuArrival *arrival)
{
    if (!atomic_exchange(&arrival->has_left, true))
        release_pair(arrival->release);
}

void arrival_release(GpuArrival *arrival)
{
    if (atomic_fetch_sub(&arrival->references, 1) != 1)
        return;
    arrival_leave(arrival);
    arrival->destroy(arrival);
}

static void give_back(VmafPicture *pic, void *arrival)
{
    arrival_release(arrival);
}

GpuArrival *arrival_of(const VmafPicture *pic)
{
    return picture_cookie(pic, give_back);
}

static int make_picture(GpuArrival *arrival, const FrameShape *shape, VmafPicture *pic)
{
    const int err = picture_wrap(pic, shape, NULL, give_back, arrival);
    if (err)
        return err;
    atomic_fetch_add(&arrival->references, 1);
    for (unsigned p = 0; p < 3; p++) {
        pic->data[p] = NULL;
        /* The device checks the samples, and the result is known when the frame is collected. */
        range_set(pic, p, false);
    }
    return 0;
}

int arrival_pictures(GpuArrival *arrival, const FrameShape *shape, VmafPicture *ref,
                     VmafPicture *dist)
{
    *ref = *dist = (VmafPicture){ 0 };
    int err = make_picture(arrival, shape, ref);
    if (!err)
        err = make_picture(arrival, shape, dist);
    if (err)
        picture_release(ref);
    return err;
}
