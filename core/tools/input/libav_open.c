/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/libav.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/message.h"

/* Opens a video: the container, its stream and a decoder. Also captures what the libraries log,
 * and reads files for them. */

/* ---- the container ---- */

static int is_cancelled(void *opaque)
{
    const Libav *const libav = opaque;
    return atomic_load(&libav->video->source->cancelled);
}

/* True for a network address, which the libraries open themselves. */
static bool is_address(const char *path)
{
    return strstr(path, "://") != NULL;
}

static AVDictionary *open_options(const Libav *libav)
{
    const char *const path = libav->video->path;
    AVDictionary *options = NULL;
    if (!is_address(path)) /* a playlist may open other files, or nothing at all with `local` */
        av_dict_set(&options, "protocol_whitelist",
                    libav->io && libav->video->options.local ? "none" : "file,crypto,data", 0);
    if (!libav->io && !is_address(path)) {
        if (!strchr(path, '%'))
            av_dict_set(&options, "pattern_type", "glob", 0);
        else /* numbered pictures may start at any number */
            av_dict_set(&options, "start_number_range", "100000", 0);
    }
    return options;
}

/* The remedy for an mp4 that cannot be read from a pipe. */
#define STREAMABLE                                                                                    \
    "give a finished file, or write it as a stream: `-movflags +frag_keyframe+empty_moov` or, if it " \
    "is whole, `-movflags +faststart`"

bool libav_say_late_index(Libav *libav)
{
    const Video *const video = libav->video;
    char line[256];
    libav_reason(libav, AVERROR_INVALIDDATA, line, sizeof(line));
    if (video->source->seekable || strncmp(libav->format->iformat->name, "mov,", 4) != 0 ||
        !strstr(line, "partial file"))
        return false;
    say("%s: its index (moov atom) is at its end, which is too late for a pipe or --follow, or it is "
        "cut within the first frame: " STREAMABLE,
        video->path);
    return true;
}

static int say_not_opened(Libav *libav, int err)
{
    const Video *const video = libav->video;
    char line[256];
    libav_reason(libav, err, line, sizeof(line));
    if (err == AVERROR_EXIT)
        return -ECANCELED;
    if (strstr(line, "moov atom not found"))
        say("%s: %s", video->path,
            video->source->seekable
                ? "the file is cut off or was never finished: it has no index (moov atom)"
                : "its index (moov atom) is at the end, which a pipe cannot seek to: " STREAMABLE);
    else if (err == AVERROR_INVALIDDATA && !*libav->log_line)
        say("%s: it is not a Y4M file, nor one that FFmpeg's libraries know; raw video needs -w, -h, "
            "-p and -b",
            video->path);
    else
        say("%s: could not be opened%s: %s", video->path,
            video->options.local ? " (files that it refers to are not opened)" : "", line);
    return -EINVAL;
}

/* True for formats that mean "not a video": any text, samples without a header, and Y4M. A real
 * Y4M file has its own reader, so a file that libavformat takes for one only has its name. */
static bool is_no_video(const AVInputFormat *format)
{
    return !strcmp(format->name, "tty") || !strcmp(format->name, "rawvideo") ||
           !strcmp(format->name, "yuv4mpegpipe");
}

/* Finds the format of the file; NULL if libavformat opens the path itself and finds out. */
static int probe(Libav *libav, const char *url, const AVInputFormat **out)
{
    *out = NULL;
    if (!libav->io)
        return 0;
#if LIBAVFORMAT_VERSION_MAJOR < 59
    AVInputFormat *found = NULL;
#else
    const AVInputFormat *found = NULL;
#endif
    const int score = av_probe_input_buffer2(libav->io, &found, url, NULL, 0, 0);
    if (score < 0 && is_cancelled(libav))
        return AVERROR_EXIT;
    *out = found;
    return score < 0 || is_no_video(found) ? AVERROR_INVALIDDATA : 0;
}

