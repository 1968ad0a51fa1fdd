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
 * The libvmaf_vulkan filter. vf_libvmaf.c includes it. It is the same file for
 * all releases of FFmpeg since 5.1.
 */

#include "libavutil/version.h"
#include "libavfilter/version.h"

/* FFmpeg 5.1 and 6.1 keep the frames context in the link. */
#if LIBAVFILTER_VERSION_INT < AV_VERSION_INT(10, 4, 100)
#define FilterLink AVFilterLink
#define ff_filter_link(link) (link)
#endif

/* FFmpeg 8.0 and later keep what programs see of a filter in its member p. */
#if LIBAVFILTER_VERSION_MAJOR < 11
#define FFFilter AVFilter
#define PUBLIC(member) .member
#else
#define PUBLIC(member) .p.member
#endif

/* FFmpeg 9.0 tells the flags of its queues. */
#if LIBAVUTIL_VERSION_MAJOR < 61
#define QUEUE_FLAGS(hwctx) 0
#else
#define QUEUE_FLAGS(hwctx) (hwctx)->queue_flags
#endif

/* FFmpeg 5.1 asks for Vulkan 1.2, shares images among queue families, and has
 * no lock for a frame. */
#if LIBAVUTIL_VERSION_MAJOR < 58
#define API_VERSION VK_API_VERSION_1_2
#define QUEUE_FAMILY(vkf, i) VMAF_VULKAN_QUEUE_FAMILY_IGNORED
#else
#define API_VERSION VK_API_VERSION_1_3
#define QUEUE_FAMILY(vkf, i) (vkf)->queue_family[i]
#endif

/* A later major version will have no locks of queues. */
#if !defined(FF_API_VULKAN_SYNC_QUEUES) || FF_API_VULKAN_SYNC_QUEUES
#define LOCK_QUEUES 1
#else
#define LOCK_QUEUES 0
#endif

static void lock_queue_vulkan(void *opaque, uint32_t family, uint32_t index)
{
#if LOCK_QUEUES
FF_DISABLE_DEPRECATION_WARNINGS
    AVHWDeviceContext *device = opaque;
    ((AVVulkanDeviceContext *)device->hwctx)->lock_queue(device, family, index);
FF_ENABLE_DEPRECATION_WARNINGS
#endif
}

static void unlock_queue_vulkan(void *opaque, uint32_t family, uint32_t index)
{
#if LOCK_QUEUES
FF_DISABLE_DEPRECATION_WARNINGS
    AVHWDeviceContext *device = opaque;
    ((AVVulkanDeviceContext *)device->hwctx)->unlock_queue(device, family, index);
FF_ENABLE_DEPRECATION_WARNINGS
#endif
}

/* The last queue of the first family that computes. */
static void choose_queue_vulkan(const AVVulkanDeviceContext *hwctx,
                                VmafVulkanExternalDevice *external)
{
#if LIBAVUTIL_VERSION_INT < AV_VERSION_INT(59, 39, 100) /* before FFmpeg 7.1 */
    external->queue_family = hwctx->queue_family_comp_index;
    external->queue_index  = hwctx->nb_comp_queues - 1;
#else
    for (int i = 0; i < hwctx->nb_qf; i++) {
        if (!(hwctx->qf[i].flags & VK_QUEUE_COMPUTE_BIT) || hwctx->qf[i].num < 1)
            continue;
        external->queue_family = hwctx->qf[i].idx;
        external->queue_index  = hwctx->qf[i].num - 1;
        break;
    }
#endif
}

