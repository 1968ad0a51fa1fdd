/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Scoring on a GPU, whatever API reaches it.
 *
 *     VmafDevice *device;
 *     vmaf_device_open(&device, &(VmafDeviceOptions){ .size = sizeof(VmafDeviceOptions),
 *                                                     .backend = "vulkan" });
 *     vmaf_use_device(vmaf, device);               before features and models are registered
 *     …                                            as on the CPU
 *     vmaf_close(vmaf);
 *     vmaf_device_close(&device);
 *
 * libvmaf_vulkan.h and its sisters do the same in the words of one API, and take pictures that are on
 * the GPU already. Functions that return int return 0 or a negative errno. Structs begin with their
 * own size, so that they can grow. */
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

/* The names of the GPU backends that this version knows, in the order in which they are best tried:
 * i = 0, 1, … until NULL. Not all of them need be part of this build. */
VMAF_EXPORT const char *vmaf_backend_name(unsigned i);

/* 1: the backend is part of this build; 0: it is not; -EINVAL: no backend has this name. Touches no
 * driver. */
VMAF_EXPORT int vmaf_backend_built(const char *backend);

/* The backend's name as people write it, such as "Vulkan"; NULL: no such backend. */
VMAF_EXPORT const char *vmaf_backend_title(const char *backend);

/* What must be on the machine for this backend to find any device, such as "Vulkan loader (libvulkan)";
 * NULL: no such backend. */
VMAF_EXPORT const char *vmaf_backend_needs(const char *backend);

enum VmafDeviceType {
    VMAF_DEVICE_OTHER = 0,
    VMAF_DEVICE_INTEGRATED,
    VMAF_DEVICE_DISCRETE,
    VMAF_DEVICE_VIRTUAL,
    VMAF_DEVICE_SOFTWARE /* a CPU that plays a GPU */
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
    char version[32];  /* of that: "1.3.204" */
    char pci[32];      /* address on the bus; empty when unknown */
    char missing[256]; /* what it lacks to be used here; empty when nothing */
    unsigned
        devices; /* vmaf_device_get_info: how many were opened together, this one being the first */
} VmafDeviceInfo;

/* The index-th device of a backend. -ENODEV past the last one; -ENOSYS: what the backend needs is not
 * there, or it is not in this build; -EINVAL: no backend has this name. */
VMAF_EXPORT int vmaf_device_info(const char *backend, unsigned index, VmafDeviceInfo *info);

/* Why no device of the backend would be chosen, in a line without an end: "no NVIDIA driver (libcuda) on
 * this machine". 0 and an empty line: one would be. Else what vmaf_device_open() would return. */
VMAF_EXPORT int vmaf_backend_missing(const char *backend, int allow_software, char *why,
                                     size_t size);

/* A GPU, opened and tested. May serve several contexts at once, from several threads. */
typedef struct VmafDevice VmafDevice;

typedef struct VmafDeviceOptions {
    size_t size;         /* sizeof(VmafDeviceOptions) */
    const char *backend; /* one of vmaf_backend_name() */
    /* Number, UUID, PCI address or part of a name; NULL: the first real GPU. Several of these with commas between
     * them, or "all" for all real GPUs: frames are spread over them, and scores are the same as from one. */
    const char *device;
    int allow_software;              /* when choosing: a software device will do */
    int enable_validation;           /* log what the driver's own checks say, where it has any */
    unsigned max_outstanding_frames; /* on each device; 0: 4; at most 32 */
    int quiet;                       /* -ENOSYS and -ENODEV without a word in the log */
    int required; /* features that have GPU code run there, or the first pair is refused and the log says
                   * what is in the way; so it is when no feature has any. 0: what cannot run there runs
                   * on the CPU, and reports say so */
    /* That pictures of vmaf_preallocate_pictures will take, about: memory that is got while the driver starts, where
     * that helps. 0: none. */
    size_t upload_bytes;
    /* How many pairs will be scored, about, and how many bytes one has, all planes of both pictures: where drivers take
     * long to start, no more is started than pays. 0: not known. Whatever comes is scored, and right. */
    uint64_t expected_pairs;
    size_t expected_pair_bytes;
} VmafDeviceOptions;