static int open_container(Libav *libav)
{
    const Video *const video = libav->video;
    if (is_address(video->path) && video->options.local) {
        say("%s: network addresses are not opened (--local_only)", video->path);
        return -EPERM;
    }
    libav->format = avformat_alloc_context();
    if (!libav->format)
        return -ENOMEM;
    libav->format->opaque = libav;
    libav->format->interrupt_callback = (AVIOInterruptCB){ is_cancelled, libav };
    if (video->source->fd >= 0) {
        const int err = libav_io_create(libav);
        if (err)
            return err;
        libav->format->pb = libav->io;
        libav->format->flags |= AVFMT_FLAG_CUSTOM_IO;
    }
    const char *const url = strcmp(video->path, "-") ? video->path : "pipe:";
    const AVInputFormat *format;
    int err = probe(libav, url, &format);
    if (err)
        return say_not_opened(libav, err);
    AVDictionary *options = open_options(libav);
    if (!is_address(video->path)) {
        libav_playlist_guard(libav);
        err = format ? libav_playlist_check(libav, format) : 0;
        if (!err && format)
            err = libav_playlist_allow(format, &options);
    }
    if (err) {
        av_dict_free(&options);
        return err;
    }
    err = avformat_open_input(&libav->format, url, (void *)format, &options);
    av_dict_free(&options);
    if (libav->refused) /* that was logged */
        return -EPERM;
    return err ? say_not_opened(libav, err) : 0;
}

/* ---- the stream ---- */

/* True if the end of the file is only known as a time, which any of its streams may reach. Then all
 * packets are read, and not only those of the video. */
static bool tells_only_duration(const Libav *libav)
{
    return libav->stream->nb_frames <= 0 && libav->format->duration > 0 &&
           libav->format->duration_estimation_method == AVFMT_DURATION_FROM_STREAM;
}

/* Ranks streams like the ffmpeg command: first those with packets, then the default, then by
 * size. */
static uint64_t stream_score(const AVStream *stream)
{
    const AVCodecParameters *const par = stream->codecpar;
    uint64_t score = (uint64_t)par->width * (uint64_t)par->height + 1;
    if (stream->disposition & AV_DISPOSITION_DEFAULT)
        score += 5000000;
#ifdef AVSTREAM_EVENT_FLAG_NEW_PACKETS
    if (stream->event_flags & AVSTREAM_EVENT_FLAG_NEW_PACKETS)
        score += 100000000;
#endif
    return score;
}

static int say_no_video(const Libav *libav)
{
    const AVFormatContext *const format = libav->format;
    const char *other = NULL, *kind = "";
    for (unsigned i = 0; i < format->nb_streams && !other; i++) {
        const AVStream *const stream = format->streams[i];
        const char *const type = av_get_media_type_string(stream->codecpar->codec_type);
        if (stream->disposition & AV_DISPOSITION_ATTACHED_PIC)
            kind = "a cover picture";
        else if (type)
            kind = type;
        other = avcodec_get_name(stream->codecpar->codec_id);
    }
    say("%s: no video stream%s%s%s%s%s", libav->video->path, other ? " (only " : "", kind,
        other ? ": " : "", other ? other : "", other ? ")" : "");
    return -EINVAL;
}

static int choose_stream(Libav *libav)
{
    AVFormatContext *const format = libav->format;
    uint64_t best = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < format->nb_streams; i++) {
        AVStream *const stream = format->streams[i];
        stream->discard = AVDISCARD_ALL;
        if (stream->codecpar->codec_type != AVMEDIA_TYPE_VIDEO ||
            stream->disposition & AV_DISPOSITION_ATTACHED_PIC)
            continue;
        count++;
        if (stream_score(stream) > best) {
            best = stream_score(stream);
            libav->stream = stream;
        }
    }
    if (!libav->stream)
        return say_no_video(libav);
    libav->stream->discard = AVDISCARD_DEFAULT;
    for (unsigned i = 0; i < format->nb_streams && tells_only_duration(libav); i++)
        if (!(format->streams[i]->disposition & AV_DISPOSITION_ATTACHED_PIC))
            format->streams[i]->discard = AVDISCARD_DEFAULT;
    if (count > 1)
        video_note(libav->video, "streams", false,
                   "has %u video streams; number %d (%dx%d) is scored", count, libav->stream->index,
                   libav->stream->codecpar->width, libav->stream->codecpar->height);
    return 0;
}

