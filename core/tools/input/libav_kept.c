/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Decoded frames that stay on their device, and reading those of CUDA. */
#include "input/libav.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "libvmaf/libvmaf_cuda.h"

static bool is_component_at(const AVComponentDescriptor *comp, int plane, int step, int offset)
{
    return comp->plane == plane && comp->step == step && comp->offset == offset;
}

static bool chroma_format(const AVPixFmtDescriptor *pixel, enum VmafPixelFormat *pix_fmt)
{
    const int w = pixel->log2_chroma_w, h = pixel->log2_chroma_h;
    *pix_fmt = w ? h ? VMAF_PIX_FMT_YUV420P : VMAF_PIX_FMT_YUV422P : VMAF_PIX_FMT_YUV444P;
    return (w == 1 && h <= 1) || (w == 0 && h == 0);
}

bool libav_kept_layout(const AVFrame *frame, KeptLayout *layout)
{
    const unsigned none = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BE |
                          AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BITSTREAM;
    if (!frame->hw_frames_ctx)
        return false;
    const AVHWFramesContext *const frames = (AVHWFramesContext *)frame->hw_frames_ctx->data;
    const AVPixFmtDescriptor *const pixel = av_pix_fmt_desc_get(frames->sw_format);
    if (!pixel || pixel->flags & none || pixel->comp[0].depth < 8 || pixel->comp[0].depth > 16)
        return false;
    const AVComponentDescriptor *const comp = pixel->comp;
    const int bytes = comp[0].depth > 8 ? 2 : 1;
    bool known = is_component_at(&comp[0], 0, bytes, 0);
    *layout = (KeptLayout){ .pix_fmt = VMAF_PIX_FMT_YUV400P,
                            .bpc = (unsigned)comp[0].depth,
                            .shift = (unsigned)comp[0].shift };
    if (pixel->nb_components < 3)
        return known;
    layout->paired = comp[2].plane == 1;
    for (int c = 1; c < 3; c++) {
        known = known && comp[c].depth == comp[0].depth && comp[c].shift == comp[0].shift;
        known = known && (layout->paired ? is_component_at(&comp[c], 1, 2 * bytes, (c - 1) * bytes)
                                         : is_component_at(&comp[c], c, bytes, 0));
    }
    return chroma_format(pixel, &layout->pix_fmt) && known;
}

/* ---- frames ---- */

static void release(KeptFrame *frame)
{
    LibavKept *const kept = (LibavKept *)frame;
    av_frame_free(&kept->frame);
    free(kept);
}

static KeptFrame *copy(const KeptFrame *frame)
{
    return libav_kept_create(((const LibavKept *)frame)->frame);
}

static int read_cuda(VmafContext *vmaf, KeptFrame *ref, KeptFrame *dist, unsigned index)
{
    return libav_cuda_read(vmaf, (LibavKept *)ref, (LibavKept *)dist, index);
}

static int read_vulkan(VmafContext *vmaf, KeptFrame *ref, KeptFrame *dist, unsigned index)
{
    return libav_vulkan_read(vmaf, (LibavKept *)ref, (LibavKept *)dist, index);
}

static const KeptOps cuda_ops = { .copy = copy, .release = release, .read = read_cuda };
static const KeptOps vulkan_ops = { .copy = copy, .release = release, .read = read_vulkan };

static const KeptOps *ops_of(const AVFrame *frame)
{
    return frame->format == AV_PIX_FMT_CUDA     ? &cuda_ops
           : frame->format == AV_PIX_FMT_VULKAN ? &vulkan_ops
                                                : NULL;
}

KeptFrame *libav_kept_create(const AVFrame *frame)
{
    const KeptOps *const ops = ops_of(frame);
    LibavKept *const kept = ops ? malloc(sizeof(*kept)) : NULL;
    if (!kept)
        return NULL;
    *kept = (LibavKept){ { ops }, av_frame_clone(frame) };
    if (kept->frame)
        return &kept->kept;
    free(kept);
    return NULL;
}

int libav_kept_check(const AVFrame *frame, const KeptScorer *scorer, char *why, size_t size)
{
    if (frame->format == AV_PIX_FMT_CUDA)
        return libav_cuda_check(frame, scorer->vmaf, why, size);
    if (frame->format == AV_PIX_FMT_VULKAN && scorer->vulkan)
        return libav_vulkan_check(frame, scorer->vulkan, why, size);
    snprintf(why, size, "scoring runs on another device");
    return -ENOTSUP;
}

/* Frames that CUDA holds. */

/* The first fields of AVCUDADeviceContext, the same in all versions. FFmpeg's own header needs
 * NVIDIA's headers, which we do not have. */
typedef struct CudaDevice {
    void *context, *stream;
} CudaDevice;

static void release_kept(void *kept)
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
        snprintf(why, size, "the layout of their samples is not supported");
        return -ENOTSUP;
    }
    return vmaf_cuda_can_read(vmaf, &cuda, why, size);
}

int libav_cuda_read(VmafContext *vmaf, LibavKept *ref, LibavKept *dist, unsigned index)
{
    VmafCudaFrame frames[2];
    if (describe(ref->frame, &frames[0]) || describe(dist->frame, &frames[1])) {
        release_kept(ref);
        release_kept(dist);
        return -EINVAL;
    }
    frames[0].release = frames[1].release = release_kept;
    frames[0].release_opaque = ref;
    frames[1].release_opaque = dist;
    return vmaf_cuda_read_frames(vmaf, &frames[0], &frames[1], index);
}
