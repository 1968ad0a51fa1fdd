/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A Vulkan driver with one extension more: VK_EXT_image_drm_format_modifier, which software drivers
 * lack. Any file that can be mapped serves as a dma-buf. An image in such memory is a plain image
 * of the real driver, which is filled from the file when its owner passes it on: a user that does
 * not acquire the image reads nothing. */
#ifndef TEST_GPU_MODIFIER_DRIVER_H
#define TEST_GPU_MODIFIER_DRIVER_H

#include "gpu/backend/vulkan/vk.h"

/* The modifiers: rows one after the other; tiles of 16 bytes by 4 rows; such tiles with one memory
 * plane more, of compression data. */
#define MODIFIER_LINEAR 0ull
#define MODIFIER_TILED 0x7f00000000000001ull
#define MODIFIER_COMPRESSED 0x7f00000000000002ull

#define TILE_BYTES 16u
#define TILE_ROWS 4u

/* Where a byte of a plane lies. `stride` is a multiple of TILE_BYTES in tiled planes. */
size_t modifier_position(uint64_t modifier, size_t stride, size_t byte, size_t row);

/* The extensions that a user may believe to be enabled on the device. */
extern const char *const modifier_driver_extensions[5];

/* Begins to serve a device, one at a time. Returns the function that finds all others. */
PFN_vkGetInstanceProcAddr modifier_driver_begin(const VulkanInstance *instance,
                                                VkPhysicalDevice physical, VkDevice device);
/* Fails the test if images or memory are left. */
void modifier_driver_end(void);

/* The number of images that were acquired from, and released to, VK_QUEUE_FAMILY_FOREIGN_EXT. */
unsigned modifier_driver_acquired(void), modifier_driver_released(void);

#endif