/* True for formats without times: pictures and bare bitstreams. libavformat invents times for
 * them. */
static bool is_timeless(const Libav *libav)
{
    const AVInputFormat *const format = libav->format->iformat;
    const size_t length = strlen(format->name);
    return format->flags & AVFMT_NOTIMESTAMPS || !strcmp(format->name, "image2") ||
           (length > 5 && !strcmp(format->name + length - 5, "_pipe"));
}

/* ---- the decoder ---- */

int libav_thread_count(const VideoOptions *options)
{
    enum { THREADS_MIN = 2, THREADS_MAX = 8 }; /* each thread holds a frame */
    if (options->threads)
        return (int)options->threads;
    const long half = sysconf(_SC_NPROCESSORS_ONLN) / 2;
    return half < THREADS_MIN ? THREADS_MIN : half > THREADS_MAX ? THREADS_MAX : (int)half;
}

/* False, after an error, if film grain is to be left out and this decoder always adds it. */
static bool may_decode(Libav *libav, const AVCodec *decoder)
{
    static const char *const always[] = { "libaom-av1", "libgav1" };
    if (!libav->video->options.no_grain)
        return true;
    for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++) {
        if (strcmp(decoder->name, always[i]) != 0)
            continue;
        say("%s: --film_grain off: the decoder %s cannot leave it out; FFmpeg's libraries need dav1d for "
            "that",
            libav->video->path, decoder->name);
        return false;
    }
    return true;
}

int libav_decoder_create(Libav *libav, const AVCodec *decoder, int threads, AVCodecContext **out)
{
    AVCodecContext *const codec = avcodec_alloc_context3(decoder);
    *out = codec;
    if (!codec)
        return -ENOMEM;
    int err = avcodec_parameters_to_context(codec, libav->stream->codecpar);
    codec->opaque = libav;
    codec->pkt_timebase = libav->stream->time_base;
    codec->thread_count = threads;
    /* A decoder that exports the parameters of film grain adds none. */
    if (libav->video->options.no_grain)
        codec->export_side_data |= AV_CODEC_EXPORT_DATA_FILM_GRAIN;
    if (err >= 0)
        err = libav_hw_attach(libav, codec);
    return err < 0 ? err : avcodec_open2(codec, decoder, NULL);
}

static int open_decoder(Libav *libav)
{
    const Video *const video = libav->video;
    const AVCodecParameters *const par = libav->stream->codecpar;
    const AVCodec *decoder = avcodec_find_decoder(par->codec_id);
    int err = libav_hw_choose(libav, &decoder);
    if (err)
        return err;
    /* FFmpeg's own decoder of AV1 does nothing without a device. */
    if (!decoder || (!strcmp(decoder->name, "av1") && !libav->device)) {
        say("%s: this libavcodec has no decoder for %s; another build of FFmpeg's libraries may have one "
            "(Debian's libavcodec-extra)",
            video->path, avcodec_get_name(par->codec_id));
        return -EINVAL;
    }
    if (!may_decode(libav, decoder))
        return -EINVAL;
    /* Threads do not make a device faster, and each takes one of its few frame buffers. */
    const bool one = libav->device && libav->device_named;
    err = libav_decoder_create(libav, decoder, one ? 1 : libav_thread_count(&video->options),
                               &libav->codec);
    if (!err || !libav->codec)
        return err;
    char line[256];
    say("%s: the decoder %s could not be opened: %s", video->path, decoder->name,
        libav_reason(libav, err, line, sizeof(line)));
    return -EINVAL;
}

int libav_open_on_cpu(Libav *libav)
{
    if (libav->device_named)
        return libav_hw_refuse(libav);
    avcodec_free_context(&libav->codec);
    libav_hw_close(libav);
    int err = open_decoder(libav);
    if (!err && libav->opening &&
        avcodec_send_packet(libav->codec, libav->opening) == AVERROR(ENOMEM))
        err = -ENOMEM;
    return err;
}

