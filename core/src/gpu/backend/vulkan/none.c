/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libvmaf_vulkan.h in a build without Vulkan: every function is there and says so. */
#include "libvmaf/libvmaf_vulkan.h"

#include <errno.h>
#include <stdio.h>

#include "gpu/backend.h"

const GpuBackend vulkan_backend = {
    .name = "vulkan",
    .title = "Vulkan",
    .needs = "Vulkan loader (libvulkan)",
};

int vmaf_vulkan_available(void)
{
    return 0;
}

int vmaf_vulkan_list_devices(void)
{
    return -ENOSYS;
}

int vmaf_vulkan_state_init(VmafVulkanState **state, VmafVulkanConfiguration cfg)
{
    if (state)
        *state = NULL;
    return -ENOSYS;
}

int vmaf_vulkan_state_init_external(VmafVulkanState **state, VmafVulkanExternalHandles handles)
{
    if (state)
        *state = NULL;
    return -ENOSYS;
}

int vmaf_vulkan_state_init_external_device(VmafVulkanState **state,
                                           const VmafVulkanExternalDevice *device)
{
    if (state)
        *state = NULL;
    return -ENOSYS;
}

int vmaf_vulkan_read_frames(VmafContext *vmaf, VmafVulkanFrame *ref, VmafVulkanFrame *dist,
                            unsigned index)
{
    return -ENOSYS;
}

int vmaf_vulkan_can_import(const VmafVulkanState *state, const VmafVulkanFrame *frame, char *why,
                           size_t why_size)
{
    if (why && why_size)
        snprintf(why, why_size, "this libvmaf was built without Vulkan");
    return -ENOSYS;
}

int vmaf_vulkan_state_init_with_options(VmafVulkanState **state, const VmafVulkanOptions *options)
{
    if (state)
        *state = NULL;
    return -ENOSYS;
}

int vmaf_vulkan_state_set_queue_lock(VmafVulkanState *state, void (*lock)(void *opaque),
                                     void (*unlock)(void *opaque), void *opaque)
{
    return -ENOSYS;
}

unsigned vmaf_vulkan_state_max_outstanding_frames(const VmafVulkanState *state)
{
    return 0;
}

int vmaf_vulkan_import_state(VmafContext *vmaf, VmafVulkanState *state)
{
    return -ENOSYS;
}

void vmaf_vulkan_state_free(VmafVulkanState **state)
{
    if (state)
        *state = NULL;
}

int vmaf_vulkan_preallocate_pictures(VmafContext *vmaf, VmafVulkanPictureConfiguration cfg)
{
    return -ENOSYS;
}

int vmaf_vulkan_picture_fetch(VmafContext *vmaf, VmafPicture *pic)
{
    return -ENOSYS;
}

int vmaf_vulkan_import_image(VmafVulkanState *state, uintptr_t image, uint32_t format,
                             uint32_t layout, uintptr_t semaphore, uint64_t value, unsigned w,
                             unsigned h, unsigned bpc, int is_ref, unsigned index)
{
    return -ENOSYS;
}

int vmaf_vulkan_read_imported_pictures(VmafContext *vmaf, unsigned index)
{
    return -ENOSYS;
}

int vmaf_vulkan_wait_compute(VmafVulkanState *state)
{
    return -ENOSYS;
}

int vmaf_vulkan_device_info(unsigned index, VmafVulkanDeviceInfo *info)
{
    return -ENOSYS;
}

int vmaf_vulkan_state_device_info(const VmafVulkanState *state, VmafVulkanDeviceInfo *info)
{
    return -ENOSYS;
}

int vmaf_vulkan_import_picture(VmafVulkanState *state, const VmafVulkanImage *image)
{
    return -ENOSYS;
}

int vmaf_vulkan_import_memory(VmafVulkanState *state, const VmafVulkanMemory *memory)
{
    return -ENOSYS;
}

unsigned vmaf_vulkan_validation_messages(const VmafVulkanState *state)
{
    return 0;
}
