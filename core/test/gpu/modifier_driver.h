/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A Vulkan driver that adds an extension, which software drivers lack:
 * VK_EXT_image_drm_format_modifier. Any file that can be mapped serves as a dma-buf. An image in
 * such memory is a plain image of the real driver. It is filled from the file when the user
 * acquires it from its foreign owner, so a user that forgets this reads nothing. */
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

/* Returns the position of a byte of a plane. `stride` is a multiple of TILE_BYTES in tiled
 * planes. */
size_t modifier_position(uint64_t modifier, size_t stride, size_t byte, size_t row);

/* The extensions that a user may believe to be enabled on the device. */
extern const char *const modifier_driver_extensions[5];

/* Begins to serve a device, one at a time. Returns the function that finds all others. Ends with
 * modifier_driver_end. */
PFN_vkGetInstanceProcAddr modifier_driver_begin(const VulkanInstance *instance,
                                                VkPhysicalDevice physical, VkDevice device);
/* Fails the test if images or memory are left. */
void modifier_driver_end(void);

/* The number of images that were acquired from, and released to, VK_QUEUE_FAMILY_FOREIGN_EXT. */
unsigned modifier_driver_acquired(void), modifier_driver_released(void);

#endif
