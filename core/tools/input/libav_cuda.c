/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Frames that CUDA holds. */
#include <errno.h>
#include <stdio.h>

#include "input/libav_kept.h"
#include "libvmaf/libvmaf_cuda.h"

/* How AVCUDADeviceContext begins, in all versions: FFmpeg's header can be read only with NVIDIA's. */
typedef struct CudaDevice {
    void *context, *stream;
} CudaDevice;

static void let_go(void *kept)
{
    kept_release(kept);
}

static int describe(const AVFrame *frame, VmafCudaFrame *cuda)
{
    KeptLayout layout;
    if (!libav_kept_layout(frame, &layout))
        return -ENOTSUP;
    const AVHWFramesContext *const frames = (AVHWFramesContext *)frame->hw_frames_ctx->data;
    const CudaDevice *const device = frames->device_ctx->hwctx;
    *cuda = (VmafCudaFrame){
        .size = sizeof(*cuda),
        .w = (unsigned)frame->width,
        .h = (unsigned)frame->height,
        .bpc = layout.bpc,
        .pix_fmt = layout.pix_fmt,
        .shift = layout.shift,
        .cu_ctx = device->context,
        .stream = (uintptr_t)device->stream,
    };
    const unsigned planes = layout.pix_fmt == VMAF_PIX_FMT_YUV400P ? 1 : layout.paired ? 2 : 3;
    for (unsigned p = 0; p < planes; p++) {
        cuda->plane[p] = (uintptr_t)frame->data[p];
        cuda->pitch[p] = (size_t)frame->linesize[p];
    }
    return 0;
}

int libav_cuda_check(const AVFrame *frame, VmafContext *vmaf, char *why, size_t size)
{
    VmafCudaFrame cuda;
    if (describe(frame, &cuda)) {
        snprintf(why, size, "their samples have to be sorted out");
        return -ENOTSUP;
    }
    return vmaf_cuda_can_read(vmaf, &cuda, why, size);
}

int libav_cuda_read(VmafContext *vmaf, LibavKept *ref, LibavKept *dist, unsigned index)
{
    VmafCudaFrame frames[2];
    if (describe(ref->frame, &frames[0]) || describe(dist->frame, &frames[1])) {
        let_go(ref);
        let_go(dist);
        return -EINVAL;
    }
    frames[0].release = frames[1].release = let_go;
    frames[0].release_opaque = ref;
    frames[1].release_opaque = dist;
    return vmaf_cuda_read_frames(vmaf, &frames[0], &frames[1], index);
}
