/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The public functions of libvmaf_vulkan.h. A VmafVulkanState is a GpuSession. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/context.h"
#include "gpu/import.h"
#include "gpu/client.h"
#include "libvmaf/libvmaf_vulkan.h"
#include "gpu/backend/vulkan/vk.h"

static int open_device(GpuProbe *gpu, unsigned index, GpuDevice **out)
{
    VulkanProbe *probe = (VulkanProbe *)gpu;
    const VulkanDeviceParams params = { .instance = probe->instance,
                                        .physical = probe->handles[index],
                                        .expected = gpu->expected };
    probe->instance = NULL;
    VulkanDevice *dev;
    const int err = vulkan_device_create(&dev, &params);
    *out = err ? NULL : &dev->gpu;
    return err;
}

const GpuBackend vulkan_backend = {
    .name = "vulkan",
    .title = "Vulkan",
    .needs = "Vulkan loader (libvulkan)",
    .takes_pages = true,
    .probe = vulkan_probe,
    .probe_end = vulkan_probe_end,
    .open = open_device,
};

static GpuSession *session_of(const VmafVulkanState *state)
{
    return (GpuSession *)state;
}

static VulkanDevice *device_of(const VmafVulkanState *state)
{
    return (VulkanDevice *)session_of(state)->device;
}

/* ---- devices ---- */

int vmaf_vulkan_available(void)
{
    return 1;
}

int vmaf_vulkan_list_devices(void)
{
    GpuProbe *probe;
    const int err = vulkan_probe(&vulkan_backend, false, &probe);
    if (err == -ENOSYS || err == -ENODEV)
        return 0; /* without a loader or driver there is no device */
    if (err)
        return err;
    int count = (int)probe->count;
    for (unsigned i = 0; i < probe->count; i++)
        if (printf("%u: %s (Vulkan %s)\n", i, probe->devices[i].name, probe->devices[i].version) <
            0)
            count = -EIO;
    vulkan_probe_end(probe);
    return count;
}

static void fill_info(VmafVulkanDeviceInfo *info, const GpuDeviceInfo *from, unsigned index)
{
    VmafVulkanDeviceInfo full = {
        .size = info->size,
        .index = index,
        .type = (enum VmafVulkanDeviceType)from->type,
        .api_version = from->version_number,
        .memory = from->memory,
    };
    memcpy(full.uuid, from->uuid, sizeof(full.uuid));
    memcpy(full.name, from->name, sizeof(full.name));
    memcpy(full.driver, from->driver, sizeof(full.driver));
    memcpy(full.missing, from->missing, sizeof(full.missing));
    /* A caller built against a newer header has a longer struct, against an older one a shorter. */
    memcpy(info, &full, info->size < sizeof(full) ? info->size : sizeof(full));
}

static bool bad_info(const VmafVulkanDeviceInfo *info)
{
    return !info || info->size < offsetof(VmafVulkanDeviceInfo, missing) + sizeof(info->missing);
}

int vmaf_vulkan_device_info(unsigned index, VmafVulkanDeviceInfo *info)
{
    if (bad_info(info))
        return -EINVAL;
    GpuProbe *probe;
    int err = vulkan_probe(&vulkan_backend, false, &probe);
    if (err)
        return err;
    if (index < probe->count)
        fill_info(info, &probe->devices[index], index);
    else
        err = -ENODEV;
    vulkan_probe_end(probe);
    return err;
}

int vmaf_vulkan_state_device_info(const VmafVulkanState *state, VmafVulkanDeviceInfo *info)
{
    if (!state || bad_info(info))
        return -EINVAL;
    fill_info(info, &session_of(state)->info, session_of(state)->index);
    return 0;
}

/* ---- states ---- */

static int init_by_wish(VmafVulkanState **state, const GpuWish *wish)
{
    GpuSession *session;
    const int err = session_open(&session, &vulkan_backend, wish);
    *state = (VmafVulkanState *)session;
    return err;
}

int vmaf_vulkan_state_init(VmafVulkanState **state, VmafVulkanConfiguration cfg)
{
    if (!state)
        return -EINVAL;
    *state = NULL;
    if (cfg.device_index < -1)
        return -EINVAL;
    return init_by_wish(state, &(GpuWish){ .index = cfg.device_index,
                                           .validation = cfg.enable_validation != 0,
                                           .depth = cfg.max_outstanding_frames });
}

