/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The VkFormats that we can read, and checks of frames in them. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "gpu/backend/vulkan/vk.h"

#define F420 VMAF_PIX_FMT_YUV420P
#define F422 VMAF_PIX_FMT_YUV422P
#define F444 VMAF_PIX_FMT_YUV444P

int image_format_find(uint32_t format, ImageFormat *out)
{
    static const struct {
        VkFormat format;
        ImageFormat is;
    } known[] = {
        { VK_FORMAT_R8_UNORM, { 1, 1, 0, 1, 0 } },
        { VK_FORMAT_R8_UINT, { 1, 1, 0, 1, 0 } },
        { VK_FORMAT_R16_UNORM, { 1, 1, 0, 2, 0 } },
        { VK_FORMAT_R16_UINT, { 1, 1, 0, 2, 0 } },
        { VK_FORMAT_R10X6_UNORM_PACK16, { 1, 1, 0, 2, 6 } },
        { VK_FORMAT_R12X4_UNORM_PACK16, { 1, 1, 0, 2, 4 } },
        { VK_FORMAT_R8G8_UNORM, { 1, 2, 0, 1, 0 } },
        { VK_FORMAT_R8G8_UINT, { 1, 2, 0, 1, 0 } },
        { VK_FORMAT_R16G16_UNORM, { 1, 2, 0, 2, 0 } },
        { VK_FORMAT_R16G16_UINT, { 1, 2, 0, 2, 0 } },
        { VK_FORMAT_R10X6G10X6_UNORM_2PACK16, { 1, 2, 0, 2, 6 } },
        { VK_FORMAT_R12X4G12X4_UNORM_2PACK16, { 1, 2, 0, 2, 4 } },
        { VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, { 3, 1, F420, 1, 0 } },
        { VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, { 2, 1, F420, 1, 0 } },
        { VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM, { 3, 1, F422, 1, 0 } },
        { VK_FORMAT_G8_B8R8_2PLANE_422_UNORM, { 2, 1, F422, 1, 0 } },
        { VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM, { 3, 1, F444, 1, 0 } },
        { VK_FORMAT_G8_B8R8_2PLANE_444_UNORM, { 2, 1, F444, 1, 0 } },
        { VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16, { 3, 1, F420, 2, 6 } },
        { VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16, { 2, 1, F420, 2, 6 } },
        { VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_422_UNORM_3PACK16, { 3, 1, F422, 2, 6 } },
        { VK_FORMAT_G10X6_B10X6R10X6_2PLANE_422_UNORM_3PACK16, { 2, 1, F422, 2, 6 } },
        { VK_FORMAT_G10X6_B10X6_R10X6_3PLANE_444_UNORM_3PACK16, { 3, 1, F444, 2, 6 } },
        { VK_FORMAT_G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16, { 2, 1, F444, 2, 6 } },
        { VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_420_UNORM_3PACK16, { 3, 1, F420, 2, 4 } },
        { VK_FORMAT_G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16, { 2, 1, F420, 2, 4 } },
        { VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_422_UNORM_3PACK16, { 3, 1, F422, 2, 4 } },
        { VK_FORMAT_G12X4_B12X4R12X4_2PLANE_422_UNORM_3PACK16, { 2, 1, F422, 2, 4 } },
        { VK_FORMAT_G12X4_B12X4_R12X4_3PLANE_444_UNORM_3PACK16, { 3, 1, F444, 2, 4 } },
        { VK_FORMAT_G12X4_B12X4R12X4_2PLANE_444_UNORM_3PACK16, { 2, 1, F444, 2, 4 } },
        { VK_FORMAT_G16_B16_R16_3PLANE_420_UNORM, { 3, 1, F420, 2, 0 } },
        { VK_FORMAT_G16_B16R16_2PLANE_420_UNORM, { 2, 1, F420, 2, 0 } },
        { VK_FORMAT_G16_B16_R16_3PLANE_422_UNORM, { 3, 1, F422, 2, 0 } },
        { VK_FORMAT_G16_B16R16_2PLANE_422_UNORM, { 2, 1, F422, 2, 0 } },
        { VK_FORMAT_G16_B16_R16_3PLANE_444_UNORM, { 3, 1, F444, 2, 0 } },
        { VK_FORMAT_G16_B16R16_2PLANE_444_UNORM, { 2, 1, F444, 2, 0 } },
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if ((uint32_t)known[i].format == format) {
            *out = known[i].is;
            return 0;
        }
    }
    return -EINVAL;
}

/* ---- checks ---- */

typedef struct Reason {
    char *text;
    size_t size;
} Reason;

__attribute__((format(printf, 3, 4))) static int refuse(const Reason *why, int err,
                                                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (why->size)
        vsnprintf(why->text, why->size, format, args);
    va_end(args);
    return err;
}

/* Returns the number of images, each of which has a format. */
static unsigned count_images(const VmafVulkanFrame *frame)
{
    unsigned count = 0;
    while (count < 3 && frame->format[count])
        count++;
    return count;
}

static int check_depth(const VmafVulkanFrame *frame, uint32_t number, const ImageFormat *format,
                       const Reason *why)
{
    const unsigned bytes = frame->bpc > 8 ? 2 : 1;
    if (format->bytes != bytes || (format->shift && format->shift != 16 - frame->bpc))
        return refuse(why, -EINVAL, "images of VkFormat %u cannot hold samples of %u bits", number,
                      frame->bpc);
    if (frame->shift && format->shift && frame->shift != format->shift)
        return refuse(why, -EINVAL, "samples of VkFormat %u are shifted left by %u bits, not by %u",
                      number, format->shift, frame->shift);
    if (frame->shift + frame->bpc > 8 * bytes)
        return refuse(why, -EINVAL, "samples of %u bits, shifted left by %u, do not fit in %u bits",
                      frame->bpc, frame->shift, 8 * bytes);
    return 0;
}

