/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Imports ordinary memory of the process as a buffer, with VK_EXT_external_memory_host. */
#include <errno.h>

#include "base/mem.h"
#include "gpu/backend/vulkan/vk.h"

#define HANDLE_TYPE VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT

static size_t alignment_of(const VulkanDevice *dev)
{
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT,
    };
    VkPhysicalDeviceProperties2 all = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &host,
    };
    dev->vki.GetPhysicalDeviceProperties2(dev->physical, &all);
    return (size_t)host.minImportedHostPointerAlignment;
}

/* Finds a memory type that needs no flush after host writes and that the host reads quickly. */
static bool choose_type(const VulkanDevice *dev, uint32_t allowed, uint32_t *type)
{
    const VkMemoryPropertyFlags must = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                       VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                                       VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    for (*type = 0; *type < dev->memory_types.memoryTypeCount; ++*type)
        if (allowed >> *type & 1 &&
            (dev->memory_types.memoryTypes[*type].propertyFlags & must) == must)
            return true;
    return false;
}

static int create_buffer(VulkanDevice *dev, VulkanBuffer *buffer)
{
    int err = 0;
    const uint32_t families[2] = { dev->queues[0].family, dev->queues[1].family };
    const bool shared = families[0] != families[1];
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = HANDLE_TYPE,
    };
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .pNext = &external,
        .size = buffer->gpu.size,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
        .sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = shared ? 2 : 0,
        .pQueueFamilyIndices = families,
    };
    VK_MAKE(dev, CreateBuffer, &info, &buffer->handle);
error:
    return err;
}

/* The driver may refuse the memory. The caller then copies the data instead, so that is not
 * logged. */
static int import(VulkanDevice *dev, VulkanBuffer *buffer)
{
    VkMemoryHostPointerPropertiesEXT pointer = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT,
    };
    VkMemoryRequirements needs;
    dev->vkd.GetBufferMemoryRequirements(dev->handle, buffer->handle, &needs);
    VkResult result = dev->vkd.GetMemoryHostPointerPropertiesEXT(dev->handle, HANDLE_TYPE,
                                                                 buffer->gpu.host, &pointer);
    uint32_t type;
    if (result < 0 || needs.size > buffer->gpu.size ||
        !choose_type(dev, needs.memoryTypeBits & pointer.memoryTypeBits, &type))
        return -ENOTSUP;
    const VkImportMemoryHostPointerInfoEXT from = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .handleType = HANDLE_TYPE,
        .pHostPointer = buffer->gpu.host,
    };
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = &from,
        .allocationSize = buffer->gpu.size,
        .memoryTypeIndex = type,
    };
    result = dev->vkd.AllocateMemory(dev->handle, &info, NULL, &buffer->foreign);
    if (result < 0) {
        buffer->foreign = VK_NULL_HANDLE;
        return -ENOTSUP;
    }
    int err = 0;
    VK_TRY(dev, BindBufferMemory, dev->handle, buffer->handle, buffer->foreign, 0);
error:
    return err;
}

int vulkan_pages_import(VulkanDevice *dev, const GpuHandle *handle, GpuBuffer **out)
{
    if (!dev->imports_pages || !dev->vkd.GetMemoryHostPointerPropertiesEXT)
        return -ENOTSUP;
    const size_t alignment = alignment_of(dev);
    if (!alignment || (uintptr_t)handle->value % alignment || handle->size % alignment)
        return -ENOTSUP;
    VulkanBuffer *buffer = mem_zalloc(sizeof(*buffer));
    if (!buffer)
        return -ENOMEM;
    buffer->gpu.size = handle->size;
    buffer->gpu.host = (void *)handle->value;
    int err = create_buffer(dev, buffer);
    if (!err)
        err = import(dev, buffer);
    if (err)
        vulkan_buffer_destroy(&dev->gpu, &buffer->gpu);
    else
        *out = &buffer->gpu;
    return err;
}
