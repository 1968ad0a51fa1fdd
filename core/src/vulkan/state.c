/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libvmaf_vulkan.h: devices, states, pools. Images are in import.c. */
#include "vulkan/state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/selftest.h"
#include "vulkan/choose.h"

#define DEPTH_DEFAULT 4
#define DEPTH_MAX 8

const AcceleratorOps vulkan_accelerator = GPU_ACCELERATOR("vulkan");

int vmaf_vulkan_available(void)
{
    return 1;
}

/* ---- devices ---- */

static int list_devices(VulkanInstance **instance, bool validation, VulkanCandidate **list,
                        unsigned *count)
{
    *list = NULL;
    *count = 0;
    int err = vulkan_instance_create(instance, validation);
    if (err)
        return err;
    err = vulkan_instance_devices(*instance, list, count);
    if (err) {
        vulkan_instance_destroy(*instance);
        *instance = NULL;
    }
    return err;
}

int vmaf_vulkan_list_devices(void)
{
    VulkanInstance *instance;
    VulkanCandidate *list;
    unsigned count;
    const int err = list_devices(&instance, false, &list, &count);
    if (err == -ENOSYS || err == -ENODEV)
        return 0; /* no loader, no driver: no device */
    if (err)
        return err;
    for (unsigned i = 0; i < count; i++)
        printf("%u: %s (Vulkan %u.%u.%u)\n", i, list[i].name,
               VK_API_VERSION_MAJOR(list[i].api_version), VK_API_VERSION_MINOR(list[i].api_version),
               VK_API_VERSION_PATCH(list[i].api_version));
    mem_free(list);
    vulkan_instance_destroy(instance);
    return (int)count;
}

static void fill_info(VmafVulkanDeviceInfo *info, const VulkanCandidate *c, unsigned index)
{
    VmafVulkanDeviceInfo full = {
        .size = info->size,
        .index = index,
        .type = (enum VmafVulkanDeviceType)c->type,
        .api_version = c->api_version,
        .memory = c->memory,
    };
    memcpy(full.uuid, c->uuid, sizeof(full.uuid));
    memcpy(full.name, c->name, sizeof(full.name));
    memcpy(full.driver, c->driver, sizeof(full.driver));
    memcpy(full.missing, c->missing, sizeof(full.missing));
    /* A caller built against a younger header has a longer struct, an older one a shorter. */
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
    VulkanInstance *instance;
    VulkanCandidate *list;
    unsigned count;
    int err = list_devices(&instance, false, &list, &count);
    if (err)
        return err;
    if (index < count)
        fill_info(info, &list[index], index);
    else
        err = -ENODEV;
    mem_free(list);
    vulkan_instance_destroy(instance);
    return err;
}

int vmaf_vulkan_state_device_info(const VmafVulkanState *state, VmafVulkanDeviceInfo *info)
{
    if (!state || bad_info(info))
        return -EINVAL;
    VulkanCandidate description;
    vulkan_describe(&state->dev->vki, state->dev->physical, &description);
    fill_info(info, &description, state->index);
    return 0;
}

/* ---- states ---- */

static unsigned clamp_depth(unsigned depth)
{
    return depth == 0 ? DEPTH_DEFAULT : depth > DEPTH_MAX ? DEPTH_MAX : depth;
}

static int create_state(VmafVulkanState **out, const VulkanDeviceParams *params, unsigned depth)
{
    VmafVulkanState *state = mem_zalloc(sizeof(*state));
    if (!state) {
        vulkan_instance_destroy(params->instance);
        return -ENOMEM;
    }
    int err = vulkan_device_create(&state->dev, params);
    if (!err)
        err = selftest_run(&state->dev->gpu);
    if (err) {
        vmaf_vulkan_state_free(&state);
        return err;
    }
    state->setup = (GpuSetup){ .device = &state->dev->gpu, .depth = clamp_depth(depth) };
    *out = state;
    return 0;
}

/* What vmaf_vulkan_state_init and its sister with options have in common. */
typedef struct Wish {
    int index;          /* -1: by name, or any */
    const char *device; /* NULL: any */
    bool allow_software, validation, quiet;
    unsigned depth;
} Wish;

static int choose(const Wish *wish, const VulkanCandidate *list, unsigned count, unsigned *index)
{
    if (wish->device)
        return vulkan_choose_named(list, count, wish->device, index);
    if (wish->index < 0) {
        const int err = vulkan_choose_any(list, count, wish->allow_software, index);
        if (err && !wish->quiet)
            vulkan_explain_none(list, count);
        return err;
    }
    if (!count) {
        log_error("vulkan: no device found; is a driver installed?");
        return -ENODEV;
    }
    if ((unsigned)wish->index >= count) {
        log_error("vulkan: no device %d: there %s %u", wish->index, count == 1 ? "is" : "are",
                  count);
        return -EINVAL;
    }
    *index = (unsigned)wish->index;
    return 0;
}

static int init_by_wish(VmafVulkanState **out, const Wish *wish)
{
    *out = NULL;
    VulkanInstance *instance;
    VulkanCandidate *list;
    unsigned count, index = 0;
    int err = list_devices(&instance, wish->validation, &list, &count);
    if (err == -ENOSYS && !wish->quiet)
        log_error(
            "vulkan: no Vulkan loader on this machine (libvulkan); install one, or use the CPU");
    if (err == -ENODEV && !wish->quiet)
        log_error("vulkan: no device found; is a driver installed?");
    if (err)
        return err;
    err = choose(wish, list, count, &index);
    const VulkanDeviceParams params = { .instance = instance,
                                        .physical = err ? NULL : list[index].handle };
    mem_free(list);
    if (err) {
        vulkan_instance_destroy(instance);
        return err;
    }
    err = create_state(out, &params, wish->depth);
    if (!err)
        (*out)->index = index;
    return err;
}

