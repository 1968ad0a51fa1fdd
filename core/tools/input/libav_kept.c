/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/libav_kept.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- samples ---- */

static bool lies_so(const AVComponentDescriptor *comp, int plane, int step, int offset)
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
    bool known = lies_so(&comp[0], 0, bytes, 0);
    *layout = (KeptLayout){ .pix_fmt = VMAF_PIX_FMT_YUV400P,
                            .bpc = (unsigned)comp[0].depth,
                            .shift = (unsigned)comp[0].shift };
    if (pixel->nb_components < 3)
        return known;
    layout->paired = comp[2].plane == 1;
    for (int c = 1; c < 3; c++) {
        known = known && comp[c].depth == comp[0].depth && comp[c].shift == comp[0].shift;
        known = known && (layout->paired ? lies_so(&comp[c], 1, 2 * bytes, (c - 1) * bytes)
                                         : lies_so(&comp[c], c, bytes, 0));
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
    snprintf(why, size, "the scoring does not work on their device");
    return -ENOTSUP;
}
