/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/backend/vulkan/vk.h"
#include "gpu/cachefile.h"
#include "gpu/kernel_image.h"
#include "gpu/kernels.h"

/* Descriptor sets are allocated from a list of pools. When all are full, we add one. */
#define SETS_PER_POOL 128

typedef struct VulkanPool {
    struct VulkanPool *next;
    VkDescriptorPool handle;
    unsigned used;
} VulkanPool;

struct GpuBindings {
    VkDescriptorSet set;
    VulkanPool *pool;
};

static void kernel_destroy(VulkanDevice *dev, VulkanKernel *kernel)
{
    if (kernel->pipeline)
        dev->vkd.DestroyPipeline(dev->handle, kernel->pipeline, NULL);
    if (kernel->layout)
        dev->vkd.DestroyPipelineLayout(dev->handle, kernel->layout, NULL);
    if (kernel->set_layout)
        dev->vkd.DestroyDescriptorSetLayout(dev->handle, kernel->set_layout, NULL);
    mem_free(kernel);
}

static int create_layouts(VulkanDevice *dev, VulkanKernel *kernel)
{
    int err = 0;
    VkDescriptorSetLayoutBinding bindings[GPU_MAX_BINDINGS];
    for (unsigned i = 0; i < kernel->info->buffer_count; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        };
    const VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = kernel->info->buffer_count,
        .pBindings = bindings,
    };
    VK_MAKE(dev, CreateDescriptorSetLayout, &set_info, &kernel->set_layout);
    const VkPushConstantRange range = {
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        .size = kernel->info->params_size,
    };
    const VkPipelineLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &kernel->set_layout,
        .pushConstantRangeCount = kernel->info->params_size ? 1 : 0,
        .pPushConstantRanges = &range,
    };
    VK_MAKE(dev, CreatePipelineLayout, &layout_info, &kernel->layout);
error:
    return err;
}

static int create_pipeline(VulkanDevice *dev, VulkanKernel *kernel, const void *spirv, size_t size)
{
    int err = 0;
    VkShaderModule module = VK_NULL_HANDLE;
    const VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = size,
        .pCode = spirv,
    };
    VK_MAKE(dev, CreateShaderModule, &module_info, &module);
    const void *wishes = NULL;
#ifdef VK_EXT_pipeline_robustness
    /* Switch off the driver's bounds checks, for which NVIDIA's adds an instruction to each access
     * by default. Kernels stay within their buffers: the tests on the host backend check every
     * access. */
    const VkPipelineRobustnessCreateInfoEXT unchecked = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT,
        .storageBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED_EXT,
        .uniformBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED_EXT,
        .vertexInputs = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED_EXT,
        .images = VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_DISABLED_EXT,
    };
    if (dev->trusts_kernels)
        wishes = &unchecked;
#endif
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .pNext = wishes,
        .stage = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = module,
            .pName = "main",
        },
        .layout = kernel->layout,
    };
    VK_TRY(dev, CreateComputePipelines, dev->handle, dev->cache, 1, &info, NULL, &kernel->pipeline);
error:
    if (module)
        dev->vkd.DestroyShaderModule(dev->handle, module, NULL);
    return err;
}

static int kernel_create(VulkanDevice *dev, const KernelInfo *info, VulkanKernel **out)
{
    KernelImage image;
    void *spirv;
    if (!kernel_image_find(spirv_packs, info->name, &image)) {
        log_error("vulkan: no kernel '%s'", info->name);
        return -EINVAL;
    }
    VulkanKernel *kernel = mem_zalloc(sizeof(*kernel));
    if (!kernel)
        return -ENOMEM;
    kernel->info = info;
    int err = kernel_image_unpack(&image, &spirv);
    if (!err)
        err = create_layouts(dev, kernel);
    if (!err)
        err = create_pipeline(dev, kernel, spirv, image.packed.size);
    mem_free(spirv);
    if (err) {
        log_error("vulkan: cannot build kernel '%s' on %s", info->name, dev->gpu.name);
        kernel_destroy(dev, kernel);
        return err;
    }
    *out = kernel;
    return 0;
}

static VulkanKernel *find_kernel_locked(VulkanDevice *dev, const KernelInfo *info)
{
    VulkanKernel *kernel = dev->kernels;
    while (kernel && kernel->info != info)
        kernel = kernel->next;
    return kernel;
}

/* Compiles without holding the lock, since drivers can compile for several threads at once. If two
 * threads compile the same kernel, the one that finishes second drops its result. */
int vulkan_kernel_get(GpuDevice *gpu, const KernelInfo *info, GpuKernel **out)
{
    VulkanDevice *dev = (VulkanDevice *)gpu;
    *out = NULL;
    pthread_mutex_lock(&dev->kernels_lock);
    VulkanKernel *kernel = find_kernel_locked(dev, info);
    pthread_mutex_unlock(&dev->kernels_lock);
    if (!kernel) {
        VulkanKernel *made;
        const int err = kernel_create(dev, info, &made);
        if (err)
            return err;
        pthread_mutex_lock(&dev->kernels_lock);
        kernel = find_kernel_locked(dev, info);
        if (!kernel) {
            made->next = dev->kernels;
            dev->kernels = kernel = made;
            dev->cache_changed = true;
        }
        pthread_mutex_unlock(&dev->kernels_lock);
        if (kernel != made)
            kernel_destroy(dev, made);
    }
    *out = (GpuKernel *)kernel;
    return 0;
}