int vmaf_vulkan_state_init(VmafVulkanState **state, VmafVulkanConfiguration cfg)
{
    if (!state)
        return -EINVAL;
    *state = NULL;
    if (cfg.device_index < -1)
        return -EINVAL;
    return init_by_wish(state, &(Wish){ .index = cfg.device_index,
                                        .validation = cfg.enable_validation != 0,
                                        .depth = cfg.max_outstanding_frames });
}

int vmaf_vulkan_state_init_with_options(VmafVulkanState **state, const VmafVulkanOptions *options)
{
    if (!state || !options || options->size < sizeof(*options))
        return -EINVAL;
    return init_by_wish(state, &(Wish){ .index = -1,
                                        .device = options->device,
                                        .allow_software = options->allow_software != 0,
                                        .validation = options->enable_validation != 0,
                                        .quiet = options->quiet != 0,
                                        .depth = options->max_outstanding_frames });
}

int vmaf_vulkan_state_init_external(VmafVulkanState **state, VmafVulkanExternalHandles handles)
{
    if (!state)
        return -EINVAL;
    *state = NULL;
    if (!handles.instance || !handles.physical_device || !handles.device || !handles.queue)
        return -EINVAL;
    if (!vk_global()) {
        log_error("vulkan: no Vulkan loader on this machine (libvulkan)");
        return -ENOSYS;
    }
    const VulkanDeviceParams params = {
        .external_instance = (VkInstance)handles.instance,
        .physical = (VkPhysicalDevice)handles.physical_device,
        .external = (VkDevice)handles.device,
        .external_queue = (VkQueue)handles.queue,
        .external_family = handles.queue_family_index,
    };
    return create_state(state, &params, DEPTH_DEFAULT);
}

int vmaf_vulkan_state_set_queue_lock(VmafVulkanState *state, void (*lock)(void *opaque),
                                     void (*unlock)(void *opaque), void *opaque)
{
    if (!state || !lock != !unlock)
        return -EINVAL;
    state->dev->lock_queue = lock;
    state->dev->unlock_queue = unlock;
    state->dev->lock_opaque = opaque;
    return 0;
}

unsigned vmaf_vulkan_state_max_outstanding_frames(const VmafVulkanState *state)
{
    return state ? state->setup.depth : 0;
}

unsigned vmaf_vulkan_validation_messages(const VmafVulkanState *state)
{
    return state && state->dev->instance ? atomic_load(&state->dev->instance->messages) : 0;
}

int vmaf_vulkan_wait_compute(VmafVulkanState *state)
{
    if (!state)
        return -EINVAL;
    for (unsigned q = 0; q < 2; q++) {
        VulkanQueue *queue = &state->dev->queues[q];
        pthread_mutex_lock(queue->lock);
        const GpuPoint last = { q, queue->submitted };
        pthread_mutex_unlock(queue->lock);
        const int reached = vulkan_wait(&state->dev->gpu, last, UINT64_MAX);
        if (reached < 0)
            return reached;
    }
    return 0;
}

void vmaf_vulkan_state_free(VmafVulkanState **state)
{
    if (!state || !*state)
        return;
    if ((*state)->dev) {
        vmaf_vulkan_wait_compute(*state);
        vulkan_imports_destroy((*state)->imports);
        gpu_device_unref(&(*state)->dev->gpu);
    }
    mem_free(*state);
    *state = NULL;
}

int vmaf_vulkan_import_state(VmafContext *vmaf, VmafVulkanState *state)
{
    return vmaf && state ? context_use_accelerator(vmaf, &vulkan_accelerator, &state->setup)
                         : -EINVAL;
}

VmafVulkanState *vulkan_state_of(const VmafContext *vmaf)
{
    return vmaf && vmaf->imported == &vulkan_accelerator ? vmaf->imported_state : NULL;
}

/* ---- pictures ---- */

/* A pair in hand, two references kept, and one pair for each frame in flight or being measured. */
static unsigned pool_count(const VmafContext *vmaf, const VmafVulkanState *state)
{
    return 4 + 2 * (state->setup.depth + vmaf->cfg.n_threads + 1);
}

int vmaf_vulkan_preallocate_pictures(VmafContext *vmaf, VmafVulkanPictureConfiguration cfg)
{
    VmafVulkanState *state = vulkan_state_of(vmaf);
    if (!state)
        return -EINVAL;
    if (vmaf->pool)
        return -EBUSY;
    if (cfg.pic_prealloc_method == VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_NONE)
        return 0;
    FrameShape shape;
    const int err = shape_init(&shape, cfg.pic_params.pix_fmt, cfg.pic_params.bpc, cfg.pic_params.w,
                               cfg.pic_params.h);
    if (err)
        return err;
    switch (cfg.pic_prealloc_method) {
    case VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_HOST:
        return picture_pool_create(&vmaf->pool, &shape, pool_count(vmaf, state));
    case VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_DEVICE: {
        const PoolMemory memory = gpu_picture_memory(&state->setup);
        return picture_pool_create_in(&vmaf->pool, &shape, pool_count(vmaf, state), &memory);
    }
    default:
        return -EINVAL;
    }
}

int vmaf_vulkan_picture_fetch(VmafContext *vmaf, VmafPicture *pic)
{
    if (!vmaf || !pic)
        return -EINVAL;
    if (vmaf->pool)
        return picture_pool_fetch(vmaf->pool, pic);
    return vmaf->has_shape ? picture_alloc(pic, &vmaf->shape) : -EINVAL;
}
