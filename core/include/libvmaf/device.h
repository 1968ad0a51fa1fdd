/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Scoring on a GPU through any backend.
 *
 *     VmafDevice *device;
 *     vmaf_device_open(&device, &(VmafDeviceOptions){ .size = sizeof(VmafDeviceOptions),
 *                                                     .backend = "vulkan" });
 *     vmaf_use_device(vmaf, device);               before features and models are registered
 *     …                                            as on the CPU
 *     vmaf_close(vmaf);
 *     vmaf_device_close(&device);
 *
 * libvmaf_vulkan.h, libvmaf_cuda.h, libvmaf_hip.h and libvmaf_sycl.h do the same for one API, and
 * take pictures that are already on the GPU. Functions that return int return 0 or a negative
 * errno. Structs begin with their own size, so that they can grow. */
#ifndef VMAF_DEVICE_H
#define VMAF_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "libvmaf.h"
#include "macros.h"
#include "picture.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The names of the GPU backends that this version knows, best ones to try first: i = 0, 1, … until
 * NULL. Some may not be part of this build. */
VMAF_EXPORT const char *vmaf_backend_name(unsigned i);

/* 1: the backend is part of this build; 0: it is not; -EINVAL: no backend has this name. Calls no
 * driver. */
VMAF_EXPORT int vmaf_backend_built(const char *backend);

/* The backend's name as people write it, such as "Vulkan"; NULL: no such backend. */
VMAF_EXPORT const char *vmaf_backend_title(const char *backend);

/* The software that this backend needs on the machine, such as "Vulkan loader (libvulkan)"; NULL:
 * no such backend. */
VMAF_EXPORT const char *vmaf_backend_needs(const char *backend);

enum VmafDeviceType {
    VMAF_DEVICE_OTHER = 0,
    VMAF_DEVICE_INTEGRATED,
    VMAF_DEVICE_DISCRETE,
    VMAF_DEVICE_VIRTUAL,
    VMAF_DEVICE_SOFTWARE /* a CPU that emulates a GPU */
};

typedef struct VmafDeviceInfo {
    size_t size; /* in: sizeof(VmafDeviceInfo) */
    const char *backend;
    unsigned index; /* in the backend's list */
    enum VmafDeviceType type;
    uint64_t memory; /* bytes of its own memory */
    uint8_t uuid[16];
    char name[256];
    char driver[256];
    char api[64];      /* "Vulkan" */
    char version[32];  /* the version of the API: "1.3.204" */
    char pci[32];      /* address on the bus; empty when unknown */
    char missing[256]; /* requirements it lacks; empty when none */
    unsigned devices;  /* vmaf_device_get_info: devices opened together; this is the first one */
} VmafDeviceInfo;

/* The index-th device of a backend. -ENODEV past the last one; -ENOSYS: the backend's software is
 * missing, or it is not in this build; -EINVAL: no backend has this name. */
VMAF_EXPORT int vmaf_device_info(const char *backend, unsigned index, VmafDeviceInfo *info);

/* Tells why no device of the backend would be chosen: writes a line without a line break to `why`,
 * such as "no NVIDIA driver (libcuda) on this machine", and returns the error of
 * vmaf_device_open(). Returns 0 and writes an empty line if a device would be chosen. Software
 * devices are also allowed by VMAF_ALLOW_SOFTWARE=1 in the environment. */
VMAF_EXPORT int vmaf_backend_missing(const char *backend, int allow_software, char *why,
                                     size_t size);

/* An open GPU. Several contexts, on several threads, may use it at once. */
typedef struct VmafDevice VmafDevice;

typedef struct VmafDeviceOptions {
    size_t size;         /* sizeof(VmafDeviceOptions) */
    const char *backend; /* one of vmaf_backend_name() */
    /* Number, UUID, PCI address or part of a name; NULL: the first real GPU. A comma-separated
     * list, or "all" for all real GPUs, spreads the frames over several devices; scores are those
     * of one. A software device is chosen only by a name that says so, such as "llvmpipe", or if
     * software devices are allowed. */
    const char *device;
    /* Not 0: software devices may be chosen, too. 0: they may be chosen only if
     * VMAF_ALLOW_SOFTWARE=1 is set in the environment. */
    int allow_software;
    int enable_validation;           /* log messages of the driver's own checks, where it has any */
    unsigned max_outstanding_frames; /* on each device; 0: 4; at most 32 */
    /* Not 0: do not log the errors -ENOSYS and -ENODEV, nor which features run on the CPU because
     * they have no GPU code. */
    int quiet;
    /* Not 0: at least one feature must have GPU code, otherwise the first pair is refused. (Whether
     * features with GPU code may run on the CPU is decided by fallback_cpu.) */
    int required;
    /* An estimate of the memory that pictures of vmaf_preallocate_pictures will take: it is
     * allocated while the driver starts, where that helps. 0: none. */
    size_t upload_bytes;
    /* An estimate of how many pairs will be scored, and of the bytes of a pair (all planes of both
     * pictures): where drivers take long to start, only what pays off is started. 0: not known.
     * Scores do not depend on it, and more pairs are fine. */
    uint64_t expected_pairs;
    size_t expected_pair_bytes;
    /* Not 0: a feature with GPU code that cannot run on the device, such as one for which the
     * pictures are too large, runs on the CPU, and reports say so. 0: the first pair is refused,
     * with the reason in the log. Features without GPU code run on the CPU in any case. -EINVAL if
     * `required` is set, too. */
    int fallback_cpu;
} VmafDeviceOptions;

