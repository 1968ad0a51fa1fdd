/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Vulkan's part of the rig: complaints of the validation layers, and timeline semaphores. */
#include "rig.h"
#include "gpu/backend/vulkan/vk.h"

static unsigned complaints(GpuDevice *device)
{
    VulkanInstance *instance = ((VulkanDevice *)device)->instance;
    return instance ? atomic_load(&instance->messages) : 0;
}

static uintptr_t clock_create(GpuDevice *device)
{
    const VulkanDevice *dev = (VulkanDevice *)device;
    const VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                         .pNext = &type };
    VkSemaphore semaphore;
    assert_int_equal(VK_SUCCESS, dev->vkd.CreateSemaphore(dev->handle, &info, NULL, &semaphore));
    return (uintptr_t)semaphore;
}

static void clock_destroy(GpuDevice *device, uintptr_t clock)
{
    VulkanDevice *dev = (VulkanDevice *)device;
    vulkan_await_idle(dev);
    dev->vkd.DestroySemaphore(dev->handle, (VkSemaphore)clock, NULL);
}

/* The library does not load these two functions, since it needs neither. */
static void clock_set(GpuDevice *device, uintptr_t clock, uint64_t value)
{
    const VulkanDevice *dev = (VulkanDevice *)device;
    const PFN_vkSignalSemaphore signal_semaphore =
        (PFN_vkSignalSemaphore)dev->vki.GetDeviceProcAddr(dev->handle, "vkSignalSemaphore");
    const VkSemaphoreSignalInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                         .semaphore = (VkSemaphore)clock,
                                         .value = value };
    assert_int_equal(VK_SUCCESS, signal_semaphore(dev->handle, &info));
}

static uint64_t clock_get(GpuDevice *device, uintptr_t clock)
{
    const VulkanDevice *dev = (VulkanDevice *)device;
    const PFN_vkGetSemaphoreCounterValue get_value =
        (PFN_vkGetSemaphoreCounterValue)dev->vki.GetDeviceProcAddr(dev->handle,
                                                                   "vkGetSemaphoreCounterValue");
    uint64_t value;
    assert_int_equal(VK_SUCCESS, get_value(dev->handle, (VkSemaphore)clock, &value));
    return value;
}

const RigBackend rig_vulkan = {
    .name = "vulkan",
    .complaints = complaints,
    .clock_create = clock_create,
    .clock_destroy = clock_destroy,
    .clock_set = clock_set,
    .clock_get = clock_get,
};
