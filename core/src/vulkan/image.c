/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Copies out of images. Samples that already lie as we want them go straight into the picture;
 * others (Cb and Cr side by side, values in the high bits) pass through a kernel. */
#include <errno.h>
#include <string.h>

#include "vulkan/image.h"
#include "vulkan/vk.h"

typedef struct ImageFormat {
    unsigned planes;             /* of the image */
    enum VmafPixelFormat chroma; /* UNKNOWN: a single plane */
    unsigned bytes;              /* a sample; 0: whatever the depth says */
    unsigned shift;
} ImageFormat;

#define F420 VMAF_PIX_FMT_YUV420P
#define F422 VMAF_PIX_FMT_YUV422P
#define F444 VMAF_PIX_FMT_YUV444P

static int find_format(uint32_t format, ImageFormat *out)
{
    static const struct {
        VkFormat format;
        ImageFormat is;
    } known[] = {
        { VK_FORMAT_UNDEFINED, { 1, 0, 0, 0 } },
        { VK_FORMAT_R8_UNORM, { 1, 0, 1, 0 } },
        { VK_FORMAT_R8_UINT, { 1, 0, 1, 0 } },
        { VK_FORMAT_R16_UNORM, { 1, 0, 2, 0 } },
        { VK_FORMAT_R16_UINT, { 1, 0, 2, 0 } },
        { VK_FORMAT_R10X6_UNORM_PACK16, { 1, 0, 2, 6 } },
        { VK_FORMAT_R12X4_UNORM_PACK16, { 1, 0, 2, 4 } },
        { VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, { 3, F420, 1, 0 } },
        { VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, { 2, F420, 1, 0 } },
        { VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM, { 3, F422, 1, 0 } },
        { VK_FORMAT_G8_B8R8_2PLANE_422_UNORM, { 2, F422, 1, 0 } },
        { VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM, { 3, F444, 1, 0 } },
        { VK_FORMAT_G8_B8R8_2PLANE_444_UNORM, { 2, F444, 1, 0 } },
        { VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16, { 3, F420, 2, 6 } },
        { VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16, { 2, F420, 2, 6 } },
        { VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_422_UNORM_3PACK16, { 3, F422, 2, 6 } },
        { VK_FORMAT_G10X6_B10X6R10X6_2PLANE_422_UNORM_3PACK16, { 2, F422, 2, 6 } },
        { VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_444_UNORM_3PACK16, { 3, F444, 2, 6 } },
        { VK_FORMAT_G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16, { 2, F444, 2, 6 } },
        { VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_420_UNORM_3PACK16, { 3, F420, 2, 4 } },
        { VK_FORMAT_G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16, { 2, F420, 2, 4 } },
        { VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_422_UNORM_3PACK16, { 3, F422, 2, 4 } },
        { VK_FORMAT_G12X4_B12X4R12X4_2PLANE_422_UNORM_3PACK16, { 2, F422, 2, 4 } },
        { VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_444_UNORM_3PACK16, { 3, F444, 2, 4 } },
        { VK_FORMAT_G12X4_B12X4R12X4_2PLANE_444_UNORM_3PACK16, { 2, F444, 2, 4 } },
        { VK_FORMAT_G16_B16_R16_3PLANE_420_UNORM, { 3, F420, 2, 0 } },
        { VK_FORMAT_G16_B16R16_2PLANE_420_UNORM, { 2, F420, 2, 0 } },
        { VK_FORMAT_G16_B16_R16_3PLANE_422_UNORM, { 3, F422, 2, 0 } },
        { VK_FORMAT_G16_B16R16_2PLANE_422_UNORM, { 2, F422, 2, 0 } },
        { VK_FORMAT_G16_B16_R16_3PLANE_444_UNORM, { 3, F444, 2, 0 } },
        { VK_FORMAT_G16_B16R16_2PLANE_444_UNORM, { 2, F444, 2, 0 } },
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if ((uint32_t)known[i].format == format) {
            *out = known[i].is;
            return 0;
        }
    }
    return -EINVAL;
}

/* Where plane p's samples are. */
typedef struct PlaneSource {
    VkImage image;
    unsigned which; /* of image[] */
    VkImageAspectFlags aspect;
    unsigned step, first; /* in samples */
} PlaneSource;

static PlaneSource plane_source(const VmafVulkanImage *image, const ImageFormat *format, unsigned p)
{
    static const VkImageAspectFlags aspects[3] = {
        VK_IMAGE_ASPECT_PLANE_0_BIT,
        VK_IMAGE_ASPECT_PLANE_1_BIT,
        VK_IMAGE_ASPECT_PLANE_2_BIT,
    };
    const unsigned planes =
        format->planes > 1 ? format->planes : 1u + !!image->image[1] + !!image->image[2];
    const bool paired = planes == 2 && p > 0;
    const unsigned source = paired ? 1 : p;
    const bool one_image = format->planes > 1;
    return (PlaneSource){
        .image = (VkImage)image->image[one_image ? 0 : source],
        .which = one_image ? 0 : source,
        .aspect = one_image ? aspects[source] : VK_IMAGE_ASPECT_COLOR_BIT,
        .step = paired ? 2 : 1,
        .first = paired && p == 2,
    };
}

