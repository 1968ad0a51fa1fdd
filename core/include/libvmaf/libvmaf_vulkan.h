/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Scoring on a GPU through Vulkan compute.
 *
 * Handles are passed as uintptr_t and Vulkan's enums as uint32_t, so that no Vulkan header is
 * needed here. All functions exist in every build: without the backend they return -ENOSYS.
 * Functions that return int return 0 (or a count) or a negative errno.
 *
 *     VmafVulkanState *state;
 *     vmaf_vulkan_state_init(&state, (VmafVulkanConfiguration){ .device_index = -1 });
 *     vmaf_vulkan_import_state(vmaf, state);      before features and models are registered
 *     …                                           as on the CPU
 *     vmaf_close(vmaf);
 *     vmaf_vulkan_state_free(&state);
 *
 * Features with GPU code run on the state's device. If one cannot, the first pair fails, with the
 * reason in the log, unless the program allowed the CPU (fallback_cpu). Features without GPU code
 * run on the CPU. Reports say where each one ran. */
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

/* A device and its queues. Several contexts, on several threads, may use it at once. Imported
 * pictures belong to a context; two threads may import both sides of a pair at once. */
typedef struct VmafVulkanState VmafVulkanState;

typedef struct VmafVulkanConfiguration {
    /* Index in the list of devices; -1: the first real GPU. A software device is refused, also by
     * its index, unless VMAF_ALLOW_SOFTWARE=1 is set in the environment: use VmafVulkanOptions to
     * allow it. */
    int device_index;
    int enable_validation;           /* log messages of the validation layers */
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

/* 1 when the backend is part of this build. Calls no driver. */
VMAF_EXPORT int vmaf_vulkan_available(void);

/* Prints one line for each device on stdout: index, name, API version. Returns their number. */
VMAF_EXPORT int vmaf_vulkan_list_devices(void);

/* -ENOSYS: no Vulkan loader; -ENODEV: no device, or only a software device; -EINVAL: no such index;
 * -ENOTSUP: the device lacks a requirement, which the log names. *state is NULL on failure. The
 * first pair of pictures tests that the device's results equal the CPU's, see vmaf_device_open() in
 * device.h. */
VMAF_EXPORT int vmaf_vulkan_state_init(VmafVulkanState **state, VmafVulkanConfiguration cfg);

/* Works on the caller's device and queue, which the caller keeps and which must outlive the state.
 * A software device that the caller opened is used, with a warning in the log.
 * The device must have been created with timelineSemaphore and shaderInt64 enabled: that cannot be
 * checked with these handles. vmaf_vulkan_state_init_external_device() checks it. */
VMAF_EXPORT int vmaf_vulkan_state_init_external(VmafVulkanState **state,
                                                VmafVulkanExternalHandles handles);

/* Sets lock functions for a queue that its owner uses, too. They are called around every submission
 * from now on, and around the wait for an idle queue when the state and its contexts are freed: the
 * thread that frees the last of them must not hold the lock. Call it before any other use of the
 * state; NULL removes the functions. */
VMAF_EXPORT int vmaf_vulkan_state_set_queue_lock(VmafVulkanState *state, void (*lock)(void *opaque),
                                                 void (*unlock)(void *opaque), void *opaque);

/* The number of frames that may be under way; 0 for NULL. */
VMAF_EXPORT unsigned vmaf_vulkan_state_max_outstanding_frames(const VmafVulkanState *state);

/* Makes a context use the state; call it before registering features. The state may be freed at any
 * time: a context that uses it keeps it open until vmaf_close. */
VMAF_EXPORT int vmaf_vulkan_import_state(VmafContext *vmaf, VmafVulkanState *state);

/* Frees the state, after waiting for outstanding work, and sets *state to NULL. `state` and *state
 * may be NULL. */
VMAF_EXPORT void vmaf_vulkan_state_free(VmafVulkanState **state);

/* Makes a pool of pictures for vmaf_vulkan_picture_fetch. -EBUSY when the context has one. */
VMAF_EXPORT int vmaf_vulkan_preallocate_pictures(VmafContext *vmaf,
                                                 VmafVulkanPictureConfiguration cfg);
/* A picture from the pool, after waiting for a free one; without a pool a plain picture of the
 * context's shape. */
VMAF_EXPORT int vmaf_vulkan_picture_fetch(VmafContext *vmaf, VmafPicture *pic);

/* Queues a copy of the luma plane of a VkImage into the slot of `index`, after the timeline
 * semaphore (0: none) has reached `value`. `format` is the image's VkFormat: plane 0 of a
 * multi-planar one, samples in the high bits of the X6 and X4 formats; 0 means a single-plane R8 or
 * R16 image. `layout` is the image's VkImageLayout; the image has it again
 * when vmaf_vulkan_read_imported_pictures returns. */
VMAF_EXPORT int vmaf_vulkan_import_image(VmafVulkanState *state, uintptr_t image, uint32_t format,
                                         uint32_t layout, uintptr_t semaphore, uint64_t value,
                                         unsigned w, unsigned h, unsigned bpc, int is_ref,
                                         unsigned index);
/* Scores the pair imported under `index`; the caller may reuse the images when it returns. -ERANGE
 * for samples above the depth, like vmaf_read_pictures. */
VMAF_EXPORT int vmaf_vulkan_read_imported_pictures(VmafContext *vmaf, unsigned index);

/* Blocks until no work of this state is in flight. */
VMAF_EXPORT int vmaf_vulkan_wait_compute(VmafVulkanState *state);

/* ---- Additions. Structs begin with their own size and are passed by pointer. ---- */

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
    char missing[256]; /* requirements it lacks; empty when none */
} VmafVulkanDeviceInfo;

