/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "vulkan_owner.h"

#include <stdlib.h>
#include <string.h>

/* ---- the device ---- */

static Owner *heard; /* one at a time */

static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count,
                                             const VkSubmitInfo *infos, VkFence fence)
{
    atomic_fetch_add(&heard->submissions, 1);
    if (atomic_load(&heard->holders) != 1)
        atomic_fetch_add(&heard->unlocked_submissions, 1);
    return heard->vkd.QueueSubmit(queue, count, infos, fence);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find_device_function(VkDevice device,
                                                                     const char *name)
{
    return strcmp(name, "vkQueueSubmit") ? heard->instance->vki.GetDeviceProcAddr(device, name)
                                         : (PFN_vkVoidFunction)submit;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find_function(VkInstance instance, const char *name)
{
    return strcmp(name, "vkGetDeviceProcAddr") ? vk_global()->GetInstanceProcAddr(instance, name)
                                               : (PFN_vkVoidFunction)find_device_function;
}

static void lock_queue(void *opaque, uint32_t family, uint32_t index)
{
    Owner *owner = opaque;
    pthread_mutex_lock(&owner->lock);
    atomic_fetch_add(&owner->holders, 1);
    atomic_fetch_add(&owner->locks, 1);
    if (family != owner->family || index != 0)
        atomic_fetch_add(&owner->wrong_queues, 1);
}

static void unlock_queue(void *opaque, uint32_t family, uint32_t index)
{
    Owner *owner = opaque;
    atomic_fetch_sub(&owner->holders, 1);
    atomic_fetch_add(&owner->unlocks, 1);
    pthread_mutex_unlock(&owner->lock);
}

static const VkPhysicalDeviceTimelineSemaphoreFeatures timelines = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
    .timelineSemaphore = VK_TRUE,
};
static const VkPhysicalDeviceFeatures2 needed = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    .pNext = (void *)&timelines,
    .features = { .shaderInt64 = VK_TRUE },
};

static const char *find_device(Owner *owner)
{
    VkPhysicalDevice devices[16];
    uint32_t count = COUNT(devices);
    const VkInst *vki = &owner->instance->vki;
    const VkResult result = vki->EnumeratePhysicalDevices(owner->instance->handle, &count, devices);
    for (uint32_t i = 0; result >= 0 && i < count; i++) {
        GpuDeviceInfo info;
        vulkan_describe(vki, devices[i], &info);
        owner->physical = devices[i];
        if (!info.missing[0] && info.version_number >= VK_API_VERSION_1_2)
            return NULL;
    }
    return "no device that works";
}

static void make_device(Owner *owner, const VkPhysicalDeviceFeatures2 *features)
{
    const VkInst *vki = &owner->instance->vki;
    VkQueueFamilyProperties families[16];
    uint32_t count = COUNT(families);
    vki->GetPhysicalDeviceQueueFamilyProperties(owner->physical, &count, families);
    while (!(families[owner->family].queueFlags & VK_QUEUE_COMPUTE_BIT))
        assert_true(++owner->family < count);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = owner->family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = features,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
    };
    assert_int_equal(VK_SUCCESS, vki->CreateDevice(owner->physical, &info, NULL, &owner->device));
    assert_int_equal(0, vk_load_device(&owner->vkd, vki, owner->device));
