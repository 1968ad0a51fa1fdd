/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A program with a Vulkan device and frames of its own, like FFmpeg: images with timeline
 * semaphores, filled by a queue that it shares with the library under a lock. An error fails the
 * test. */
#ifndef TEST_GPU_VULKAN_OWNER_H
#define TEST_GPU_VULKAN_OWNER_H

#include <stdatomic.h>

#include "libvmaf/libvmaf_vulkan.h"
#include "rig.h"
#include "gpu/backend/vulkan/vk.h"

#define OWNER_FUNCTIONS(X)                                                                         \
    X(CreateImage)                                                                                 \
    X(DestroyImage)                                                                                \
    X(GetImageMemoryRequirements)                                                                  \
    X(BindImageMemory)                                                                             \
    X(CmdCopyBufferToImage)                                                                        \
    X(GetSemaphoreCounterValue)                                                                    \
    X(DeviceWaitIdle)

typedef struct OwnerStaging OwnerStaging;

typedef struct Owner {
    VulkanInstance *instance; /* with the validation layers, where they are installed */
    VkPhysicalDevice physical;
    VkDevice device;
    VkDev vkd;
#define FIELD(name) PFN_vk##name name;
    OWNER_FUNCTIONS(FIELD)
#undef FIELD
    uint32_t family;
    VkQueue queue;
    OwnerStaging *stagings; /* staging buffers of uploads that may be in flight */

    pthread_mutex_t lock;
    atomic_int holders;
    atomic_uint locks, unlocks, wrong_queues, submissions, unlocked_submissions;
} Owner;

/* Returns NULL, or the reason why there is no device. `features`: VkPhysicalDeviceFeatures2 to
 * create it with; NULL: what the library needs. */
const char *owner_open(Owner *owner, const VkPhysicalDeviceFeatures2 *features);
void owner_close(Owner *owner); /* and fails if the layers complained */

/* The description of the device for the library. The library finds functions through the owner, who
 * sees each submission. */
VmafVulkanExternalDevice owner_tells(Owner *owner);

/* The layout of a video's frames in images. */
typedef struct FrameKind {
    const char *name;
    enum VmafPixelFormat pix_fmt; /* format of the picture */
    unsigned bpc, shift;
    uint32_t format[3]; /* formats of one, two or three images */
    unsigned x, y, layer;
    VkImageLayout layout;
    uint32_t owner;                /* queue family; 0: the library's own */
    enum VmafPixelFormat take_fmt; /* the format to score; 0: the picture's */
} FrameKind;

typedef struct OwnerFrame {
    const FrameKind *kind;
    VkImage image[3];
    VkDeviceMemory memory[3];
    VkSemaphore semaphore[3];
    uint64_t value[3];
    VmafVulkanFrame frame; /* passed to the library; includes the next semaphore values */
    atomic_uint released;
} OwnerFrame;

void owner_make_frame(Owner *owner, const FrameKind *kind, unsigned w, unsigned h, OwnerFrame *out);
void owner_destroy_frame(Owner *owner, OwnerFrame *frame);
/* Enqueues the upload of a picture, after everything that the frame's semaphores were promised so
 * far. */
void owner_paint(Owner *owner, OwnerFrame *frame, const VmafPicture *pic);
/* After a read: takes over the values that the library will signal. */
void owner_take_back(OwnerFrame *frame);

#endif
