/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The reader of every video that FFmpeg's libraries decode. */
#include "input/libav.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/reader.h"
#include "common/message.h"

/* ---- properties from the stream and its first frame ---- */

bool libav_is_interlaced(const AVFrame *frame)
{
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return frame->flags & AV_FRAME_FLAG_INTERLACED;
#else
    return frame->interlaced_frame;
#endif
}

static const int32_t *display_matrix(const AVStream *stream)
{
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)
    const AVPacketSideData *const side =
        av_packet_side_data_get(stream->codecpar->coded_side_data,
                                stream->codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    return side ? (const int32_t *)side->data : NULL;
#else
    return (const int32_t *)av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, NULL);
#endif
}

static void set_rate(Libav *libav)
{
    VideoTraits *const traits = &libav->video->traits;
    const AVStream *const stream = libav->stream;
    const AVRational average = stream->avg_frame_rate, base = stream->r_frame_rate;
    AVRational rate = libav->codec->framerate; /* from the bitstream, if it has one */
    if (!traits->timeless)
        rate = av_guess_frame_rate(libav->format, libav->stream, libav->frame);
    if (rate.num <= 0 || rate.den <= 0)
        return;
    traits->rate_num = (unsigned)rate.num;
    traits->rate_den = (unsigned)rate.den;
    if (traits->timeless || average.num <= 0 || base.num <= 0)
        return;
    const double ratio = av_q2d(base) / av_q2d(average);
    const bool fields = ratio > 1.99 && ratio < 2.01; /* fields: twice the frame rate */
    traits->variable_rate = (ratio < 0.99 || ratio > 1.01) && !fields;
    if (traits->variable_rate) {
        traits->rate_num = (unsigned)average.num;
        traits->rate_den = (unsigned)average.den;
    }
}

static enum VideoSiting siting_of(enum AVChromaLocation location)
{
    switch (location) {
    case AVCHROMA_LOC_LEFT:
        return SITING_LEFT;
    case AVCHROMA_LOC_CENTER:
        return SITING_CENTRE;
    case AVCHROMA_LOC_TOPLEFT:
        return SITING_TOP_LEFT;
    case AVCHROMA_LOC_TOP:
        return SITING_TOP;
    case AVCHROMA_LOC_BOTTOMLEFT:
        return SITING_BOTTOM_LEFT;
    case AVCHROMA_LOC_BOTTOM:
        return SITING_BOTTOM;
    default:
        return SITING_UNKNOWN;
    }
}

static void set_colours(VideoTraits *traits, const AVFrame *frame)
{
    const AVPixFmtDescriptor *const pixel = av_pix_fmt_desc_get(frame->format);
    const bool full =
        frame->color_range == AVCOL_RANGE_JPEG || (pixel && !strncmp(pixel->name, "yuvj", 4));
    traits->range = full                                     ? RANGE_FULL
                    : frame->color_range == AVCOL_RANGE_MPEG ? RANGE_LIMITED
                                                             : RANGE_UNKNOWN;
    /* Grey has no matrix: FFmpeg since 7.1 calls all PNGs RGB, also grey ones. */
    const bool grey = pixel && pixel->nb_components < 3 && !(pixel->flags & AV_PIX_FMT_FLAG_PAL);
    if (frame->colorspace != AVCOL_SPC_UNSPECIFIED && !(grey && frame->colorspace == AVCOL_SPC_RGB))
        traits->matrix = av_color_space_name(frame->colorspace);
    if (frame->color_primaries != AVCOL_PRI_UNSPECIFIED)
        traits->primaries = av_color_primaries_name(frame->color_primaries);
    if (frame->color_trc != AVCOL_TRC_UNSPECIFIED)
        traits->transfer = av_color_transfer_name(frame->color_trc);
    traits->siting = siting_of(frame->chroma_location);
    traits->hdr =
        frame->color_trc == AVCOL_TRC_SMPTE2084 || frame->color_trc == AVCOL_TRC_ARIB_STD_B67;
}