#define LOAD(name)                                                                                 \
    assert_non_null(owner->name = (PFN_vk##name)vki->GetDeviceProcAddr(owner->device, "vk" #name));
    OWNER_FUNCTIONS(LOAD)
#undef LOAD
    owner->vkd.GetDeviceQueue(owner->device, owner->family, 0, &owner->queue);
}

const char *owner_open(Owner *owner, const VkPhysicalDeviceFeatures2 *features)
{
    *owner = (Owner){ .family = 0 };
    pthread_mutex_init(&owner->lock, NULL);
    if (vulkan_instance_create(&owner->instance, true) &&
        vulkan_instance_create(&owner->instance, false))
        return "no Vulkan here";
    const char *why = find_device(owner);
    if (why) {
        vulkan_instance_destroy(owner->instance);
        return why;
    }
    make_device(owner, features ? features : &needed);
    heard = owner;
    return NULL;
}

struct OwnerStaging {
    OwnerStaging *next;
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint8_t *mapped;
    VkCommandPool pool;
    VkCommandBuffer commands;
};

static void free_stagings(Owner *owner)
{
    assert_int_equal(VK_SUCCESS, owner->DeviceWaitIdle(owner->device));
    for (OwnerStaging *s = owner->stagings, *next; s; s = next) {
        next = s->next;
        owner->vkd.DestroyCommandPool(owner->device, s->pool, NULL);
        owner->vkd.DestroyBuffer(owner->device, s->buffer, NULL);
        owner->vkd.FreeMemory(owner->device, s->memory, NULL);
        free(s);
    }
    owner->stagings = NULL;
}

void owner_close(Owner *owner)
{
    free_stagings(owner);
    owner->vkd.DestroyDevice(owner->device, NULL);
    const unsigned messages = atomic_load(&owner->instance->messages);
    vulkan_instance_destroy(owner->instance);
    pthread_mutex_destroy(&owner->lock);
    assert_int_equal(0, messages);
    assert_int_equal(0, atomic_load(&owner->unlocked_submissions));
    assert_int_equal(0, atomic_load(&owner->wrong_queues));
    assert_int_equal(atomic_load(&owner->locks), atomic_load(&owner->unlocks));
}

VmafVulkanExternalDevice owner_tells(Owner *owner)
{
    return (VmafVulkanExternalDevice){
        .size = sizeof(VmafVulkanExternalDevice),
        .instance = (uintptr_t)owner->instance->handle,
        .physical_device = (uintptr_t)owner->physical,
        .device = (uintptr_t)owner->device,
        .get_instance_proc_addr = (uintptr_t)find_function,
        .api_version = VK_API_VERSION_1_2,
        .queue_family = owner->family,
        .lock_queue = lock_queue,
        .unlock_queue = unlock_queue,
        .lock_opaque = owner,
        .features = &needed,
    };
}

/* ---- frames ---- */

/* Images are larger than the picture, with noise around it. */
#define MARGIN 9

static unsigned image_side(unsigned side, bool half)
{
    return half ? (side + MARGIN + 1) / 2 : side + MARGIN;
}

static bool is_half_x(const FrameKind *kind, unsigned image)
{
    return image && kind->pix_fmt != VMAF_PIX_FMT_YUV444P;
}

static bool is_half_y(const FrameKind *kind, unsigned image)
{
    return image && kind->pix_fmt == VMAF_PIX_FMT_YUV420P;
}

static uint32_t any_type(uint32_t types)
{
    uint32_t type = 0;
    while (!(types >> type & 1))
        type++;
    return type;
}

static void make_image(Owner *owner, OwnerFrame *frame, unsigned i, unsigned w, unsigned h)
{
    const FrameKind *kind = frame->kind;
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = (VkFormat)kind->format[i],
        .extent = { image_side(w, is_half_x(kind, i)), image_side(h, is_half_y(kind, i)), 1 },
        .mipLevels = 1,
        .arrayLayers = kind->layer + 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    };
    assert_int_equal(VK_SUCCESS, owner->CreateImage(owner->device, &info, NULL, &frame->image[i]));
    VkMemoryRequirements needs;
    owner->GetImageMemoryRequirements(owner->device, frame->image[i], &needs);
    const VkMemoryAllocateInfo memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = needs.size,
        .memoryTypeIndex = any_type(needs.memoryTypeBits),
    };
    assert_int_equal(VK_SUCCESS,
                     owner->vkd.AllocateMemory(owner->device, &memory, NULL, &frame->memory[i]));
    assert_int_equal(VK_SUCCESS,
                     owner->BindImageMemory(owner->device, frame->image[i], frame->memory[i], 0));
}

static void count_release(void *opaque)
{
    atomic_fetch_add(&((OwnerFrame *)opaque)->released, 1);
}

void owner_make_frame(Owner *owner, const FrameKind *kind, unsigned w, unsigned h, OwnerFrame *out)
{
    static const VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                         .pNext = &type };
    *out = (OwnerFrame){ .kind = kind };
    out->frame = (VmafVulkanFrame){
        .size = sizeof(VmafVulkanFrame),
        .w = w,
        .h = h,
        .bpc = kind->bpc,
        .pix_fmt = kind->take_fmt ? kind->take_fmt : kind->pix_fmt,
        .x = kind->x,
        .y = kind->y,
        .array_layer = kind->layer,
        .shift = kind->shift,
        .release = count_release,
        .release_opaque = out,
    };
    for (unsigned i = 0; i < 3 && kind->format[i]; i++) {
        make_image(owner, out, i, w, h);
        assert_int_equal(
            VK_SUCCESS, owner->vkd.CreateSemaphore(owner->device, &info, NULL, &out->semaphore[i]));
        out->frame.image[i] = (uintptr_t)out->image[i];
        out->frame.format[i] = kind->format[i];
        out->frame.layout[i] = kind->layout ? kind->layout : VK_IMAGE_LAYOUT_GENERAL;
        out->frame.queue_family[i] = kind->owner ? kind->owner : VMAF_VULKAN_QUEUE_FAMILY_IGNORED;
        out->frame.semaphore[i] = (uintptr_t)out->semaphore[i];
    }
}

