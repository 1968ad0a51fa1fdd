/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/backend/vulkan/vk.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"

int vulkan_error(VulkanDevice *dev, const char *call, VkResult result)
{
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        log_error("vulkan: %s: out of %s memory on %s", call,
                  result == VK_ERROR_OUT_OF_HOST_MEMORY ? "host" : "device", dev->gpu.name);
        return -ENOMEM;
    case VK_ERROR_DEVICE_LOST:
        if (!atomic_exchange(&dev->lost, true))
            log_error("vulkan: %s: device lost: %s (%s)", call, dev->gpu.name, dev->gpu.driver);
        return -EIO;
    default:
        log_error("vulkan: %s failed with VkResult %d on %s", call, result, dev->gpu.name);
        return -EIO;
    }
}

/* Locks the queue for a submission, against our threads and against the owner of a borrowed
 * device. */
static void lock_queue(VulkanDevice *dev, VulkanQueue *queue)
{
    pthread_mutex_lock(queue->lock);
    if (dev->lock.lock)
        dev->lock.lock(dev->lock.opaque, queue->family, queue->index);
}

static void unlock_queue(VulkanDevice *dev, VulkanQueue *queue)
{
    if (dev->lock.unlock)
        dev->lock.unlock(dev->lock.opaque, queue->family, queue->index);
    pthread_mutex_unlock(queue->lock);
}

/* If a wait fails for lack of memory, the work still runs and uses memory that the caller would
 * free. So we try again, for a second. */
#define WAIT_TRIES 1000

static bool wait_again(VkResult result, unsigned *tries)
{
    if (result >= 0 || result == VK_ERROR_DEVICE_LOST || ++*tries == WAIT_TRIES)
        return false;
    nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    return true;
}

/* Waits until the queue is idle. Unlocks it between tries, so that its owner can use it. */
static VkResult await_queue(VulkanDevice *dev, VulkanQueue *queue)
{
    VkResult result;
    unsigned tries = 0;
    do {
        lock_queue(dev, queue);
        result = dev->vkd.QueueWaitIdle(queue->handle);
        unlock_queue(dev, queue);
    } while (wait_again(result, &tries));
    return result;
}

int vulkan_await_idle(VulkanDevice *dev)
{
    int err = 0;
    for (unsigned q = 0; q < GPU_QUEUES && !err; q++) {
        VulkanQueue *queue = &dev->queues[q];
        const VkResult result = queue->timeline ? await_queue(dev, queue) : VK_SUCCESS;
        /* A lost device holds no semaphore any more. */
        if (result < 0 && result != VK_ERROR_DEVICE_LOST)
            err = vulkan_error(dev, "vkQueueWaitIdle", result);
    }
    return err;
}

static void destroy(GpuDevice *gpu)
{
    if (!gpu)
        return;
    VulkanDevice *dev = (VulkanDevice *)gpu;
    if (dev->handle && dev->vkd.DestroyDevice) {
        vulkan_drain(gpu);
        if (vulkan_await_idle(dev)) {
            log_error(
                "vulkan: leaking resources that %s may still be using until this process exits",
                gpu->name);
            return;
        }
        vulkan_kernels_destroy(dev);
        vulkan_cache_close(dev);
        vulkan_memory_destroy(dev->memory);
        for (unsigned q = 0; q < GPU_QUEUES; q++)
            if (dev->queues[q].timeline)
                dev->vkd.DestroySemaphore(dev->handle, dev->queues[q].timeline, NULL);
        if (!dev->borrowed)
            dev->vkd.DestroyDevice(dev->handle, NULL);
    }
    for (unsigned q = 0; q < GPU_QUEUES; q++)
        pthread_mutex_destroy(&dev->queue_locks[q]);
    pthread_mutex_destroy(&dev->kernels_lock);
    vulkan_instance_destroy(dev->instance);
    mem_free(dev);
}

