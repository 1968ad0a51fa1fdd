/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "base/mem.h"
#include "gpu/backend/vulkan/vk.h"

int vulkan_buffer_create(GpuDevice *gpu, enum GpuMemory kind, size_t size, GpuBuffer **out)
{
    VulkanDevice *dev = (VulkanDevice *)gpu;
    *out = NULL;
    int err = 0;
    VulkanBuffer *buffer = mem_zalloc(sizeof(*buffer));
    if (!buffer)
        return -ENOMEM;
    buffer->gpu.size = (size + 3) & ~(size_t)3; /* fills and copies work in words */

    static const VkBufferUsageFlags usage[] = {
        [GPU_DEVICE] = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                       VK_BUFFER_USAGE_TRANSFER_DST_BIT,
        [GPU_UPLOAD] = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
        [GPU_READBACK] = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    };
    const uint32_t families[2] = { dev->queues[0].family, dev->queues[1].family };
    const bool shared = families[0] != families[1];
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = buffer->gpu.size,
        .usage = usage[kind],
        .sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = shared ? 2 : 0,
        .pQueueFamilyIndices = families,
    };
    VK_MAKE(dev, CreateBuffer, &info, &buffer->handle);
    VkMemoryRequirements needs;
    dev->vkd.GetBufferMemoryRequirements(dev->handle, buffer->handle, &needs);
    err = vulkan_memory_alloc(dev->memory, &needs, kind, &buffer->allocation);
    if (err)
        goto error;
    VK_TRY(dev, BindBufferMemory, dev->handle, buffer->handle, buffer->allocation.memory,
           buffer->allocation.offset);
    buffer->gpu.host = buffer->allocation.host;
    *out = &buffer->gpu;
    return 0;
error:
    vulkan_buffer_destroy(gpu, &buffer->gpu);
    return err;
}

void vulkan_buffer_destroy(GpuDevice *gpu, GpuBuffer *gpu_buffer)
{
    if (!gpu_buffer)
        return;
    VulkanDevice *dev = (VulkanDevice *)gpu;
    VulkanBuffer *buffer = (VulkanBuffer *)gpu_buffer;
    if (buffer->handle)
        dev->vkd.DestroyBuffer(dev->handle, buffer->handle, NULL);
    if (buffer->foreign)
        dev->vkd.FreeMemory(dev->handle, buffer->foreign, NULL);
    vulkan_memory_free(dev->memory, &buffer->allocation);
    mem_free(buffer);
}
