/*
 * Copyright (c) 2026 The vmaf-turbo authors
 *
 * This file is part of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 *
 * FFmpeg is distributed in the hope that it will be useful,
 * but WITHOUT ANY WARRANTY; without even the implied warranty of
 * MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
 * Lesser General Public License for more details.
 *
 * You should have received a copy of the GNU Lesser General Public
 * License along with FFmpeg; if not, write to the Free Software
 * Foundation, Inc., 51 Franklin Street, Fifth Floor, Boston, MA 02110-1301 USA
 */

/**
 * @file
 * How libvmaf_cuda scores its frames: libvmaf reads them where they are, in
 * any layout that decoders have. vf_libvmaf.c includes it, if libvmaf has
 * vmaf_cuda_read_frames(). It is the same file for all releases of FFmpeg since
 * 6.1.
 */

#include "libavfilter/version.h"

/* FFmpeg 6.1 keeps the frames context in the link. */
#if LIBAVFILTER_VERSION_INT < AV_VERSION_INT(10, 4, 100)
#define FilterLink AVFilterLink
#define ff_filter_link(link) (link)
#endif

/**
 * Says where the samples of a frame are. Those of a plane lie side by side, or
 * those of Cb and Cr alternate.
 */
static int describe_frame_cuda(const AVHWFramesContext *frames,
                               const AVFrame *frame, VmafCudaFrame *cf)
{
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(frames->sw_format);
    const AVCUDADeviceContext *hwctx = frames->device_ctx->hwctx;
    const AVComponentDescriptor *comp = desc->comp;
    const int bytes = comp[0].depth > 8 ? 2 : 1;
    int planes = 1;

    if (desc->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_FLOAT |
                       AV_PIX_FMT_FLAG_BE) ||
        comp[0].plane != 0 || comp[0].step != bytes || comp[0].offset)
        return AVERROR(EINVAL);

    *cf = (VmafCudaFrame) {
        .size    = sizeof(*cf),
        .w       = frame->width,
        .h       = frame->height,
        .bpc     = comp[0].depth,
        .shift   = comp[0].shift,
        .pix_fmt = VMAF_PIX_FMT_YUV400P,
        .cu_ctx  = hwctx->cuda_ctx,
        .stream  = (uintptr_t)hwctx->stream,
    };

    if (desc->nb_components >= 3) {
        const int interleaved = comp[2].plane == 1;

        for (int i = 1; i < 3; i++)
            if (comp[i].depth != comp[0].depth || comp[i].shift != comp[0].shift ||
                comp[i].plane != (interleaved ? 1 : i) ||
                comp[i].step  != (interleaved ? 2 * bytes : bytes) ||
                comp[i].offset != (interleaved ? (i - 1) * bytes : 0))
                return AVERROR(EINVAL);

        if (desc->log2_chroma_w == 1 && desc->log2_chroma_h == 1)
            cf->pix_fmt = VMAF_PIX_FMT_YUV420P;
        else if (desc->log2_chroma_w == 1 && desc->log2_chroma_h == 0)
            cf->pix_fmt = VMAF_PIX_FMT_YUV422P;
        else if (desc->log2_chroma_w == 0 && desc->log2_chroma_h == 0)
            cf->pix_fmt = VMAF_PIX_FMT_YUV444P;
        else
            return AVERROR(EINVAL);
        planes = interleaved ? 2 : 3;
    }

    for (int i = 0; i < planes; i++) {
        cf->plane[i] = (uintptr_t)frame->data[i];
        cf->pitch[i] = frame->linesize[i];
    }
    return 0;
}

static int check_format_cuda(AVFilterContext *ctx, const AVHWFramesContext *frames)
{
    const AVFrame none = { 0 };
    VmafCudaFrame cf;

    if (describe_frame_cuda(frames, &none, &cf)) {
        av_log(ctx, AV_LOG_ERROR, "cannot score frames of the format %s: it is "
               "neither grey nor planar YUV such as yuv420p, nv12 or p010.\n",
               av_get_pix_fmt_name(frames->sw_format));
        return AVERROR(EINVAL);
    }
    return 0;
}

