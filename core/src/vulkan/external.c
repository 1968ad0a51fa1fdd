/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Memory that another API shares: bound to a buffer for the time of the copy. */
#include <errno.h>

#include "base/mem.h"
#include "vulkan/import.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <unistd.h>
#endif

static VkExternalMemoryHandleTypeFlagBits handle_type(enum VmafVulkanMemoryType type)
{
    switch (type) {
#ifdef _WIN32
    case VMAF_VULKAN_MEMORY_WIN32:
        return VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_BIT;
#else
    case VMAF_VULKAN_MEMORY_OPAQUE_FD:
        return VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    case VMAF_VULKAN_MEMORY_DMABUF:
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
    VK_TRY(dev, CreateBuffer, dev->handle, &info, NULL, buffer);
error:
    return err;
}

/* The memory types that both the buffer and the handle allow. */
static uint32_t allowed_types(VulkanDevice *dev, VkExternalMemoryHandleTypeFlagBits type,
                              intptr_t handle, uint32_t types)
{
#ifndef _WIN32
    VkMemoryFdPropertiesKHR properties = { .sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR };
    /* Opaque handles fit any type; they must not be asked about. */
    if (type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT &&
        dev->vkd.GetMemoryFdPropertiesKHR(dev->handle, type, (int)handle, &properties) >= 0)
        types &= properties.memoryTypeBits;
#endif
    return types;
}

static int import_handle(VulkanDevice *dev, ImportSlot *slot, const VmafVulkanMemory *memory,
                         VkExternalMemoryHandleTypeFlagBits type)
{
    VkMemoryRequirements needs;
    dev->vkd.GetBufferMemoryRequirements(dev->handle, slot->foreign, &needs);
    const uint32_t types = allowed_types(dev, type, memory->handle, needs.memoryTypeBits);
    if (!types)
        return -ENOTSUP;
    uint32_t index = 0;
    while (!(types >> index & 1))
        index++;
#ifdef _WIN32
    const VkImportMemoryWin32HandleInfoKHR import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_WIN32_HANDLE_INFO_KHR,
        .handleType = type,
        .handle = (HANDLE)memory->handle,
    };
#else
    /* The driver takes over the descriptor it is given: the caller keeps its own. */
    const int fd = dup((int)memory->handle);
    if (fd < 0)
        return -errno;
    const VkImportMemoryFdInfoKHR import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
        .handleType = type,
        .fd = fd,
    };
#endif
    const VkMemoryDedicatedAllocateInfo dedicated = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
        .pNext = &import,
        .buffer =
            type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT ? slot->foreign : VK_NULL_HANDLE,
    };
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = dedicated.buffer ? (const void *)&dedicated : &import,
        .allocationSize = memory->bytes,
        .memoryTypeIndex = index,
    };
    const VkResult result =
        dev->vkd.AllocateMemory(dev->handle, &info, NULL, &slot->foreign_memory);
    if (result < 0) {
        slot->foreign_memory = VK_NULL_HANDLE;
#ifndef _WIN32
        close(fd);
#endif
        log_error("vulkan: %s refuses the memory (VkResult %d)", dev->gpu.name, result);
        return -ENOTSUP;
    }
    int err = 0;
    VK_TRY(dev, BindBufferMemory, dev->handle, slot->foreign, slot->foreign_memory, 0);
error:
    return err;
}

static int check_layout(const VmafVulkanMemory *memory, const FrameShape *shape)
{
    for (unsigned p = 0; p < 3 && shape->h[p]; p++) {
        const uint64_t row = (uint64_t)shape->w[p] * shape_sample_size(shape);
        const uint64_t rows = memory->stride[p] * (shape->h[p] - 1) + row;
        if (memory->stride[p] < row || memory->stride[p] > memory->bytes ||
            memory->offset[p] > memory->bytes || rows > memory->bytes - memory->offset[p])
            return -EINVAL;
    }
    return 0;
}

static int copy_rows(ImportTarget *target, const VmafVulkanMemory *memory, unsigned p)
{
    const FrameShape *shape = &target->imports->shape;
    const size_t stride = picture_stride(shape, p);
    const size_t row = (size_t)shape->w[p] * shape_sample_size(shape);
    VkBufferCopy *rows = mem_array(shape->h[p], sizeof(*rows));
    if (!rows)
        return -ENOMEM;
    for (unsigned y = 0; y < shape->h[p]; y++)
        rows[y] = (VkBufferCopy){
            .srcOffset = memory->offset[p] + y * memory->stride[p],
            .dstOffset = import_plane_offset(shape, p) + y * stride,
            .size = row,
        };
    target->imports->dev->vkd.CmdCopyBuffer(target->commands, target->slot->foreign,
                                            target->picture->handle, shape->h[p], rows);
    mem_free(rows);
    return 0;
}

int import_record_memory(ImportTarget *target, const VmafVulkanMemory *memory)
{
    VulkanDevice *dev = target->imports->dev;
    const FrameShape *shape = &target->imports->shape;
    const VkExternalMemoryHandleTypeFlagBits type = handle_type(memory->type);
    if (!type || check_layout(memory, shape))
        return -EINVAL;
    const bool can =
        memory->type == VMAF_VULKAN_MEMORY_DMABUF ? dev->imports_dmabuf : dev->imports_opaque;
    if (!can) {
        log_error("vulkan: %s cannot import memory of this kind", dev->gpu.name);
        return -ENOTSUP;
    }
    int err = create_buffer(dev, type, memory->bytes, &target->slot->foreign);
    if (!err)
        err = import_handle(dev, target->slot, memory, type);
    for (unsigned p = 0; !err && p < 3 && shape->h[p]; p++)
        err = copy_rows(target, memory, p);
    return err;
}

void import_free_memory(VulkanDevice *dev, ImportSlot *slot)
{
    if (slot->foreign)
        dev->vkd.DestroyBuffer(dev->handle, slot->foreign, NULL);
    if (slot->foreign_memory)
        dev->vkd.FreeMemory(dev->handle, slot->foreign_memory, NULL);
    slot->foreign = VK_NULL_HANDLE;
    slot->foreign_memory = VK_NULL_HANDLE;
}