static const GpuOps vulkan_ops = {
    .buffer_create = vulkan_buffer_create,
    .buffer_destroy = vulkan_buffer_destroy,
    .buffer_import = vulkan_buffer_import,
    .kernel_get = vulkan_kernel_get,
    .kernel_hash = vulkan_kernel_hash,
    .bindings_create = vulkan_bindings_create,
    .bindings_destroy = vulkan_bindings_destroy,
    .commands_create = vulkan_commands_create,
    .commands_destroy = vulkan_commands_destroy,
    .begin = vulkan_commands_begin,
    .copy = vulkan_commands_copy,
    .copy_rows = vulkan_commands_copy_rows,
    .fill = vulkan_commands_fill,
    .dispatch = vulkan_commands_dispatch,
    .barrier = vulkan_commands_barrier,
    .end = vulkan_commands_end,
    .stamps_create = vulkan_stamps_create,
    .stamps_destroy = vulkan_stamps_destroy,
    .stamp = vulkan_stamp,
    .stamps_read = vulkan_stamps_read,
    .submit = vulkan_submit,
    .wait = vulkan_wait,
    .drain = vulkan_drain,
    .destroy = destroy,
};

static bool extension_enabled(VulkanDevice *dev, const VulkanExtensions *extensions,
                              const char *name)
{
    if (!extensions->known)
        return vulkan_has_extension(&dev->vki, dev->physical, name);
    for (unsigned i = 0; i < extensions->count; i++)
        if (!strcmp(extensions->names[i], name))
            return true;
    return false;
}

static void note_imports(VulkanDevice *dev, const VulkanExtensions *extensions)
{
    dev->imports_pages = extension_enabled(dev, extensions, "VK_EXT_external_memory_host");
#ifdef _WIN32
    dev->imports_opaque = extension_enabled(dev, extensions, "VK_KHR_external_memory_win32");
#else
    dev->imports_opaque = extension_enabled(dev, extensions, "VK_KHR_external_memory_fd");
    dev->imports_dmabuf =
        dev->imports_opaque && extension_enabled(dev, extensions, "VK_EXT_external_memory_dma_buf");
    dev->imports_tiled = dev->imports_dmabuf &&
                         extension_enabled(dev, extensions, "VK_EXT_image_drm_format_modifier");
#endif
    dev->foreign_family = extension_enabled(dev, extensions, "VK_EXT_queue_family_foreign")
                              ? VK_QUEUE_FAMILY_FOREIGN_EXT
                              : VK_QUEUE_FAMILY_EXTERNAL;
}

static int open_device(VulkanDevice *dev, const GpuExpected *expected)
{
    VkQueueFamilyProperties families[32];
    uint32_t family_count = 32;
    VulkanQueueChoice choice;
    dev->vki.GetPhysicalDeviceQueueFamilyProperties(dev->physical, &family_count, families);
    vulkan_queues_choose(&choice, families, family_count, expected, &dev->gpu.tuning);
    const uint32_t *const family = choice.family, *const index = choice.index;
    const unsigned compute_queues = choice.compute_queues;

    const float priorities[GPU_QUEUES] = { 1.0f, 1.0f, 1.0f, 1.0f, 1.0f };
    VkDeviceQueueCreateInfo queues[2] = { 0 };
    uint32_t queue_count = 1;
    queues[0] = (VkDeviceQueueCreateInfo){
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = family[GPU_COMPUTE],
        .queueCount = compute_queues + index[GPU_TRANSFER],
        .pQueuePriorities = priorities,
    };
    if (family[GPU_TRANSFER] != family[GPU_COMPUTE]) {
        queues[1] = queues[0];
        queues[1].queueFamilyIndex = family[GPU_TRANSFER];
        queues[1].queueCount = 1;
        queue_count = 2;
    }

    /* Enabled if supported. All but the first and the last serve imported pictures. */
    static const char *const wanted[] = {
        "VK_KHR_portability_subset",
        "VK_KHR_external_memory_fd",
        "VK_EXT_external_memory_dma_buf",
        "VK_KHR_image_format_list",
        "VK_EXT_image_drm_format_modifier",
        "VK_EXT_queue_family_foreign",
        "VK_KHR_external_memory_win32",
        "VK_KHR_timeline_semaphore",
        "VK_EXT_external_memory_host",
#ifdef VK_EXT_pipeline_robustness /* in headers since 1.3.220 */
        VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME,
#endif
    };
    const char *names[sizeof(wanted) / sizeof(wanted[0])];
    VulkanExtensions extensions = { true, names, 0 };
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if (vulkan_has_extension(&dev->vki, dev->physical, wanted[i]))
            names[extensions.count++] = wanted[i];
    note_imports(dev, &extensions);

    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
        .timelineSemaphore = VK_TRUE,
    };