static int config_props_cuda(AVFilterLink *outlink)
{
    AVFilterContext *ctx = outlink->src;
    LIBVMAFContext *s = ctx->priv;
    FilterLink *distlink = ff_filter_link(ctx->inputs[0]);
    FilterLink *reflink  = ff_filter_link(ctx->inputs[1]);
    FilterLink *ol       = ff_filter_link(outlink);
    AVHWFramesContext *dist, *ref;
    AVCUDADeviceContext *hwctx;
    int err;

    VmafConfiguration cfg = {
        .log_level = log_level_map(av_log_get_level()),
        .n_subsample = s->n_subsample,
        .n_threads = s->n_threads,
    };

    if (!distlink->hw_frames_ctx || !reflink->hw_frames_ctx) {
        av_log(ctx, AV_LOG_ERROR, "the inputs have no frames context.\n");
        return AVERROR(EINVAL);
    }
    dist  = (AVHWFramesContext *)distlink->hw_frames_ctx->data;
    ref   = (AVHWFramesContext *)reflink->hw_frames_ctx->data;
    hwctx = dist->device_ctx->hwctx;

    if ((err = check_format_cuda(ctx, dist)) ||
        (err = check_format_cuda(ctx, ref)))
        return err;

    err = vmaf_init(&s->vmaf, cfg);
    if (err)
        return AVERROR(EINVAL);

    err = vmaf_cuda_state_init(&s->cu_state, (VmafCudaConfiguration) {
        .cu_ctx = hwctx->cuda_ctx,
    });
    if (!err)
        err = vmaf_cuda_import_state(s->vmaf, s->cu_state);
    vmaf_cuda_state_free(s->cu_state); /* s->vmaf keeps what it needs */
    s->cu_state = NULL;
    if (err) {
        av_log(ctx, AV_LOG_ERROR, "libvmaf cannot work on the CUDA device of "
               "the input frames: %s.\n", av_err2str(AVERROR(-err)));
        return AVERROR(-err);
    }

    err = parse_models(ctx);
    if (err)
        return err;

    err = parse_features(ctx);
    if (err)
        return err;

    ol->hw_frames_ctx = av_buffer_ref(distlink->hw_frames_ctx);
    if (!ol->hw_frames_ctx)
        return AVERROR(ENOMEM);

    return config_output(outlink);
}

static void release_frame_cuda(void *opaque)
{
    AVFrame *frame = opaque;
    av_frame_free(&frame);
}

/**
 * Describes the frame, and keeps it until libvmaf has read it.
 */
static int import_frame_cuda(const AVFrame *frame, VmafCudaFrame *cf)
{
    int err = describe_frame_cuda((AVHWFramesContext *)frame->hw_frames_ctx->data,
                                  frame, cf);
    if (err)
        return err;
    cf->release        = release_frame_cuda;
    cf->release_opaque = av_frame_clone(frame);
    return cf->release_opaque ? 0 : AVERROR(ENOMEM);
}

static int do_vmaf_cuda(FFFrameSync *fs)
{
    AVFilterContext *ctx = fs->parent;
    LIBVMAFContext *s = ctx->priv;
    VmafCudaFrame cf_ref, cf_dist;
    AVFrame *ref, *dist, *out;
    int err;

    /* ff_framesync_dualinput_get() may copy a frame. */
    if ((err = ff_framesync_get_frame(fs, 0, &dist, 0)) < 0 ||
        (err = ff_framesync_get_frame(fs, 1, &ref,  0)) < 0)
        return err;

    out = av_frame_clone(dist);
    if (!out)
        return AVERROR(ENOMEM);
    out->pts = av_rescale_q(fs->pts, fs->time_base, ctx->outputs[0]->time_base);
    if (ctx->is_disabled || !ref)
        return ff_filter_frame(ctx->outputs[0], out);

    if (dist->color_range != ref->color_range) {
        av_log(ctx, AV_LOG_WARNING, "distorted and reference "
               "frames use different color ranges (%s != %s)\n",
               av_color_range_name(dist->color_range),
               av_color_range_name(ref->color_range));
    }

    err = import_frame_cuda(ref, &cf_ref);
    if (!err) {
        err = import_frame_cuda(dist, &cf_dist);
        if (err)
            release_frame_cuda(cf_ref.release_opaque);
    }
    if (!err) {
        err = AVERROR(-vmaf_cuda_read_frames(s->vmaf, &cf_ref, &cf_dist, s->frame_cnt));
        if (err)
            av_log(ctx, AV_LOG_ERROR, "problem during vmaf_cuda_read_frames.\n");
    }
    if (err) {
        av_frame_free(&out);
        s->finished = 1; /* no score of a part */
        return err;
    }
    s->frame_cnt++;

    return ff_filter_frame(ctx->outputs[0], out);
}
