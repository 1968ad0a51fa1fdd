/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "base/mem.h"
#include "gpu/backend/vulkan/vk.h"

struct GpuStamps {
    VulkanDevice *dev;
    VkQueryPool pool;
    unsigned count;
    uint64_t mask; /* of the bits that a stamp has */
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