/* True for AVIF and other stills of that kind. */
static bool is_heif(const AVFormatContext *format)
{
    static const char *const brands[] = { "avif", "avis", "heic", "heix", "mif1", "msf1" };
    const AVDictionaryEntry *const brand = av_dict_get(format->metadata, "major_brand", NULL, 0);
    for (size_t i = 0; brand && i < sizeof(brands) / sizeof(brands[0]); i++)
        if (!strcmp(brand->value, brands[i]))
            return true;
    return false;
}

static void set_traits(Libav *libav)
{
    VideoTraits *const traits = &libav->video->traits;
    traits->container = libav->format->iformat->name;
    traits->codec = avcodec_get_name(libav->codec->codec_id);
    traits->pixel_format = av_get_pix_fmt_name(libav_host_frame(libav)->format);
    set_rate(libav);
    if (libav->stream->codecpar->bit_rate > 0)
        traits->bit_rate = (uint64_t)libav->stream->codecpar->bit_rate;
    set_colours(traits, libav_host_frame(libav));
    traits->usual_matrix = is_heif(libav->format) ? "smpte170m" : NULL;
    const AVRational aspect =
        av_guess_sample_aspect_ratio(libav->format, libav->stream, libav->frame);
    if (aspect.num > 0 && aspect.den > 0) {
        traits->aspect_num = (unsigned)aspect.num;
        traits->aspect_den = (unsigned)aspect.den;
    }
}

static void note_interlacing(Libav *libav)
{
    if (libav->video->traits.interlaced || !libav_is_interlaced(libav->frame))
        return;
    libav->video->traits.interlaced = true;
    if (libav->video->options.deinterlace) {
        video_note(
            libav->video, "deinterlaced", true,
            "deinterlaced from frame %llu on: the lines of the second field are interpolated "
            "from those of the first",
            (unsigned long long)libav->found);
        return;
    }
    video_note(libav->video, "interlaced", false,
               "interlaced, from frame %llu on: its fields are scored woven into frames, as they "
               "are; --deinterlace scores one field of each frame",
               (unsigned long long)libav->found);
}

bool libav_has_grain(const AVFrame *frame, const AVCodecContext *codec)
{
    bool grain = false;
    for (int i = 0; i < frame->nb_side_data; i++)
        grain |= frame->side_data[i]->type == AV_FRAME_DATA_FILM_GRAIN_PARAMS;
#ifdef FF_CODEC_PROPERTY_FILM_GRAIN
    grain |= codec->properties & FF_CODEC_PROPERTY_FILM_GRAIN;
#endif
    return grain;
}

static void note_grain(Libav *libav)
{
    if (libav->grain_noted || !libav_has_grain(libav->frame, libav->codec))
        return;
    libav->grain_noted = true;
    if (libav->video->options.no_grain)
        video_note(libav->video, "film_grain", true, "decoded without its film grain");
    else
        video_note(
            libav->video, "film_grain", false,
            "its decoder adds film grain, which the source does not have and which lowers the score; "
            "--film_grain off leaves it out");
}

/* ---- the reader ---- */

static void libav_close(Video *video)
{
    Libav *const libav = video->state;
    if (!libav)
        return;
    sections_destroy(libav->sections);
    frame_unpacker_close(&libav->unpacker);
    avcodec_free_context(&libav->codec); /* its threads may log until here */
    avformat_close_input(&libav->format);
    libav_io_destroy(libav);
    av_packet_free(&libav->packet);
    av_packet_free(&libav->opening);
    libav_last_close(libav);
    av_frame_free(&libav->frame);
    av_frame_free(&libav->host);
    libav_hw_close(libav);
    pthread_mutex_destroy(&libav->log_lock);
    free(libav);
    video->state = NULL;
}

static int decode_first(Libav *libav)
{
    const Video *const video = libav->video;
    const enum FrameStatus status = libav_decode(libav);
    if (status == FRAME_WHOLE) {
        libav->first = true;
        libav->begin = libav->frame->best_effort_timestamp;
        return 0;
    }
    if (status != FRAME_ERROR && !libav_say_late_index(libav)) {
        char line[256];
        say("%s: no frame could be decoded: %s", video->path,
            libav_reason(libav, AVERROR_INVALIDDATA, line, sizeof(line)));
    }
    return atomic_load(&video->source->cancelled) ? -ECANCELED : -EINVAL;
}