uint64_t vulkan_kernel_hash(GpuDevice *gpu, const KernelInfo *info)
{
    KernelImage image;
    return kernel_image_find(spirv_packs, info->name, &image) ? image.packed.hash : 0;
}

static int pool_create_locked(VulkanDevice *dev, VulkanPool **out)
{
    int err = 0;
    VulkanPool *pool = mem_zalloc(sizeof(*pool));
    if (!pool)
        return -ENOMEM;
    const VkDescriptorPoolSize size = {
        .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .descriptorCount = SETS_PER_POOL * GPU_MAX_BINDINGS,
    };
    const VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
        .maxSets = SETS_PER_POOL,
        .poolSizeCount = 1,
        .pPoolSizes = &size,
    };
    VK_MAKE(dev, CreateDescriptorPool, &info, &pool->handle);
    pool->next = dev->pools;
    dev->pools = pool;
    *out = pool;
    return 0;
error:
    mem_free(pool);
    return err;
}

static int take_set_locked(VulkanDevice *dev, VulkanKernel *kernel, GpuBindings *bindings)
{
    int err = 0;
    VulkanPool *pool = dev->pools;
    while (pool && pool->used == SETS_PER_POOL)
        pool = pool->next;
    if (!pool && (err = pool_create_locked(dev, &pool)))
        return err;
    const VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool->handle,
        .descriptorSetCount = 1,
        .pSetLayouts = &kernel->set_layout,
    };
    VK_TRY(dev, AllocateDescriptorSets, dev->handle, &info, &bindings->set);
    pool->used++;
    bindings->pool = pool;
error:
    return err;
}

static void write_set(VulkanDevice *dev, VulkanKernel *kernel, const GpuRange *ranges,
                      VkDescriptorSet set)
{
    VkDescriptorBufferInfo buffers[GPU_MAX_BINDINGS];
    VkWriteDescriptorSet writes[GPU_MAX_BINDINGS];
    for (unsigned i = 0; i < kernel->info->buffer_count; i++) {
        buffers[i] = (VkDescriptorBufferInfo){
            .buffer = ((VulkanBuffer *)ranges[i].buffer)->handle,
            .offset = ranges[i].offset,
            .range = ranges[i].size,
        };
        writes[i] = (VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pBufferInfo = &buffers[i],
        };
    }
    dev->vkd.UpdateDescriptorSets(dev->handle, kernel->info->buffer_count, writes, 0, NULL);
}

int vulkan_bindings_create(GpuDevice *gpu, GpuKernel *gpu_kernel, const GpuRange *ranges,
                           GpuBindings **out)
{
    VulkanDevice *dev = (VulkanDevice *)gpu;
    VulkanKernel *kernel = (VulkanKernel *)gpu_kernel;
    *out = NULL;
    GpuBindings *bindings = mem_zalloc(sizeof(*bindings));
    if (!bindings)
        return -ENOMEM;
    pthread_mutex_lock(&dev->kernels_lock);
    const int err = take_set_locked(dev, kernel, bindings);
    if (!err)
        write_set(dev, kernel, ranges, bindings->set);
    pthread_mutex_unlock(&dev->kernels_lock);
    if (err)
        mem_free(bindings);
    else
        *out = bindings;
    return err;
}

void vulkan_bindings_destroy(GpuDevice *gpu, GpuBindings *bindings)
{
    if (!bindings)
        return;
    VulkanDevice *dev = (VulkanDevice *)gpu;
    pthread_mutex_lock(&dev->kernels_lock);
    dev->vkd.FreeDescriptorSets(dev->handle, bindings->pool->handle, 1, &bindings->set);
    bindings->pool->used--;
    pthread_mutex_unlock(&dev->kernels_lock);
    mem_free(bindings);
}

VkDescriptorSet vulkan_bindings_set(const GpuBindings *bindings)
{
    return bindings->set;
}

void vulkan_kernels_destroy(VulkanDevice *dev)
{
    for (VulkanKernel *kernel = dev->kernels, *next; kernel; kernel = next) {
        next = kernel->next;
        kernel_destroy(dev, kernel);
    }
    for (VulkanPool *pool = dev->pools, *next; pool; pool = next) {
        next = pool->next;
        dev->vkd.DestroyDescriptorPool(dev->handle, pool->handle, NULL);
        mem_free(pool);
    }
    dev->kernels = NULL;
    dev->pools = NULL;
}

/* ---- the pipeline cache on disk ---- */

/* The cache is vmaf/vulkan-UUID.bin in the user's cache folder. Losing it costs only time, so no
 * failure is logged. cachefile_read rejects a damaged file before the driver sees it. */

static void cache_name(const VulkanDevice *dev, char *name, size_t size)
{
    int n = snprintf(name, size, "vulkan-");
    for (unsigned i = 0; i < VK_UUID_SIZE; i++)
        n += snprintf(name + n, size - n, "%02x", dev->properties.pipelineCacheUUID[i]);
    snprintf(name + n, size - n, ".bin");
}

/* Size of the cache's data, 0 if the driver has none or does not tell. */
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
    /* Not the size of the file: the driver may have rejected it, and the new data might be just as
     * large. */
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