static int open_device_vulkan(AVFilterContext *ctx, AVHWDeviceContext *device)
{
    LIBVMAFContext *s = ctx->priv;
    const AVVulkanDeviceContext *hwctx = device->hwctx;
    VmafVulkanExternalDevice external = {
        .size                   = sizeof(external),
        .instance               = (uintptr_t)hwctx->inst,
        .physical_device        = (uintptr_t)hwctx->phys_dev,
        .device                 = (uintptr_t)hwctx->act_dev,
        .get_instance_proc_addr = (uintptr_t)hwctx->get_proc_addr,
        .api_version            = API_VERSION, /* what hwcontext_vulkan.c asks for */
        .queue_flags            = QUEUE_FLAGS(hwctx),
        .lock_queue             = lock_queue_vulkan,
        .unlock_queue           = unlock_queue_vulkan,
        .lock_opaque            = device,
        .features               = &hwctx->device_features,
        .extensions             = hwctx->enabled_dev_extensions,
        .extension_count        = hwctx->nb_enabled_dev_extensions,
        .required               = 1,
    };
    VmafVulkanDeviceInfo info = { .size = sizeof(info) };
    int err;

    choose_queue_vulkan(hwctx, &external);

    err = vmaf_vulkan_state_init_external_device(&s->vk_state, &external);
    if (err) {
        av_log(ctx, AV_LOG_ERROR, "libvmaf cannot work on the Vulkan device "
               "of the input frames: %s.\n", av_err2str(AVERROR(-err)));
        return AVERROR(-err);
    }

    if (!vmaf_vulkan_state_device_info(s->vk_state, &info))
        av_log(ctx, AV_LOG_VERBOSE, "VMAF runs on %s.\n", info.name);
    return 0;
}

static const VkFormat *formats_vulkan(AVHWFramesContext *frames)
{
#if LIBAVUTIL_VERSION_MAJOR < 58
    return av_vkfmt_from_pixfmt(frames->sw_format);
#else
    const AVVulkanFramesContext *hwfc = frames->hwctx;
    return hwfc->format;
#endif
}

/**
 * Describes frames of this format in libvmaf's terms. Samples of a plane lie
 * side by side, or those of Cb and Cr alternate.
 */
static int describe_frame_vulkan(AVHWFramesContext *frames, VmafVulkanFrame *vf)
{
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(frames->sw_format);
    const AVComponentDescriptor *comp = desc->comp;
    const int bytes = comp[0].depth > 8 ? 2 : 1;
    const VkFormat *formats = formats_vulkan(frames);

    if (!formats || desc->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_FLOAT) ||
        comp[0].plane != 0 || comp[0].step != bytes)
        return AVERROR(EINVAL);

    vf->size  = sizeof(*vf);
    vf->bpc   = comp[0].depth;
    vf->shift = comp[0].shift;
    for (int i = 0; i < FF_ARRAY_ELEMS(vf->format); i++)
        vf->format[i] = formats[i];

    if (desc->nb_components < 3) {
        vf->pix_fmt   = VMAF_PIX_FMT_YUV400P;
        vf->format[1] = vf->format[2] = VK_FORMAT_UNDEFINED;
        return 0;
    }

    for (int i = 1; i < 3; i++) {
        const int interleaved = comp[2].plane == 1;
        if (comp[i].depth != comp[0].depth || comp[i].shift != comp[0].shift ||
            comp[i].plane != (interleaved ? 1 : i) ||
            comp[i].step  != (interleaved ? 2 * bytes : bytes) ||
            comp[i].offset != (interleaved ? (i - 1) * bytes : 0))
            return AVERROR(EINVAL);
        if (interleaved)
            vf->format[2] = VK_FORMAT_UNDEFINED;
    }

    if (desc->log2_chroma_w == 1 && desc->log2_chroma_h == 1)
        vf->pix_fmt = VMAF_PIX_FMT_YUV420P;
    else if (desc->log2_chroma_w == 1 && desc->log2_chroma_h == 0)
        vf->pix_fmt = VMAF_PIX_FMT_YUV422P;
    else if (desc->log2_chroma_w == 0 && desc->log2_chroma_h == 0)
        vf->pix_fmt = VMAF_PIX_FMT_YUV444P;
    else
        return AVERROR(EINVAL);

    return 0;
}

