/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Inside of the Vulkan backend: what its files share. */
#ifndef VULKAN_VK_H
#define VULKAN_VK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/log.h"
#include "gpu/backend.h"
#include "gpu/backend/vulkan/loader.h"
#include "gpu/import.h"
#include "libvmaf/libvmaf_vulkan.h"

/* ---- instance.c ---- */

typedef struct VulkanInstance {
    VkInst vki;
    VkInstance handle;
    VkDebugUtilsMessengerEXT messenger;
    atomic_uint messages; /* of the validation layers, errors and warnings */
} VulkanInstance;

/* -ENOSYS without a loader. With `validation` the layers must be installed (-ENOTSUP). */
int vulkan_instance_create(VulkanInstance **out, bool validation);
void vulkan_instance_destroy(VulkanInstance *instance);

/* What can be chosen: compute-capable devices, discrete first, then integrated, virtual, others, CPU;
 * driver order within a kind. */
typedef struct VulkanProbe {
    GpuProbe gpu;
    VulkanInstance *instance; /* NULL once a device was opened, which then owns it */
    VkPhysicalDevice *handles;
} VulkanProbe;

int vulkan_probe(const GpuBackend *backend, bool validation, GpuProbe **out);
void vulkan_probe_end(GpuProbe *probe);
void vulkan_describe(const VkInst *vki, VkPhysicalDevice handle, GpuDeviceInfo *out);
/* Of the device, enabled or not. */
bool vulkan_has_extension(const VkInst *vki, VkPhysicalDevice handle, const char *name);

/* ---- memory.c, or memory_vma.c ---- */

typedef struct VulkanMemory VulkanMemory;

typedef struct VulkanBlock VulkanBlock;
typedef struct VulkanAllocation {
    VulkanBlock *block;
    VkDeviceMemory memory;
    VkDeviceSize offset, size;
    void *host;
} VulkanAllocation;

/* ---- device.c ---- */

typedef struct VulkanQueue {
    VkQueue handle;
    uint32_t family, index;
    bool copies_only;
    VkSemaphore timeline;
    uint64_t submitted;    /* guarded by *lock */
    pthread_mutex_t *lock; /* both GpuQueues may stand for one VkQueue */
} VulkanQueue;

typedef struct VulkanKernel VulkanKernel;

/* For queues that somebody else uses, too: called around each submission, and the wait for an idle queue. NULL: nobody
 * does. */
typedef struct VulkanLock {
    void (*lock)(void *opaque, uint32_t family, uint32_t index);
    void (*unlock)(void *opaque, uint32_t family, uint32_t index);
    void *opaque;
} VulkanLock;

typedef struct VulkanDevice {
    GpuDevice gpu;
    VulkanInstance *instance; /* NULL when borrowed */
    VkInstance instance_handle;
    VkInst vki;
    VkDev vkd;
    VkPhysicalDevice physical;
    VkDevice handle;
    bool borrowed; /* the caller's device: never destroyed here */
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory_types;
    VulkanQueue queues[GPU_QUEUES]; /* by enum GpuQueue; those that the device lacks are empty */
    pthread_mutex_t queue_locks[GPU_QUEUES];
    atomic_bool lost;
    bool imports_opaque, imports_dmabuf; /* memory of others */
    bool imports_pages;                  /* memory of the process */
    bool trusts_kernels;                 /* may be told not to check what they read */
    bool has_doubles;                    /* shaderFloat64 is enabled */

    VulkanLock lock;
    void (*plain_lock)(void *opaque), (*plain_unlock)(void *opaque); /* what it may call */
    void *plain_opaque;

    VulkanMemory *memory;

    pthread_mutex_t kernels_lock;
    VulkanKernel *kernels; /* list */
    VkPipelineCache cache;
    size_t cache_size;        /* when it was opened, as the driver counts */
    bool cache_changed;       /* perhaps: kernels were made, of it or of nothing */
    struct VulkanPool *pools; /* descriptor pools, list */
} VulkanDevice;

/* That are enabled on a device, as far as that is known. */
typedef struct VulkanExtensions {
    bool known;
    const char *const *names;
    unsigned count;
} VulkanExtensions;

/* A device that its owner keeps. */
typedef struct VulkanBorrowed {
    PFN_vkGetInstanceProcAddr find; /* NULL: the loader's */
    VkInstance instance;
    VkDevice handle;
    uint32_t family[2], index[2];   /* by enum GpuQueue */
    VkDeviceQueueCreateFlags flags; /* that these were created with */
    VkQueue queue;                  /* in place of both; NULL: they are asked for */
    VulkanLock lock;
    VulkanExtensions extensions;
    bool has_doubles; /* shaderFloat64 is known to be enabled */
} VulkanBorrowed;

typedef struct VulkanDeviceParams {
    VulkanInstance *instance; /* taken over, also on failure; NULL for a borrowed device */
    VkPhysicalDevice physical;
    const VulkanBorrowed *borrowed; /* NULL: one is opened */
    GpuExpected expected;
} VulkanDeviceParams;

int vulkan_device_create(VulkanDevice **out, const VulkanDeviceParams *params);

/* ---- queues.c ---- */

typedef struct VulkanQueueChoice {
    uint32_t family[2], index[2]; /* by enum GpuQueue */
    /* Compute queue i, from 1 on, is queue index[GPU_TRANSFER] + i of the first family. */
    unsigned compute_queues;
} VulkanQueueChoice;

void vulkan_queues_choose(VulkanQueueChoice *choice, const VkQueueFamilyProperties *families,
                          uint32_t count, const GpuExpected *expected, const GpuTuning *tuning);

/* ---- doubles.c ---- */

bool vulkan_has_doubles(const VulkanDevice *dev); /* enabled or not */
bool vulkan_has_fast_doubles(const VulkanDevice *dev);

