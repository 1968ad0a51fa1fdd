/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/**
 * Scoring with CUDA: the surface that FFmpeg's libvmaf_cuda filter is built against.
 *
 *     VmafCudaState *state;
 *     vmaf_cuda_state_init(&state, (VmafCudaConfiguration){ .cu_ctx = context });
 *     vmaf_cuda_import_state(vmaf, state);        before features and models are registered
 *     vmaf_cuda_preallocate_pictures(vmaf, …);    if pictures are to be on the device
 *     …                                           as on the CPU
 *     vmaf_close(vmaf);
 *     vmaf_cuda_state_free(state);
 *
 * libcuda is opened at run time. All functions exist in every build: where the backend is not part of
 * it they return -ENOSYS and say so in the log. They return 0 or a negative errno. All features that
 * have GPU code run on the device, others on the CPU beside it; reports say where each one ran.
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
 * Opens the device that the context belongs to, and works in that context: it stays the caller's and must
 * outlive all contexts that use the state. -ENOSYS: no driver; -ENODEV: no device; -ENOTSUP: it lacks
 * something. On failure *cu_state is NULL. That it computes the CPU's bits is tested with the first pair of
 * pictures, as device.h has it.
 */
VMAF_EXPORT int vmaf_cuda_state_init(VmafCudaState **cu_state, VmafCudaConfiguration cfg);

/**
 * Lets a context use it, before features are registered. vmaf_close() gives all back that was taken of
 * the device; the state may be imported again.
 */
VMAF_EXPORT int vmaf_cuda_import_state(VmafContext *vmaf, VmafCudaState *cu_state);

/**
 * Frees it, at any time: a context that uses it goes on. A state that was imported and is never freed
 * holds a few bytes, nothing of the device. NULL is fine.
 */
VMAF_EXPORT int vmaf_cuda_state_free(VmafCudaState *cu_state);

/** A pool of pictures for vmaf_cuda_fetch_preallocated_picture(). -EBUSY when the context has one. */
VMAF_EXPORT int vmaf_cuda_preallocate_pictures(VmafContext *vmaf, VmafCudaPictureConfiguration cfg);

/**
 * A picture of the pool that nobody uses, waiting for one. With DEVICE, `stride` is the pitch, and
 * vmaf_read_pictures() orders itself after all that the legacy default stream holds by then: copies into
 * the picture need not be waited for. Both pictures of a pair must be on the device, or neither. Chroma
 * planes must be filled when a feature reads them.
 */
VMAF_EXPORT int vmaf_cuda_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic);

/* ---- Additions. vmaf_import_picture() in device.h takes pictures from memory of others. ---- */

/**
 * A timeline semaphore that Vulkan exported, for VmafSharedPicture: an opaque file descriptor, on Windows
 * an NT handle. The handle stays the caller's. -ENOTSUP when the driver refuses it.
 */
VMAF_EXPORT int vmaf_cuda_import_semaphore(VmafContext *vmaf, intptr_t handle,
                                           uintptr_t *semaphore);
/** Before vmaf_close(), when no picture needs it any more. */
VMAF_EXPORT int vmaf_cuda_free_semaphore(VmafContext *vmaf, uintptr_t semaphore);

/* ---- Frames that are on the device already, such as those that NVDEC decodes. ---- */

/**
 * A picture in memory of the device: rows at a pitch, planes one by one (yuv420p, …) or luma and a plane that
 * holds Cb and Cr in turn (NV12, P010, …).
 */
typedef struct VmafCudaFrame {
    size_t size; /**< sizeof(VmafCudaFrame) */

    /* The picture: one that differs from the context's first one in these is refused with -EINVAL. */
    unsigned w, h;                /**< in luma samples */
    unsigned bpc;                 /**< bits of a sample: 8 to 16 */
    enum VmafPixelFormat pix_fmt; /**< what to take: YUV400P takes luma only */

    /* Where it lies. */
    unsigned
        shift; /**< bits below the sample in its word: 6 for P010; 0: samples in the low bits */
    uintptr_t
        plane[3];    /**< addresses on the device. plane[2] is 0: plane[1] holds both, Cb first */
    size_t pitch[3]; /**< bytes from one row to the next */
    void *cu_ctx; /**< the CUcontext that the addresses are of; NULL: not said, nobody checks it */
    uintptr_t
        stream; /**< a CUstream: what was enqueued there so far comes first; 0: the legacy one */

    /**
     * Called when the device has read the picture, and its memory may be freed or written; NULL: nobody. Once
     * for each call of vmaf_cuda_read_frames(), whatever that returns; by any thread, maybe before it returns
     * and at the latest while vmaf_close() runs. No lock is held meanwhile. It must not call the library for
     * this context.
     */
    void (*release)(void *opaque);
    void *release_opaque;
} VmafCudaFrame;

/**
 * Scores the pair, as vmaf_read_pictures() does. Returns without waiting for the device, unless as many pairs
 * are under way as it has outstanding frames, or a feature runs on the CPU and needs the samples there. The
 * copies go into the memory that kernels read, nowhere else. Both frames may be the same.
 *
 * -EINVAL: the pair cannot be what it is said to be (the log says why), or the context does not use CUDA;
 * -ENOTSUP: it is of another context than the one that scores. Both leave the context as it was. Samples above
 * `bpc` (-ERANGE) are found when the pair is scored: this read, a later one or the flush fails then, as with
 * every error of a device (-EIO, -ENOMEM). -EINVAL for NULL or a wrong size: nothing is released.
 */
VMAF_EXPORT int vmaf_cuda_read_frames(VmafContext *vmaf, const VmafCudaFrame *ref,
                                      const VmafCudaFrame *dist, unsigned index);

/**
 * Whether frames like this one can be read by the context: 0, or what vmaf_cuda_read_frames() would return,
 * with the reason in `why` (may be NULL) in place of the log.
 */
VMAF_EXPORT int vmaf_cuda_can_read(VmafContext *vmaf, const VmafCudaFrame *frame, char *why,
                                   size_t why_size);

#ifdef __cplusplus
}
#endif

#endif
