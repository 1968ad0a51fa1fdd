/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Scoring on a GPU through Vulkan compute.
 *
 * Handles cross as uintptr_t and Vulkan's enums as uint32_t, so that no Vulkan header is needed
 * here. All functions exist in every build: without the backend they return -ENOSYS. Functions that
 * return int return 0 (or a count) or a negative errno.
 *
 *     VmafVulkanState *state;
 *     vmaf_vulkan_state_init(&state, (VmafVulkanConfiguration){ .device_index = -1 });
 *     vmaf_vulkan_import_state(vmaf, state);      before features and models are registered
 *     …                                           as on the CPU
 *     vmaf_close(vmaf);
 *     vmaf_vulkan_state_free(&state);
 *
 * Features without GPU code run on the CPU beside it; reports say where each one ran. */
#ifndef VMAF_VULKAN_H
#define VMAF_VULKAN_H

#include <stddef.h>
#include <stdint.h>

#include "libvmaf.h"
#include "macros.h"
#include "picture.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A device and its queues. May serve several contexts at once, from several threads. Imported pictures
 * belong to a context; both sides of a pair may be imported at once by two threads. */
typedef struct VmafVulkanState VmafVulkanState;

typedef struct VmafVulkanConfiguration {
    int device_index;                /* as in the list of devices; -1: the first real GPU */
    int enable_validation;           /* log what the validation layers say */
    unsigned max_outstanding_frames; /* 0: 4; at most 32 */
} VmafVulkanConfiguration;

typedef struct VmafVulkanExternalHandles {
    uintptr_t instance, physical_device, device, queue;
    uint32_t queue_family_index;
    uint32_t api_version; /* the device's; 0: unknown */
} VmafVulkanExternalHandles;

enum VmafVulkanPicturePreallocationMethod {
    VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_NONE = 0,
    VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_HOST,  /* plain memory */
    VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_DEVICE /* mapped memory the device copies from */
};

typedef struct VmafVulkanPictureConfiguration {
    struct {
        unsigned w, h;
        unsigned bpc;
        enum VmafPixelFormat pix_fmt;
    } pic_params;
    enum VmafVulkanPicturePreallocationMethod pic_prealloc_method;
} VmafVulkanPictureConfiguration;

/* 1 when the backend is part of this build. Touches no driver. */
VMAF_EXPORT int vmaf_vulkan_available(void);

/* Prints one line a device on stdout: index, name, API version. Returns how many there are. */
VMAF_EXPORT int vmaf_vulkan_list_devices(void);

/* -ENOSYS: no Vulkan loader; -ENODEV: no device (for -1: no real GPU); -EINVAL: no such index;
 * -ENOTSUP: the device lacks something (the log says what). *state stays NULL on failure. That it computes the
 * CPU's bits is tested with the first pair of pictures, as device.h has it. */
VMAF_EXPORT int vmaf_vulkan_state_init(VmafVulkanState **state, VmafVulkanConfiguration cfg);

/* Works on the caller's device and queue, which stay the caller's and must outlive the state. The
 * device must have been created with timelineSemaphore and shaderInt64 enabled: these handles do not
 * tell, so nobody checks it. vmaf_vulkan_state_init_external_device() does. */
VMAF_EXPORT int vmaf_vulkan_state_init_external(VmafVulkanState **state,
                                                VmafVulkanExternalHandles handles);

/* For a queue that its owner uses, too: called around every submission from now on, and around the wait for an idle
 * queue when state and contexts are gone: whoever frees the last of them does not hold the lock. Before any other use
 * of the state; NULL functions remove them. */
VMAF_EXPORT int vmaf_vulkan_state_set_queue_lock(VmafVulkanState *state, void (*lock)(void *opaque),
                                                 void (*unlock)(void *opaque), void *opaque);

/* How many frames may be under way; 0 for NULL. */
VMAF_EXPORT unsigned vmaf_vulkan_state_max_outstanding_frames(const VmafVulkanState *state);

/* Before features are registered. The state may be freed at any time: a context that uses it keeps it
 * open until vmaf_close. */
VMAF_EXPORT int vmaf_vulkan_import_state(VmafContext *vmaf, VmafVulkanState *state);

/* Waits for outstanding work and sets *state to NULL. NULL and a NULL inside are fine. */
VMAF_EXPORT void vmaf_vulkan_state_free(VmafVulkanState **state);

/* A pool of pictures for vmaf_vulkan_picture_fetch. -EBUSY when the context has one. */
VMAF_EXPORT int vmaf_vulkan_preallocate_pictures(VmafContext *vmaf,
                                                 VmafVulkanPictureConfiguration cfg);
/* From the pool, waiting for a free one; without a pool a plain picture of the context's geometry.
 */
