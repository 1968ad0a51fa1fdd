/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "vulkan/import.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/upload.h"

size_t import_plane_offset(const FrameShape *shape, unsigned plane)
{
    size_t offset = 0;
    for (unsigned p = 0; p < plane; p++)
        offset += picture_stride(shape, p) * shape->h[p];
    return offset;
}

static int alloc_mirror(void *device, size_t size, void **block)
{
    return upload_alloc_mirror(device, size, block);
}

static void free_mirror(void *device, void *block)
{
    upload_free(device, block);
}

static void slot_destroy(VulkanDevice *dev, ImportSlot *slot)
{
    GpuDevice *gpu = &dev->gpu;
    vulkan_wait(gpu, slot->done, UINT64_MAX);
    picture_drop(&slot->pic);
    import_free_memory(dev, slot);
    vulkan_commands_destroy(gpu, slot->commands);
    vulkan_bindings_destroy(gpu, slot->unpack);
    vulkan_buffer_destroy(gpu, slot->raw);
    vulkan_buffer_destroy(gpu, slot->planes);
}

void vulkan_imports_destroy(VulkanImports *imports)
{
    if (!imports)
        return;
    for (unsigned i = 0; imports->slots && i < imports->depth; i++)
        for (unsigned side = 0; side < 2; side++)
            slot_destroy(imports->dev, &imports->slots[i][side]);
    mem_free(imports->slots);
    picture_pool_destroy(imports->pool);
    pthread_mutex_destroy(&imports->lock);
    mem_free(imports);
}

static int imports_create(VulkanImports **out, VmafVulkanState *state, const FrameShape *shape)
{
    VulkanImports *imports = mem_zalloc(sizeof(*imports));
    if (!imports)
        return -ENOMEM;
    pthread_mutex_init(&imports->lock, NULL);
    imports->dev = state->dev;
    imports->shape = *shape;
    imports->depth = state->setup.depth;
    imports->slots = mem_array(imports->depth, sizeof(*imports->slots));
    /* Pairs waiting in slots, pairs in flight, the two references kept, one pair in hand. */
    const PoolMemory memory = {
        .alloc = alloc_mirror,
        .free = free_mirror,
        .opaque = &state->dev->gpu,
        .as_is = true,
    };
    int err = imports->slots ? 0 : -ENOMEM;
    if (!err)
        err = picture_pool_create_in(&imports->pool, shape, 4 * imports->depth + 4, &memory);
    for (unsigned i = 0; !err && i < imports->depth; i++)
        for (unsigned side = 0; !err && side < 2; side++)
            err = vulkan_commands_create(&state->dev->gpu, GPU_COMPUTE,
                                         &imports->slots[i][side].commands);
    if (err) {
        vulkan_imports_destroy(imports);
        return err;
    }
    *out = imports;
    return 0;
}

/* What both kinds of import say of the picture. */
typedef struct Incoming {
    unsigned w, h, bpc;
    enum VmafPixelFormat pix_fmt;
    bool is_ref;
    unsigned index;
} Incoming;

static int check_shape(VmafVulkanState *state, const Incoming *in, FrameShape *shape)
{
    if (in->bpc != 8 && in->bpc != 10 && in->bpc != 12 && in->bpc != 16)
        return -EINVAL;
    const int err = shape_init(shape, in->pix_fmt, in->bpc, in->w, in->h);
    if (err)
        return err;
    if (state->imports && memcmp(shape, &state->imports->shape, sizeof(*shape))) {
        log_error(
            "vulkan: an imported picture differs from the first one in size, format or depth");
        return -EINVAL;
    }
    return 0;
}

/* An empty slot with a picture to fill, its commands begun. */
static int open_slot(VmafVulkanState *state, const Incoming *in, ImportTarget *target)
{
    FrameShape shape;
    int err = check_shape(state, in, &shape);
    if (!err && !state->imports)
        err = imports_create(&state->imports, state, &shape);
    if (err)
        return err;
    VulkanImports *imports = state->imports;
    ImportSlot *slot = &imports->slots[in->index % imports->depth][in->is_ref];
    if (vulkan_wait(&state->dev->gpu, slot->done, UINT64_MAX) < 0)
        return -EIO;
    import_free_memory(state->dev, slot);
    picture_drop(&slot->pic);
    slot->full = false;
    err = picture_pool_fetch(imports->pool, &slot->pic);
    if (err)
        return err;
    *target = (ImportTarget){
        .imports = imports,
        .slot = slot,
        .commands = vulkan_commands_handle(slot->commands),
        .picture = (VulkanBuffer *)upload_source(&state->dev->gpu, &slot->pic),
    };
    vulkan_commands_begin(slot->commands);
    return 0;
}

