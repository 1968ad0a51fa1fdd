/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "vulkan_export.h"

#include <string.h>
#include <unistd.h>

#include "testing.h"

#define OPAQUE_MEMORY VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT
#define OPAQUE_SEMAPHORE VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT
#define USAGE (VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT)

/* ---- the device ---- */

static const char *const extensions[] = { "VK_KHR_external_memory_fd",
                                          "VK_KHR_external_semaphore_fd" };

static PFN_vkVoidFunction instance_function(const Exporter *e, const char *name)
{
    return vk_global()->GetInstanceProcAddr(e->instance, name);
}

static bool make_instance(Exporter *e)
{
    const VkApplicationInfo app = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                    .apiVersion = VK_API_VERSION_1_2 };
    const VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                        .pApplicationInfo = &app };
    return vk_global() && vk_global()->CreateInstance(&info, NULL, &e->instance) == VK_SUCCESS &&
           !vk_load_instance(&e->vki, e->instance, NULL);
}

static bool find_device(Exporter *e, const uint8_t uuid[16])
{
    VkPhysicalDevice devices[16];
    uint32_t count = COUNT(devices);
    const VkResult result = e->vki.EnumeratePhysicalDevices(e->instance, &count, devices);
    if (result != VK_SUCCESS && result != VK_INCOMPLETE)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceIDProperties id = { .sType =
                                                VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES };
        VkPhysicalDeviceProperties2 properties = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id
        };
        e->vki.GetPhysicalDeviceProperties2(devices[i], &properties);
        e->physical = devices[i];
        if (properties.properties.apiVersion >= VK_API_VERSION_1_2 &&
            !memcmp(id.deviceUUID, uuid, sizeof(id.deviceUUID)))
            return true;
    }
    return false;
}

static bool shares_memory(Exporter *e)
{
    const PFN_vkGetPhysicalDeviceExternalBufferProperties get =
        (PFN_vkGetPhysicalDeviceExternalBufferProperties)instance_function(
            e, "vkGetPhysicalDeviceExternalBufferProperties");
    const VkPhysicalDeviceExternalBufferInfo what = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
        .usage = USAGE,
        .handleType = OPAQUE_MEMORY,
    };
    VkExternalBufferProperties how = { .sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES };
    get(e->physical, &what, &how);
    const VkExternalMemoryFeatureFlags can = how.externalMemoryProperties.externalMemoryFeatures;
    e->dedicated_only = can & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT;
    return can & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT;
}

static const VkSemaphoreTypeCreateInfo timeline_type = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
    .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
};

static bool shares_timelines(const Exporter *e)
{
    const PFN_vkGetPhysicalDeviceExternalSemaphoreProperties get =
        (PFN_vkGetPhysicalDeviceExternalSemaphoreProperties)instance_function(
            e, "vkGetPhysicalDeviceExternalSemaphoreProperties");
    const VkPhysicalDeviceExternalSemaphoreInfo what = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
        .pNext = &timeline_type,
        .handleType = OPAQUE_SEMAPHORE,
    };
    VkExternalSemaphoreProperties how = { .sType =
                                              VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES };
    get(e->physical, &what, &how);
    return how.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT;
}

static void find_family(Exporter *e)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = COUNT(families);
    e->vki.GetPhysicalDeviceQueueFamilyProperties(e->physical, &count, families);
    while (!(families[e->family].queueFlags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)))
        assert_true(++e->family < count);
}

static bool make_device(Exporter *e)
{
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = e->family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    const VkPhysicalDeviceTimelineSemaphoreFeatures timelines = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
        .timelineSemaphore = VK_TRUE,
    };
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &timelines,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = COUNT(extensions),
        .ppEnabledExtensionNames = extensions,
    };
    if (e->vki.CreateDevice(e->physical, &info, NULL, &e->device) != VK_SUCCESS)
        return false;
    assert_int_equal(0, vk_load_device(&e->vkd, &e->vki, e->device));
#define LOAD(name)                                                                                 \
    assert_non_null(e->name = (PFN_vk##name)e->vki.GetDeviceProcAddr(e->device, "vk" #name));
    EXPORTER_FUNCTIONS(LOAD)
#undef LOAD
    e->vkd.GetDeviceQueue(e->device, e->family, 0, &e->queue);
    const VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                           .queueFamilyIndex = e->family };
    assert_int_equal(VK_SUCCESS, e->vkd.CreateCommandPool(e->device, &pool, NULL, &e->pool));
    return true;
}