#ifdef VK_EXT_pipeline_robustness
    VkPhysicalDevicePipelineRobustnessFeaturesEXT robustness = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT,
        .pipelineRobustness = VK_TRUE,
    };
    dev->trusts_kernels =
        extension_enabled(dev, &extensions, VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME);
    if (dev->trusts_kernels)
        timeline.pNext = &robustness;
#endif
    dev->has_doubles = vulkan_has_doubles(dev);
    const VkPhysicalDeviceFeatures2 features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
        .pNext = &timeline,
        .features = { .shaderInt64 = VK_TRUE, .shaderFloat64 = dev->has_doubles },
    };
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features,
        .queueCreateInfoCount = queue_count,
        .pQueueCreateInfos = queues,
        .enabledExtensionCount = extensions.count,
        .ppEnabledExtensionNames = names,
    };
    const VkResult result = dev->vki.CreateDevice(dev->physical, &info, NULL, &dev->handle);
    if (result < 0) {
        dev->handle = VK_NULL_HANDLE;
        return vulkan_error(dev, "vkCreateDevice", result);
    }
    const int err = vk_load_device(&dev->vkd, &dev->vki, dev->handle);
    if (err)
        return err;
    for (unsigned q = 0; q < 2; q++) {
        dev->queues[q].family = family[q];
        dev->queues[q].index = index[q];
        dev->vkd.GetDeviceQueue(dev->handle, family[q], index[q], &dev->queues[q].handle);
    }
    for (unsigned i = 1; i < compute_queues; i++) {
        VulkanQueue *queue = &dev->queues[gpu_compute_queue(i)];
        queue->family = family[GPU_COMPUTE];
        queue->index = index[GPU_TRANSFER] + i;
        dev->vkd.GetDeviceQueue(dev->handle, queue->family, queue->index, &queue->handle);
    }
    dev->gpu.tuning.compute_queues = compute_queues;
    dev->queues[GPU_TRANSFER].copies_only = family[GPU_TRANSFER] != family[GPU_COMPUTE];
    return 0;
}

static void get_queue(const VulkanDevice *dev, VulkanQueue *queue, VkDeviceQueueCreateFlags flags)
{
    const VkDeviceQueueInfo2 info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2,
        .flags = flags,
        .queueFamilyIndex = queue->family,
        .queueIndex = queue->index,
    };
    if (flags && dev->vkd.GetDeviceQueue2)
        dev->vkd.GetDeviceQueue2(dev->handle, &info, &queue->handle);
    else
        dev->vkd.GetDeviceQueue(dev->handle, queue->family, queue->index, &queue->handle);
}

static int borrow_device(VulkanDevice *dev, const VulkanBorrowed *borrowed)
{
    dev->borrowed = true;
    dev->has_doubles = borrowed->has_doubles;
    dev->handle = borrowed->handle;
    dev->lock = borrowed->lock;
    const int err = vk_load_device(&dev->vkd, &dev->vki, dev->handle);
    if (err)
        return err;
    /* If the owner does not tell which extensions are enabled: this function exists if its
     * extension is. */
    if (borrowed->extensions.known || dev->vkd.GetMemoryFdPropertiesKHR)
        note_imports(dev, &borrowed->extensions);
    for (unsigned q = 0; q < 2; q++) {
        VulkanQueue *queue = &dev->queues[q];
        queue->family = borrowed->family[q];
        queue->index = borrowed->index[q];
        queue->handle = borrowed->queue;
        if (!queue->handle)
            get_queue(dev, queue, borrowed->flags);
    }
    if (!dev->queues[0].handle || !dev->queues[1].handle) {
        log_error("vulkan: the device has no queue of this family, index and flags; "
                  "pass those that it was created with");
        return -EINVAL;
    }
    dev->queues[GPU_TRANSFER].copies_only =
        borrowed->family[GPU_TRANSFER] != borrowed->family[GPU_COMPUTE];
    return 0;
}

