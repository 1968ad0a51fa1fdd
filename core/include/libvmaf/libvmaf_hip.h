/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/**
 * Scoring with HIP, on AMD GPUs. See libvmaf_cuda.h, which has the same functions for CUDA.
 *
 * libamdhip64 is opened at run time. All functions exist in every build. Without the backend,
 * vmaf_hip_available() returns 0 and the others return -ENOSYS and log it; libvmaf_vulkan.h drives
 * the same GPUs.
 */
#ifndef VMAF_HIP_H
#define VMAF_HIP_H

#include <stddef.h>
#include <stdint.h>

#include "libvmaf.h"
#include "macros.h"
#include "picture.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafHipState VmafHipState;

typedef struct VmafHipConfiguration {
    int device_index; /**< -1: the first */
    int flags;        /**< 0 */
} VmafHipConfiguration;

/** 1 when the backend is part of this build. Calls no driver. */
VMAF_EXPORT int vmaf_hip_available(void);

/** Opens a device. On failure *state is NULL. */
VMAF_EXPORT int vmaf_hip_state_init(VmafHipState **state, VmafHipConfiguration cfg);

/** Makes a context use the state; call it before registering features. The state may be freed at
 * any time. */
VMAF_EXPORT int vmaf_hip_import_state(VmafContext *vmaf, VmafHipState *state);

/** Frees the state and sets *state to NULL. `state` and *state may be NULL. */
VMAF_EXPORT void vmaf_hip_state_free(VmafHipState **state);

/** Prints one line for each device on stdout; returns their number. */
VMAF_EXPORT int vmaf_hip_list_devices(void);

/* ---- Additions, as in libvmaf_cuda.h. ---- */

/**
 * Works in the caller's context (a hipCtx_t), which must outlive all contexts that use the state.
 * NULL: the primary context of device 0.
 */
VMAF_EXPORT int vmaf_hip_state_init_external(VmafHipState **state, void *hip_ctx);

typedef struct VmafHipOptions {
    size_t size;      /**< sizeof(VmafHipOptions) */
    int device_index; /**< as in VmafHipConfiguration */
    void *hip_ctx;    /**< as for vmaf_hip_state_init_external(); NULL: the device of the index */
    int fallback_cpu; /**< as in VmafDeviceOptions */
} VmafHipOptions;

/** Same as vmaf_hip_state_init(), with more options. -EINVAL if `size` is too small or the index is
 * below -1. */
VMAF_EXPORT int vmaf_hip_state_init_with_options(VmafHipState **state,
                                                 const VmafHipOptions *options);

enum VmafHipPicturePreallocationMethod {
    VMAF_HIP_PICTURE_PREALLOCATION_METHOD_NONE = 0,
    VMAF_HIP_PICTURE_PREALLOCATION_METHOD_DEVICE,     /**< `data` holds device addresses */
    VMAF_HIP_PICTURE_PREALLOCATION_METHOD_HOST,       /**< plain memory */
    VMAF_HIP_PICTURE_PREALLOCATION_METHOD_HOST_PINNED /**< memory the device copies from */
};

typedef struct VmafHipPictureConfiguration {
    struct {
        unsigned w, h;
        unsigned bpc;
        enum VmafPixelFormat pix_fmt;
    } pic_params;
    enum VmafHipPicturePreallocationMethod pic_prealloc_method;
} VmafHipPictureConfiguration;

/** As vmaf_cuda_preallocate_pictures() and vmaf_cuda_fetch_preallocated_picture(). */
VMAF_EXPORT int vmaf_hip_preallocate_pictures(VmafContext *vmaf, VmafHipPictureConfiguration cfg);
VMAF_EXPORT int vmaf_hip_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic);

/** As vmaf_cuda_import_semaphore() and vmaf_cuda_free_semaphore(). */
VMAF_EXPORT int vmaf_hip_import_semaphore(VmafContext *vmaf, intptr_t handle, uintptr_t *semaphore);
VMAF_EXPORT int vmaf_hip_free_semaphore(VmafContext *vmaf, uintptr_t semaphore);

/** As VmafCudaFrame, vmaf_cuda_read_frames() and vmaf_cuda_can_read(). */
typedef struct VmafHipFrame {
    size_t size; /**< sizeof(VmafHipFrame) */
    unsigned w, h;
    unsigned bpc;
    enum VmafPixelFormat pix_fmt;
    unsigned shift;
    uintptr_t plane[3];
    size_t pitch[3];
    void *hip_ctx;    /**< a hipCtx_t; NULL: not checked */
    uintptr_t stream; /**< a hipStream_t; 0: the legacy one */
    void (*release)(void *opaque);
    void *release_opaque;
} VmafHipFrame;
VMAF_EXPORT int vmaf_hip_read_frames(VmafContext *vmaf, const VmafHipFrame *ref,
                                     const VmafHipFrame *dist, unsigned index);
VMAF_EXPORT int vmaf_hip_can_read(VmafContext *vmaf, const VmafHipFrame *frame, char *why,
                                  size_t why_size);

#ifdef __cplusplus
}
#endif

#endif
