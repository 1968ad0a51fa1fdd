/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Imports memory of other APIs and processes, for a buffer or an image. */
#include <errno.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <unistd.h>
#endif

#include "gpu/backend/vulkan/vk.h"

#ifdef _WIN32

typedef VkImportMemoryWin32HandleInfoKHR Import;

/* Opaque handles fit any memory type; querying them is not allowed. */
static uint32_t handle_types(VulkanDevice *dev, const VulkanForeign *from)
{
    VkMemoryWin32HandlePropertiesKHR properties = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_WIN32_HANDLE_PROPERTIES_KHR,
    };
    if (from->type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT ||
        !dev->vkd.GetMemoryWin32HandlePropertiesKHR ||
        dev->vkd.GetMemoryWin32HandlePropertiesKHR(dev->handle, from->type, (HANDLE)from->handle,
                                                   &properties) < 0)
        return UINT32_MAX;
    return properties.memoryTypeBits;
}

static int import_open(const VulkanForeign *from, Import *import)
{
    *import = (Import){
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_WIN32_HANDLE_INFO_KHR,
        .handleType = from->type,
        .handle = (HANDLE)from->handle,
    };
    return 0;
}

static void import_undo(const Import *import)
{
}

#else

typedef VkImportMemoryFdInfoKHR Import;

/* Opaque handles fit any memory type; querying them is not allowed. */
static uint32_t handle_types(VulkanDevice *dev, const VulkanForeign *from)
{
    VkMemoryFdPropertiesKHR properties = { .sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR };
    if (from->type != VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT ||
        dev->vkd.GetMemoryFdPropertiesKHR(dev->handle, from->type, (int)from->handle, &properties) <
            0)
        return UINT32_MAX;
    return properties.memoryTypeBits;
}

/* Gives the driver a duplicate, because it takes over the descriptor that it gets. The caller keeps
 * its own. */
static int import_open(const VulkanForeign *from, Import *import)
{
    *import = (Import){
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
        .handleType = from->type,
        .fd = dup((int)from->handle),
    };
    return import->fd < 0 ? -errno : 0;
}

static void import_undo(const Import *import)
{
    close(import->fd);
}

#endif

int vulkan_foreign_import(VulkanDevice *dev, const VulkanForeign *from, VkDeviceMemory *out)
{
    const uint32_t types = from->types & handle_types(dev, from);
    if (!types)
        return -ENOTSUP;
    uint32_t index = 0;
    while (!(types >> index & 1))
        index++;
    Import import;
    const int err = import_open(from, &import);
    if (err)
        return err;
    const VkMemoryDedicatedAllocateInfo alone = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
        .pNext = &import,
        .buffer = from->buffer,
        .image = from->image,
    };
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = from->buffer || from->image ? (const void *)&alone : &import,
        .allocationSize = from->size,
        .memoryTypeIndex = index,
    };
    const VkResult result = dev->vkd.AllocateMemory(dev->handle, &info, NULL, out);
    if (result >= 0)
        return 0;
    *out = VK_NULL_HANDLE;
    import_undo(&import);
    log_error("vulkan: %s cannot import the memory (VkResult %d)", dev->gpu.name, result);
    return -ENOTSUP;
}
