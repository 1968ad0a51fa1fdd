/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Shared by the files of the Vulkan backend. */
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
    atomic_uint messages; /* number of errors and warnings of the validation layers */
} VulkanInstance;

/* Returns -ENOSYS without a Vulkan loader, -ENODEV without a driver, and -ENOTSUP (logged) if
 * `validation` is set and the validation layer is not installed. */
int vulkan_instance_create(VulkanInstance **out, bool validation);
void vulkan_instance_destroy(VulkanInstance *instance);

/* The devices to choose from: all that can compute, discrete ones first, then integrated, virtual,
 * other and CPU devices; within a kind in the driver's order. */
typedef struct VulkanProbe {
    GpuProbe gpu;
    VulkanInstance *instance; /* NULL once a device was opened, which then owns it */
    VkPhysicalDevice *handles;
} VulkanProbe;

int vulkan_probe(const GpuBackend *backend, bool validation, GpuProbe **out);
void vulkan_probe_end(GpuProbe *probe);
void vulkan_describe(const VkInst *vki, VkPhysicalDevice handle, GpuDeviceInfo *out);
/* True if the device supports the extension, enabled or not. */
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
    uint64_t submitted;    /* last value to be signalled; guarded by *lock */
    pthread_mutex_t *lock; /* shared by all GpuQueues that are the same VkQueue */
} VulkanQueue;

typedef struct VulkanKernel VulkanKernel;

/* Callbacks of an owner who uses our queues, too. We call them around each submission and each wait
 * for an idle queue. NULL if the queues are ours alone. */
typedef struct VulkanLock {
    void (*lock)(void *opaque, uint32_t family, uint32_t index);
    void (*unlock)(void *opaque, uint32_t family, uint32_t index);
    void *opaque;
} VulkanLock;

typedef struct VulkanDevice {
    GpuDevice gpu;
    VulkanInstance *instance; /* NULL for a borrowed device */
    VkInstance instance_handle;
    VkInst vki;
    VkDev vkd;
    VkPhysicalDevice physical;
    VkDevice handle;
    bool borrowed; /* the caller's device: never destroyed here */
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory_types;
    VulkanQueue
        queues[GPU_QUEUES]; /* indexed by enum GpuQueue; zeroed if the device lacks the queue */
    pthread_mutex_t queue_locks[GPU_QUEUES];
    atomic_bool lost;
    bool imports_opaque, imports_dmabuf; /* can import such memory of other APIs */
    bool imports_tiled;                  /* can import dma-bufs with any DRM format modifier */
    uint32_t foreign_family;             /* owns images of other APIs */
    bool imports_pages;                  /* can import ordinary memory of the process */
    bool trusts_kernels;                 /* can compile kernels without bounds checks */
    bool has_doubles;                    /* shaderFloat64 is enabled */

    VulkanLock lock;
    void (*plain_lock)(void *opaque),
        (*plain_unlock)(void *opaque); /* called by `lock` for vmaf_vulkan_state_set_queue_lock */
    void *plain_opaque;

    VulkanMemory *memory;

    pthread_mutex_t kernels_lock; /* guards kernels, pools and cache_changed */
    VulkanKernel *kernels;        /* linked list */
    VkPipelineCache cache;
    size_t cache_size;        /* when it was opened, as reported by the driver */
    bool cache_changed;       /* possibly: pipelines were created, from the cache or not */
    struct VulkanPool *pools; /* linked list of descriptor pools */
} VulkanDevice;

/* The extensions enabled on a device; `known` is false if its owner did not tell. */
typedef struct VulkanExtensions {
    bool known;
    const char *const *names;
    unsigned count;
} VulkanExtensions;

/* A device of the caller, who keeps owning it. */
typedef struct VulkanBorrowed {
    PFN_vkGetInstanceProcAddr find; /* NULL for the loader's */
    VkInstance instance;
    VkDevice handle;
    uint32_t family[2], index[2];   /* indexed by enum GpuQueue */
    VkDeviceQueueCreateFlags flags; /* flags with which the queues were created */
    VkQueue queue;                  /* used for both; NULL: get them by family and index */
    VulkanLock lock;
    VulkanExtensions extensions;
    bool has_doubles; /* shaderFloat64 is known to be enabled */
} VulkanBorrowed;

typedef struct VulkanDeviceParams {
    VulkanInstance *instance; /* ownership passes, also on failure; NULL for a borrowed device */
    VkPhysicalDevice physical;
    const VulkanBorrowed *borrowed; /* NULL: open a device of our own */
    GpuExpected expected;
} VulkanDeviceParams;

int vulkan_device_create(VulkanDevice **out, const VulkanDeviceParams *params);

/* ---- queues.c ---- */

typedef struct VulkanQueueChoice {
    uint32_t family[2], index[2]; /* indexed by enum GpuQueue */
    /* Compute queue i > 0 is queue index[GPU_TRANSFER] + i of the compute family. */
    unsigned compute_queues;
} VulkanQueueChoice;

/* Chooses queue families and the number of compute queues for the expected work. */
void vulkan_queues_choose(VulkanQueueChoice *choice, const VkQueueFamilyProperties *families,
                          uint32_t count, const GpuExpected *expected, const GpuTuning *tuning);

/* ---- doubles.c ---- */

bool vulkan_has_doubles(const VulkanDevice *dev); /* supported, enabled or not */
bool vulkan_has_fast_doubles(const VulkanDevice *dev);

/* ---- borrow.c ---- */

typedef struct VmafVulkanExternalDevice VmafVulkanExternalDevice;
/* Checks a device of the caller and fills in `borrowed`. Returns -EINVAL or -ENOTSUP (logged) if we
 * cannot use the device. */