VMAF_EXPORT int vmaf_vulkan_picture_fetch(VmafContext *vmaf, VmafPicture *pic);

/* Queues a copy of the luma plane of a VkImage into the slot of `index`, after the timeline
 * semaphore (0: none) has reached `value`. `format` is the image's VkFormat: plane 0 of a
 * multi-planar one, samples in the high bits of the X6 and X4 formats; 0 means a single-plane R8 or
 * R16 image. `layout` is the image's VkImageLayout, which it has again when
 * vmaf_vulkan_read_imported_pictures returns. */
VMAF_EXPORT int vmaf_vulkan_import_image(VmafVulkanState *state, uintptr_t image, uint32_t format,
                                         uint32_t layout, uintptr_t semaphore, uint64_t value,
                                         unsigned w, unsigned h, unsigned bpc, int is_ref,
                                         unsigned index);
/* Scores the pair imported under `index`; the images are the caller's again when it returns. -ERANGE for
 * samples above the depth, as vmaf_read_pictures has it. */
VMAF_EXPORT int vmaf_vulkan_read_imported_pictures(VmafContext *vmaf, unsigned index);

/* Blocks until no work of this state is in flight. */
VMAF_EXPORT int vmaf_vulkan_wait_compute(VmafVulkanState *state);

/* ---- Additions to the fork's surface. Structs begin with their own size and go by pointer. ----
 */

enum VmafVulkanDeviceType {
    VMAF_VULKAN_DEVICE_TYPE_OTHER = 0, /* the values of VkPhysicalDeviceType */
    VMAF_VULKAN_DEVICE_TYPE_INTEGRATED,
    VMAF_VULKAN_DEVICE_TYPE_DISCRETE,
    VMAF_VULKAN_DEVICE_TYPE_VIRTUAL,
    VMAF_VULKAN_DEVICE_TYPE_SOFTWARE
};

typedef struct VmafVulkanDeviceInfo {
    size_t size; /* in: sizeof(VmafVulkanDeviceInfo) */
    unsigned index;
    enum VmafVulkanDeviceType type;
    uint32_t api_version; /* as Vulkan packs it */
    uint64_t memory;      /* bytes of its own memory */
    uint8_t uuid[16];
    char name[256];
    char driver[256];
    char missing[256]; /* what it lacks to be used here; empty when nothing */
} VmafVulkanDeviceInfo;

/* The index-th device. -ENODEV past the last one; -ENOSYS without a loader. */
VMAF_EXPORT int vmaf_vulkan_device_info(unsigned index, VmafVulkanDeviceInfo *info);
/* The device a state works on. */
VMAF_EXPORT int vmaf_vulkan_state_device_info(const VmafVulkanState *state,
                                              VmafVulkanDeviceInfo *info);

typedef struct VmafVulkanOptions {
    size_t size;        /* sizeof(VmafVulkanOptions) */
    const char *device; /* index, UUID, or part of a name (case aside); NULL: choose */
    int allow_software; /* when choosing: a software device will do */
    int enable_validation;
    unsigned max_outstanding_frames; /* as in VmafVulkanConfiguration */
    int quiet;                       /* -ENOSYS and -ENODEV without a word in the log */
} VmafVulkanOptions;

/* As vmaf_vulkan_state_init; a device named wrongly or twice is -ENODEV, and the log says so. */
VMAF_EXPORT int vmaf_vulkan_state_init_with_options(VmafVulkanState **state,
                                                    const VmafVulkanOptions *options);

/* A picture in images of the caller, chroma included. Either one multi-planar image, or one image
 * for each plane, or two (luma; Cb and Cr side by side). */
typedef struct VmafVulkanImage {
    size_t size;              /* sizeof(VmafVulkanImage) */
    uintptr_t image[3];       /* 0 where there is none */
    uint32_t format;          /* VkFormat of image[0]; 0: R8 or R16, samples in the low bits */
    uint32_t layout[3];       /* VkImageLayout of each: the same afterwards */
    uintptr_t semaphore[3];   /* timeline semaphores; 0: none */
    uint64_t wait_value[3];   /* waited for before the images are read */
    uint64_t signal_value[3]; /* signalled when they are no longer needed; 0: not signalled */
    unsigned w, h, bpc;
    enum VmafPixelFormat pix_fmt; /* what to take: YUV400P takes luma only */
    int is_ref;
    unsigned index;    /* for vmaf_vulkan_read_imported_pictures */
    VmafContext *vmaf; /* whose picture it is; NULL: of the only context that uses the state */
} VmafVulkanImage;
VMAF_EXPORT int vmaf_vulkan_import_picture(VmafVulkanState *state, const VmafVulkanImage *image);

