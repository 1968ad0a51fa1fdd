/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures in images of others. */
#ifndef VULKAN_IMAGE_H
#define VULKAN_IMAGE_H

#include "gpu/import.h"
#include "libvmaf/libvmaf_vulkan.h"
#include "gpu/backend/vulkan/vk.h"

/* ---- formats.c ---- */

typedef struct ImageFormat {
    unsigned planes;             /* of the image */
    unsigned channels;           /* samples in a texel, where there is one plane */
    enum VmafPixelFormat chroma; /* where there are several */
    unsigned bytes;              /* of a sample */
    unsigned shift;              /* bits below it */
} ImageFormat;
int image_format_find(uint32_t format, ImageFormat *out); /* -EINVAL: none that we read */

/* Whether the formats hold the picture and the device copies out of them. -EINVAL and -ENOTSUP, and why. */
int image_formats_check(const VulkanDevice *dev, const VmafVulkanFrame *frame, char *why,
                        size_t size);
/* Bits below the samples of a frame that passed the check. */
unsigned image_shift(const VmafVulkanFrame *frame);

/* What the older struct says, in the words of the younger. */
void image_as_frame(const VmafVulkanImage *image, VmafVulkanFrame *frame);

/* ---- image.c ---- */

/* An ImportRecord: the copies of the planes of a VmafVulkanFrame that passed the checks. */
int vulkan_record_frame(ImportTarget *target, const void *frame);

/* ---- frame.c ---- */

/* All that can be seen of a frame before it is read; logged. */
int vulkan_check_frame(const VulkanDevice *dev, const VmafVulkanFrame *frame);

#endif