void owner_destroy_frame(Owner *owner, OwnerFrame *frame)
{
    assert_int_equal(VK_SUCCESS, owner->DeviceWaitIdle(owner->device));
    for (unsigned i = 0; i < 3 && frame->image[i]; i++) {
        uint64_t value;
        assert_int_equal(VK_SUCCESS, owner->GetSemaphoreCounterValue(owner->device,
                                                                     frame->semaphore[i], &value));
        assert_int_equal(frame->value[i], value);
        owner->DestroyImage(owner->device, frame->image[i], NULL);
        owner->vkd.FreeMemory(owner->device, frame->memory[i], NULL);
        owner->vkd.DestroySemaphore(owner->device, frame->semaphore[i], NULL);
    }
}

void owner_take_back(OwnerFrame *frame)
{
    for (unsigned i = 0; frame->frame.submitted && i < 3 && frame->image[i]; i++)
        frame->value[i] = frame->frame.signal_value[i];
}

/* ---- uploads ---- */

static OwnerStaging *make_staging(Owner *owner, size_t size)
{
    OwnerStaging *s = calloc(1, sizeof(*s));
    assert_non_null(s);
    const VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .size = size,
                                      .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT };
    assert_int_equal(VK_SUCCESS, owner->vkd.CreateBuffer(owner->device, &info, NULL, &s->buffer));
    VkMemoryRequirements needs;
    owner->vkd.GetBufferMemoryRequirements(owner->device, s->buffer, &needs);
    VkPhysicalDeviceMemoryProperties types;
    owner->instance->vki.GetPhysicalDeviceMemoryProperties(owner->physical, &types);
    uint32_t allowed = 0;
    const VkMemoryPropertyFlags mapped =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (uint32_t i = 0; i < types.memoryTypeCount; i++)
        if ((types.memoryTypes[i].propertyFlags & mapped) == mapped)
            allowed |= 1u << i;
    const VkMemoryAllocateInfo memory = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                          .allocationSize = needs.size,
                                          .memoryTypeIndex =
                                              any_type(allowed & needs.memoryTypeBits) };
    assert_int_equal(VK_SUCCESS,
                     owner->vkd.AllocateMemory(owner->device, &memory, NULL, &s->memory));
    assert_int_equal(VK_SUCCESS,
                     owner->vkd.BindBufferMemory(owner->device, s->buffer, s->memory, 0));
    assert_int_equal(VK_SUCCESS, owner->vkd.MapMemory(owner->device, s->memory, 0, VK_WHOLE_SIZE, 0,
                                                      (void **)&s->mapped));
    const VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                           .queueFamilyIndex = owner->family };
    assert_int_equal(VK_SUCCESS,
                     owner->vkd.CreateCommandPool(owner->device, &pool, NULL, &s->pool));
    const VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = s->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    assert_int_equal(VK_SUCCESS,
                     owner->vkd.AllocateCommandBuffers(owner->device, &commands, &s->commands));
    s->next = owner->stagings;
    owner->stagings = s;
    return s;
}

/* Fills the image's memory: the samples of one plane or of two, shifted, with noise around them and
 * in the unused bits. */