enum VmafVulkanMemoryType {
    VMAF_VULKAN_MEMORY_OPAQUE_FD = 1, /* of the same driver and device */
    VMAF_VULKAN_MEMORY_DMABUF,        /* linear */
    VMAF_VULKAN_MEMORY_WIN32          /* an NT handle; on Windows only */
};

/* A picture in memory that another API or process shares: planes of rows, samples in the low bits.
 */
typedef struct VmafVulkanMemory {
    size_t size; /* sizeof(VmafVulkanMemory) */
    enum VmafVulkanMemoryType type;
    intptr_t handle; /* stays the caller's, who must have finished writing */
    uint64_t bytes;  /* the size of the allocation */
    uint64_t offset[3], stride[3];
    unsigned w, h, bpc;
    enum VmafPixelFormat pix_fmt;
    int is_ref;
    unsigned index;
    VmafContext *vmaf; /* as in VmafVulkanImage */
} VmafVulkanMemory;
/* -ENOTSUP where the driver cannot import such memory: copy through vmaf_vulkan_picture_fetch then.
 */
VMAF_EXPORT int vmaf_vulkan_import_memory(VmafVulkanState *state, const VmafVulkanMemory *memory);

/* ---- frames of another user of Vulkan, such as FFmpeg's AVVkFrame ----
 *
 *     VmafVulkanState *state;                 once a device
 *     vmaf_vulkan_state_init_external_device(&state, &(VmafVulkanExternalDevice){ … });
 *     vmaf_vulkan_import_state(vmaf, state);  each context that scores on it
 *     …                                       models and features
 *     vmaf_vulkan_can_import(state, &frame, why, sizeof(why));    once, before the first pair
 *     vmaf_vulkan_read_frames(vmaf, &ref, &dist, index);          each pair
 *     vmaf_read_pictures(vmaf, NULL, NULL, 0);
 *     vmaf_close(vmaf);
 *     vmaf_vulkan_state_free(&state);         before the device is destroyed; waits until its queues are idle
 */

/* A device that the caller made and keeps. It must outlive the state and all contexts that use it. */
typedef struct VmafVulkanExternalDevice {
    size_t size; /* sizeof(VmafVulkanExternalDevice) */
    uintptr_t instance, physical_device, device;

    /* PFN_vkGetInstanceProcAddr, through which every function is found; 0: the system's loader. */
    uintptr_t get_instance_proc_addr;
    uint32_t api_version; /* VkApplicationInfo.apiVersion of the instance; 0: what the device has */

    /* Created with the device: one queue of a family that computes and, where it helps, one for copies
     * from memory of the host. */
    uint32_t queue_family, queue_index;
    int has_transfer_queue;
    uint32_t transfer_family, transfer_index;

    /* Called around every submission, the first one included, with the queue that is used, and around the wait for
     * an idle queue when state and contexts are gone: whoever frees the last of them does not hold the lock. NULL:
     * nobody else uses these queues while the library does. Called by several threads. */
    void (*lock_queue)(void *opaque, uint32_t family, uint32_t index);
    void (*unlock_queue)(void *opaque, uint32_t family, uint32_t index);
    void *lock_opaque;

    /* The VkPhysicalDeviceFeatures2, with its pNext chain, that the device was created with. Must enable
     * shaderInt64 and (in VkPhysicalDeviceTimelineSemaphoreFeatures or VkPhysicalDeviceVulkan12Features)
     * timelineSemaphore. Where shaderFloat64 is enabled it may be used. Read during the call only. */
    const void *features;
    /* The device extensions that were enabled. VK_KHR_timeline_semaphore must be among them where
     * api_version is below 1.2. Read during the call only. */
    const char *const *extensions;
    unsigned extension_count;

    unsigned max_outstanding_frames; /* 0: 4; at most 32 */
    int required;         /* as in VmafDeviceOptions: the CPU never takes over what has GPU code */
    uint32_t queue_flags; /* VkDeviceQueueCreateFlags that the queues were created with */
} VmafVulkanExternalDevice;

/* As vmaf_vulkan_state_init(). -EINVAL: a handle, `features` or one lock function is missing, or the family
 * has no compute; -ENOTSUP: the device was made without something that is needed; the log says what. May be called while other threads use the device, given lock functions. */
VMAF_EXPORT int vmaf_vulkan_state_init_external_device(VmafVulkanState **state,
                                                       const VmafVulkanExternalDevice *device);

#define VMAF_VULKAN_QUEUE_FAMILY_IGNORED UINT32_MAX        /* VK_QUEUE_FAMILY_IGNORED */
#define VMAF_VULKAN_QUEUE_FAMILY_EXTERNAL (UINT32_MAX - 1) /* VK_QUEUE_FAMILY_EXTERNAL */

