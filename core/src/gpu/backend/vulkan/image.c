/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Copies pictures from VkImages. Samples in our layout are copied straight into the picture. Others
 * (interleaved Cb and Cr, or samples in the high bits) pass through a kernel. */
#include <errno.h>

#include "gpu/backend/vulkan/vk.h"

static VulkanDevice *device_of(const ImportTarget *target)
{
    return (VulkanDevice *)target->device;
}

/* The position of a plane's samples in a frame. */
typedef struct PlaneSource {
    unsigned image; /* index among the frame's images */
    VkImageAspectFlags aspect;
    bool is_paired; /* Cb and Cr, interleaved */
} PlaneSource;

static PlaneSource plane_source(const VmafVulkanFrame *frame, unsigned p)
{
    static const VkImageAspectFlags aspects[3] = {
        VK_IMAGE_ASPECT_PLANE_0_BIT,
        VK_IMAGE_ASPECT_PLANE_1_BIT,
        VK_IMAGE_ASPECT_PLANE_2_BIT,
    };
    ImageFormat format = { 0 };
    image_format_find(frame->format[0], &format);
    const bool one_image = format.planes > 1;
    const unsigned planes =
        one_image ? format.planes : 1u + !!frame->format[1] + !!frame->format[2];
    const bool is_paired = planes == 2 && p > 0;
    const unsigned source = is_paired ? 1 : p;
    return (PlaneSource){
        .image = one_image ? 0 : source,
        .aspect = one_image ? aspects[source] : VK_IMAGE_ASPECT_COLOR_BIT,
        .is_paired = is_paired,
    };
}

/* ---- taking over images from their owner, and returning them ---- */

/* An image with its owner's layout and queue family, and ours while reading. */
typedef struct Guest {
    VkImage image;
    uint32_t layer;
    VkImageLayout theirs, ours;
    uint32_t owner, reader; /* queue families; IGNORED: no transfer of ownership needed */
} Guest;

static Guest guest_of(const ImportTarget *target, const VmafVulkanFrame *frame, unsigned i)
{
    const uint32_t family = device_of(target)->queues[GPU_COMPUTE].family;
    const uint32_t owner = frame->queue_family[i];
    const bool outside = owner == VK_QUEUE_FAMILY_EXTERNAL || owner == VK_QUEUE_FAMILY_FOREIGN_EXT;
    const bool shared = frame->concurrent != 0;
    const bool moves = owner != VK_QUEUE_FAMILY_IGNORED && owner != family && (outside || !shared);
    const VkImageLayout layout = (VkImageLayout)frame->layout[i];
    return (Guest){
        .image = (VkImage)frame->image[i],
        .layer = frame->array_layer,
        .theirs = layout,
        .ours = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
        .owner = moves ? owner : VK_QUEUE_FAMILY_IGNORED,
        .reader = moves && !shared ? family : VK_QUEUE_FAMILY_IGNORED,
    };
}

static void image_barrier(const ImportTarget *target, const VkImageMemoryBarrier *barrier,
                          VkPipelineStageFlags from, VkPipelineStageFlags to)
{
    device_of(target)->vkd.CmdPipelineBarrier(vulkan_commands_handle(target->commands), from, to, 0,
                                              0, NULL, 0, NULL, 1, barrier);
}

static VkImageMemoryBarrier barrier_of(const Guest *guest)
{
    return (VkImageMemoryBarrier){
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .oldLayout = guest->theirs,
        .newLayout = guest->theirs,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = guest->image,
        .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, guest->layer, 1 },
    };
}

