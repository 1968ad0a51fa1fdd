/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Checks whether a caller's device was created with the features and queues we need. */
#include <errno.h>
#include <string.h>

#include "libvmaf/libvmaf_vulkan.h"
#include "gpu/backend/vulkan/vk.h"

static int refuse(const char *why, int err)
{
    log_error("vulkan: cannot use the device: %s", why);
    return err;
}

static const void *find_in_chain(const void *chain, VkStructureType type)
{
    const VkBaseInStructure *at = chain;
    while (at && at->sType != type)
        at = at->pNext;
    return at;
}

static bool enables_timelines(const void *features)
{
    const VkPhysicalDeviceVulkan12Features *core =
        find_in_chain(features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    const VkPhysicalDeviceTimelineSemaphoreFeatures *alone =
        find_in_chain(features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);
    return (core && core->timelineSemaphore) || (alone && alone->timelineSemaphore);
}

static bool has_extension(const VmafVulkanExternalDevice *device, const char *name)
{
    for (unsigned i = 0; i < device->extension_count; i++)
        if (!strcmp(device->extensions[i], name))
            return true;
    return false;
}

static int check_features(const VmafVulkanExternalDevice *device, uint32_t version,
                          VulkanBorrowed *out)
{
    const VkPhysicalDeviceFeatures2 *features =
        find_in_chain(device->features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    if (!features)
        return refuse("the chain of features lacks VkPhysicalDeviceFeatures2", -EINVAL);
    if (version < VK_API_VERSION_1_1)
        return refuse("its instance was created for a version before Vulkan 1.1", -ENOTSUP);
    if (!features->features.shaderInt64)
        return refuse("it was created without shaderInt64", -ENOTSUP);
    if (!enables_timelines(features))
        return refuse("it was created without timelineSemaphore", -ENOTSUP);
    if (version < VK_API_VERSION_1_2 && !has_extension(device, "VK_KHR_timeline_semaphore"))
        return refuse("it was created without VK_KHR_timeline_semaphore", -ENOTSUP);
    out->has_doubles = features->features.shaderFloat64;
    return 0;
}

static int check_queues(const VkInst *vki, VkPhysicalDevice physical,
                        const VulkanBorrowed *borrowed)
{
    VkQueueFamilyProperties families[32];
    uint32_t count = 32;
    vki->GetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    for (unsigned q = 0; q < 2; q++)
        if (borrowed->family[q] >= count ||
            borrowed->index[q] >= families[borrowed->family[q]].queueCount)
            return refuse("it has no queue of this family and index", -EINVAL);
    if (!(families[borrowed->family[GPU_COMPUTE]].queueFlags & VK_QUEUE_COMPUTE_BIT))
        return refuse("the queue's family cannot compute", -EINVAL);
    return 0;
}

int vulkan_check_external(const VmafVulkanExternalDevice *device, VulkanBorrowed *out)
{
    if (!device || device->size < offsetof(VmafVulkanExternalDevice, fallback_cpu) ||
        !device->instance || !device->physical_device || !device->device || !device->features ||
        !device->lock_queue != !device->unlock_queue ||
        (device->extension_count && !device->extensions))
        return -EINVAL;
    const bool two = device->has_transfer_queue != 0;
    *out = (VulkanBorrowed){
        .find = (PFN_vkGetInstanceProcAddr)device->get_instance_proc_addr,
        .instance = (VkInstance)device->instance,
        .handle = (VkDevice)device->device,
        .family = { device->queue_family, two ? device->transfer_family : device->queue_family },
        .index = { device->queue_index, two ? device->transfer_index : device->queue_index },
        .flags = device->queue_flags,
        .lock = { device->lock_queue, device->unlock_queue, device->lock_opaque },
        .extensions = { true, device->extensions, device->extension_count },
    };
    VkInst vki;
    const int err = vk_load_instance(&vki, out->instance, out->find);
    if (err)
        return refuse("the Vulkan loader is missing or lacks functions", err);
    const VkPhysicalDevice physical = (VkPhysicalDevice)device->physical_device;
    VkPhysicalDeviceProperties properties;
    vki.GetPhysicalDeviceProperties(physical, &properties);
    const uint32_t version = device->api_version && device->api_version < properties.apiVersion
                                 ? device->api_version
                                 : properties.apiVersion;
    const int lacking = check_features(device, version, out);
    return lacking ? lacking : check_queues(&vki, physical, out);
}