/* The index-th device. -ENODEV past the last one; -ENOSYS without a loader. */
VMAF_EXPORT int vmaf_vulkan_device_info(unsigned index, VmafVulkanDeviceInfo *info);
/* The device a state works on. */
VMAF_EXPORT int vmaf_vulkan_state_device_info(const VmafVulkanState *state,
                                              VmafVulkanDeviceInfo *info);

typedef struct VmafVulkanOptions {
    size_t size;        /* sizeof(VmafVulkanOptions) */
    const char *device; /* number, UUID, PCI address or part of a name; NULL: the first real GPU */
    int allow_software; /* as in VmafDeviceOptions */
    int enable_validation;
    unsigned max_outstanding_frames; /* as in VmafVulkanConfiguration */
    /* Not 0: do not log the errors -ENOSYS and -ENODEV, nor which features run on the CPU because
     * they have no GPU code. */
    int quiet;
    int fallback_cpu; /* as in VmafDeviceOptions */
} VmafVulkanOptions;

/* Like vmaf_vulkan_state_init; -ENODEV (logged) when no device, or more than one, has the name. */
VMAF_EXPORT int vmaf_vulkan_state_init_with_options(VmafVulkanState **state,
                                                    const VmafVulkanOptions *options);

/* A picture in images of the caller, with chroma: one multi-planar image, or one image for each
 * plane, or two (luma; Cb and Cr side by side). */
typedef struct VmafVulkanImage {
    size_t size;              /* sizeof(VmafVulkanImage) */
    uintptr_t image[3];       /* 0: none */
    uint32_t format;          /* VkFormat of image[0]; 0: R8 or R16, samples in the low bits */
    uint32_t layout[3];       /* VkImageLayout of each, which does not change */
    uintptr_t semaphore[3];   /* timeline semaphores; 0: none */
    uint64_t wait_value[3];   /* waited for before reading */
    uint64_t signal_value[3]; /* signalled after reading; 0: no signal */
    unsigned w, h, bpc;
    enum VmafPixelFormat pix_fmt; /* the planes to read: YUV400P reads luma only */
    int is_ref;
    unsigned index;    /* for vmaf_vulkan_read_imported_pictures */
    VmafContext *vmaf; /* the picture's context; NULL: the only one that uses the state */
} VmafVulkanImage;
VMAF_EXPORT int vmaf_vulkan_import_picture(VmafVulkanState *state, const VmafVulkanImage *image);

enum VmafVulkanMemoryType {
    VMAF_VULKAN_MEMORY_OPAQUE_FD = 1, /* from the same driver and device */
    VMAF_VULKAN_MEMORY_DMABUF,        /* linear */
    VMAF_VULKAN_MEMORY_WIN32          /* an NT handle; on Windows only */
};