/* A picture in VkImages of the state's device: a multi-planar one, or one for each plane, or two (luma;
 * Cb and Cr side by side in R8G8 or R16G16), or luma alone.
 *
 * Images must have been created with VK_IMAGE_USAGE_TRANSFER_SRC_BIT, in any tiling, 2D, with one sample;
 * mip level 0 is read. They are only read: layout, owner and content are afterwards what they were, and no
 * access of ours is left that anyone must wait for but by the semaphore. Earlier accesses need not be named: all
 * that the semaphores tell of are waited for. */
typedef struct VmafVulkanFrame {
    size_t size; /* sizeof(VmafVulkanFrame) */

    /* The picture: one that differs from the context's first one in these is refused with -EINVAL. */
    unsigned w, h;                /* in luma samples */
    unsigned bpc;                 /* bits of a sample: 8 to 16 */
    enum VmafPixelFormat pix_fmt; /* what to take: YUV400P takes luma only */

    /* Where it lies. */
    unsigned x, y;        /* its corner in the images, in luma samples: whole chroma samples */
    uint32_t array_layer; /* of every image */
    /* Bits below the sample in its word: 6 for P010, whose images are R16 and R16G16. 0: what the format says,
     * which is 6 for …X6, 4 for …X4 and 0 for others. */
    unsigned shift;
    uintptr_t image[3]; /* VkImage; 0 where there is none */
    uint32_t format[3]; /* VkFormat of each; 0 where there is none */
    uint32_t layout[3]; /* VkImageLayout of each, never UNDEFINED */
    int concurrent;     /* they are of VK_SHARING_MODE_CONCURRENT, our queue's family included */
    /* Who owns each. VMAF_VULKAN_QUEUE_FAMILY_IGNORED, the family of our queue, or any family when they are
     * `concurrent`: there is nothing to do. EXTERNAL, FOREIGN or another family: acquired from there and
     * released back to it. Such an owner must have released it to our family with oldLayout and newLayout
     * both `layout`, and acquires it again likewise. */
    uint32_t queue_family[3];
    uintptr_t semaphore[3];   /* timeline semaphores; 0: none */
    uint64_t wait_value[3];   /* waited for, on the device, before any of the images is used */
    uint64_t signal_value[3]; /* signalled when none of them is needed any more; 0: not signalled */

    /* Called when the device has read the images, and they may be destroyed or written; NULL: nobody. Once for
     * each call of vmaf_vulkan_read_frames(), whatever that returns; by any thread, maybe before it returns and at
     * the latest while vmaf_close() runs. No lock is held meanwhile. It must not call the library for this
     * context. */
    void (*release)(void *opaque);
    void *release_opaque;

    /* Out: whether the semaphores have been given to the device, which signals them; so it may be even when
     * an error is returned. 0: nothing was submitted, semaphores and images are as they were. */
    int submitted;
} VmafVulkanFrame;

/* Scores the pair, as vmaf_read_pictures() does. Returns without waiting for the device, unless as many pairs
 * are under way as the state has outstanding frames, or a feature runs on the CPU and needs the samples there.
 * The copies go into the memory that kernels read, nowhere else. Both frames may be the same, with the same
 * semaphores and values: these are waited for and signalled once.
 *
 * -EINVAL: the pair cannot be what it is said to be (the log says why), or the context uses no Vulkan state;
 * -ENOTSUP: the device cannot copy out of images of such a format. Both leave the context as it was. Samples
 * above `bpc` (-ERANGE) are found when the pair is scored: this read, a later one or the flush fails then, as
 * with every error of a device (-EIO, -ENOMEM). The caller that stops then still calls vmaf_close(), which waits
 * for what is under way. -EINVAL for NULL or a wrong size: nothing is released. */
VMAF_EXPORT int vmaf_vulkan_read_frames(VmafContext *vmaf, VmafVulkanFrame *ref,
                                        VmafVulkanFrame *dist, unsigned index);

/* Whether frames like this one can be read: looks at the picture, `x`, `y`, `shift` and `format` and nothing
 * else. 0, or -EINVAL and -ENOTSUP as vmaf_vulkan_read_frames() has them, with the reason in `why` (may be
 * NULL) in place of the log. */
VMAF_EXPORT int vmaf_vulkan_can_import(const VmafVulkanState *state, const VmafVulkanFrame *frame,
                                       char *why, size_t why_size);

/* How many messages the validation layers have given; 0 without enable_validation. */
VMAF_EXPORT unsigned vmaf_vulkan_validation_messages(const VmafVulkanState *state);

#ifdef __cplusplus
}
#endif

#endif