static void receive(const ImportTarget *target, const Guest *guest)
{
    VkImageMemoryBarrier barrier = barrier_of(guest);
    if (guest->owner != VK_QUEUE_FAMILY_IGNORED) {
        barrier.srcQueueFamilyIndex = guest->owner;
        barrier.dstQueueFamilyIndex = guest->reader;
        barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT;
        image_barrier(target, &barrier, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                      VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
        barrier = barrier_of(guest);
    }
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
    barrier.newLayout = guest->ours;
    image_barrier(target, &barrier, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                  VK_PIPELINE_STAGE_TRANSFER_BIT);
}

static void send_back(const ImportTarget *target, const Guest *guest)
{
    VkImageMemoryBarrier barrier = barrier_of(guest);
    barrier.oldLayout = guest->ours;
    if (guest->ours != guest->theirs)
        image_barrier(target, &barrier, VK_PIPELINE_STAGE_TRANSFER_BIT,
                      VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    if (guest->owner == VK_QUEUE_FAMILY_IGNORED)
        return;
    barrier.oldLayout = guest->theirs;
    barrier.srcQueueFamilyIndex = guest->reader;
    barrier.dstQueueFamilyIndex = guest->owner;
    image_barrier(target, &barrier, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
}

/* ---- copies ---- */

static void copy_plane(ImportTarget *target, const VmafVulkanFrame *frame, unsigned p,
                       GpuBuffer *to, size_t offset)
{
    const FrameShape *shape = target->shape;
    const PlaneSource source = plane_source(frame, p);
    const Guest guest = guest_of(target, frame, source.image);
    const bool half_x = p && frame->pix_fmt != VMAF_PIX_FMT_YUV444P;
    const bool half_y = p && frame->pix_fmt == VMAF_PIX_FMT_YUV420P;
    const VkBufferImageCopy region = {
        .bufferOffset = offset,
        .bufferRowLength = (uint32_t)(picture_stride(shape, p) / shape_sample_size(shape)),
        .imageSubresource = { source.aspect, 0, guest.layer, 1 },
        .imageOffset = { (int32_t)(frame->x >> half_x), (int32_t)(frame->y >> half_y), 0 },
        .imageExtent = { shape->w[p], shape->h[p], 1 },
    };
    device_of(target)->vkd.CmdCopyImageToBuffer(vulkan_commands_handle(target->commands),
                                                guest.image, guest.ours,
                                                ((VulkanBuffer *)to)->handle, 1, &region);
}

/* Copies planes that need shifting or separating to temporary memory, and records the kernels that
 * unpack them. */
static int copy_and_unpack(ImportTarget *target, const VmafVulkanFrame *frame, unsigned planes)
{
    const FrameShape *shape = target->shape;
    ImportPacking packing[3];
    GpuBuffer *raw;
    const int err = import_unpack_begin(target, &raw);
    if (err)
        return err;
    for (unsigned p = 0; p < 3; p++) {
        if (!(planes >> p & 1))
            continue;
        packing[p] = import_packing(planes, p, plane_source(frame, p).is_paired);
        if (!packing[p].with_cb)
            copy_plane(target, frame, p, raw, import_raw_offset(shape, p));
    }
    import_unpack(target, planes, packing, image_shift(frame));
    return 0;
}

int vulkan_record_frame(ImportTarget *target, const void *source)
{
    const VmafVulkanFrame *frame = source;
    const unsigned shift = image_shift(frame);
    unsigned images = 0, packed = 0;
    if (vulkan_commands_failed(target->commands))
        return 0;
    for (unsigned p = 0; p < 3; p++) {
        if (!import_wants(target, p))
            continue;
        const PlaneSource from = plane_source(frame, p);
        images |= 1u << from.image;
        packed |= (shift || from.is_paired ? 1u : 0) << p;
    }
    for (unsigned i = 0; i < 3; i++) {
        const Guest guest = guest_of(target, frame, i);
        if (images >> i & 1)
            receive(target, &guest);
    }
    for (unsigned p = 0; p < 3; p++)
        if (import_wants(target, p) && !(packed >> p & 1))
            copy_plane(target, frame, p, target->picture, target->offset[p]);
    const int err = packed ? copy_and_unpack(target, frame, packed) : 0;
    for (unsigned i = 0; i < 3; i++) {
        const Guest guest = guest_of(target, frame, i);
        if (images >> i & 1)
            send_back(target, &guest);
    }
    target->in_range = shift + frame->bpc == 16;
    return err;
}