static int check_transfer(const VulkanDevice *dev, uint32_t number, const Reason *why)
{
    VkFormatProperties properties;
    dev->vki.GetPhysicalDeviceFormatProperties(dev->physical, (VkFormat)number, &properties);
    if ((properties.optimalTilingFeatures | properties.linearTilingFeatures) &
        VK_FORMAT_FEATURE_TRANSFER_SRC_BIT)
        return 0;
    return refuse(why, -ENOTSUP, "%s cannot copy from images of VkFormat %u", dev->gpu.name,
                  number);
}

static int check_chroma(const VmafVulkanFrame *frame, const ImageFormat formats[3], unsigned count,
                        const Reason *why)
{
    if (frame->pix_fmt == VMAF_PIX_FMT_YUV400P)
        return 0;
    bool there;
    if (formats[0].planes > 1)
        there = count == 1 && formats[0].chroma == frame->pix_fmt;
    else if (count == 2)
        there = formats[1].channels == 2;
    else
        there = count == 3 && formats[1].channels == 1 && formats[2].channels == 1;
    for (unsigned i = 1; i < count; i++)
        there = there && formats[i].planes == 1;
    if (!there)
        return refuse(why, -EINVAL, "the images do not hold the chroma planes of the pixel format");
    const bool half_x = frame->pix_fmt != VMAF_PIX_FMT_YUV444P;
    const bool half_y = frame->pix_fmt == VMAF_PIX_FMT_YUV420P;
    if ((half_x && frame->x % 2) || (half_y && frame->y % 2))
        return refuse(why, -EINVAL, "the picture starts at %u,%u, inside a chroma sample", frame->x,
                      frame->y);
    return 0;
}

int image_formats_check(const VulkanDevice *dev, const VmafVulkanFrame *frame, char *text,
                        size_t size)
{
    const Reason why = { text, text ? size : 0 };
    const unsigned count = count_images(frame);
    ImageFormat formats[3];
    FrameShape shape;
    if (shape_init(&shape, frame->pix_fmt, frame->bpc, frame->w, frame->h))
        return refuse(&why, -EINVAL, "unsupported size, depth or pixel format: %ux%u, %u bits",
                      frame->w, frame->h, frame->bpc);
    if (!count)
        return refuse(&why, -EINVAL, "the frame has no image");
    for (unsigned i = 0; i < count; i++) {
        const uint32_t number = frame->format[i];
        if (image_format_find(number, &formats[i]))
            return refuse(&why, -EINVAL, "images of VkFormat %u are not supported", number);
        int err = check_depth(frame, number, &formats[i], &why);
        if (!err)
            err = check_transfer(dev, number, &why);
        if (err)
            return err;
    }
    if (formats[0].channels != 1)
        return refuse(&why, -EINVAL, "the first image must hold luma only");
    return check_chroma(frame, formats, count, &why);
}

unsigned image_shift(const VmafVulkanFrame *frame)
{
    ImageFormat format = { 0 };
    image_format_find(frame->format[0], &format);
    return frame->shift ? frame->shift : format.shift;
}

/* ---- the older struct ---- */

/* The format of interleaved Cb and Cr for luma of this format. */
static uint32_t paired(uint32_t format)
{
    const bool small = format == VK_FORMAT_R8_UNORM || format == VK_FORMAT_R8_UINT;
    return small ? VK_FORMAT_R8G8_UNORM : VK_FORMAT_R16G16_UNORM;
}

/* The older struct expresses samples in the high bits of R16 only by formats that few devices
 * support. Replaces these by R16 and a shift. */
static uint32_t take_shift(uint32_t format, unsigned *shift)
{
    if (format != VK_FORMAT_R10X6_UNORM_PACK16 && format != VK_FORMAT_R12X4_UNORM_PACK16)
        return format;
    *shift = format == VK_FORMAT_R10X6_UNORM_PACK16 ? 6 : 4;
    return VK_FORMAT_R16_UNORM;
}

void image_as_frame(const VmafVulkanImage *image, VmafVulkanFrame *frame)
{
    const uint32_t plain = image->bpc > 8 ? VK_FORMAT_R16_UNORM : VK_FORMAT_R8_UNORM;
    unsigned shift = 0;
    const uint32_t format = image->format ? take_shift(image->format, &shift) : plain;
    const bool luma_alone = image->pix_fmt == VMAF_PIX_FMT_YUV400P;
    ImageFormat known;
    *frame = (VmafVulkanFrame){
        .size = sizeof(*frame),
        .w = image->w,
        .h = image->h,
        .bpc = image->bpc,
        .pix_fmt = image->pix_fmt,
        .shift = shift,
        .format = { format },
    };
    if (!image_format_find(format, &known) && known.planes == 1 && !luma_alone && image->image[1]) {
        frame->format[1] = image->image[2] ? format : paired(format);
        frame->format[2] = image->image[2] ? format : 0;
    }
    for (unsigned i = 0; i < 3; i++) {
        frame->image[i] = image->image[i];
        frame->layout[i] = image->layout[i];
        frame->queue_family[i] = VMAF_VULKAN_QUEUE_FAMILY_IGNORED;
        frame->semaphore[i] = image->semaphore[i];
        frame->wait_value[i] = image->wait_value[i];
        frame->signal_value[i] = image->signal_value[i];
    }
}
