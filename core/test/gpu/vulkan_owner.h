/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A program with a Vulkan device and frames of its own, as FFmpeg has them: images with timeline semaphores,
 * filled by a queue that it shares with the library under a lock. What goes wrong fails the test. */
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
    OwnerStaging *stagings; /* of uploads that may be under way */

    pthread_mutex_t lock;
    atomic_int holders;
    atomic_uint locks, unlocks, wrong_queues, submissions, unlocked_submissions;
} Owner;

/* NULL, or why there is no device. `features` is what it is made with: VkPhysicalDeviceFeatures2; NULL: what the
 * library needs. */
const char *owner_open(Owner *owner, const VkPhysicalDeviceFeatures2 *features);
void owner_close(Owner *owner); /* and looks for complaints of the layers */

/* All that the library is told. Functions are found through the owner, who sees each submission. */
VmafVulkanExternalDevice owner_tells(Owner *owner);

/* How the frames of a video lie in images. */
typedef struct FrameKind {
    const char *name;
    enum VmafPixelFormat pix_fmt; /* of the picture */
    unsigned bpc, shift;
    uint32_t format[3]; /* one, two or three images */
    unsigned x, y, layer;
    VkImageLayout layout;
    uint32_t owner;                /* family; 0: the library's own */
    enum VmafPixelFormat take_fmt; /* what is read of it; 0: all */
} FrameKind;

typedef struct OwnerFrame {
    const FrameKind *kind;
    VkImage image[3];
    VkDeviceMemory memory[3];
    VkSemaphore semaphore[3];
    uint64_t value[3];
    VmafVulkanFrame frame; /* as it is handed over; next values included */
    atomic_uint released;
} OwnerFrame;

void owner_make_frame(Owner *owner, const FrameKind *kind, unsigned w, unsigned h, OwnerFrame *out);
void owner_destroy_frame(Owner *owner, OwnerFrame *frame);
/* Enqueues the upload of a picture, after what the frame's semaphores have been promised so far. */
void owner_paint(Owner *owner, OwnerFrame *frame, const VmafPicture *pic);
/* After a read: takes over the values that the library signals. */
void owner_take_back(OwnerFrame *frame);

#endif