int vulkan_check_image(const VmafVulkanImage *image)
{
    ImageFormat format;
    if (find_format(image->format, &format)) {
        log_error("vulkan: images of VkFormat %u cannot be imported", image->format);
        return -EINVAL;
    }
    const unsigned bytes = image->bpc > 8 ? 2 : 1;
    if ((format.bytes && format.bytes != bytes) ||
        (format.shift && format.shift != 16 - image->bpc)) {
        log_error("vulkan: images of VkFormat %u do not hold %u bits", image->format, image->bpc);
        return -EINVAL;
    }
    const bool wants_chroma = image->pix_fmt != VMAF_PIX_FMT_YUV400P;
    if (wants_chroma && (format.planes > 1 ? format.chroma != image->pix_fmt : !image->image[1])) {
        log_error("vulkan: the images do not hold the chroma planes asked for");
        return -EINVAL;
    }
    for (unsigned i = 0; i < 3; i++) {
        const bool used = i == 0 || (wants_chroma && format.planes == 1 && image->image[i]);
        if (used && image->layout[i] == VK_IMAGE_LAYOUT_UNDEFINED) {
            log_error("vulkan: an image in layout UNDEFINED holds no picture");
            return -EINVAL;
        }
    }
    return 0;
}

static VulkanDevice *device_of(const ImportTarget *target)
{
    return (VulkanDevice *)target->device;
}

/* Into a layout that copies read from, or (back) out of it. */
static void transition(ImportTarget *target, const VmafVulkanImage *image, unsigned which,
                       bool back)
{
    const VkImageLayout own = (VkImageLayout)image->layout[which];
    const VkImageLayout ours = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = back ? 0 : VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = back ? 0 : VK_ACCESS_TRANSFER_READ_BIT,
        .oldLayout = back ? ours : own,
        .newLayout = back ? own : ours,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = (VkImage)image->image[which],
        .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
    };
    device_of(target)->vkd.CmdPipelineBarrier(
        vulkan_commands_handle(target->commands),
        back ? VK_PIPELINE_STAGE_TRANSFER_BIT : VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
        back ? VK_PIPELINE_STAGE_ALL_COMMANDS_BIT : VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0,
        NULL, 1, &barrier);
}

static void copy_plane(ImportTarget *target, const PlaneSource *source, unsigned p, GpuBuffer *to,
                       size_t offset)
{
    const FrameShape *shape = target->shape;
    const VkBufferImageCopy region = {
        .bufferOffset = offset,
        .bufferRowLength = (uint32_t)(picture_stride(shape, p) / shape_sample_size(shape)),
        .imageSubresource = { source->aspect, 0, 0, 1 },
        .imageExtent = { shape->w[p], shape->h[p], 1 },
    };
    device_of(target)->vkd.CmdCopyImageToBuffer(vulkan_commands_handle(target->commands),
                                                source->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                                ((VulkanBuffer *)to)->handle, 1, &region);
}

static int record_unpacked(ImportTarget *target, const VmafVulkanImage *image,
                           const ImageFormat *format, unsigned first_plane)
{
    const FrameShape *shape = target->shape;
    ImportPacking packing[3];
    GpuBuffer *raw;
    const int err = import_unpack_begin(target, &raw);
    if (err)
        return err;
    for (unsigned p = first_plane; p < 3 && shape->h[p]; p++) {
        const PlaneSource source = plane_source(image, format, p);
        copy_plane(target, &source, p, raw, 2 * import_plane_offset(shape, p));
        packing[p] = (ImportPacking){ source.step, source.first };
    }
    import_unpack(target, first_plane, packing, format->shift);
    return 0;
}

int vulkan_record_image(ImportTarget *target, const void *source_image)
{
    const VmafVulkanImage *image = source_image;
    const FrameShape *shape = target->shape;
    ImageFormat format;
    int err = find_format(image->format, &format);
    if (err)
        return err;
    unsigned used = 0;
    for (unsigned p = 0; p < 3 && shape->h[p]; p++)
        used |= 1u << plane_source(image, &format, p).which;
    for (unsigned i = 0; i < 3; i++)
        if (used >> i & 1)
            transition(target, image, i, false);

    unsigned p = 0;
    for (; !format.shift && p < 3 && shape->h[p]; p++) {
        const PlaneSource source = plane_source(image, &format, p);
        if (source.step != 1)
            break;
        copy_plane(target, &source, p, target->picture, import_plane_offset(shape, p));
    }
    if (p < 3 && shape->h[p])
        err = record_unpacked(target, image, &format, p);
    for (unsigned i = 0; i < 3; i++)
        if (used >> i & 1)
            transition(target, image, i, true);
    return err;
}