int libav_open_stream(Libav *libav)
{
    int err = open_container(libav);
    if (err)
        return err;
    err = avformat_find_stream_info(libav->format, NULL);
    if (is_cancelled(libav))
        return -ECANCELED;
    if (libav->refused)
        return -EPERM;
    if (err < 0)
        return say_not_opened(libav, err);
    libav->video->traits.timeless = is_timeless(libav);
    err = choose_stream(libav);
    if (!err)
        libav_last_open(libav);
    return err ? err : open_decoder(libav);
}

/* ---- log lines ---- */

/* Finds the Libav that a log line is about. Decoders and containers point to it; other objects
 * lead to one of them through their parents. NULL: none. */
static Libav *owner_of(void *object)
{
    while (object) {
        const AVClass *const class = *(const AVClass **)object;
        if (!class)
            return NULL;
        if (!strcmp(class->class_name, "AVFormatContext"))
            return ((AVFormatContext *)object)->opaque;
        if (!strcmp(class->class_name, "AVCodecContext"))
            return ((AVCodecContext *)object)->opaque;
        if (!class->parent_log_context_offset)
            return NULL;
        object = *(void **)((char *)object + class->parent_log_context_offset);
    }
    return NULL;
}

static void record_error(void *object, int level, const char *format, va_list list)
{
    /* "concealing 170 DC, 170 AC, 170 MV errors in B frame", which is no error for a player */
    const bool concealed = level == AV_LOG_INFO && !strncmp(format, "concealing ", 11);
    Libav *const libav = level <= AV_LOG_ERROR || concealed ? owner_of(object) : NULL;
    if (!libav)
        return;
    if (concealed) {
        atomic_fetch_add(&libav->concealed, 1);
        return;
    }
    char line[sizeof(libav->log_line)];
    vsnprintf(line, sizeof(line), format, list);
    line[strcspn(line, "\n")] = '\0';
    if (!*line)
        return;
    pthread_mutex_lock(&libav->log_lock);
    memcpy(libav->log_line, line, sizeof(line));
    pthread_mutex_unlock(&libav->log_lock);
    atomic_store(&libav->complained, true);
    /* the only sign that a Matroska file is cut */
    if (strstr(line, "ended prematurely"))
        atomic_store(&libav->cut, true);
}

void libav_log_capture(void)
{
    av_log_set_callback(record_error);
}

const char *libav_reason(Libav *libav, int err, char *line, size_t size)
{
    pthread_mutex_lock(&libav->log_lock);
    snprintf(line, size, "%s", libav->log_line);
    pthread_mutex_unlock(&libav->log_lock);
    if (!*line)
        av_strerror(err, line, size);
    return line;
}

/* ---- the byte source ---- */

static int io_read(void *opaque, uint8_t *into, int size)
{
    const int64_t got = source_take(opaque, into, (size_t)size);
    if (got == -ECANCELED)
        return AVERROR_EXIT;
    return got < 0 ? AVERROR((int)-got) : got ? (int)got : AVERROR_EOF;
}

static int64_t io_seek(void *opaque, int64_t offset, int whence)
{
    Source *const source = opaque;
    switch (whence & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE:
        return (int64_t)source->size;
    case SEEK_CUR:
        offset += (int64_t)source->offset;
        break;
    case SEEK_END:
        offset += (int64_t)source->size;
        break;
    default:
        break;
    }
    if (offset < 0)
        return AVERROR(EINVAL);
    source->offset = (uint64_t)offset;
    return offset;
}

int libav_io_create(Libav *libav)
{
    enum { BUFFER = 1 << 16 };
    Source *const source = libav->video->source;
    uint8_t *const buffer = av_malloc(BUFFER);
    if (buffer)
        libav->io = avio_alloc_context(buffer, BUFFER, 0, source, io_read, NULL,
                                       source->seekable ? io_seek : NULL);
    if (libav->io)
        return 0;
    av_free(buffer);
    return -ENOMEM;
}

void libav_io_destroy(Libav *libav)
{
    if (libav->io)
        av_freep(&libav->io->buffer);
    avio_context_free(&libav->io);
}