/* Opens a device; vmaf_device_close() closes it. -ENOSYS: the backend is not in this build, or its
 * software is missing; -ENODEV: no device, none of that name, or a software device that is not
 * allowed; -EINVAL: the options are invalid; -ENOTSUP: the device lacks a requirement, which the
 * log names. *device is NULL on failure.
 *
 * Reading the first pair of a context tests the features that it measures on the device: it fails
 * with -ENOTSUP when the device's results differ from the CPU's in any bit, and with -ETIMEDOUT
 * when the device does not finish. */
VMAF_EXPORT int vmaf_device_open(VmafDevice **device, const VmafDeviceOptions *options);

/* Tells an open device what work it gets next, if that was not known when it was opened:
 * max_outstanding_frames and upload_bytes of the options take the place of those that it was opened
 * with; the other options are not looked at. -EBUSY: a context uses the device. */
VMAF_EXPORT int vmaf_device_expect(VmafDevice *device, const VmafDeviceOptions *options);

/* Tells why vmaf_device_open() would choose no device with these options: writes a line to `why`,
 * as vmaf_backend_missing() does, and returns the error. Returns 0 and writes an empty line if a
 * device would be chosen. */
VMAF_EXPORT int vmaf_device_missing(const VmafDeviceOptions *options, char *why, size_t size);
VMAF_EXPORT int vmaf_device_get_info(const VmafDevice *device, VmafDeviceInfo *info);

/* Makes the context score on this device; NULL: on the CPU, whatever VMAF_BACKEND in the
 * environment says. Call it before the first picture, and before registering features that ask for
 * the backend by name. */
VMAF_EXPORT int vmaf_use_device(VmafContext *vmaf, VmafDevice *device);

/* After the flush: the context frees its resources on the device, and its pool of pictures. Scores
 * and reports stay as they were, and another thread may ask for them meanwhile: leaving a device
 * takes about as long as writing a report. Without a device nothing happens. -EINVAL: the context
 * was not flushed. */
VMAF_EXPORT int vmaf_leave_device(VmafContext *vmaf);

/* 1: the device was given up, because it did not finish its work in time (300 s, or
 * VMAF_GPU_TIMEOUT=SECONDS in the environment) or its driver had no memory to wait for it. All its
 * work fails with -EIO from then on, for all contexts, and closing waits for nothing. Memory that
 * it may still write to stays allocated until the process ends. The program should end then, with
 * _exit() if its driver's exit handlers might hang, too. Any thread may ask. */
VMAF_EXPORT int vmaf_device_is_lost(const VmafDevice *device);

/* Closes the device, after waiting for outstanding work, and sets *device to NULL. `device` and
 * *device may be NULL. Contexts that use the device keep it open until they are closed. */
VMAF_EXPORT void vmaf_device_close(VmafDevice **device);

/* The number of pairs that a context may hold at once, with its threads and its device. A pool
 * needs two pictures for each, and two more for the references that temporal features look back
 * at. */
VMAF_EXPORT unsigned vmaf_pairs_in_flight(const VmafContext *vmaf);

/* ---- pictures that are already on the device ---- */

enum VmafMemoryType {
    VMAF_MEMORY_OPAQUE_FD = 1, /* from the same driver and device: Vulkan exports it for CUDA */
    VMAF_MEMORY_DMABUF,        /* linear */
    VMAF_MEMORY_WIN32,         /* an NT handle; on Windows only */
    VMAF_MEMORY_ADDRESS        /* an address on the device: CUDA, HIP */
};

/* A picture in memory shared by another API, process or part of the program: planes of rows, with
 * samples in the low bits. */
typedef struct VmafSharedPicture {
    size_t size; /* sizeof(VmafSharedPicture) */
    enum VmafMemoryType type;
    intptr_t handle; /* the caller keeps it */
    uint64_t bytes;  /* the size of the allocation */
    uint64_t offset[3], stride[3];
    unsigned w, h, bpc;
    enum VmafPixelFormat pix_fmt; /* the planes to read: YUV400P reads luma only */
    int is_ref;
    unsigned index; /* for vmaf_read_imported_pictures */
    /* A timeline semaphore that says when the picture may be read: a VkSemaphore with Vulkan, a
     * result of vmaf_cuda_import_semaphore with CUDA; 0: none, the caller has finished writing. */
    uintptr_t semaphore;
    uint64_t wait_value;   /* waited for before reading; 0: no wait */
    uint64_t signal_value; /* signalled after reading; 0: no signal */
    uintptr_t stream; /* for an address: work enqueued there runs first; 0: the legacy stream */
} VmafSharedPicture;
/* Imports one side of a pair. The context must use a device. -ENOTSUP where its driver cannot
 * import this kind of memory; -EINVAL when the picture differs from the first one in shape, or lies
 * outside of its memory. Two threads may import both sides of a pair at once. Returns without
 * waiting, but a picture that is not ready delays all later work of the device: pairs that are read
 * meanwhile wait for it, too. */
VMAF_EXPORT int vmaf_import_picture(VmafContext *vmaf, const VmafSharedPicture *picture);

/* Scores the pair imported under `index`. The caller may reuse its memory when this returns. */
VMAF_EXPORT int vmaf_read_imported_pictures(VmafContext *vmaf, unsigned index);

#ifdef __cplusplus
}
#endif

#endif