int vmaf_vulkan_state_init_with_options(VmafVulkanState **state, const VmafVulkanOptions *options)
{
    if (state)
        *state = NULL;
    if (!state || !options || options->size < offsetof(VmafVulkanOptions, fallback_cpu))
        return -EINVAL;
    /* A caller built against an older header has a shorter struct. */
    VmafVulkanOptions full = { 0 };
    memcpy(&full, options, options->size < sizeof(full) ? options->size : sizeof(full));
    return init_by_wish(state, &(GpuWish){ .index = -1,
                                           .device = full.device,
                                           .allow_software = full.allow_software != 0,
                                           .validation = full.enable_validation != 0,
                                           .quiet = full.quiet != 0,
                                           .fallback_cpu = full.fallback_cpu != 0,
                                           .depth = full.max_outstanding_frames });
}

static int adopt(VmafVulkanState **state, uintptr_t physical, const VulkanBorrowed *borrowed,
                 unsigned depth)
{
    if (!borrowed->find && !vk_global()) {
        log_error("vulkan: no %s on this machine", vulkan_backend.needs);
        return -ENOSYS;
    }
    VulkanDevice *dev;
    int err = vulkan_device_create(&dev, &(VulkanDeviceParams){
                                             .physical = (VkPhysicalDevice)physical,
                                             .borrowed = borrowed,
                                         });
    if (err)
        return err;
    GpuDeviceInfo info;
    vulkan_describe(&dev->vki, dev->physical, &info);
    GpuSession *session;
    err = session_adopt(&session, &vulkan_backend, &dev->gpu, &info, depth);
    *state = (VmafVulkanState *)session;
    return err;
}

int vmaf_vulkan_state_init_external(VmafVulkanState **state, VmafVulkanExternalHandles handles)
{
    if (!state)
        return -EINVAL;
    *state = NULL;
    if (!handles.instance || !handles.physical_device || !handles.device || !handles.queue)
        return -EINVAL;
    const VulkanBorrowed borrowed = {
        .instance = (VkInstance)handles.instance,
        .handle = (VkDevice)handles.device,
        .family = { handles.queue_family_index, handles.queue_family_index },
        .queue = (VkQueue)handles.queue,
    };
    return adopt(state, handles.physical_device, &borrowed, 0);
}

int vmaf_vulkan_state_init_external_device(VmafVulkanState **state,
                                           const VmafVulkanExternalDevice *device)
{
    if (!state)
        return -EINVAL;
    *state = NULL;
    VulkanBorrowed borrowed;
    int err = vulkan_check_external(device, &borrowed);
    if (!err)
        err = adopt(state, device->physical_device, &borrowed, device->max_outstanding_frames);
    if (err)
        return err;
    GpuSession *session = session_of(*state);
    session->required = device->required != 0;
    session->fallback_cpu = device->size >= sizeof(*device) && device->fallback_cpu;
    return 0;
}

/* For vmaf_vulkan_state_set_queue_lock, whose functions take no queue. */
static void lock_plainly(void *opaque, uint32_t family, uint32_t index)
{
    const VulkanDevice *dev = opaque;
    dev->plain_lock(dev->plain_opaque);
}

static void unlock_plainly(void *opaque, uint32_t family, uint32_t index)
{
    const VulkanDevice *dev = opaque;
    dev->plain_unlock(dev->plain_opaque);
}

int vmaf_vulkan_state_set_queue_lock(VmafVulkanState *state, void (*lock)(void *opaque),
                                     void (*unlock)(void *opaque), void *opaque)
{
    if (!state || !lock != !unlock)
        return -EINVAL;
    VulkanDevice *dev = device_of(state);
    dev->plain_lock = lock;
    dev->plain_unlock = unlock;
    dev->plain_opaque = opaque;
    dev->lock =
        lock ? (VulkanLock){ lock_plainly, unlock_plainly, dev } : (VulkanLock){ NULL, NULL, NULL };
    return 0;
}

unsigned vmaf_vulkan_state_max_outstanding_frames(const VmafVulkanState *state)
{
    return state ? session_of(state)->depth : 0;
}

unsigned vmaf_vulkan_validation_messages(const VmafVulkanState *state)
{
    VulkanInstance *instance = state ? device_of(state)->instance : NULL;
    return instance ? atomic_load(&instance->messages) : 0;
}

int vmaf_vulkan_wait_compute(VmafVulkanState *state)
{
    return state ? gpu_device_drain(session_of(state)->device) : -EINVAL;
}

void vmaf_vulkan_state_free(VmafVulkanState **state)
{
    if (!state)
        return;
    session_close(session_of(*state));
    *state = NULL;
}