static int submit_slot(ImportTarget *target, const Incoming *in, const VulkanForeign *foreign,
                       int err)
{
    ImportSlot *slot = target->slot;
    vulkan_commands_barrier(slot->commands);
    const int end_err = vulkan_commands_end(slot->commands);
    if (!err)
        err = end_err;
    if (!err)
        err = vulkan_submit_foreign(
            target->imports->dev,
            &(GpuSubmit){ .queue = GPU_COMPUTE, .commands = &slot->commands, .command_count = 1 },
            foreign, &slot->done);
    if (err) {
        picture_drop(&slot->pic);
        return err;
    }
    slot->index = in->index;
    slot->full = true;
    return 0;
}

int vmaf_vulkan_import_picture(VmafVulkanState *state, const VmafVulkanImage *image)
{
    if (!state || !image || image->size < sizeof(*image) || !image->image[0])
        return -EINVAL;
    const Incoming in = { image->w,       image->h,           image->bpc,
                          image->pix_fmt, image->is_ref != 0, image->index };
    int err = import_check_image(image);
    ImportTarget target;
    if (!err)
        err = open_slot(state, &in, &target);
    if (err)
        return err;
    VulkanForeign foreign = { 0 };
    for (unsigned i = 0; i < 3; i++) {
        const VkSemaphore semaphore = (VkSemaphore)image->semaphore[i];
        foreign.wait[i] = semaphore;
        foreign.wait_value[i] = image->wait_value[i];
        foreign.signal[i] = image->signal_value[i] ? semaphore : VK_NULL_HANDLE;
        foreign.signal_value[i] = image->signal_value[i];
    }
    err = import_record_image(&target, image);
    return submit_slot(&target, &in, &foreign, err);
}

int vmaf_vulkan_import_image(VmafVulkanState *state, uintptr_t image, uint32_t format,
                             uint32_t layout, uintptr_t semaphore, uint64_t value, unsigned w,
                             unsigned h, unsigned bpc, int is_ref, unsigned index)
{
    return vmaf_vulkan_import_picture(state, &(VmafVulkanImage){
                                                 .size = sizeof(VmafVulkanImage),
                                                 .image = { image },
                                                 .format = format,
                                                 .layout = { layout },
                                                 .semaphore = { semaphore },
                                                 .wait_value = { value },
                                                 .w = w,
                                                 .h = h,
                                                 .bpc = bpc,
                                                 .pix_fmt = VMAF_PIX_FMT_YUV400P,
                                                 .is_ref = is_ref,
                                                 .index = index,
                                             });
}

int vmaf_vulkan_import_memory(VmafVulkanState *state, const VmafVulkanMemory *memory)
{
    if (!state || !memory || memory->size < sizeof(*memory))
        return -EINVAL;
    const Incoming in = { memory->w,       memory->h,           memory->bpc,
                          memory->pix_fmt, memory->is_ref != 0, memory->index };
    ImportTarget target;
    int err = open_slot(state, &in, &target);
    if (err)
        return err;
    err = import_record_memory(&target, memory);
    return submit_slot(&target, &in, NULL, err);
}

/* Features on the CPU read the pictures' mapped half. */
static bool any_on_cpu(const VmafContext *vmaf)
{
    for (unsigned i = 0; i < scheduler_feature_count(vmaf->scheduler); i++) {
        const char *backend, *device;
        scheduler_place(vmaf->scheduler, i, &backend, &device);
        if (!backend)
            return true;
    }
    return false;
}

/* Waits for the copies into both sides, which ends our use of the caller's images. */
static int finish_imports(VmafContext *vmaf, VulkanDevice *dev, ImportSlot slots[2])
{
    FrameShape shape;
    shape_of_picture(&shape, &slots[0].pic);
    int err = scheduler_prepare(vmaf->scheduler, &shape);
    for (unsigned side = 0; side < 2; side++)
        if (vulkan_wait(&dev->gpu, slots[side].done, UINT64_MAX) < 0)
            err = -EIO;
    if (err || !any_on_cpu(vmaf))
        return err;
    for (unsigned side = 0; side < 2 && !err; side++)
        err = upload_fetch(&dev->gpu, &slots[side].pic);
    return err;
}

int vmaf_vulkan_read_imported_pictures(VmafContext *vmaf, unsigned index)
{
    VmafVulkanState *state = vulkan_state_of(vmaf);
    if (!state || vmaf->flushed || !state->imports)
        return -EINVAL;
    ImportSlot *slots = state->imports->slots[index % state->imports->depth];
    for (unsigned side = 0; side < 2; side++)
        if (!slots[side].full || slots[side].index != index)
            return -EINVAL;
    int err = finish_imports(vmaf, state->dev, slots);
    if (!err)
        err = context_read(vmaf, &slots[1].pic, &slots[0].pic, index);
    for (unsigned side = 0; side < 2; side++) {
        picture_drop(&slots[side].pic);
        slots[side].full = false;
    }
    return err;
}