static void fill(uint8_t *to, const FrameKind *kind, const VmafPicture *pic, unsigned i, unsigned w,
                 unsigned h)
{
    const unsigned comps = i == 1 && !kind->format[2] ? 2 : 1;
    const unsigned bytes = kind->bpc > 8 ? 2 : 1;
    const unsigned x0 = kind->x >> is_half_x(kind, i), y0 = kind->y >> is_half_y(kind, i);
    for (unsigned y = 0; y < h; y++) {
        for (unsigned x = 0; x < w * comps; x++) {
            const unsigned p = comps == 2 ? 1 + x % 2 : i;
            const unsigned px = x / comps - x0, py = y - y0;
            unsigned v = (x * 2654435761u + y * 40503u) >> 7;
            if (px < pic->w[p] && py < pic->h[p]) {
                const char *row = (const char *)pic->data[p] + (size_t)py * pic->stride[p];
                const unsigned sample =
                    bytes == 2 ? ((const uint16_t *)row)[px] : ((const uint8_t *)row)[px];
                v = sample << kind->shift | (v & ((1u << kind->shift) - 1));
            }
            if (bytes == 2)
                ((uint16_t *)to)[(size_t)y * w * comps + x] = (uint16_t)v;
            else
                to[(size_t)y * w * comps + x] = (uint8_t)v;
        }
    }
}

static void barrier(Owner *owner, VkCommandBuffer commands, const OwnerFrame *frame, unsigned i,
                    VkImageLayout from, VkImageLayout to, uint32_t new_owner)
{
    const bool moves = new_owner != 0;
    const VkImageMemoryBarrier what = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = moves ? 0 : VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = from,
        .newLayout = to,
        .srcQueueFamilyIndex = moves ? owner->family : VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = moves ? new_owner : VK_QUEUE_FAMILY_IGNORED,
        .image = frame->image[i],
        .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, frame->kind->layer + 1 },
    };
    owner->vkd.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1,
                                  &what);
}

static void record(Owner *owner, OwnerFrame *frame, const VmafPicture *pic, unsigned i,
                   OwnerStaging *s, unsigned w, unsigned h)
{
    const FrameKind *kind = frame->kind;
    const VkImageLayout layout = (VkImageLayout)frame->frame.layout[i];
    const size_t size = (size_t)w * h * 4;
    const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
    fill(s->mapped, kind, pic, i, w, h);
    memset(s->mapped + size, 0x5a, size);
    assert_int_equal(VK_SUCCESS, owner->vkd.BeginCommandBuffer(s->commands, &begin));
    barrier(owner, s->commands, frame, i, VK_IMAGE_LAYOUT_UNDEFINED,
            VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 0);
    for (unsigned layer = 0; layer <= kind->layer; layer++) {
        const VkBufferImageCopy region = {
            .bufferOffset = layer == kind->layer ? 0 : size,
            .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, layer, 1 },
            .imageExtent = { w, h, 1 },
        };
        owner->CmdCopyBufferToImage(s->commands, s->buffer, frame->image[i],
                                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    }
    barrier(owner, s->commands, frame, i, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, layout, 0);
    if (kind->owner)
        barrier(owner, s->commands, frame, i, layout, layout, kind->owner);
    assert_int_equal(VK_SUCCESS, owner->vkd.EndCommandBuffer(s->commands));
}

void owner_paint(Owner *owner, OwnerFrame *frame, const VmafPicture *pic)
{
    for (unsigned i = 0; i < 3 && frame->image[i]; i++) {
        const unsigned w = image_side(pic->w[0], is_half_x(frame->kind, i));
        const unsigned h = image_side(pic->h[0], is_half_y(frame->kind, i));
        OwnerStaging *s = make_staging(owner, (size_t)w * h * 8);
        record(owner, frame, pic, i, s, w, h);
        const uint64_t before = frame->value[i], after = before + 1;
        const VkTimelineSemaphoreSubmitInfo values = {
            .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
            .waitSemaphoreValueCount = 1,
            .pWaitSemaphoreValues = &before,
            .signalSemaphoreValueCount = 1,
            .pSignalSemaphoreValues = &after,
        };
        const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
        const VkSubmitInfo info = {
            .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
            .pNext = &values,
            .waitSemaphoreCount = 1,
            .pWaitSemaphores = &frame->semaphore[i],
            .pWaitDstStageMask = &stage,
            .commandBufferCount = 1,
            .pCommandBuffers = &s->commands,
            .signalSemaphoreCount = 1,
            .pSignalSemaphores = &frame->semaphore[i],
        };
        lock_queue(owner, owner->family, 0);
        assert_int_equal(VK_SUCCESS,
                         owner->vkd.QueueSubmit(owner->queue, 1, &info, VK_NULL_HANDLE));
        unlock_queue(owner, owner->family, 0);
        frame->value[i] = after;
        frame->frame.wait_value[i] = after;
        frame->frame.signal_value[i] = after + 1;
    }
}