/* -ENOSYS: the backend is not in this build, or what it needs is not there; -ENODEV: no device, or none
 * of that name; -ENOTSUP: the device lacks something; the log says what. *device stays NULL on failure.
 *
 * What a context measures on the device is tested there with its first pair: reading that fails with -ENOTSUP
 * when the device computes other bits than the CPU, and with -ETIMEDOUT when it does not finish. */
VMAF_EXPORT int vmaf_device_open(VmafDevice **device, const VmafDeviceOptions *options);
VMAF_EXPORT int vmaf_device_get_info(const VmafDevice *device, VmafDeviceInfo *info);

/* The context scores on this device from now on; NULL: on the CPU, whatever VMAF_BACKEND in the environment
 * says. Before the first picture, and before features are registered that ask for the backend by name. */
VMAF_EXPORT int vmaf_use_device(VmafContext *vmaf, VmafDevice *device);

/* After the flush: the context gives back what it has on its device, and its pool of pictures. Scores, reports and
 * places stay, and another thread may ask for them meanwhile: leaving a device takes about as long as writing a
 * report. Without a device nothing happens. -EINVAL: the context was not flushed. */
VMAF_EXPORT int vmaf_leave_device(VmafContext *vmaf);

/* 1: the device did not finish its work in time (300 s; VMAF_GPU_TIMEOUT=SECONDS in the environment says
 * otherwise), or its driver had no memory to wait for it, and it was given up. Everything on it fails with -EIO from then on, for all contexts, and closing
 * waits for nothing. What it may still write to stays allocated until the process ends; a program had better
 * end then, by _exit() if its driver's exit handlers might hang, too. Any thread may ask. */
VMAF_EXPORT int vmaf_device_is_lost(const VmafDevice *device);

/* Waits for outstanding work and sets *device to NULL. NULL and a NULL inside are fine. Contexts that
 * use the device keep it open until they are closed. */
VMAF_EXPORT void vmaf_device_close(VmafDevice **device);

/* How many pairs a context may hold at once, with its threads and the device it uses: a pool needs two
 * pictures for each, and two more for the references that temporal features look back at. */
VMAF_EXPORT unsigned vmaf_pairs_in_flight(const VmafContext *vmaf);

/* ---- pictures that are on the device already ---- */

enum VmafMemoryType {
    VMAF_MEMORY_OPAQUE_FD = 1, /* of the same driver and device, such as Vulkan exports for CUDA */
    VMAF_MEMORY_DMABUF,        /* linear */
    VMAF_MEMORY_WIN32,         /* an NT handle; on Windows only */
    VMAF_MEMORY_ADDRESS        /* an address on the device: CUDA, HIP */
};

/* A picture in memory that another API, process or part of the program shares: planes of rows, samples in
 * the low bits. */
typedef struct VmafSharedPicture {
    size_t size; /* sizeof(VmafSharedPicture) */
    enum VmafMemoryType type;
    intptr_t handle; /* stays the caller's */
    uint64_t bytes;  /* the size of the allocation */
    uint64_t offset[3], stride[3];
    unsigned w, h, bpc;
    enum VmafPixelFormat pix_fmt; /* what to take: YUV400P takes luma only */
    int is_ref;
    unsigned index; /* for vmaf_read_imported_pictures */
    /* When the picture may be read. A timeline semaphore: a VkSemaphore with Vulkan, what
     * vmaf_cuda_import_semaphore gives with CUDA; 0: none, the caller has finished writing. */
    uintptr_t semaphore;
    uint64_t wait_value;   /* waited for before it is read; 0: not */
    uint64_t signal_value; /* signalled when it is no longer needed; 0: not */
    uintptr_t stream; /* of an address: what was enqueued there comes first; 0: the legacy stream */
} VmafSharedPicture;
/* The context must use a device. -ENOTSUP where its driver cannot import such memory; -EINVAL when the
 * picture differs from the first one in shape, or lies outside of its memory. Both sides of a pair may be
 * imported at once by two threads. Returns without waiting, but a picture that is not ready holds up all that
 * the device is given after it: pairs that are read meanwhile wait for it, too. */
VMAF_EXPORT int vmaf_import_picture(VmafContext *vmaf, const VmafSharedPicture *picture);

/* Scores the pair imported under `index`; its memory is the caller's again when this returns. */
VMAF_EXPORT int vmaf_read_imported_pictures(VmafContext *vmaf, unsigned index);

#ifdef __cplusplus
}
#endif

#endif