const char *exporter_open(Exporter *e, const uint8_t uuid[16])
{
    *e = (Exporter){ 0 };
    const char *why = NULL;
    if (!make_instance(e))
        why = "no Vulkan driver";
    else if (!find_device(e, uuid))
        why = "no Vulkan device with the UUID of a CUDA device";
    else if (!shares_memory(e))
        why = "the Vulkan device exports no memory";
    else if (!shares_timelines(e))
        why = "the Vulkan device exports no timeline semaphores";
    else {
        find_family(e);
        if (!make_device(e))
            why = "the Vulkan device lacks an extension, or timeline semaphores";
    }
    if (why)
        exporter_close(e);
    return why;
}

void exporter_close(Exporter *e)
{
    if (e->device) {
        e->DeviceWaitIdle(e->device);
        e->vkd.DestroyCommandPool(e->device, e->pool, NULL);
        e->vkd.DestroyDevice(e->device, NULL);
    }
    if (e->vki.DestroyInstance)
        e->vki.DestroyInstance(e->instance, NULL);
    *e = (Exporter){ 0 };
}

/* ---- buffers ---- */

static uint32_t find_type(const Exporter *e, uint32_t allowed, VkMemoryPropertyFlags wanted)
{
    VkPhysicalDeviceMemoryProperties memory;
    e->vki.GetPhysicalDeviceMemoryProperties(e->physical, &memory);
    uint32_t type = 0;
    while (!(allowed >> type & 1) || (memory.memoryTypes[type].propertyFlags & wanted) != wanted)
        assert_true(++type < memory.memoryTypeCount);
    return type;
}

static void make_buffer(Exporter *e, size_t size, VkMemoryPropertyFlags kind, bool shared,
                        bool dedicated, ExportedBuffer *out)
{
    *out = (ExportedBuffer){ .size = size, .fd = -1 };
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = OPAQUE_MEMORY,
    };
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .pNext = shared ? &external : NULL,
        .size = size,
        .usage = USAGE,
    };
    assert_int_equal(VK_SUCCESS, e->vkd.CreateBuffer(e->device, &info, NULL, &out->handle));
    VkMemoryDedicatedRequirements wish = { .sType =
                                               VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS };
    VkMemoryRequirements2 needs = { .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2,
                                    .pNext = &wish };
    const VkBufferMemoryRequirementsInfo2 of = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2, .buffer = out->handle
    };
    e->GetBufferMemoryRequirements2(e->device, &of, &needs);
    out->allocated = needs.memoryRequirements.size;

    const VkMemoryDedicatedAllocateInfo own = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
        .buffer = out->handle,
    };
    const bool alone =
        dedicated || (shared && e->dedicated_only) || wish.requiresDedicatedAllocation;
    const VkExportMemoryAllocateInfo export = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
        .pNext = alone ? &own : NULL,
        .handleTypes = OPAQUE_MEMORY,
    };
    const VkMemoryAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = shared  ? (const void *)&export
                 : alone ? (const void *)&own
                         : NULL,
        .allocationSize = out->allocated,
        .memoryTypeIndex = find_type(e, needs.memoryRequirements.memoryTypeBits, kind),
    };
    assert_int_equal(VK_SUCCESS, e->vkd.AllocateMemory(e->device, &allocation, NULL, &out->memory));
    assert_int_equal(VK_SUCCESS, e->vkd.BindBufferMemory(e->device, out->handle, out->memory, 0));
}

void exporter_make_buffer(Exporter *e, size_t size, bool dedicated, ExportedBuffer *out)
{
    make_buffer(e, size, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, true, dedicated, out);
    const VkMemoryGetFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
        .memory = out->memory,
        .handleType = OPAQUE_MEMORY,
    };
    assert_int_equal(VK_SUCCESS, e->GetMemoryFdKHR(e->device, &info, &out->fd));
}

void exporter_make_staging(Exporter *e, size_t size, ExportedBuffer *out)
{
    make_buffer(e, size, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                false, false, out);
    void *mapped;
    assert_int_equal(VK_SUCCESS,
                     e->vkd.MapMemory(e->device, out->memory, 0, VK_WHOLE_SIZE, 0, &mapped));
    out->mapped = mapped;
}

void exporter_destroy_buffer(Exporter *e, ExportedBuffer *buffer)
{
    e->vkd.DestroyBuffer(e->device, buffer->handle, NULL);
    e->vkd.FreeMemory(e->device, buffer->memory, NULL);
    if (buffer->fd >= 0)
        close(buffer->fd);
}

/* ---- semaphores ---- */

