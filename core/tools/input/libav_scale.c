/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Scales planes one by one, as grey pictures. swscale gives the same result for the planes of
 * one picture, but here unwanted planes cost nothing. */
#include <errno.h>
#include <stdlib.h>

#include "input/libav_api.h"
#include "input/convert.h"
#include "common/message.h"

struct PlaneScaler {
    struct SwsContext *sws;
    unsigned from_height;
    uint8_t *data;
    ptrdiff_t stride;
};

static enum AVPixelFormat grey(unsigned bitdepth)
{
    switch (bitdepth) {
    case 8:
        return AV_PIX_FMT_GRAY8;
    case 9:
        return AV_PIX_FMT_GRAY9;
    case 10:
        return AV_PIX_FMT_GRAY10;
    case 12:
        return AV_PIX_FMT_GRAY12;
    case 14:
        return AV_PIX_FMT_GRAY14;
    case 16:
        return AV_PIX_FMT_GRAY16;
    default:
        return AV_PIX_FMT_NONE;
    }
}

static int sws_method(enum VideoScale method)
{
    switch (method) {
    case SCALE_BILINEAR:
        return SWS_BILINEAR;
    case SCALE_LANCZOS:
        return SWS_LANCZOS;
    case SCALE_NEAREST:
        return SWS_POINT;
    case SCALE_AREA:
        return SWS_AREA;
    default:
        return SWS_BICUBIC;
    }
}

int plane_scaler_create(PlaneScaler **out, const PlaneSize *from, const PlaneSize *to,
                        enum VideoScale method)
{
    const char *const missing = libav_api_open();
    if (missing) {
        say("%ux%u cannot be scaled to %ux%u: %s", from->width, from->height, to->width, to->height,
            missing);
        return -ENOSYS;
    }
    PlaneScaler *const scaler = calloc(1, sizeof(*scaler));
    if (!scaler)
        return -ENOMEM;
    scaler->from_height = from->height;
    scaler->stride = plane_stride(to->width, to->bitdepth);
    scaler->data = av_malloc((size_t)scaler->stride * to->height + 64);
    scaler->sws =
        sws_getContext((int)from->width, (int)from->height, grey(from->bitdepth), (int)to->width,
                       (int)to->height, grey(to->bitdepth),
                       sws_method(method) | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_BITEXACT,
                       NULL, NULL, NULL);
    if (scaler->data && scaler->sws) {
        *out = scaler;
        return 0;
    }
    say("libswscale cannot scale %ux%u samples of %u bits to %ux%u of %u bits", from->width,
        from->height, from->bitdepth, to->width, to->height, to->bitdepth);
    plane_scaler_destroy(scaler);
    return -EINVAL;
}

void plane_scaler_destroy(PlaneScaler *scaler)
{
    if (!scaler)
        return;
    sws_freeContext(scaler->sws);
    av_free(scaler->data);
    free(scaler);
}

int plane_scaler_run(PlaneScaler *scaler, const uint8_t *data, ptrdiff_t stride,
                     const uint8_t **scaled, ptrdiff_t *scaled_stride)
{
    const uint8_t *const from[4] = { data };
    uint8_t *const to[4] = { scaler->data };
    const int from_stride[4] = { (int)stride }, to_stride[4] = { (int)scaler->stride };
    if (sws_scale(scaler->sws, from, from_stride, 0, (int)scaler->from_height, to, to_stride) < 0)
        return -EINVAL;
    *scaled = scaler->data;
    *scaled_stride = scaler->stride;
    return 0;
}
