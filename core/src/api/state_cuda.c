/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The public functions of libvmaf_cuda.h. A VmafCudaState is a CudaHipState. */
#include "libvmaf/libvmaf_cuda.h"

#include <errno.h>

#include "gpu/backend/cuda_hip/api.h"
#include "gpu/backend/cuda_hip/cuda_hip.h"
#include "api/state_cuda_hip.h"

static CudaHipState *state_of(VmafCudaState *state)
{
    return (CudaHipState *)state;
}

static int init(VmafCudaState **cu_state, void *context, bool fallback_cpu)
{
    CudaHipState *state;
    const int err = cuda_hip_state_create(&state, &(CudaHipSource){ .backend = &cuda_backend,
                                                                    .api = cuda_api(),
                                                                    .context = context,
                                                                    .fallback_cpu = fallback_cpu });
    *cu_state = (VmafCudaState *)state;
    return err;
}

int vmaf_cuda_state_init(VmafCudaState **cu_state, VmafCudaConfiguration cfg)
{
    return cu_state ? init(cu_state, cfg.cu_ctx, false) : -EINVAL;
}

int vmaf_cuda_state_init_with_options(VmafCudaState **cu_state, const VmafCudaOptions *options)
{
    if (cu_state)
        *cu_state = NULL;
    if (!cu_state || !options || options->size < sizeof(*options))
        return -EINVAL;
    return init(cu_state, options->cu_ctx, options->fallback_cpu != 0);
}

int vmaf_cuda_import_state(VmafContext *vmaf, VmafCudaState *cu_state)
{
    return vmaf && cu_state ? cuda_hip_state_use(state_of(cu_state), vmaf) : -EINVAL;
}

int vmaf_cuda_state_free(VmafCudaState *cu_state)
{
    cuda_hip_state_destroy(state_of(cu_state));
    return 0;
}

int vmaf_cuda_preallocate_pictures(VmafContext *vmaf, VmafCudaPictureConfiguration cfg)
{
    return cuda_hip_preallocate(
        vmaf, &cuda_backend,
        &(CudaHipPictureParams){ cfg.pic_params.w, cfg.pic_params.h, cfg.pic_params.bpc,
                                 cfg.pic_params.pix_fmt,
                                 (enum CudaHipPictures)cfg.pic_prealloc_method });
}

int vmaf_cuda_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic)
{
    return cuda_hip_fetch_picture(vmaf, &cuda_backend, pic);
}

int vmaf_cuda_import_semaphore(VmafContext *vmaf, intptr_t handle, uintptr_t *semaphore)
{
    return cuda_hip_import_semaphore(vmaf, &cuda_backend, handle, semaphore);
}

int vmaf_cuda_free_semaphore(VmafContext *vmaf, uintptr_t semaphore)
{
    return cuda_hip_free_semaphore(vmaf, &cuda_backend, semaphore);
}

static bool is_frame(const VmafCudaFrame *frame)
{
    return frame && frame->size >= sizeof(*frame);
}

static CudaHipFrame frame_of(const VmafCudaFrame *frame)
{
    return (CudaHipFrame){
        .w = frame->w,
        .h = frame->h,
        .bpc = frame->bpc,
        .pix_fmt = frame->pix_fmt,
        .shift = frame->shift,
        .plane = { frame->plane[0], frame->plane[1], frame->plane[2] },
        .pitch = { frame->pitch[0], frame->pitch[1], frame->pitch[2] },
        .context = frame->cu_ctx,
        .stream = frame->stream,
        .release = frame->release,
        .release_opaque = frame->release_opaque,
    };
}

int vmaf_cuda_read_frames(VmafContext *vmaf, const VmafCudaFrame *ref, const VmafCudaFrame *dist,
                          unsigned index)
{
    if (!vmaf || !is_frame(ref) || !is_frame(dist))
        return -EINVAL;
    const CudaHipFrame frames[2] = { frame_of(ref), frame_of(dist) };
    return cuda_hip_read_frames(vmaf, &cuda_backend, &frames[0], &frames[1], index);
}

int vmaf_cuda_can_read(VmafContext *vmaf, const VmafCudaFrame *frame, char *why, size_t why_size)
{
    if (!vmaf || !is_frame(frame))
        return -EINVAL;
    const CudaHipFrame asked = frame_of(frame);
    return cuda_hip_can_read(vmaf, &cuda_backend, &asked, why, why_size);
}