void exporter_make_timeline(Exporter *e, bool shared, Timeline *out)
{
    const VkExportSemaphoreCreateInfo export = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
        .pNext = &timeline_type,
        .handleTypes = OPAQUE_SEMAPHORE,
    };
    const VkSemaphoreCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
        .pNext = shared ? (const void *)&export : &timeline_type,
    };
    *out = (Timeline){ .fd = -1 };
    assert_int_equal(VK_SUCCESS, e->vkd.CreateSemaphore(e->device, &info, NULL, &out->handle));
    const VkSemaphoreGetFdInfoKHR get = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
        .semaphore = out->handle,
        .handleType = OPAQUE_SEMAPHORE,
    };
    if (shared)
        assert_int_equal(VK_SUCCESS, e->GetSemaphoreFdKHR(e->device, &get, &out->fd));
}

void exporter_destroy_timeline(Exporter *e, Timeline *timeline)
{
    e->DeviceWaitIdle(e->device);
    e->vkd.DestroySemaphore(e->device, timeline->handle, NULL);
    if (timeline->fd >= 0)
        close(timeline->fd);
}

uint64_t exporter_value(Exporter *e, const Timeline *timeline)
{
    uint64_t value;
    assert_int_equal(VK_SUCCESS, e->GetSemaphoreCounterValue(e->device, timeline->handle, &value));
    return value;
}

void exporter_signal(Exporter *e, const Timeline *timeline, uint64_t value)
{
    const VkSemaphoreSignalInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                         .semaphore = timeline->handle,
                                         .value = value };
    assert_int_equal(VK_SUCCESS, e->SignalSemaphore(e->device, &info));
}

void exporter_wait(Exporter *e, const Timeline *timeline, uint64_t value)
{
    const VkSemaphoreWaitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &timeline->handle,
        .pValues = &value,
    };
    assert_int_equal(VK_SUCCESS, e->vkd.WaitSemaphores(e->device, &info, 20000000000u));
}

/* ---- work ---- */

static void submit(Exporter *e, VkCommandBuffer commands, const Moment after[2], Moment before)
{
    const VkSemaphore waits[2] = { after[0].timeline->handle, after[1].timeline->handle };
    const uint64_t values[2] = { after[0].value, after[1].value };
    const VkPipelineStageFlags stages[2] = { VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                             VK_PIPELINE_STAGE_ALL_COMMANDS_BIT };
    const VkTimelineSemaphoreSubmitInfo times = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = 2,
        .pWaitSemaphoreValues = values,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues = &before.value,
    };
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &times,
        .waitSemaphoreCount = 2,
        .pWaitSemaphores = waits,
        .pWaitDstStageMask = stages,
        .commandBufferCount = 1,
        .pCommandBuffers = &commands,
        .signalSemaphoreCount = 1,
        .pSignalSemaphores = &before.timeline->handle,
    };
    assert_int_equal(VK_SUCCESS, e->vkd.QueueSubmit(e->queue, 1, &info, VK_NULL_HANDLE));
}

/* Releases the buffer to another API, which reads it. */
static void release(const Exporter *e, VkCommandBuffer commands, VkBuffer buffer)
{
    const VkBufferMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .srcQueueFamilyIndex = e->family,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL,
        .buffer = buffer,
        .size = VK_WHOLE_SIZE,
    };
    e->vkd.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                              VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, NULL, 1, &barrier, 0,
                              NULL);
}

/* The command buffers are freed with their pool, since there are few. */
void exporter_write(Exporter *e, const ExportedBuffer *staging, const ExportedBuffer *to,
                    const Moment after[2], Moment before)
{
    const VkCommandBufferAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = e->pool,
        .commandBufferCount = 1,
    };
    const VkCommandBufferBeginInfo once = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    const VkBufferCopy whole = { .size = to->size };
    VkCommandBuffer commands;
    assert_int_equal(VK_SUCCESS, e->vkd.AllocateCommandBuffers(e->device, &allocation, &commands));
    assert_int_equal(VK_SUCCESS, e->vkd.BeginCommandBuffer(commands, &once));
    if (staging)
        e->vkd.CmdCopyBuffer(commands, staging->handle, to->handle, 1, &whole);
    else
        e->vkd.CmdFillBuffer(commands, to->handle, 0, VK_WHOLE_SIZE, 0x5b6d7f91);
    release(e, commands, to->handle);
    assert_int_equal(VK_SUCCESS, e->vkd.EndCommandBuffer(commands));
    submit(e, commands, after, before);
}
