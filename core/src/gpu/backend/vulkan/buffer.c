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

/* ---- importing memory of other APIs ---- */

static VkExternalMemoryHandleTypeFlagBits handle_type(enum GpuHandleType type)
{
    switch (type) {
#ifdef _WIN32
    case GPU_HANDLE_WIN32:
        return VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT;
#else
    case GPU_HANDLE_OPAQUE_FD:
        return VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    case GPU_HANDLE_DMABUF:
        return VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
#endif
    default:
        return 0;
    }
}

static int create_buffer(VulkanDevice *dev, VkExternalMemoryHandleTypeFlags type, uint64_t size,
                         VkBuffer *buffer)
{
    int err = 0;
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = type,
    };
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .pNext = &external,
        .size = size,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
    };
    VK_MAKE(dev, CreateBuffer, &info, buffer);
error:
    return err;
}

static int import_handle(VulkanDevice *dev, VulkanBuffer *buffer, const GpuHandle *handle,
                         VkExternalMemoryHandleTypeFlagBits type)
{
    VkMemoryRequirements needs;
    dev->vkd.GetBufferMemoryRequirements(dev->handle, buffer->handle, &needs);
    const bool alone = type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
    const VulkanForeign from = {
        .type = type,
        .handle = handle->value,
        .size = handle->size,
        .types = needs.memoryTypeBits,
        .buffer = alone ? buffer->handle : VK_NULL_HANDLE,
    };
    int err = vulkan_foreign_import(dev, &from, &buffer->foreign);
    if (err)
        return err;
    VK_TRY(dev, BindBufferMemory, dev->handle, buffer->handle, buffer->foreign, 0);
error:
    return err;
}

int vulkan_buffer_import(GpuDevice *gpu, const GpuHandle *handle, GpuBuffer **out)
{
    VulkanDevice *dev = (VulkanDevice *)gpu;
    const VkExternalMemoryHandleTypeFlagBits type = handle_type(handle->type);
    const bool can = handle->type == GPU_HANDLE_DMABUF ? dev->imports_dmabuf : dev->imports_opaque;
    if (handle->type == GPU_HANDLE_PAGES)
        return vulkan_pages_import(dev, handle, out);
    if (!type || !can)
        return -ENOTSUP;
    VulkanBuffer *buffer = mem_zalloc(sizeof(*buffer));
    if (!buffer)
        return -ENOMEM;
    buffer->gpu.size = handle->size;
    int err = create_buffer(dev, type, handle->size, &buffer->handle);
    if (!err)
        err = import_handle(dev, buffer, handle, type);
    if (err)
        vulkan_buffer_destroy(gpu, &buffer->gpu);
    else
        *out = &buffer->gpu;
    return err;
}