int libav_begin(Video *video)
{
    Libav *const libav = calloc(1, sizeof(*libav));
    if (!libav)
        return -ENOMEM;
    video->state = libav;
    libav->video = video;
    pthread_mutex_init(&libav->log_lock, NULL);
    libav_log_capture();
    libav->packet = av_packet_alloc();
    libav->frame = av_frame_alloc();
    libav->host = av_frame_alloc();
    if (!libav->packet || !libav->frame || !libav->host)
        return -ENOMEM;
    return libav_open_stream(libav);
}

static int libav_open(Video *video)
{
    const char *const missing = libav_api_open();
    if (missing) {
        say("%s: %s", video->path, missing);
        return -ENOSYS;
    }
    int err = libav_begin(video);
    if (err)
        return err;
    Libav *const libav = video->state;
    err = decode_first(libav);
    if (!err)
        err = libav_hw_tell(libav);
    if (err)
        return err;
    set_traits(libav);
    return frame_unpacker_open(&libav->unpacker, video, libav_host_frame(libav),
                               display_matrix(libav->stream));
}

/* The format of the samples, on a device or not. */
static enum AVPixelFormat sample_format(const AVFrame *frame)
{
    return frame->hw_frames_ctx ? ((AVHWFramesContext *)frame->hw_frames_ctx->data)->sw_format
                                : frame->format;
}

static bool is_cropped(const AVFrame *frame)
{
    return frame->crop_top | frame->crop_bottom | frame->crop_left | frame->crop_right;
}

/* True, after logging an error, if this frame differs from the first one in size, format or
 * where it is stored: such frames cannot be scored. */
static bool has_changed(const Libav *libav)
{
    const FrameUnpacker *const unpacker = &libav->unpacker;
    const AVFrame *const frame = libav_host_frame(libav);
    const enum AVPixelFormat format = sample_format(frame);
    const bool there = !libav->keep || (libav_on_device(libav) && !is_cropped(frame));
    if (frame->width == unpacker->width && frame->height == unpacker->height &&
        format == unpacker->coded && there)
        return false;
    say("%s: frames change from %dx%d (%s) to %dx%d (%s) at frame %llu; only one size and format can be "
        "scored",
        libav->video->path, unpacker->width, unpacker->height, av_get_pix_fmt_name(unpacker->coded),
        frame->width, frame->height, av_get_pix_fmt_name(format), (unsigned long long)libav->found);
    return true;
}

/* Checks a frame of a video whose frames are found by their times. None may be damaged, because
 * the result of decoding a damaged frame depends on where decoding started. */
static bool is_as_foretold(const Libav *libav)
{
    if (!libav->video->options.even || !libav_is_even(libav))
        return true;
    if (libav->damaged) {
        say("%s: damaged frames decode differently depending on where decoding starts; pass --from_start to all parts",
            libav->video->path);
        return false;
    }
    return libav_keeps_time(libav);
}

/* The longest time from one frame to the next that is believed. */
static int64_t longest_gap(const Libav *libav)
{
    /* Streams that are joined or recorded; ffmpeg has the same limit for them. */
    const bool joins = libav->format->iformat->flags & AVFMT_TS_DISCONT;
    return av_rescale_q(joins ? 10 : 600, (AVRational){ 1, 1 }, libav->stream->time_base);
}

static double in_seconds(const Libav *libav, int64_t time)
{
    return (double)time * av_q2d(libav->stream->time_base);
}

/* Settles the time of the latest frame: from where times go back, as in files that were joined, or
 * jump too far, frames follow the one before. */
