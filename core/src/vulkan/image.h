/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures in images of others. */
#ifndef VULKAN_IMAGE_H
#define VULKAN_IMAGE_H

#include "gpu/import.h"
#include "libvmaf/libvmaf_vulkan.h"

/* -EINVAL (logged) when the format cannot hold such a picture. */
int vulkan_check_image(const VmafVulkanImage *image);
/* An ImportRecord: the copies of the planes of a VmafVulkanImage that passed the check. */
int vulkan_record_image(ImportTarget *target, const void *image);

#endif