int vmaf_vulkan_import_state(VmafContext *vmaf, VmafVulkanState *state)
{
    return vmaf && state ? session_use(session_of(state), vmaf) : -EINVAL;
}

/* ---- pictures ---- */

int vmaf_vulkan_preallocate_pictures(VmafContext *vmaf, VmafVulkanPictureConfiguration cfg)
{
    static const enum SessionPictures kinds[] = {
        [VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_NONE] = SESSION_PICTURES_NONE,
        [VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_HOST] = SESSION_PICTURES_HOST,
        [VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_DEVICE] = SESSION_PICTURES_UPLOAD,
    };
    if ((unsigned)cfg.pic_prealloc_method >= sizeof(kinds) / sizeof(kinds[0]))
        return -EINVAL;
    return session_preallocate(vmaf, &vulkan_backend,
                               &(SessionPool){ cfg.pic_params.w, cfg.pic_params.h,
                                               cfg.pic_params.bpc, cfg.pic_params.pix_fmt,
                                               kinds[cfg.pic_prealloc_method], NULL });
}

int vmaf_vulkan_picture_fetch(VmafContext *vmaf, VmafPicture *pic)
{
    return vmaf && pic ? context_fetch_picture(vmaf, pic) : -EINVAL;
}

/* The client that an imported picture belongs to. */
static GpuClient *import_client(VmafVulkanState *state, VmafContext *vmaf)
{
    return vmaf ? client_of(vmaf, &vulkan_backend) : session_client(session_of(state));
}

int vmaf_vulkan_import_picture(VmafVulkanState *state, const VmafVulkanImage *image)
{
    if (!state || !image || image->size < offsetof(VmafVulkanImage, vmaf) || !image->image[0])
        return -EINVAL;
    VmafVulkanFrame frame;
    image_as_frame(image, &frame);
    const int err = vulkan_check_frame(device_of(state), &frame);
    if (err)
        return err;
    GpuClient *client = import_client(state, image->size >= sizeof(*image) ? image->vmaf : NULL);
    if (!client)
        return -EINVAL;
    GpuForeign waits[3], signals[3];
    GpuIncoming in = {
        .w = image->w,
        .h = image->h,
        .bpc = image->bpc,
        .pix_fmt = image->pix_fmt,
        .is_ref = image->is_ref != 0,
        .index = image->index,
        .waits = waits,
        .signals = signals,
    };
    for (unsigned i = 0; i < 3; i++) {
        if (!image->semaphore[i])
            continue;
        waits[in.wait_count++] = (GpuForeign){ image->semaphore[i], image->wait_value[i] };
        if (image->signal_value[i])
            signals[in.signal_count++] =
                (GpuForeign){ image->semaphore[i], image->signal_value[i] };
    }
    return imports_add(client->imports, &in, vulkan_record_frame, &frame);
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
    static const enum GpuHandleType types[] = {
        [VMAF_VULKAN_MEMORY_OPAQUE_FD] = GPU_HANDLE_OPAQUE_FD,
        [VMAF_VULKAN_MEMORY_DMABUF] = GPU_HANDLE_DMABUF,
        [VMAF_VULKAN_MEMORY_WIN32] = GPU_HANDLE_WIN32,
    };
    if (!state || !memory || memory->size < offsetof(VmafVulkanMemory, vmaf) ||
        memory->type < VMAF_VULKAN_MEMORY_OPAQUE_FD || memory->type > VMAF_VULKAN_MEMORY_WIN32)
        return -EINVAL;
    GpuClient *client = import_client(state, memory->size >= sizeof(*memory) ? memory->vmaf : NULL);
    if (!client)
        return -EINVAL;
    const GpuIncoming in = {
        .w = memory->w,
        .h = memory->h,
        .bpc = memory->bpc,
        .pix_fmt = memory->pix_fmt,
        .is_ref = memory->is_ref != 0,
        .index = memory->index,
    };
    GpuForeignPicture picture = {
        .memory = { types[memory->type], memory->handle, memory->bytes },
    };
    for (unsigned p = 0; p < 3; p++) {
        picture.offset[p] = memory->offset[p];
        picture.stride[p] = memory->stride[p];
    }
    return imports_add_memory(client->imports, &in, &picture);
}

int vmaf_vulkan_read_imported_pictures(VmafContext *vmaf, unsigned index)
{
    GpuClient *client = client_of(vmaf, &vulkan_backend);
    return client ? client_read_imported(client, index) : -EINVAL;
}
