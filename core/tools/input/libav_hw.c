/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Decoding on a device. If the user names a device there is no fallback to the CPU. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/video.h"
#include "input/decode_speed.h"
#include "input/libav.h"
#include "input/libav_cut.h"
#include "common/message.h"

static const char *const names[] = { "cuda", "vaapi", "vulkan" };
#define NAMES (sizeof(names) / sizeof(*names))

/* ---- devices ---- */

/* All videos share one device of each API, because frames that are scored together must be on
 * the same device. */
static struct Shared {
    AVBufferRef *device;
    unsigned users;
} shared[NAMES]; /* one for each of `names`; guarded by shared_lock */
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;

/* True if the backend that scores may read frames of this device. */
static bool may_score(const VideoOptions *options, const char *name)
{
    return options->backend &&
           (!strcmp(options->backend, name) || !strcmp(options->backend, "auto"));
}

/* FFmpeg's name for the device that scores, if the user gave its number; NULL: the first device.
 * FFmpeg numbers Vulkan devices differently, so for Vulkan it is the device's name. */
static const char *device_word(const VideoOptions *options, const char *name,
                               VmafVulkanDeviceInfo *info)
{
    const char *const device = options->device;
    const bool number = device && *device && device[strspn(device, "0123456789")] == '\0';
    if (!number || !may_score(options, name))
        return NULL;
    if (strcmp(name, "vulkan") != 0)
        return device;
    *info = (VmafVulkanDeviceInfo){ .size = sizeof(*info) };
    return vmaf_vulkan_device_info((unsigned)strtoul(device, NULL, 10), info) ? NULL : info->name;
}

/* Scoring with CUDA uses the primary context of the device, so the decoder has to use it, too. */
static int make_device(AVBufferRef **device, const char *name, const VideoOptions *options)
{
    enum { PRIMARY_CONTEXT = 1 }; /* AV_CUDA_USE_PRIMARY_CONTEXT */
    const enum AVHWDeviceType type = av_hwdevice_find_type_by_name(name);
    VmafVulkanDeviceInfo info;
    const char *const word = device_word(options, name, &info);
    const bool primary = type == AV_HWDEVICE_TYPE_CUDA && may_score(options, name);
    int err = av_hwdevice_ctx_create(device, type, word, NULL, primary ? PRIMARY_CONTEXT : 0);
    if (err < 0 && (word || primary)) /* try the default device, for decoding only */
        err = av_hwdevice_ctx_create(device, type, NULL, NULL, 0);
    return err;
}

static int take_device(Libav *libav, size_t name)
{
    struct Shared *const one = &shared[name];
    int err = 0;
    pthread_mutex_lock(&shared_lock);
    if (!one->users)
        err = make_device(&one->device, names[name], &libav->video->options);
    if (err >= 0)
        libav->device = av_buffer_ref(one->device);
    if (libav->device)
        one->users++;
    else if (!one->users)
        av_buffer_unref(&one->device);
    pthread_mutex_unlock(&shared_lock);
    return err < 0 ? err : libav->device ? 0 : AVERROR(ENOMEM);
}

void libav_hw_close(Libav *libav)
{
    if (!libav->device)
        return;
    pthread_mutex_lock(&shared_lock);
    for (size_t i = 0; i < NAMES; i++)
        if (libav->device_name == names[i] && !--shared[i].users)
            av_buffer_unref(&shared[i].device);
    pthread_mutex_unlock(&shared_lock);
    av_buffer_unref(&libav->device);
    libav->device_name = NULL;
}

/* ---- decoders ---- */

/* How the decoder uses a device of this type; NULL: it cannot. */
static const AVCodecHWConfig *config_for(const AVCodec *decoder, enum AVHWDeviceType type)
{
    const AVCodecHWConfig *config;
    for (int i = 0; (config = avcodec_get_hw_config(decoder, i)); i++)
        if (config->device_type == type &&
            config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX)
            return config;
    return NULL;
}

