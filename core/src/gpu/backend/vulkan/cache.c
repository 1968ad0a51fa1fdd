/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The pipeline cache on disk: vmaf/vulkan-UUID.bin in the user's cache folder. Losing it costs only
 * time, so every failure here is silent; a damaged file is never shown to the driver. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/cachefile.h"
#include "gpu/backend/vulkan/vk.h"

static void cache_name(const VulkanDevice *dev, char *name, size_t size)
{
    int n = snprintf(name, size, "vulkan-");
    for (unsigned i = 0; i < VK_UUID_SIZE; i++)
        n += snprintf(name + n, size - n, "%02x", dev->properties.pipelineCacheUUID[i]);
    snprintf(name + n, size - n, ".bin");
}

/* How much the driver would have us keep; 0: nothing, or it does not say. */
static size_t size_now(VulkanDevice *dev)
{
    size_t size = 0;
    return dev->vkd.GetPipelineCacheData(dev->handle, dev->cache, &size, NULL) < 0 ? 0 : size;
}

int vulkan_cache_open(VulkanDevice *dev)
{
    int err = 0;
    char name[64];
    cache_name(dev, name, sizeof(name));
    void *data = NULL;
    size_t size = 0;
    cachefile_read(name, &data, &size);
    const VkPipelineCacheCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
        .initialDataSize = size,
        .pInitialData = data,
    };
    VK_MAKE(dev, CreatePipelineCache, &info, &dev->cache);
    /* Not what was read: a driver may refuse that, and what it then makes anew might be as large. */
    dev->cache_size = size_now(dev);
error:
    mem_free(data);
    return err;
}

static void save(VulkanDevice *dev)
{
    size_t size = size_now(dev);
    if (!size || size == dev->cache_size)
        return;
    void *data = mem_alloc(size);
    if (!data)
        return;
    char name[64];
    cache_name(dev, name, sizeof(name));
    if (dev->vkd.GetPipelineCacheData(dev->handle, dev->cache, &size, data) == VK_SUCCESS)
        cachefile_write(name, data, size);
    mem_free(data);
}

void vulkan_cache_close(VulkanDevice *dev)
{
    if (!dev->cache)
        return;
    if (dev->cache_changed && !atomic_load(&dev->lost))
        save(dev);
    dev->vkd.DestroyPipelineCache(dev->handle, dev->cache, NULL);
    dev->cache = VK_NULL_HANDLE;
}
