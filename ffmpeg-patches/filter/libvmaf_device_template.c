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
 * The options "backend" and "..._device" of libvmaf. vf_libvmaf.c includes it.
 */

static int use_device(AVFilterContext *ctx)
{
    LIBVMAFContext *s = ctx->priv;
    const struct {
        const char *backend, *device;
    } asked[] = {
        { "vulkan", s->vulkan_device },
        { "cuda",   s->cuda_device   },
        { "hip",    s->hip_device    },
        { "sycl",   s->sycl_device   },
    };
    VmafDeviceOptions opt = {
        .size     = sizeof(opt),
        .backend  = s->backend,
        .required = 1, /* never the CPU in silence */
    };
    VmafDeviceInfo info = { .size = sizeof(info) };
    int err;

    for (int i = 0; i < FF_ARRAY_ELEMS(asked); i++) {
        if (!asked[i].device || !strcmp(asked[i].device, "-1"))
            continue;
        if (opt.backend && strcmp(opt.backend, asked[i].backend)) {
            av_log(ctx, AV_LOG_ERROR, "%s_device is set, but the score is "
                   "asked of the backend %s; choose one.\n",
                   asked[i].backend, opt.backend);
            return AVERROR(EINVAL);
        }
        opt.backend = asked[i].backend;
        opt.device  = asked[i].device;
    }

    if (!opt.backend || !strcmp(opt.backend, "cpu"))
        return 0;

    err = vmaf_backend_built(opt.backend);
    if (err < 0) {
        av_log(ctx, AV_LOG_ERROR, "unknown backend '%s'; libvmaf has: cpu",
               opt.backend);
        for (int i = 0; vmaf_backend_name(i); i++)
            av_log(ctx, AV_LOG_ERROR, ", %s", vmaf_backend_name(i));
        av_log(ctx, AV_LOG_ERROR, ".\n");
        return AVERROR(EINVAL);
    }
    if (!err) {
        av_log(ctx, AV_LOG_ERROR, "libvmaf was built without its backend %s.\n",
               opt.backend);
        return AVERROR(ENOSYS);
    }

    err = vmaf_device_open(&s->device, &opt);
    if (err) {
        av_log(ctx, AV_LOG_ERROR, "could not open the %s device '%s': %s.\n",
               vmaf_backend_title(opt.backend), opt.device ? opt.device : "any",
               av_err2str(AVERROR(-err)));
        return AVERROR(-err);
    }

    err = vmaf_use_device(s->vmaf, s->device);
    if (err) {
        av_log(ctx, AV_LOG_ERROR, "problem during vmaf_use_device.\n");
        return AVERROR(-err);
    }

    if (!vmaf_device_get_info(s->device, &info))
        av_log(ctx, AV_LOG_VERBOSE, "VMAF runs on %s (%s %s).\n",
               info.name, info.api, info.version);
    return 0;
}
