/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "base/mem.h"
#include "gpu/backend/vulkan/vk.h"

/* Each command buffer has a pool of its own, so threads that record share no lock. */
struct GpuCommands {
    VulkanDevice *dev;
    bool copies_only;
    VkCommandPool pool;
    VkCommandBuffer handle;
    bool recording;
    VkResult result; /* the first error of recording, or VK_SUCCESS */
};

int vulkan_commands_create(GpuDevice *gpu, enum GpuQueue queue, GpuCommands **out)
{
    VulkanDevice *dev = (VulkanDevice *)gpu;
    *out = NULL;
    int err = 0;
    GpuCommands *commands = mem_zalloc(sizeof(*commands));
    if (!commands)
        return -ENOMEM;
    commands->dev = dev;
    commands->copies_only = dev->queues[queue].copies_only;
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = dev->queues[queue].family,
    };
    VK_MAKE(dev, CreateCommandPool, &pool, &commands->pool);
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = commands->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VK_TRY(dev, AllocateCommandBuffers, dev->handle, &info, &commands->handle);
    *out = commands;
    return 0;
error:
    vulkan_commands_destroy(gpu, commands);
    return err;
}

void vulkan_commands_destroy(GpuDevice *gpu, GpuCommands *commands)
{
    if (!commands)
        return;
    VulkanDevice *dev = (VulkanDevice *)gpu;
    if (commands->pool)
        dev->vkd.DestroyCommandPool(dev->handle, commands->pool, NULL);
    mem_free(commands);
}

VkCommandBuffer vulkan_commands_handle(const GpuCommands *commands)
{
    return commands->handle;
}

void vulkan_commands_begin(GpuCommands *commands)
{
    const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    };
    commands->result = commands->dev->vkd.BeginCommandBuffer(commands->handle, &info);
    commands->recording = commands->result >= 0;
}

bool vulkan_commands_failed(const GpuCommands *commands)
{
    return commands->result < 0;
}

int vulkan_commands_end(GpuCommands *commands)
{
    VkResult result = commands->result;
    if (commands->recording) {
        const VkResult ended = commands->dev->vkd.EndCommandBuffer(commands->handle);
        result = result < 0 ? result : ended;
    }
    commands->recording = false;
    return result < 0 ? vulkan_error(commands->dev, "recording commands", result) : 0;
}

void vulkan_commands_copy(GpuCommands *commands, const GpuRange *from, const GpuRange *to)
{
    if (vulkan_commands_failed(commands))
        return;
    const VkBufferCopy region = {
        .srcOffset = from->offset,
        .dstOffset = to->offset,
        .size = from->size < to->size ? from->size : to->size,
    };
    commands->dev->vkd.CmdCopyBuffer(commands->handle, ((VulkanBuffer *)from->buffer)->handle,
                                     ((VulkanBuffer *)to->buffer)->handle, 1, &region);
}

void vulkan_commands_copy_rows(GpuCommands *commands, const GpuRows *rows)
{
    if (vulkan_commands_failed(commands))
        return;
    VkBufferCopy *regions = mem_array(rows->rows, sizeof(*regions));
    if (!regions) {
        commands->result = VK_ERROR_OUT_OF_HOST_MEMORY;
        return;
    }
    for (unsigned y = 0; y < rows->rows; y++)
        regions[y] = (VkBufferCopy){
            .srcOffset = rows->from_offset + y * rows->from_stride,
            .dstOffset = rows->to_offset + y * rows->to_stride,
            .size = rows->row,
        };
    commands->dev->vkd.CmdCopyBuffer(commands->handle, ((VulkanBuffer *)rows->from)->handle,
                                     ((VulkanBuffer *)rows->to)->handle, rows->rows, regions);
    mem_free(regions);
}

void vulkan_commands_fill(GpuCommands *commands, const GpuRange *range, uint32_t word)
{
    if (vulkan_commands_failed(commands))
        return;
    commands->dev->vkd.CmdFillBuffer(commands->handle, ((VulkanBuffer *)range->buffer)->handle,
                                     range->offset, range->size, word);
}