static void settle_time(Libav *libav)
{
    const VideoTraits *const traits = &libav->video->traits;
    const int64_t time = libav->frame->best_effort_timestamp, most = INT64_MAX / 8;
    const AVRational lasts = traits->rate_num && traits->rate_den
                                 ? (AVRational){ (int)traits->rate_den, (int)traits->rate_num }
                                 : (AVRational){ 1, 25 };
    const int64_t step = av_rescale_q(1, lasts, libav->stream->time_base);
    const int64_t next = libav->time + (step > 0 ? step : 1);
    if (traits->timeless)
        return;
    if (time == AV_NOPTS_VALUE) {
        libav->untimed++;
        return;
    }
    if (time > most || time < -most) { /* no real time */
        libav->time = libav->timed ? next : 0;
        libav->timed = true;
        return;
    }
    /* After a single wrong time, frames have their own times again. */
    const int64_t now = time + libav->shift, before = time + libav->shift_before;
    if (libav->timed && before > libav->time && llabs(before - next) < llabs(now - next))
        libav->shift = libav->shift_before;
    const int64_t settled = time + libav->shift, gap = settled - libav->time;
    const bool back = libav->timed && gap < 0, far = libav->timed && gap > longest_gap(libav);
    if ((back || far) && !libav->leapt++)
        video_note(libav->video, "broken_times", false,
                   "its times %s by %.3f s at frame %llu: that frame and those after it follow the "
                   "frame before",
                   back ? "go back" : "jump", in_seconds(libav, llabs(gap)),
                   (unsigned long long)libav->found);
    if (back || far) {
        libav->shift_before = libav->shift;
        libav->shift = next - time;
    } else if (libav->timed && !libav->gap) {
        if (2 * gap > (3 + 2 * (int64_t)libav->untimed) * step)
            libav->gap = libav->found + 1;
        else
            libav->steps++;
    }
    libav->time = time + libav->shift;
    libav->timed = true;
    libav->untimed = 0;
}

static enum FrameStatus libav_find(Video *video, uint64_t *offset)
{
    Libav *const libav = video->state;
    enum FrameStatus status = FRAME_WHOLE;
    if (!libav->first)
        status = libav_decode(libav);
    libav->first = false;
    if (status == FRAME_NONE)
        status = libav_ends_early(libav) ? FRAME_CUT : libav_last_status(libav);
    if (status != FRAME_WHOLE)
        return status;
    if (has_changed(libav) || !is_as_foretold(libav))
        return FRAME_ERROR;
    note_interlacing(libav);
    note_grain(libav);
    settle_time(libav);
    libav->found++;
    *offset = libav->position;
    return FRAME_WHOLE;
}

static int64_t libav_time(const Video *video, uint64_t offset)
{
    (void)offset; /* always the latest frame */
    const Libav *const libav = video->state;
    if (video->traits.timeless || libav->frame->best_effort_timestamp == AV_NOPTS_VALUE)
        return VIDEO_NO_TIME;
    return av_rescale_q(libav->time, libav->stream->time_base, (AVRational){ 1, 1000000000 });
}

static enum FrameStatus libav_planes(const Video *video, uint64_t offset, unsigned wanted,
                                     Planes *planes)
{
    (void)offset;
    Libav *const libav = video->state;
    if (!wanted)
        return FRAME_WHOLE;
    const int err =
        frame_unpacker_planes(&libav->unpacker, video, libav_host_frame(libav), wanted, planes);
    if (!err)
        return FRAME_WHOLE;
    video_read_error(video, err);
    return FRAME_ERROR;
}

/* ---- held frames ---- */

static bool libav_can_hold(const Video *video)
{
    const Libav *const libav = video->state;
    return !libav->keep && frame_unpacker_is_direct(&libav->unpacker);
}

static void *libav_hold(const Video *video)
{
    return av_frame_clone(libav_host_frame(video->state));
}

static void libav_held_planes(const Video *video, const void *held, Planes *planes)
{
    const Libav *const libav = video->state;
    frame_unpacker_direct_planes(&libav->unpacker, held, planes);
}

static void libav_let_go(void *held)
{
    AVFrame *frame = held;
    av_frame_free(&frame);
}

/* ---- kept frames ---- */

static const char *libav_kept_by(const Video *video)
{
    return video->traits.hwaccel;
}

static int refuse(char *why, size_t size, const char *reason)
{
    snprintf(why, size, "%s", reason);
    return -ENOTSUP;
}