/* A picture in memory shared by another API or process: planes of rows, samples in the low bits. */
typedef struct VmafVulkanMemory {
    size_t size; /* sizeof(VmafVulkanMemory) */
    enum VmafVulkanMemoryType type;
    intptr_t handle; /* the caller keeps it, and has finished writing */
    uint64_t bytes;  /* the size of the allocation */
    uint64_t offset[3], stride[3];
    unsigned w, h, bpc;
    enum VmafPixelFormat pix_fmt;
    int is_ref;
    unsigned index;
    VmafContext *vmaf; /* as in VmafVulkanImage */
} VmafVulkanMemory;
/* -ENOTSUP where the driver cannot import this kind of memory: then copy the samples into pictures
 * of vmaf_vulkan_picture_fetch. */
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
 *     vmaf_vulkan_state_free(&state);         before the device is destroyed; waits for idle queues
 */

/* A device of the caller. It must outlive the state and all contexts that use it. */
typedef struct VmafVulkanExternalDevice {
    size_t size; /* sizeof(VmafVulkanExternalDevice) */
    uintptr_t instance, physical_device, device;

    /* PFN_vkGetInstanceProcAddr, through which every function is found; 0: the system's loader. */
    uintptr_t get_instance_proc_addr;
    uint32_t api_version; /* VkApplicationInfo.apiVersion of the instance; 0: what the device has */

    /* Created with the device: one queue of a family that computes and, where it helps, one for
     * copies from memory of the host. */
    uint32_t queue_family, queue_index;
    int has_transfer_queue;
    uint32_t transfer_family, transfer_index;

    /* Called by several threads, with the queue in question, around every submission and around the
     * wait for an idle queue when the state and its contexts are freed: the thread that frees the
     * last of them must not hold the lock. NULL: nobody else uses these queues while the library
     * does. */
    void (*lock_queue)(void *opaque, uint32_t family, uint32_t index);
    void (*unlock_queue)(void *opaque, uint32_t family, uint32_t index);
    void *lock_opaque;

    /* The VkPhysicalDeviceFeatures2, with its pNext chain, that the device was created with. Must
     * enable shaderInt64 and (in VkPhysicalDeviceTimelineSemaphoreFeatures or
     * VkPhysicalDeviceVulkan12Features) timelineSemaphore. If shaderFloat64 is enabled, the library
     * may use it. Read during the call only. */
    const void *features;
    /* The device extensions that were enabled. VK_KHR_timeline_semaphore must be among them where
     * api_version is below 1.2. Read during the call only. */
    const char *const *extensions;
    unsigned extension_count;

    unsigned max_outstanding_frames; /* 0: 4; at most 32 */
    int required;                    /* as in VmafDeviceOptions */
    uint32_t queue_flags; /* VkDeviceQueueCreateFlags that the queues were created with */
    int fallback_cpu;     /* as in VmafDeviceOptions */
} VmafVulkanExternalDevice;

/* Like vmaf_vulkan_state_init(). -EINVAL: a handle, `features` or one of two lock functions is
 * missing, or the queue family has no compute; -ENOTSUP: the device was created without a
 * requirement, which the log names. With lock functions, other threads may use the device during
 * the call. */
VMAF_EXPORT int vmaf_vulkan_state_init_external_device(VmafVulkanState **state,
                                                       const VmafVulkanExternalDevice *device);

#define VMAF_VULKAN_QUEUE_FAMILY_IGNORED UINT32_MAX        /* VK_QUEUE_FAMILY_IGNORED */
#define VMAF_VULKAN_QUEUE_FAMILY_EXTERNAL (UINT32_MAX - 1) /* VK_QUEUE_FAMILY_EXTERNAL */

/* A picture in VkImages of the state's device: a multi-planar one, or one for each plane, or two
 * (luma; Cb and Cr side by side in R8G8 or R16G16), or luma alone.
 *
 * Images must have been created with VK_IMAGE_USAGE_TRANSFER_SRC_BIT, in any tiling, 2D, with one
 * sample; mip level 0 is read. They are only read: layout, owner and content do not change. To use
 * an image again, waiting for the signalled semaphores is enough. The library waits for all work
 * that the semaphores' wait values stand for, so earlier accesses need not be described. */