void vulkan_commands_dispatch(GpuCommands *commands, GpuKernel *gpu_kernel, GpuBindings *bindings,
                              const void *params, const unsigned groups[3])
{
    if (vulkan_commands_failed(commands))
        return;
    const VkDev *vkd = &commands->dev->vkd;
    const VulkanKernel *kernel = (VulkanKernel *)gpu_kernel;
    const VkDescriptorSet set = vulkan_bindings_set(bindings);
    vkd->CmdBindPipeline(commands->handle, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
    vkd->CmdBindDescriptorSets(commands->handle, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0,
                               1, &set, 0, NULL);
    if (kernel->info->params_size)
        vkd->CmdPushConstants(commands->handle, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                              kernel->info->params_size, params);
    vkd->CmdDispatch(commands->handle, groups[0], groups[1], groups[2]);
}

void vulkan_commands_barrier(GpuCommands *commands)
{
    if (vulkan_commands_failed(commands))
        return;
    VkPipelineStageFlags from = VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask =
            VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT,
    };
    if (!commands->copies_only) {
        from |= VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
        barrier.srcAccessMask |= VK_ACCESS_SHADER_WRITE_BIT;
        barrier.dstAccessMask |= VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    }
    commands->dev->vkd.CmdPipelineBarrier(commands->handle, from, from | VK_PIPELINE_STAGE_HOST_BIT,
                                          0, 1, &barrier, 0, NULL, 0, NULL);
}

/* ---- stamps ---- */

struct GpuStamps {
    VulkanDevice *dev;
    VkQueryPool pool;
    unsigned count;
    uint64_t mask; /* the valid bits of a stamp */
    uint64_t *ticks;
};

int vulkan_stamps_create(GpuDevice *gpu, unsigned count, GpuStamps **out)
{
    VulkanDevice *dev = (VulkanDevice *)gpu;
    *out = NULL;
    int err = 0;
    VkQueueFamilyProperties families[32];
    uint32_t family_count = 32;
    dev->vki.GetPhysicalDeviceQueueFamilyProperties(dev->physical, &family_count, families);
    const uint32_t bits = families[dev->queues[GPU_COMPUTE].family].timestampValidBits;
    if (!bits)
        return -ENOTSUP;
    GpuStamps *stamps = mem_zalloc(sizeof(*stamps));
    if (!stamps)
        return -ENOMEM;
    stamps->dev = dev;
    stamps->count = count;
    stamps->mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    stamps->ticks = mem_array(count, sizeof(*stamps->ticks));
    if (!stamps->ticks) {
        err = -ENOMEM;
        goto error;
    }
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = count,
    };
    VK_MAKE(dev, CreateQueryPool, &info, &stamps->pool);
    *out = stamps;
    return 0;
error:
    vulkan_stamps_destroy(gpu, stamps);
    return err;
}

void vulkan_stamps_destroy(GpuDevice *gpu, GpuStamps *stamps)
{
    if (!stamps)
        return;
    VulkanDevice *dev = (VulkanDevice *)gpu;
    if (stamps->pool)
        dev->vkd.DestroyQueryPool(dev->handle, stamps->pool, NULL);
    mem_free(stamps->ticks);
    mem_free(stamps);
}

void vulkan_stamp(GpuCommands *commands, GpuStamps *stamps, unsigned i)
{
    const VkCommandBuffer handle = vulkan_commands_handle(commands);
    const VkDev *vkd = &stamps->dev->vkd;
    if (vulkan_commands_failed(commands))
        return;
    if (i == 0)
        vkd->CmdResetQueryPool(handle, stamps->pool, 0, stamps->count);
    vkd->CmdWriteTimestamp(handle, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, stamps->pool, i);
}

int vulkan_stamps_read(GpuDevice *gpu, GpuStamps *stamps, double *microseconds)
{
    VulkanDevice *dev = (VulkanDevice *)gpu;
    int err = 0;
    VK_TRY(dev, GetQueryPoolResults, dev->handle, stamps->pool, 0, stamps->count,
           stamps->count * sizeof(*stamps->ticks), stamps->ticks, sizeof(*stamps->ticks),
           VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    for (unsigned i = 0; i < stamps->count; i++)
        microseconds[i] = (double)((stamps->ticks[i] - stamps->ticks[0]) & stamps->mask) *
                          dev->properties.limits.timestampPeriod * 1e-3;
error:
    return err;
}
