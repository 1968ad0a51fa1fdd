/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Replaces memory.c in builds with -Dvulkan_vma=enabled: uses the Vulkan Memory Allocator. */
#include <errno.h>

#include "base/mem.h"
#include "gpu/backend/vulkan/vk.h"

#define VMA_STATIC_VULKAN_FUNCTIONS 0
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 1
#include <vk_mem_alloc.h>

struct VulkanMemory {
    VulkanDevice *dev;
    VmaAllocator allocator;
};

int vulkan_memory_create(VulkanMemory **out, VulkanDevice *dev)
{
    VulkanMemory *memory = mem_zalloc(sizeof(*memory));
    if (!memory)
        return -ENOMEM;
    memory->dev = dev;
    const VmaVulkanFunctions functions = {
        .vkGetInstanceProcAddr = dev->vki.GetInstanceProcAddr,
        .vkGetDeviceProcAddr = dev->vki.GetDeviceProcAddr,
    };
    const VmaAllocatorCreateInfo info = {
        .physicalDevice = dev->physical,
        .device = dev->handle,
        .pVulkanFunctions = &functions,
        .instance = dev->instance_handle,
        .vulkanApiVersion = VK_API_VERSION_1_1,
    };
    const VkResult result = vmaCreateAllocator(&info, &memory->allocator);
    if (result < 0) {
        mem_free(memory);
        return vulkan_error(dev, "vmaCreateAllocator", result);
    }
    *out = memory;
    return 0;
}

void vulkan_memory_destroy(VulkanMemory *memory)
{
    if (!memory)
        return;
    vmaDestroyAllocator(memory->allocator);
    mem_free(memory);
}

int vulkan_memory_alloc(VulkanMemory *memory, const VkMemoryRequirements *needs,
                        enum GpuMemory kind, VulkanAllocation *out)
{
    const bool mapped = kind != GPU_DEVICE;
    const VmaAllocationCreateInfo wish = {
        .flags = mapped ? VMA_ALLOCATION_CREATE_MAPPED_BIT : 0,
        .requiredFlags =
            mapped ? VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT : 0,
        .preferredFlags =
            mapped ? VK_MEMORY_PROPERTY_HOST_CACHED_BIT : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
    };
    VmaAllocation allocation;
    VmaAllocationInfo info;
    const VkResult result = vmaAllocateMemory(memory->allocator, needs, &wish, &allocation, &info);
    if (result < 0)
        return vulkan_error(memory->dev, "vmaAllocateMemory", result);
    *out = (VulkanAllocation){
        .block = (VulkanBlock *)allocation,
        .memory = info.deviceMemory,
        .offset = info.offset,
        .size = info.size,
        .host = info.pMappedData,
    };
    return 0;
}

void vulkan_memory_free(VulkanMemory *memory, VulkanAllocation *allocation)
{
    if (allocation->block)
        vmaFreeMemory(memory->allocator, (VmaAllocation)allocation->block);
    *allocation = (VulkanAllocation){ 0 };
}
