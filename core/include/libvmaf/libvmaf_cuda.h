/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/**
 * Scoring with CUDA: the API that FFmpeg's libvmaf_cuda filter uses.
 *
 *     VmafCudaState *state;
 *     vmaf_cuda_state_init(&state, (VmafCudaConfiguration){ .cu_ctx = context });
 *     vmaf_cuda_import_state(vmaf, state);        before features and models are registered
 *     vmaf_cuda_preallocate_pictures(vmaf, …);    if pictures are to be on the device
 *     …                                           as on the CPU
 *     vmaf_close(vmaf);
 *     vmaf_cuda_state_free(state);
 *
 * libcuda is opened at run time. All functions exist in every build: without the backend they
 * return -ENOSYS and log it. They return 0 or a negative errno. Features with GPU code run on the
 * device. If one cannot, the first pair fails, with the reason in the log, unless the program
 * allowed the CPU (fallback_cpu in VmafCudaOptions). Features without GPU code run on the CPU.
 * Reports say where each one ran.
 */
#ifndef VMAF_CUDA_H
#define VMAF_CUDA_H

#include <stddef.h>
#include <stdint.h>

#include "libvmaf.h"
#include "macros.h"
#include "picture.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafCudaState VmafCudaState;

typedef struct VmafCudaConfiguration {
    void *cu_ctx; /**< a CUcontext; NULL: the primary context of device 0 */
} VmafCudaConfiguration;

enum VmafCudaPicturePreallocationMethod {
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE = 0,
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE,     /**< `data` holds device addresses */
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST,       /**< plain memory */
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED /**< memory the device copies from */
};

typedef struct VmafCudaPictureConfiguration {
    struct {
        unsigned w, h;
        unsigned bpc;
        enum VmafPixelFormat pix_fmt;
    } pic_params;
    enum VmafCudaPicturePreallocationMethod pic_prealloc_method;
} VmafCudaPictureConfiguration;

/**
 * Opens the device that the CUDA context belongs to, and works in that context: the caller keeps
 * it, and it must outlive all VMAF contexts that use the state. -ENOSYS: no driver; -ENODEV: no
 * device; -ENOTSUP: the device lacks a requirement. On failure *cu_state is NULL. The first pair of
 * pictures tests that the device's results equal the CPU's, see vmaf_device_open() in device.h.
 */
VMAF_EXPORT int vmaf_cuda_state_init(VmafCudaState **cu_state, VmafCudaConfiguration cfg);

/**
 * Makes a context use the state; call it before registering features. vmaf_close() frees all
 * resources of the device; the state may be imported again.
 */
VMAF_EXPORT int vmaf_cuda_import_state(VmafContext *vmaf, VmafCudaState *cu_state);

/**
 * Frees the state, at any time: a context that uses it goes on. A state that was imported and is
 * never freed holds a few bytes, but no resource of the device. NULL is fine.
 */
VMAF_EXPORT int vmaf_cuda_state_free(VmafCudaState *cu_state);

/** A pool of pictures for vmaf_cuda_fetch_preallocated_picture(). -EBUSY when the context has
 * one. */
VMAF_EXPORT int vmaf_cuda_preallocate_pictures(VmafContext *vmaf, VmafCudaPictureConfiguration cfg);

/**
 * Takes a free picture from the pool; waits for one if necessary. With DEVICE, `stride` is the
 * pitch, and the work of vmaf_read_pictures() runs after all work in the legacy default stream: the
 * caller need not wait for copies into the picture. Both pictures of a pair must be on the device,
 * or neither. Chroma planes must be filled when a feature reads them.
 */
VMAF_EXPORT int vmaf_cuda_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic);

/* ---- Additions. vmaf_import_picture() in device.h reads pictures in shared memory. ---- */

typedef struct VmafCudaOptions {
    size_t size;      /**< sizeof(VmafCudaOptions) */
    void *cu_ctx;     /**< as in VmafCudaConfiguration */
    int fallback_cpu; /**< as in VmafDeviceOptions */
} VmafCudaOptions;

/** Same as vmaf_cuda_state_init(), with more options. -EINVAL if `size` is too small. */
VMAF_EXPORT int vmaf_cuda_state_init_with_options(VmafCudaState **cu_state,
                                                  const VmafCudaOptions *options);

/**
 * Imports a timeline semaphore that Vulkan exported, for VmafSharedPicture: an opaque file
 * descriptor, on Windows an NT handle. The caller keeps the handle. -ENOTSUP when the driver
 * refuses it.
 */
VMAF_EXPORT int vmaf_cuda_import_semaphore(VmafContext *vmaf, intptr_t handle,
                                           uintptr_t *semaphore);
/** Call it before vmaf_close(), when no picture needs the semaphore any more. */
VMAF_EXPORT int vmaf_cuda_free_semaphore(VmafContext *vmaf, uintptr_t semaphore);

/* ---- Frames that are already on the device, such as those from NVDEC. ---- */

/**
 * A picture in memory of the device: rows at a pitch; either three planes (yuv420p, …) or luma and
 * a plane with alternating Cb and Cr (NV12, P010, …).
 */
typedef struct VmafCudaFrame {
    size_t size; /**< sizeof(VmafCudaFrame) */

    /* The picture. -EINVAL if it differs from the context's first one in these fields. */
    unsigned w, h;                /**< in luma samples */
    unsigned bpc;                 /**< bits of a sample: 8 to 16 */
    enum VmafPixelFormat pix_fmt; /**< the planes to read: YUV400P reads luma only */

    /* Its position in memory. */
    unsigned
        shift; /**< bits below the sample in its word: 6 for P010; 0: samples in the low bits */
    uintptr_t plane[3]; /**< device addresses; plane[2] 0: plane[1] holds both, Cb first */
    size_t pitch[3];    /**< bytes from one row to the next */
    void *cu_ctx;       /**< the CUcontext of the addresses; NULL: not checked */
    uintptr_t stream;   /**< a CUstream: its work so far runs first; 0: the legacy stream */

    /**
     * Called when the device has read the picture, so that its memory may be freed or written; may
     * be NULL. Called once for each call of vmaf_cuda_read_frames(), whatever that returns; on any
     * thread, maybe before it returns and at the latest while vmaf_close() runs. No lock is held
     * meanwhile. It must not call the library for this context.
     */
    void (*release)(void *opaque);
    void *release_opaque;
} VmafCudaFrame;

/**
 * Scores the pair, like vmaf_read_pictures(). Returns without waiting for the device, unless all
 * its outstanding frames are in use, or a feature runs on the CPU and needs the samples there. The
 * frames are copied directly into the memory that kernels read. Both frames may be the same.
 *
 * -EINVAL: the description of the pair is invalid (the log says why), or the context does not use
 * CUDA; -ENOTSUP: the pair belongs to another CUDA context than the one that scores. Both leave the
 * context unchanged. Samples above `bpc` (-ERANGE) are found when the pair is scored: then this
 * read, a later one or the flush fails, as with every error of a device (-EIO, -ENOMEM). -EINVAL
 * for NULL or a wrong size: `release` is not called.
 */
VMAF_EXPORT int vmaf_cuda_read_frames(VmafContext *vmaf, const VmafCudaFrame *ref,
                                      const VmafCudaFrame *dist, unsigned index);

/**
 * Can the context read frames like this one? 0, or the error of vmaf_cuda_read_frames(), with the
 * reason in `why` (may be NULL) instead of the log.
 */
VMAF_EXPORT int vmaf_cuda_can_read(VmafContext *vmaf, const VmafCudaFrame *frame, char *why,
                                   size_t why_size);

#ifdef __cplusplus
}
#endif

#endif