typedef struct VmafVulkanFrame {
    size_t size; /* sizeof(VmafVulkanFrame) */

    /* The picture. -EINVAL if it differs from the context's first one in these fields. */
    unsigned w, h;                /* in luma samples */
    unsigned bpc;                 /* bits of a sample: 8 to 16 */
    enum VmafPixelFormat pix_fmt; /* the planes to read: YUV400P reads luma only */

    /* Its position in the images. */
    unsigned x, y;        /* top left corner, in luma samples: on a whole chroma sample */
    uint32_t array_layer; /* array layer of every image */
    /* Bits below the sample in its word: 6 for P010, whose images are R16 and R16G16. 0: as the
     * format implies, 6 for …X6, 4 for …X4 and 0 for others. */
    unsigned shift;
    uintptr_t image[3]; /* VkImage; 0: none */
    uint32_t format[3]; /* VkFormat of each; 0: none */
    uint32_t layout[3]; /* VkImageLayout of each, never UNDEFINED */
    int concurrent;     /* VK_SHARING_MODE_CONCURRENT, with our queue's family */
    /* The owner of each image. VMAF_VULKAN_QUEUE_FAMILY_IGNORED, the family of our queue, or any
     * family for `concurrent` images: no ownership transfer. EXTERNAL, FOREIGN or another family:
     * the library acquires the image from there and releases it back. That owner must have released
     * it to our family with oldLayout and newLayout both `layout`, and must acquire it again in the
     * same way. */
    uint32_t queue_family[3];
    uintptr_t semaphore[3];   /* timeline semaphores; 0: none */
    uint64_t wait_value[3];   /* waited for, on the device, before any image is used */
    uint64_t signal_value[3]; /* signalled when no image is needed any more; 0: no signal */

    /* Called when the device has read the images, so that they may be destroyed or written; may be
     * NULL. Called once for each call of vmaf_vulkan_read_frames(), whatever that returns; on any
     * thread, maybe before it returns and at the latest while vmaf_close() runs. No lock is held
     * meanwhile. It must not call the library for this context. */
    void (*release)(void *opaque);
    void *release_opaque;

    /* Set by the call. Not 0: the device has the semaphores and will signal them, maybe even after
     * an error. 0: nothing was submitted, and semaphores and images are unchanged. */
    int submitted;
} VmafVulkanFrame;

/* Scores the pair, like vmaf_read_pictures(). Returns without waiting for the device, unless all
 * its outstanding frames are in use, or a feature runs on the CPU and needs the samples there. The
 * frames are copied directly into the memory that kernels read. Both frames may be the same, with
 * the same semaphores and values: these are waited for and signalled once.
 *
 * -EINVAL: the description of the pair is invalid (the log says why), or the context uses no Vulkan
 * state; -ENOTSUP: the device cannot copy from images of this format. Both leave the context
 * unchanged. Samples above `bpc` (-ERANGE) are found when the pair is scored: then this read, a
 * later one or the flush fails, as with every error of a device (-EIO, -ENOMEM). A caller that
 * stops then must still call vmaf_close(), which waits for work under way. -EINVAL for NULL or a
 * wrong size: `release` is not called. */
VMAF_EXPORT int vmaf_vulkan_read_frames(VmafContext *vmaf, VmafVulkanFrame *ref,
                                        VmafVulkanFrame *dist, unsigned index);

/* Can frames like this one be read? Checks only the picture, `x`, `y`, `shift` and `format`. 0, or
 * -EINVAL and -ENOTSUP as from vmaf_vulkan_read_frames(), with the reason in `why` (may be NULL)
 * instead of the log. */
VMAF_EXPORT int vmaf_vulkan_can_import(const VmafVulkanState *state, const VmafVulkanFrame *frame,
                                       char *why, size_t why_size);

