/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The public functions of libvmaf_hip.h. A VmafHipState is a CudaHipState. */
#include "libvmaf/libvmaf_hip.h"

#include <errno.h>
#include <stdio.h>

#include "gpu/backend/cuda_hip/cuda_hip.h"
#include "api/state_cuda_hip.h"
#include "gpu/backend/cuda_hip/api.h"

static int init(VmafHipState **out, const CudaHipSource *source)
{
    if (!out)
        return -EINVAL;
    CudaHipState *state;
    const int err = cuda_hip_state_create(&state, source);
    *out = (VmafHipState *)state;
    return err;
}

int vmaf_hip_available(void)
{
    return 1;
}

int vmaf_hip_list_devices(void)
{
    GpuProbe *probe;
    const int err = hip_backend.probe(&hip_backend, false, &probe);
    if (err == -ENOSYS || err == -ENODEV)
        return 0; /* without a runtime or driver there is no device */
    if (err)
        return err;
    for (unsigned i = 0; i < probe->count; i++)
        printf("%u: %s (HIP %s)\n", i, probe->devices[i].name, probe->devices[i].version);
    const int count = (int)probe->count;
    hip_backend.probe_end(probe);
    return count;
}

int vmaf_hip_state_init(VmafHipState **state, VmafHipConfiguration cfg)
{
    if (state)
        *state = NULL;
    if (cfg.device_index < -1)
        return -EINVAL;
    return init(state, &(CudaHipSource){
                           .backend = &hip_backend, .by_index = true, .index = cfg.device_index });
}

int vmaf_hip_state_init_with_options(VmafHipState **state, const VmafHipOptions *options)
{
    if (state)
        *state = NULL;
    if (!options || options->size < sizeof(*options) || options->device_index < -1)
        return -EINVAL;
    return init(state, &(CudaHipSource){ .backend = &hip_backend,
                                         .api = hip_api(),
                                         .by_index = !options->hip_ctx,
                                         .index = options->device_index,
                                         .context = options->hip_ctx,
                                         .fallback_cpu = options->fallback_cpu != 0 });
}

int vmaf_hip_state_init_external(VmafHipState **state, void *hip_ctx)
{
    return init(state,
                &(CudaHipSource){ .backend = &hip_backend, .api = hip_api(), .context = hip_ctx });
}

int vmaf_hip_import_state(VmafContext *vmaf, VmafHipState *state)
{
    return vmaf && state ? cuda_hip_state_use((CudaHipState *)state, vmaf) : -EINVAL;
}

void vmaf_hip_state_free(VmafHipState **state)
{
    if (!state)
        return;
    cuda_hip_state_destroy((CudaHipState *)*state);
    *state = NULL;
}

int vmaf_hip_preallocate_pictures(VmafContext *vmaf, VmafHipPictureConfiguration cfg)
{
    return cuda_hip_preallocate(
        vmaf, &hip_backend,
        &(CudaHipPictureParams){ cfg.pic_params.w, cfg.pic_params.h, cfg.pic_params.bpc,
                                 cfg.pic_params.pix_fmt,
                                 (enum CudaHipPictures)cfg.pic_prealloc_method });
}

int vmaf_hip_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic)
{
    return cuda_hip_fetch_picture(vmaf, &hip_backend, pic);
}

int vmaf_hip_import_semaphore(VmafContext *vmaf, intptr_t handle, uintptr_t *semaphore)
{
    return cuda_hip_import_semaphore(vmaf, &hip_backend, handle, semaphore);
}

int vmaf_hip_free_semaphore(VmafContext *vmaf, uintptr_t semaphore)
{
    return cuda_hip_free_semaphore(vmaf, &hip_backend, semaphore);
}

static bool is_frame(const VmafHipFrame *frame)
{
    return frame && frame->size >= sizeof(*frame);
}

static CudaHipFrame frame_of(const VmafHipFrame *frame)
{
    return (CudaHipFrame){
        .w = frame->w,
        .h = frame->h,
        .bpc = frame->bpc,
        .pix_fmt = frame->pix_fmt,
        .shift = frame->shift,
        .plane = { frame->plane[0], frame->plane[1], frame->plane[2] },
        .pitch = { frame->pitch[0], frame->pitch[1], frame->pitch[2] },
        .context = frame->hip_ctx,
        .stream = frame->stream,
        .release = frame->release,
        .release_opaque = frame->release_opaque,
    };
}

int vmaf_hip_read_frames(VmafContext *vmaf, const VmafHipFrame *ref, const VmafHipFrame *dist,
                         unsigned index)
{
    if (!vmaf || !is_frame(ref) || !is_frame(dist))
        return -EINVAL;
    const CudaHipFrame frames[2] = { frame_of(ref), frame_of(dist) };
    return cuda_hip_read_frames(vmaf, &hip_backend, &frames[0], &frames[1], index);
}

int vmaf_hip_can_read(VmafContext *vmaf, const VmafHipFrame *frame, char *why, size_t why_size)
{
    if (!vmaf || !is_frame(frame))
        return -EINVAL;
    const CudaHipFrame asked = frame_of(frame);
    return cuda_hip_can_read(vmaf, &hip_backend, &asked, why, why_size);
}