/* Frames cannot stay on the device if their samples have to be changed, because only the CPU
 * does that. */
static int libav_can_keep(const Video *video, const KeptScorer *scorer, char *why, size_t size)
{
    const Libav *const libav = video->state;
    const FrameUnpacker *const unpacker = &libav->unpacker;
    const VideoFormat *const a = &video->format, *const b = &video->native;
    const AVFrame *const frame = libav->frame;
    if (!libav_on_device(libav))
        return refuse(why, size, "they are not on the device");
    if (video->options.crop.width)
        return refuse(why, size, "they are cropped on the CPU");
    if (video->options.deinterlace)
        return refuse(why, size, "they are deinterlaced on the CPU");
    if (a->width != b->width || a->height != b->height)
        return refuse(why, size, "they are scaled on the CPU");
    if (a->bitdepth != b->bitdepth || a->pix_fmt != b->pix_fmt || video->range || video->rgb)
        return refuse(why, size, "they are converted on the CPU");
    if (unpacker->turn[0][0] != 1 || unpacker->turn[1][1] != 1)
        return refuse(why, size, "they are rotated on the CPU");
    if (frame->width != unpacker->width || frame->height != unpacker->height || is_cropped(frame))
        return refuse(why, size, "they are cropped on the CPU");
    return libav_kept_check(frame, scorer, why, size);
}

static int libav_share(const Video *video, unsigned pairs, bool required, VmafVulkanState **state)
{
    const Libav *const libav = video->state;
    if (!libav_on_device(libav) || libav->frame->format != AV_PIX_FMT_VULKAN)
        return -ENOTSUP;
    return libav_vulkan_open(libav->frame, pairs, required, state);
}

static void libav_start_keeping(Video *video)
{
    Libav *const libav = video->state;
    libav->keep = true;
    libav->fetched = false;
}

static enum FrameStatus libav_keep(const Video *video, uint64_t offset, KeptFrame **frame)
{
    (void)offset;
    const Libav *const libav = video->state;
    *frame = libav_kept_create(libav->frame);
    if (*frame)
        return FRAME_WHOLE;
    video_read_error(video, -ENOMEM);
    return FRAME_ERROR;
}

/* The container's frame count, else computed from its duration. Both are only estimates. */
static uint64_t libav_frames_left(const Video *video)
{
    const Libav *const libav = video->state;
    const AVStream *const stream = libav->stream;
    const VideoTraits *const traits = &video->traits;
    uint64_t frames = stream->nb_frames > 0 ? (uint64_t)stream->nb_frames : 0;
    double seconds = 0;
    if (stream->duration > 0)
        seconds = (double)stream->duration * av_q2d(stream->time_base);
    else if (libav->format->duration > 0 &&
             libav->format->duration_estimation_method != AVFMT_DURATION_FROM_BITRATE)
        seconds = (double)libav->format->duration / AV_TIME_BASE;
    if (!frames && traits->rate_den && !traits->timeless)
        frames = (uint64_t)(seconds * traits->rate_num / traits->rate_den + 0.5);
    return frames > libav->found ? frames - libav->found : 0;
}

/* Seeks, after noting whether the first frame is interlaced: that applies to the whole video. */
static enum FrameStatus libav_seek(Video *video, uint64_t frame, uint64_t *next)
{
    note_interlacing(video->state);
    note_grain(video->state);
    return libav_leap(video, frame, next);
}

const VideoReader libav_reader = {
    .name = "libav",
    .title = "FFmpeg",
    .open = libav_open,
    .close = libav_close,
    .find = libav_find,
    .planes = libav_planes,
    .time = libav_time,
    .can_hold = libav_can_hold,
    .hold = libav_hold,
    .held_planes = libav_held_planes,
    .let_go = libav_let_go,
    .frames_left = libav_frames_left,
    .kept_by = libav_kept_by,
    .can_keep = libav_can_keep,
    .share = libav_share,
    .start_keeping = libav_start_keeping,
    .keep = libav_keep,
    .leap = libav_seek,
    .time_of = libav_time_of,
    .approach = libav_approach,
};
