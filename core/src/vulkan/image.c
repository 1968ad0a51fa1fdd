/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Copies out of images. Samples that already lie as we want them go straight into the picture;
 * others (Cb and Cr side by side, values in the high bits) pass through a kernel. */
#include <errno.h>
#include <string.h>

#include "gpu/feature_gpu.h"
#include "vulkan/import.h"

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

int import_check_image(const VmafVulkanImage *image)
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
    target->imports->dev->vkd.CmdPipelineBarrier(
        target->commands,
        back ? VK_PIPELINE_STAGE_TRANSFER_BIT : VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
        back ? VK_PIPELINE_STAGE_ALL_COMMANDS_BIT : VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0,
        NULL, 1, &barrier);
}

static void copy_plane(ImportTarget *target, const PlaneSource *source, unsigned p,
                       VulkanBuffer *to, size_t offset, size_t row_texels)
{
    const FrameShape *shape = &target->imports->shape;
    const VkBufferImageCopy region = {
        .bufferOffset = offset,
        .bufferRowLength = (uint32_t)row_texels,
        .imageSubresource = { source->aspect, 0, 0, 1 },
        .imageExtent = { shape->w[p], shape->h[p], 1 },
    };
    target->imports->dev->vkd.CmdCopyImageToBuffer(target->commands, source->image,
                                                   VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to->handle,
                                                   1, &region);
}

/* Twice a picture is enough: each of two paired planes is copied with both. */
static int create_unpacking(ImportTarget *target, GpuKernel **kernel)
{
    VulkanDevice *dev = target->imports->dev;
    ImportSlot *slot = target->slot;
    const FrameShape *shape = &target->imports->shape;
    const size_t size = picture_size(shape);
    int err = vulkan_kernel_get(&dev->gpu, shape->bpc > 8 ? "import_plane_16" : "import_plane_8", 2,
                                32, kernel);
    if (!err && !slot->raw)
        err = vulkan_buffer_create(&dev->gpu, GPU_DEVICE, 2 * size, &slot->raw);
    if (!err && !slot->planes)
        err = vulkan_buffer_create(&dev->gpu, GPU_DEVICE, size, &slot->planes);
    if (!err && !slot->unpack) {
        const GpuRange ranges[2] = { { slot->raw, 0, slot->raw->size },
                                     { slot->planes, 0, slot->planes->size } };
        err = vulkan_bindings_create(&dev->gpu, *kernel, ranges, &slot->unpack);
    }
    return err;
}

static void unpack_plane(ImportTarget *target, GpuKernel *kernel, const PlaneSource *source,
                         unsigned shift, unsigned p)
{
    const FrameShape *shape = &target->imports->shape;
    const size_t stride = picture_stride(shape, p), offset = import_plane_offset(shape, p);
    const uint32_t per_word = shape->bpc > 8 ? 2 : 4;
    const struct {
        uint32_t width, image_stride, plane_stride, plane_offset, image_offset, step, first, shift;
    } params = {
        shape->w[p],
        (uint32_t)(stride * source->step / 4),
        (uint32_t)(stride / 4),
        (uint32_t)(offset / 4),
        (uint32_t)(2 * offset / 4),
        source->step,
        source->first,
        shift,
    };
    const unsigned words = (shape->w[p] + per_word - 1) / per_word;
    vulkan_commands_dispatch(target->slot->commands, kernel, target->slot->unpack, &params,
                             (unsigned[3]){ (words + 63) / 64, shape->h[p], 1 });
}

static int record_unpacked(ImportTarget *target, const VmafVulkanImage *image,
                           const ImageFormat *format, unsigned first_plane)
{
    const FrameShape *shape = &target->imports->shape;
    ImportSlot *slot = target->slot;
    GpuKernel *kernel;
    const int err = create_unpacking(target, &kernel);
    if (err)
        return err;
    for (unsigned p = first_plane; p < 3 && shape->h[p]; p++) {
        const PlaneSource source = plane_source(image, format, p);
        copy_plane(target, &source, p, (VulkanBuffer *)slot->raw, 2 * import_plane_offset(shape, p),
                   picture_stride(shape, p) / shape_sample_size(shape));
    }
    vulkan_commands_barrier(slot->commands);
    for (unsigned p = first_plane; p < 3 && shape->h[p]; p++) {
        const PlaneSource source = plane_source(image, format, p);
        unpack_plane(target, kernel, &source, format->shift, p);
    }
    vulkan_commands_barrier(slot->commands);
    const size_t from = import_plane_offset(shape, first_plane);
    const size_t bytes = picture_size(shape) - from;
    vulkan_commands_copy(slot->commands, &(GpuRange){ slot->planes, from, bytes },
                         &(GpuRange){ &target->picture->gpu, from, bytes });
    return 0;
}

int import_record_image(ImportTarget *target, const VmafVulkanImage *image)
{
    const FrameShape *shape = &target->imports->shape;
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
        copy_plane(target, &source, p, target->picture, import_plane_offset(shape, p),
                   picture_stride(shape, p) / shape_sample_size(shape));
    }
    if (p < 3 && shape->h[p])
        err = record_unpacked(target, image, &format, p);
    for (unsigned i = 0; i < 3; i++)
        if (used >> i & 1)
            transition(target, image, i, true);
    return err;
}