int vulkan_check_external(const VmafVulkanExternalDevice *device, VulkanBorrowed *borrowed);

/* Logs a failed call and returns its negative errno. Marks the device lost on
 * VK_ERROR_DEVICE_LOST. */
int vulkan_error(VulkanDevice *dev, const char *call, VkResult result);
/* Calls a device function; on failure sets `err` and jumps to the label `error`. */
#define VK_TRY(dev, function, ...)                                                                 \
    do {                                                                                           \
        const VkResult result_ = (dev)->vkd.function(__VA_ARGS__);                                 \
        if (result_ < 0) {                                                                         \
            err = vulkan_error(dev, "vk" #function, result_);                                      \
            goto error;                                                                            \
        }                                                                                          \
    } while (0)

/* Like VK_TRY, for functions that create an object. A driver may leave any value in *out on
 * failure, so this clears it; otherwise the caller would destroy it. */
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
/* Waits until all queues are idle. Call before destroying a semaphore: Mesa's submission thread
 * still uses it for a moment after signalling it. On an error (logged) the semaphore may still be
 * in use. */
int vulkan_await_idle(VulkanDevice *dev);

int vulkan_memory_create(VulkanMemory **out, VulkanDevice *dev);
void vulkan_memory_destroy(VulkanMemory *memory);
/* Allocates memory, which is mapped unless `kind` is GPU_DEVICE. Thread-safe. */
int vulkan_memory_alloc(VulkanMemory *memory, const VkMemoryRequirements *needs,
                        enum GpuMemory kind, VulkanAllocation *out);
void vulkan_memory_free(VulkanMemory *memory, VulkanAllocation *allocation);

/* ---- buffer.c ---- */

typedef struct VulkanBuffer {
    GpuBuffer gpu;
    VkBuffer handle;
    VulkanAllocation allocation;
    VkDeviceMemory foreign; /* imported memory, used instead of an allocation */
} VulkanBuffer;

int vulkan_buffer_create(GpuDevice *gpu, enum GpuMemory kind, size_t size, GpuBuffer **out);
void vulkan_buffer_destroy(GpuDevice *gpu, GpuBuffer *buffer);
int vulkan_buffer_import(GpuDevice *gpu, const GpuHandle *handle, GpuBuffer **out);

/* ---- foreign.c ---- */

/* Memory of another API, to be imported. The caller keeps the handle. */
typedef struct VulkanForeign {
    VkExternalMemoryHandleTypeFlagBits type;
    intptr_t handle;
    VkDeviceSize size;
    uint32_t types; /* bits of the memory types that the buffer or image allows */
    /* The buffer or image that the memory is dedicated to; both NULL: none. */
    VkBuffer buffer;
    VkImage image;
} VulkanForeign;
/* Returns -ENOTSUP (logged) if the driver refuses the memory. */
int vulkan_foreign_import(VulkanDevice *dev, const VulkanForeign *from, VkDeviceMemory *out);

/* pages.c: imports ordinary memory of the process. Returns -ENOTSUP (not logged) if the device or
 * its driver cannot import this memory. */
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
uint64_t vulkan_kernel_hash(GpuDevice *gpu, const KernelInfo *info);
int vulkan_bindings_create(GpuDevice *gpu, GpuKernel *kernel, const GpuRange *ranges,
                           GpuBindings **bindings);
void vulkan_bindings_destroy(GpuDevice *gpu, GpuBindings *bindings);
void vulkan_kernels_destroy(VulkanDevice *dev);
VkDescriptorSet vulkan_bindings_set(const GpuBindings *bindings);

/* The pipeline cache on disk. */
int vulkan_cache_open(VulkanDevice *dev);
void vulkan_cache_close(VulkanDevice *dev); /* saves the cache if its size changed */

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
bool vulkan_commands_failed(
    const GpuCommands
        *commands); /* recording failed: record no more, vulkan_commands_end returns the error */
VkCommandBuffer vulkan_commands_handle(const GpuCommands *commands);

int vulkan_stamps_create(GpuDevice *gpu, unsigned count, GpuStamps **out);
void vulkan_stamps_destroy(GpuDevice *gpu, GpuStamps *stamps);
void vulkan_stamp(GpuCommands *commands, GpuStamps *stamps, unsigned i);
int vulkan_stamps_read(GpuDevice *gpu, GpuStamps *stamps, double *microseconds);

/* ---- formats.c ---- */

typedef struct ImageFormat {
    unsigned planes;             /* in the VkImage */
    unsigned channels;           /* samples per texel, if planes is 1 */
    enum VmafPixelFormat chroma; /* if there are several planes */
    unsigned bytes;              /* per sample */
    unsigned shift;              /* unused bits below each sample */
} ImageFormat;
int image_format_find(uint32_t format, ImageFormat *out); /* -EINVAL: unsupported */

/* Checks that the formats can hold the picture and that the device can copy from them. Returns
 * -EINVAL or -ENOTSUP and writes the reason to `why`. */
int image_formats_check(const VulkanDevice *dev, const VmafVulkanFrame *frame, char *why,
                        size_t size);
/* Number of unused bits below each sample, for a frame that passed the check. */
unsigned image_shift(const VmafVulkanFrame *frame);

/* Converts the older struct to the newer one. */
void image_as_frame(const VmafVulkanImage *image, VmafVulkanFrame *frame);

/* ---- image.c ---- */

/* An ImportRecord that copies the planes of a VmafVulkanFrame. The frame has passed the checks. */
int vulkan_record_frame(ImportTarget *target, const void *frame);

/* ---- frame.c ---- */

/* Checks everything about a frame that can be checked before reading it. Logs the reason of an
 * error. */
int vulkan_check_frame(const VulkanDevice *dev, const VmafVulkanFrame *frame);

#endif