static int check_inputs_vulkan(AVFilterContext *ctx, AVHWFramesContext *dist,
                               AVHWFramesContext *ref)
{
    if (dist->device_ctx != ref->device_ctx) {
        av_log(ctx, AV_LOG_ERROR, "the inputs must be frames of the same "
               "Vulkan device.\n");
        return AVERROR(EINVAL);
    }
    if (dist->sw_format != ref->sw_format) {
        av_log(ctx, AV_LOG_ERROR, "the inputs must have the same format "
               "(%s != %s).\n", av_get_pix_fmt_name(dist->sw_format),
               av_get_pix_fmt_name(ref->sw_format));
        return AVERROR(EINVAL);
    }
    return 0;
}

static int config_props_vulkan(AVFilterLink *outlink)
{
    AVFilterContext *ctx = outlink->src;
    LIBVMAFContext *s = ctx->priv;
    FilterLink *distlink = ff_filter_link(ctx->inputs[0]);
    FilterLink *reflink  = ff_filter_link(ctx->inputs[1]);
    FilterLink *ol       = ff_filter_link(outlink);
    AVHWFramesContext *dist, *ref;
    char why[256] = "it is neither grey nor planar YUV such as yuv420p or nv12";
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
    dist = (AVHWFramesContext *)distlink->hw_frames_ctx->data;
    ref  = (AVHWFramesContext *)reflink->hw_frames_ctx->data;

    err = check_inputs_vulkan(ctx, dist, ref);
    if (err)
        return err;

    s->vk_device = av_buffer_ref(dist->device_ref);
    if (!s->vk_device)
        return AVERROR(ENOMEM);

    err = open_device_vulkan(ctx, dist->device_ctx);
    if (err)
        return err;

    s->vk_frame.w = ctx->inputs[0]->w;
    s->vk_frame.h = ctx->inputs[0]->h;
    err = describe_frame_vulkan(dist, &s->vk_frame);
    if (!err)
        err = vmaf_vulkan_can_import(s->vk_state, &s->vk_frame, why, sizeof(why));
    if (err) {
        av_log(ctx, AV_LOG_ERROR, "cannot score frames of the format %s: %s.\n",
               av_get_pix_fmt_name(dist->sw_format), why);
        return AVERROR(EINVAL);
    }

    err = vmaf_init(&s->vmaf, cfg);
    if (err)
        return AVERROR(EINVAL);

    err = vmaf_vulkan_import_state(s->vmaf, s->vk_state);
    if (err)
        return AVERROR(-err);

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

static void release_frame_vulkan(void *opaque)
{
    AVFrame *frame = opaque;
    av_frame_free(&frame);
}

/**
 * Says where the samples of a frame are, which is freed when libvmaf has read
 * them.
 */
static void import_frame_vulkan(const VmafVulkanFrame *like, AVFrame *frame,
                                VmafVulkanFrame *vf)
{
    const AVVkFrame *vkf = (AVVkFrame *)frame->data[0];

    *vf = *like;
    for (int i = 0; i < FF_ARRAY_ELEMS(vf->image); i++) {
        if (!vkf->img[i]) {
            vf->format[i] = VK_FORMAT_UNDEFINED;
            continue;
        }
        vf->image[i]        = (uintptr_t)vkf->img[i];
        vf->layout[i]       = vkf->layout[i];
        vf->queue_family[i] = QUEUE_FAMILY(vkf, i);
        vf->semaphore[i]    = (uintptr_t)vkf->sem[i];
        vf->wait_value[i]   = vkf->sem_value[i];
        vf->signal_value[i] = vkf->sem_value[i] + 1;
    }
    vf->release        = release_frame_vulkan;
    vf->release_opaque = frame;
}

/**
 * The images are read only, so that their layouts and owners stay. The
 * semaphores are signalled once they have been.
 */
static void update_frame_vulkan(AVVkFrame *vkf, const VmafVulkanFrame *vf)
{
    for (int i = 0; i < FF_ARRAY_ELEMS(vf->image) && vf->submitted; i++)
        if (vkf->img[i])
            vkf->sem_value[i] = vf->signal_value[i];
}

/* Both inputs may come from one: then it is the same frame. */
static void lock_frames_vulkan(AVFrame *ref, AVFrame *dist, int lock)
{
#if LIBAVUTIL_VERSION_MAJOR >= 58
    AVFrame *frames[] = { ref, dist };

    for (int i = 0; i < 2; i++) {
        AVHWFramesContext *hw = (AVHWFramesContext *)frames[i]->hw_frames_ctx->data;
        AVVulkanFramesContext *hwfc = hw->hwctx;
        AVVkFrame *vkf = (AVVkFrame *)frames[i]->data[0];

        if (i && vkf == (AVVkFrame *)ref->data[0])
            continue;
        if (lock)
            hwfc->lock_frame(hw, vkf);
        else
            hwfc->unlock_frame(hw, vkf);
    }
#endif
}

static int do_vmaf_vulkan(FFFrameSync *fs)
{
    AVFilterContext *ctx = fs->parent;
    LIBVMAFContext *s = ctx->priv;
    VmafVulkanFrame vf_ref, vf_dist;
    AVFrame *ref, *dist, *keep_ref, *keep_dist, *out;
    AVVkFrame *vk_ref, *vk_dist;
    int err;

    /* ff_framesync_dualinput_get() may copy a frame, which these cannot be. */
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

    keep_ref  = av_frame_clone(ref);
    keep_dist = av_frame_clone(dist);
    if (!keep_ref || !keep_dist) {
        av_frame_free(&keep_ref);
        av_frame_free(&keep_dist);
        av_frame_free(&out);
        return AVERROR(ENOMEM);
    }

    vk_ref  = (AVVkFrame *)ref->data[0];
    vk_dist = (AVVkFrame *)dist->data[0];

    lock_frames_vulkan(ref, dist, 1);
    import_frame_vulkan(&s->vk_frame, keep_ref,  &vf_ref);
    import_frame_vulkan(&s->vk_frame, keep_dist, &vf_dist);
    err = vmaf_vulkan_read_frames(s->vmaf, &vf_ref, &vf_dist, s->frame_cnt);
    update_frame_vulkan(vk_ref,  &vf_ref);
    update_frame_vulkan(vk_dist, &vf_dist);
    lock_frames_vulkan(ref, dist, 0);

    if (err) {
        av_log(ctx, AV_LOG_ERROR, "problem during vmaf_vulkan_read_frames.\n");
        av_frame_free(&out);
        s->finished = 1; /* no score of a part */
        return AVERROR(-err);
    }
    s->frame_cnt++;

    return ff_filter_frame(ctx->outputs[0], out);
}

static av_cold int init_vulkan(AVFilterContext *ctx)
{
    LIBVMAFContext *s = ctx->priv;
    s->fs.on_event = do_vmaf_vulkan;
    return 0;
}

static const AVFilterPad libvmaf_outputs_vulkan[] = {
    {
        .name         = "default",
        .type         = AVMEDIA_TYPE_VIDEO,
        .config_props = config_props_vulkan,
    },
};

const FFFilter ff_vf_libvmaf_vulkan = {
    PUBLIC(name)        = "libvmaf_vulkan",
    PUBLIC(description) = NULL_IF_CONFIG_SMALL("Calculate the VMAF between two video streams of Vulkan frames."),
    PUBLIC(priv_class)  = &libvmaf_vulkan_class,
    .preinit        = libvmaf_vulkan_framesync_preinit,
    .init           = init_vulkan,
    .uninit         = uninit,
    .activate       = activate,
    .priv_size      = sizeof(LIBVMAFContext),
    FILTER_INPUTS(libvmaf_inputs),
    FILTER_OUTPUTS(libvmaf_outputs_vulkan),
    FILTER_SINGLE_PIXFMT(AV_PIX_FMT_VULKAN),
    .flags_internal = FF_FILTER_FLAG_HWFRAME_AWARE,
};
