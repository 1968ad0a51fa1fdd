/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Decoding on a device. What was asked for by name happens there or not at all. */
#include <errno.h>
#include <string.h>

#include "input/libav.h"
#include "message.h"

/* The decoder's own way to use a device of this type; NULL: it has none. */
static const AVCodecHWConfig *config_for(const AVCodec *decoder, enum AVHWDeviceType type)
{
    const AVCodecHWConfig *config;
    for (int i = 0; (config = avcodec_get_hw_config(decoder, i)); i++)
        if (config->device_type == type &&
            config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX)
            return config;
    return NULL;
}

/* A codec may have several decoders, of which the first need not be the one that uses devices. */
static const AVCodec *decoder_for(enum AVCodecID id, enum AVHWDeviceType type)
{
    void *at = NULL;
    const AVCodec *codec;
    while ((codec = av_codec_iterate(&at)))
        if (codec->id == id && av_codec_is_decoder(codec) && config_for(codec, type))
            return codec;
    return NULL;
}

/* Called by the decoder when it knows what it decodes. */
static enum AVPixelFormat choose_format(AVCodecContext *codec, const enum AVPixelFormat *formats)
{
    const Libav *const libav = codec->opaque;
    for (const enum AVPixelFormat *format = formats; *format != AV_PIX_FMT_NONE; format++)
        if (*format == libav->device_format)
            return *format;
    return libav->device_named ? AV_PIX_FMT_NONE : avcodec_default_get_format(codec, formats);
}

/* 0 when the device is there and some decoder uses it; what is missing goes to `why`. */
static int try_device(Libav *libav, const char *name, const AVCodec **decoder, char *why,
                      size_t size)
{
    const enum AVHWDeviceType type = av_hwdevice_find_type_by_name(name);
    const enum AVCodecID id = libav->stream->codecpar->codec_id;
    const AVCodec *const found = type == AV_HWDEVICE_TYPE_NONE ? NULL : decoder_for(id, type);
    if (!found) {
        snprintf(why, size, "this libavcodec does not decode %s with %s", avcodec_get_name(id),
                 name);
        return -ENOSYS;
    }
    const int err = av_hwdevice_ctx_create(&libav->device, type, NULL, NULL, 0);
    if (err < 0) {
        char reason[128];
        av_strerror(err, reason, sizeof(reason));
        snprintf(why, size, "no device for %s: %s", name, reason);
        return -ENODEV;
    }
    libav->device_name = name;
    libav->device_format = config_for(found, type)->pix_fmt;
    *decoder = found;
    return 0;
}

int libav_hw_choose(Libav *libav, const AVCodec **decoder)
{
    static const char *const names[] = { "cuda", "vaapi", "vulkan" };
    const char *const asked = libav->video->options.hwaccel;
    char why[256] = "";
    libav->device_format = AV_PIX_FMT_NONE;
    if (!asked || !strcmp(asked, "none"))
        return 0;
    libav->device_named = strcmp(asked, "auto") != 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (libav->device_named && strcmp(asked, names[i]) != 0)
            continue;
        if (!try_device(libav, names[i], decoder, why, sizeof(why)))
            return 0;
    }
    if (!libav->device_named)
        return 0;
    say("%s: --hwaccel %s: %s", libav->video->path, asked, why);
    return -ENODEV;
}

int libav_hw_attach(Libav *libav)
{
    if (!libav->device)
        return 0;
    libav->codec->hw_device_ctx = av_buffer_ref(libav->device);
    libav->codec->get_format = choose_format;
    return libav->codec->hw_device_ctx ? 0 : -ENOMEM;
}

int libav_hw_fetch(Libav *libav)
{
    if (libav->device_format == AV_PIX_FMT_NONE || libav->frame->format != libav->device_format)
        return 0;
    av_frame_unref(libav->host);
    int err = av_hwframe_transfer_data(libav->host, libav->frame, 0);
    if (err >= 0)
        err = av_frame_copy_props(libav->host, libav->frame);
    if (err < 0) {
        char reason[128];
        av_strerror(err, reason, sizeof(reason));
        say("%s: a frame could not be fetched from %s: %s", libav->video->path, libav->device_name,
            reason);
        return -EIO;
    }
    av_frame_unref(libav->frame);
    av_frame_move_ref(libav->frame, libav->host);
    libav->video->traits.hwaccel = libav->device_name;
    return 0;
}

int libav_hw_tell(Libav *libav)
{
    Video *const video = libav->video;
    const char *const asked = video->options.hwaccel;
    if (!asked || !strcmp(asked, "none"))
        return 0;
    if (video->traits.hwaccel) {
        video_note(video, "hwaccel", true, "decoded with %s", video->traits.hwaccel);
        return 0;
    }
    if (!libav->device_named) {
        video_note(video, "hwaccel", true, "decoded on the CPU: no device decodes it");
        return 0;
    }
    say("%s: --hwaccel %s: the device does not decode this video", video->path, asked);
    return -ENODEV;
}
