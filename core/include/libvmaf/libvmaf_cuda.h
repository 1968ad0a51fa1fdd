/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/**
 * Scoring with CUDA: the surface that FFmpeg's libvmaf_cuda filter is built against.
 *
 * All functions exist in every build. Where the backend is not part of it they return -ENOSYS and
 * say so in the log; libvmaf_vulkan.h drives the same GPUs.
 */
#ifndef VMAF_CUDA_H
#define VMAF_CUDA_H

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
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE,
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST,
    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED,
};

typedef struct VmafCudaPictureConfiguration {
    struct {
        unsigned w, h;
        unsigned bpc;
        enum VmafPixelFormat pix_fmt;
    } pic_params;
    enum VmafCudaPicturePreallocationMethod pic_prealloc_method;
} VmafCudaPictureConfiguration;

/** Opens a device. On failure *cu_state is NULL. */
VMAF_EXPORT int vmaf_cuda_state_init(VmafCudaState **cu_state, VmafCudaConfiguration cfg);

/** Lets a context use it, before features are registered. */
VMAF_EXPORT int vmaf_cuda_import_state(VmafContext *vmaf, VmafCudaState *cu_state);

/** Frees it, after vmaf_close(). NULL is fine. */
VMAF_EXPORT int vmaf_cuda_state_free(VmafCudaState *cu_state);

VMAF_EXPORT int vmaf_cuda_preallocate_pictures(VmafContext *vmaf, VmafCudaPictureConfiguration cfg);
VMAF_EXPORT int vmaf_cuda_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic);

#ifdef __cplusplus
}
#endif

#endif