/* ---- surfaces of another API, read in place: VA-API on Linux, D3D11 on Windows ----
 *
 *     VmafVulkanSurface *surface;                       once for each surface of the decoder
 *     vmaf_vulkan_surface_open(&surface, state, &(VmafVulkanSurfaceInfo){ … });
 *     VmafVulkanFrame frame = { .size = sizeof(frame), … };      each picture in it
 *     vmaf_vulkan_surface_fill(surface, &frame);
 *     vmaf_vulkan_read_frames(vmaf, &ref, &frame, index);
 *     vmaf_vulkan_surface_close(&surface);              when no frame in it is read any more
 *
 * Tiled surfaces stay tiled: the device reads them as images. */

/* Memory of another API, opened as images of a state's device. One thread at a time may use it. */
typedef struct VmafVulkanSurface VmafVulkanSurface;

enum VmafVulkanSurfaceType {
    VMAF_VULKAN_SURFACE_DMABUF = 1, /* with a DRM format modifier; on Linux */
    VMAF_VULKAN_SURFACE_D3D11       /* an ID3D11Texture2D; on Windows */
};

/* The description of a surface. For a dma-buf it has the parts of VA-API's
 * VADRMPRIMESurfaceDescriptor and of FFmpeg's AVDRMFrameDescriptor. */
typedef struct VmafVulkanSurfaceInfo {
    size_t size; /* sizeof(VmafVulkanSurfaceInfo) */
    enum VmafVulkanSurfaceType type;
    unsigned w, h; /* allocated size in luma samples, often larger than the picture */
    enum VmafPixelFormat pix_fmt;
    /* Blocks of memory. `handle`: a dma-buf's file descriptor, or the NT handle of a shared
     * texture (IDXGIResource1::CreateSharedHandle). The caller keeps it and may close it after the
     * call. */
    unsigned objects; /* 1 for a texture */
    struct {
        intptr_t handle;
        uint64_t bytes; /* 0: ask the system; not used for textures */
    } object[4];
    uint64_t modifier; /* DRM format modifier of all objects; not used for textures */
    /* One layer with all planes, such as NV12, or one layer for each plane, such as R8 and GR88. */
    unsigned layers; /* 1 for a texture */
    struct {
        uint32_t format; /* DRM fourcc code; for a texture: DXGI_FORMAT */
        /* Number of planes in memory, including those of compression data if the modifier has them.
         * Not used for textures. */
        unsigned planes;
        struct {
            unsigned object;
            uint64_t offset, stride;
        } plane[4];
    } layer[3];
    /* Number of slices of a texture; 0 means 1. VmafVulkanFrame.array_layer chooses one. */
    unsigned array_size;
} VmafVulkanSurfaceInfo;

/* Opens a surface. -ENOTSUP (logged): the device cannot read surfaces of this kind, format or
 * modifier; linear ones may work with vmaf_vulkan_import_memory(). -EINVAL: the description is
 * invalid, or the memory is too small; the reason is logged unless a pointer is NULL or `size` is
 * too small. *surface is NULL on failure. The state must outlive the surface. */
VMAF_EXPORT int vmaf_vulkan_surface_open(VmafVulkanSurface **surface, VmafVulkanState *state,
                                         const VmafVulkanSurfaceInfo *info);

/* Fills in `image`, `format`, `layout`, `concurrent` and `queue_family` of a frame in this surface.
 * The caller fills in the rest: the picture and its position, and for P010 in layers of R16 and
 * GR32 also `shift`. For a dma-buf the function waits until all writes that the kernel knows of
 * have finished; -ETIMEDOUT (logged) after ten seconds. The writer of a texture must have finished
 * before the call (ID3D11DeviceContext::Flush and an event query). Nobody may write to the surface
 * until the frame's `release` is called. */
VMAF_EXPORT int vmaf_vulkan_surface_fill(const VmafVulkanSurface *surface, VmafVulkanFrame *frame);

/* Closes the surface and sets *surface to NULL. `surface` and *surface may be NULL. */
VMAF_EXPORT void vmaf_vulkan_surface_close(VmafVulkanSurface **surface);

/* The number of messages from the validation layers; 0 without enable_validation. */
VMAF_EXPORT unsigned vmaf_vulkan_validation_messages(const VmafVulkanState *state);

#ifdef __cplusplus
}
#endif

#endif