static int create_timelines(VulkanDevice *dev)
{
    int err = 0;
    const VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    const VkSemaphoreCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
        .pNext = &type,
    };
    for (unsigned q = 0; q < GPU_QUEUES && dev->queues[q].handle; q++) {
        VulkanQueue *queue = &dev->queues[q];
        unsigned same = 0;
        while (dev->queues[same].handle != queue->handle)
            same++;
        queue->lock = &dev->queue_locks[same];
        VK_MAKE(dev, CreateSemaphore, &info, &queue->timeline);
    }
error:
    return err;
}

static void read_limits(VulkanDevice *dev)
{
    const VkPhysicalDeviceLimits *limits = &dev->properties.limits;
    dev->gpu.limits = (GpuLimits){
        .offset_alignment = limits->minStorageBufferOffsetAlignment,
        .max_binding = limits->maxStorageBufferRange,
    };
    memcpy(dev->gpu.limits.max_workgroups, limits->maxComputeWorkGroupCount,
           sizeof(dev->gpu.limits.max_workgroups));
}

int vulkan_device_create(VulkanDevice **out, const VulkanDeviceParams *params)
{
    *out = NULL;
    VulkanDevice *dev = mem_zalloc(sizeof(*dev));
    if (!dev) {
        vulkan_instance_destroy(params->instance);
        return -ENOMEM;
    }
    for (unsigned q = 0; q < GPU_QUEUES; q++)
        pthread_mutex_init(&dev->queue_locks[q], NULL);
    pthread_mutex_init(&dev->kernels_lock, NULL);
    gpu_device_init(&dev->gpu, &vulkan_ops, "vulkan");
    dev->physical = params->physical;

    int err = 0;
    dev->instance = params->instance;
    dev->instance_handle = dev->instance ? dev->instance->handle : params->borrowed->instance;
    if (dev->instance)
        dev->vki = dev->instance->vki;
    else
        err = vk_load_instance(&dev->vki, params->borrowed->instance, params->borrowed->find);
    if (err)
        goto error;

    GpuDeviceInfo description;
    vulkan_describe(&dev->vki, dev->physical, &description);
    memcpy(dev->gpu.name, description.name, sizeof(dev->gpu.name));
    memcpy(dev->gpu.driver, description.driver, sizeof(dev->gpu.driver));
    memcpy(dev->gpu.uuid, description.uuid, sizeof(dev->gpu.uuid));
    memcpy(dev->gpu.pci, description.pci, sizeof(dev->gpu.pci));
    if (description.missing[0]) {
        log_error("vulkan: %s cannot be used, it lacks: %s", dev->gpu.name, description.missing);
        err = -ENOTSUP;
        goto error;
    }
    dev->vki.GetPhysicalDeviceProperties(dev->physical, &dev->properties);
    dev->vki.GetPhysicalDeviceMemoryProperties(dev->physical, &dev->memory_types);
    read_limits(dev);

    err = params->borrowed ? borrow_device(dev, params->borrowed)
                           : open_device(dev, &params->expected);
    if (!err)
        err = create_timelines(dev);
    if (!err)
        err = vulkan_memory_create(&dev->memory, dev);
    if (!err)
        err = vulkan_cache_open(dev);
    if (err)
        goto error;
    gpu_device_choose_doubles(&dev->gpu, dev->has_doubles,
                              dev->has_doubles && vulkan_has_fast_doubles(dev));
    *out = dev;
    return 0;
error:
    gpu_device_release(&dev->gpu);
    return err;
}