/* ---- borrow.c ---- */

typedef struct VmafVulkanExternalDevice VmafVulkanExternalDevice;
/* -EINVAL and -ENOTSUP (logged) for a device that cannot be used; else what to create it with. */
int vulkan_check_external(const VmafVulkanExternalDevice *device, VulkanBorrowed *borrowed);

/* Logs a failed call and gives the errno for it. */
int vulkan_error(VulkanDevice *dev, const char *call, VkResult result);
#define VK_TRY(dev, function, ...)                                                                 \
    do {                                                                                           \
        const VkResult result_ = (dev)->vkd.function(__VA_ARGS__);                                 \
        if (result_ < 0) {                                                                         \
            err = vulkan_error(dev, "vk" #function, result_);                                      \
            goto error;                                                                            \
        }                                                                                          \
    } while (0)

/* The same for what makes an object of the device. Drivers may leave anything where they failed to make one: it is
 * nothing then, so that nobody destroys it. */
#define VK_MAKE(dev, function, info, out)                                                          \
    do {                                                                                           \
        const VkResult result_ = (dev)->vkd.function((dev)->handle, info, NULL, out);              \
        if (result_ < 0) {                                                                         \
            *(out) = VK_NULL_HANDLE;                                                               \
            err = vulkan_error(dev, "vk" #function, result_);                                      \
            goto error;                                                                            \
        }                                                                                          \
    } while (0)

int vulkan_submit(GpuDevice *gpu, const GpuSubmit *submit, GpuPoint *done);
int vulkan_wait(GpuDevice *gpu, GpuPoint point, uint64_t timeout_ns);
int vulkan_drain(GpuDevice *gpu);
/* Before a semaphore is destroyed: a point is reached before the thread that reached it lets go of the semaphore.
 * Mesa's does so a moment later. An error (logged): it may still be held. */
int vulkan_await_idle(VulkanDevice *dev);

int vulkan_memory_create(VulkanMemory **out, VulkanDevice *dev);
void vulkan_memory_destroy(VulkanMemory *memory);
/* Thread-safe. Mapped when `kind` is not GPU_DEVICE. */
int vulkan_memory_alloc(VulkanMemory *memory, const VkMemoryRequirements *needs,
                        enum GpuMemory kind, VulkanAllocation *out);
void vulkan_memory_free(VulkanMemory *memory, VulkanAllocation *allocation);

/* ---- buffer.c ---- */

typedef struct VulkanBuffer {
    GpuBuffer gpu;
    VkBuffer handle;
    VulkanAllocation allocation;
    VkDeviceMemory foreign; /* of others, in place of an allocation; see external.c */
} VulkanBuffer;

int vulkan_buffer_create(GpuDevice *gpu, enum GpuMemory kind, size_t size, GpuBuffer **out);
void vulkan_buffer_destroy(GpuDevice *gpu, GpuBuffer *buffer);
int vulkan_buffer_import(GpuDevice *gpu, const GpuHandle *handle, GpuBuffer **out); /* external.c */

/* pages.c: memory of the process. -ENOTSUP: this device takes none, or not this. */
int vulkan_pages_import(VulkanDevice *dev, const GpuHandle *handle, GpuBuffer **out);

/* ---- kernel.c ---- */

struct VulkanKernel {
    VulkanKernel *next;
    const KernelInfo *info;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
};

int vulkan_kernel_get(GpuDevice *gpu, const KernelInfo *info, GpuKernel **kernel);
const KernelImage *vulkan_kernel_image(GpuDevice *gpu, const KernelInfo *info);
const KernelImage *spirv_find(const char *name); /* spirv_images.c, made by the build */
int vulkan_bindings_create(GpuDevice *gpu, GpuKernel *kernel, const GpuRange *ranges,
                           GpuBindings **bindings);
void vulkan_bindings_destroy(GpuDevice *gpu, GpuBindings *bindings);
void vulkan_kernels_destroy(VulkanDevice *dev);
VkDescriptorSet vulkan_bindings_set(const GpuBindings *bindings);

/* ---- cache.c: the pipeline cache on disk ---- */

int vulkan_cache_open(VulkanDevice *dev);
void vulkan_cache_close(VulkanDevice *dev); /* saves it when it has grown */

/* ---- commands.c ---- */

int vulkan_commands_create(GpuDevice *gpu, enum GpuQueue queue, GpuCommands **out);
void vulkan_commands_destroy(GpuDevice *gpu, GpuCommands *commands);
void vulkan_commands_begin(GpuCommands *commands);
void vulkan_commands_copy(GpuCommands *commands, const GpuRange *from, const GpuRange *to);
void vulkan_commands_copy_rows(GpuCommands *commands, const GpuRows *rows);
void vulkan_commands_fill(GpuCommands *commands, const GpuRange *range, uint32_t word);
void vulkan_commands_dispatch(GpuCommands *commands, GpuKernel *kernel, GpuBindings *bindings,
                              const void *params, const unsigned groups[3]);
void vulkan_commands_barrier(GpuCommands *commands);
int vulkan_commands_end(GpuCommands *commands);
bool vulkan_commands_failed(const GpuCommands *commands); /* record nothing more: the end tells */
VkCommandBuffer vulkan_commands_handle(const GpuCommands *commands);

/* ---- stamps.c ---- */

int vulkan_stamps_create(GpuDevice *gpu, unsigned count, GpuStamps **out);
void vulkan_stamps_destroy(GpuDevice *gpu, GpuStamps *stamps);
void vulkan_stamp(GpuCommands *commands, GpuStamps *stamps, unsigned i);
int vulkan_stamps_read(GpuDevice *gpu, GpuStamps *stamps, double *microseconds);

/* Pictures in images of others. */

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
