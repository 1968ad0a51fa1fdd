/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* VmafCudaState and VmafHipState, which are both a CudaHipState, and the pictures of both
 * headers. */
#ifndef STATE_CUDA_HIP_H
#define STATE_CUDA_HIP_H

#include "gpu/backend/cuda_hip/cuda_hip.h"
#include "engine/picture.h"
#include "libvmaf/libvmaf.h"

/* The device that a state opens. */
typedef struct CudaHipSource {
    const GpuBackend *backend;
    const CudaHipApi *api; /* NULL: its library is missing */
    bool by_index;
    int index;         /* in the backend's list; -1: the first one */
    void *context;     /* used unless by_index: see cuda_hip_adopt */
    bool fallback_cpu; /* as in GpuWish */
} CudaHipSource;

/* A device for contexts to use. The first context takes the open device over and closes it at its
 * end, so that a state which is never freed holds no device; each further context opens the device
 * again. Any thread. */
typedef struct CudaHipState CudaHipState;
int cuda_hip_state_create(CudaHipState **out, const CudaHipSource *source);
int cuda_hip_state_use(CudaHipState *state, VmafContext *vmaf);
void cuda_hip_state_destroy(CudaHipState *state); /* may be called at any time; NULL is fine */

/* The values equal those of VmafCudaPicturePreallocationMethod and of its HIP counterpart. */
enum CudaHipPictures {
    CUDA_HIP_PICTURES_NONE,
    CUDA_HIP_PICTURES_DEVICE,
    CUDA_HIP_PICTURES_HOST,
    CUDA_HIP_PICTURES_HOST_PINNED,
};
typedef struct CudaHipPictureParams {
    unsigned w, h, bpc;
    enum VmafPixelFormat pix_fmt;
    enum CudaHipPictures method;
} CudaHipPictureParams;
int cuda_hip_preallocate(VmafContext *vmaf, const GpuBackend *backend,
                         const CudaHipPictureParams *params);
int cuda_hip_fetch_picture(VmafContext *vmaf, const GpuBackend *backend, VmafPicture *pic);

/* A timeline semaphore of another API, for imports. */
int cuda_hip_import_semaphore(VmafContext *vmaf, const GpuBackend *backend, intptr_t handle,
                              uintptr_t *semaphore);
int cuda_hip_free_semaphore(VmafContext *vmaf, const GpuBackend *backend, uintptr_t semaphore);

#endif