int vulkan_submit(GpuDevice *gpu, const GpuSubmit *submit, GpuPoint *done)
{
    VulkanDevice *dev = (VulkanDevice *)gpu;
    VulkanQueue *queue = &dev->queues[submit->queue];
    if (atomic_load(&dev->lost))
        return -EIO;
    assert(submit->command_count <= GPU_MAX_COMMANDS && submit->wait_count <= GPU_MAX_WAITS &&
           submit->foreign_wait_count <= GPU_MAX_WAITS &&
           submit->foreign_signal_count <= GPU_MAX_WAITS);

    VkSemaphore waits[2 * GPU_MAX_WAITS], signals[1 + GPU_MAX_WAITS] = { queue->timeline };
    uint64_t wait_values[2 * GPU_MAX_WAITS], signal_values[1 + GPU_MAX_WAITS];
    VkPipelineStageFlags stages[2 * GPU_MAX_WAITS];
    uint32_t wait_count = 0, signal_count = 1;
    for (; wait_count < submit->wait_count; wait_count++) {
        waits[wait_count] = dev->queues[submit->waits[wait_count].queue].timeline;
        wait_values[wait_count] = submit->waits[wait_count].value;
    }
    for (unsigned i = 0; i < submit->foreign_wait_count; i++) {
        waits[wait_count] = (VkSemaphore)submit->foreign_waits[i].handle;
        wait_values[wait_count++] = submit->foreign_waits[i].value;
    }
    for (unsigned i = 0; i < submit->foreign_signal_count; i++) {
        signals[signal_count] = (VkSemaphore)submit->foreign_signals[i].handle;
        signal_values[signal_count++] = submit->foreign_signals[i].value;
    }
    for (unsigned i = 0; i < wait_count; i++)
        stages[i] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkCommandBuffer commands[GPU_MAX_COMMANDS];
    for (unsigned i = 0; i < submit->command_count; i++)
        commands[i] = vulkan_commands_handle(submit->commands[i]);
    const VkTimelineSemaphoreSubmitInfo timeline = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = wait_count,
        .pWaitSemaphoreValues = wait_values,
        .signalSemaphoreValueCount = signal_count,
        .pSignalSemaphoreValues = signal_values,
    };
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &timeline,
        .waitSemaphoreCount = wait_count,
        .pWaitSemaphores = waits,
        .pWaitDstStageMask = stages,
        .commandBufferCount = submit->command_count,
        .pCommandBuffers = commands,
        .signalSemaphoreCount = signal_count,
        .pSignalSemaphores = signals,
    };

    lock_queue(dev, queue);
    signal_values[0] = queue->submitted + 1;
    const VkResult result = dev->vkd.QueueSubmit(queue->handle, 1, &info, VK_NULL_HANDLE);
    if (result >= 0)
        queue->submitted++;
    unlock_queue(dev, queue);

    if (result < 0)
        return vulkan_error(dev, "vkQueueSubmit", result);
    if (done)
        *done = (GpuPoint){ submit->queue, signal_values[0] };
    return 0;
}

static VkResult wait_patiently(VulkanDevice *dev, const VkSemaphoreWaitInfo *info,
                               uint64_t timeout_ns)
{
    VkResult result;
    unsigned tries = 0;
    do {
        result = dev->vkd.WaitSemaphores(dev->handle, info, timeout_ns);
    } while (wait_again(result, &tries));
    return result;
}

int vulkan_wait(GpuDevice *gpu, GpuPoint point, uint64_t timeout_ns)
{
    VulkanDevice *dev = (VulkanDevice *)gpu;
    if (!point.value)
        return 1;
    if (atomic_load(&dev->lost))
        return -EIO;
    const VkSemaphoreWaitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &dev->queues[point.queue].timeline,
        .pValues = &point.value,
    };
    const VkResult result = wait_patiently(dev, &info, timeout_ns);
    if (result < 0)
        return vulkan_error(dev, "vkWaitSemaphores", result);
    return result == VK_SUCCESS;
}

int vulkan_drain(GpuDevice *gpu)
{
    VulkanDevice *dev = (VulkanDevice *)gpu;
    int err = 0;
    for (unsigned q = 0; q < GPU_QUEUES; q++) {
        VulkanQueue *queue = &dev->queues[q];
        if (!queue->timeline)
            continue;
        pthread_mutex_lock(queue->lock);
        const GpuPoint last = { q, queue->submitted };
        pthread_mutex_unlock(queue->lock);
        const int reached = vulkan_wait(gpu, last, UINT64_MAX);
        if (reached < 0)
            err = reached;
    }
    return err;
}