/* Finds a decoder that can use this type of device. A codec may have several decoders, and the
 * default one need not use devices. */
static const AVCodec *decoder_for(enum AVCodecID id, enum AVHWDeviceType type)
{
    void *at = NULL;
    const AVCodec *codec;
    while ((codec = av_codec_iterate(&at)))
        if (codec->id == id && av_codec_is_decoder(codec) && config_for(codec, type))
            return codec;
    return NULL;
}

/* Called by the decoder, on its own threads, to choose the format of its frames. */
static enum AVPixelFormat choose_format(AVCodecContext *codec, const enum AVPixelFormat *formats)
{
    Libav *const libav = codec->opaque;
    for (const enum AVPixelFormat *format = formats; *format != AV_PIX_FMT_NONE; format++)
        if (*format == libav->device_format)
            return *format;
    libav->device_refused = true; /* its format was not offered */
    return libav->device_named ? AV_PIX_FMT_NONE : avcodec_default_get_format(codec, formats);
}

/* Takes device `number` if a decoder for the video can use it. 0, or negative errno and the
 * reason in `why`. */
static int try_device(Libav *libav, size_t number, const AVCodec **decoder, char *why, size_t size)
{
    const char *const name = names[number];
    const enum AVHWDeviceType type = av_hwdevice_find_type_by_name(name);
    const enum AVCodecID id = libav->stream->codecpar->codec_id;
    const AVCodec *const found = type == AV_HWDEVICE_TYPE_NONE ? NULL : decoder_for(id, type);
    if (!found) {
        snprintf(why, size, "this libavcodec does not decode %s with %s", avcodec_get_name(id),
                 name);
        return -ENOSYS;
    }
    const int err = take_device(libav, number);
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

/* True if the device is tried in this round. The device that scores is tried in the first round. */
static bool is_tried(const Libav *libav, const char *name, bool first)
{
    const VideoOptions *const options = &libav->video->options;
    const bool scores = options->backend && !strcmp(options->backend, name);
    return libav->device_named ? first && !strcmp(options->hwaccel, name) : scores == first;
}

/* ---- which is faster ---- */

/* The engines that will work on this video and on others like it. */
static unsigned engines_at_work(const Libav *libav, unsigned depth)
{
    const VideoOptions *const options = &libav->video->options;
    const AVCodecParameters *const par = libav->stream->codecpar;
    Cutter cutter;
    if (strcmp(libav->device_name, "cuda") != 0)
        return 1;
    const bool cut = cutter_open(&cutter, par);
    cutter_close(&cutter);
    const unsigned sessions = options->videos * (cut && options->decoders ? options->decoders : 1);
    const unsigned engines = libav_nvdec_engines(libav->device, par->codec_id, depth);
    return engines < sessions ? engines : sessions;
}

/* True if the device decodes the video faster than the CPU, or if nothing is known about that. */
static bool is_faster(Libav *libav, const AVCodec *cpu_decoder)
{
    const VideoOptions *const options = &libav->video->options;
    const AVStream *const stream = libav->stream;
    const AVCodecParameters *const par = stream->codecpar;
    const AVPixFmtDescriptor *const pixel = av_pix_fmt_desc_get(par->format);
    const double rate = stream->avg_frame_rate.num > 0 ? av_q2d(stream->avg_frame_rate) : 25.0;
    const DecodeLoad load = {
        .codec = avcodec_get_name(par->codec_id),
        .width = (unsigned)par->width,
        .height = (unsigned)par->height,
        .depth = pixel ? (unsigned)pixel->comp[0].depth : 8,
        .frame_bits = par->bit_rate > 0 ? (double)par->bit_rate / rate : 0.0,
        .videos = options->videos,
        .cpus = options->cpus,
        .threads = (unsigned)libav_thread_count(options),
        .scored_on_device = options->backend != NULL,
    };
    if (!cpu_decoder || !strcmp(cpu_decoder->name, "av1") || load.videos < 2 || !load.cpus ||
        par->width <= 0 || par->height <= 0)
        return true;
    const unsigned engines = engines_at_work(libav, load.depth);
    const double here = decode_speed_cpu(&load), there = decode_speed_device(&load, engines);
    snprintf(libav->choice, sizeof(libav->choice),
             "estimated %.0f pairs a second with %s (%u engine%s), %.0f on the CPU (%u thread%s)",
             there, libav->device_name, engines, engines > 1 ? "s" : "", here, load.cpus,
             load.cpus > 1 ? "s" : "");
    return there >= here;
}

int libav_hw_choose(Libav *libav, const AVCodec **decoder)
{
    const char *const asked = libav->video->options.hwaccel;
    const AVCodec *const cpu_decoder = *decoder;
    char why[256] = "";
    libav->device_format = AV_PIX_FMT_NONE;
    if (!asked || !strcmp(asked, "none") || libav->device_refused)
        return 0;
    libav->device_named = strcmp(asked, "auto") != 0;
    for (size_t i = 0; i < 2 * NAMES; i++)
        if (is_tried(libav, names[i % NAMES], i < NAMES) &&
            !try_device(libav, i % NAMES, decoder, why, sizeof(why))) {
            if (libav->device_named || is_faster(libav, cpu_decoder))
                return 0;
            libav_hw_close(libav);
            libav->device_format = AV_PIX_FMT_NONE;
            *decoder = cpu_decoder;
            return 0;
        }
    if (!libav->device_named)
        return 0;
    say("%s: --hwaccel %s: %s", libav->video->path, asked, why);
    return -ENODEV;
}

int libav_hw_attach(Libav *libav, AVCodecContext *codec)
{
    if (!libav->device)
        return 0;
    codec->hw_device_ctx = av_buffer_ref(libav->device);
    codec->get_format = choose_format;
    if (may_score(&libav->video->options, libav->device_name))
        codec->extra_hw_frames = KEPT_FRAMES;
    return codec->hw_device_ctx ? 0 : -ENOMEM;
}

bool libav_on_device(const Libav *libav)
{
    return libav->device_format != AV_PIX_FMT_NONE && libav->frame->format == libav->device_format;
}

int libav_hw_fetch(Libav *libav)
{
    if (!libav_on_device(libav))
        return 0;
    av_frame_unref(libav->host);
    int err = av_hwframe_transfer_data(libav->host, libav->frame, 0);
    if (err >= 0)
        err = av_frame_copy_props(libav->host, libav->frame);
    if (err < 0) {
        char reason[128];
        av_strerror(err, reason, sizeof(reason));
        say("%s: a frame could not be copied from %s: %s", libav->video->path, libav->device_name,
            reason);
        return -EIO;
    }
    libav->fetched = true;
    libav->video->traits.hwaccel = libav->device_name;
    return 0;
}

int libav_hw_refuse(const Libav *libav)
{
    const Video *const video = libav->video;
    say("%s: --hwaccel %s: the device does not decode this video (%s); --hwaccel auto or none decodes it on the CPU",
        video->path, video->options.hwaccel, avcodec_get_name(libav->stream->codecpar->codec_id));
    return -ENODEV;
}

int libav_hw_tell(Libav *libav)
{
    Video *const video = libav->video;
    const char *const asked = video->options.hwaccel;
    if (!asked || !strcmp(asked, "none"))
        return 0;
    if (video->traits.hwaccel) {
        video_note(video, "hwaccel", true, "decoded with %s%s%s", video->traits.hwaccel,
                   *libav->choice ? ": " : "", libav->choice);
        return 0;
    }
    if (!libav->device_named) {
        video_note(video, "hwaccel", true, "decoded on the CPU: %s",
                   *libav->choice && !libav->device_refused ? libav->choice
                                                            : "no device decodes it");
        return 0;
    }
    return libav_hw_refuse(libav);
}
