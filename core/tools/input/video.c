/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/video.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/convert.h"
#include "input/reader.h"
#include "common/message.h"

int video_read_error(const Video *video, int err)
{
    if (err != -ECANCELED)
        say("could not read file: %s: %s", video->path, strerror(-err));
    return err;
}

static int refuse_as_raw(const Video *video, const char *title)
{
    say("%s is a %s file; leave -w, -h, -p and -b out to read it as one", video->path, title);
    return -EINVAL;
}

/* The reader for a file that no reader recognised: FFmpeg's libraries. Without them, and for
 * other versions of Y4M, the Y4M reader logs what is wrong. */
static const VideoReader *reader_of_others(const Video *video, const uint8_t *start, size_t size)
{
#ifdef HAVE_LIBAV
    static const char y4m[] = "YUV4MPEG";
    const bool is_y4m = size >= sizeof(y4m) - 1 && !memcmp(start, y4m, sizeof(y4m) - 1);
    if (!is_y4m && (size || video->source->fd < 0))
        return &libav_reader;
#endif
    return &y4m_reader;
}

static int choose_reader(Video *video)
{
    const uint8_t *start;
    size_t size;
    /* Peek less at a pipe: its writer may send more only much later. */
    const size_t want = video->source->seekable ? MAGIC_SIZE : READER_PROBE_SIZE;
    const int err = source_peek(video->source, want, &start, &size);
    if (err)
        return video_read_error(video, err);
    const VideoReader *const found = reader_probe(start, size);
    const char *const title = found ? found->title : magic_of(start, size);
    if (video->raw && title)
        return refuse_as_raw(video, title);
#ifndef HAVE_LIBAV
    if (!found && title) {
        say("%s is a %s file, for which this vmaf was built without FFmpeg's libraries (Meson's option "
            "-Dlibav=enabled); `ffmpeg -i FILE -strict -1 FILE.y4m` makes a video that it reads",
            video->path, title);
        return -EINVAL;
    }
#endif
    video->reader = video->raw ? &raw_reader : found ? found : reader_of_others(video, start, size);
    return 0;
}

bool video_may_be_decoded(Video *video)
{
    const uint8_t *start;
    size_t size;
    if (video->raw || !video->source->seekable)
        return !video->raw;
    return source_peek(video->source, MAGIC_SIZE, &start, &size) || !reader_probe(start, size);
}

/* True for network addresses and patterns of picture names, which libavformat opens itself. */
static bool has_no_source(const char *path)
{
#ifdef HAVE_LIBAV
    return strcmp(path, "-") != 0 && access(path, F_OK) &&
           (strstr(path, "://") || strpbrk(path, "%*?"));
#else
    (void)path;
    return false;
#endif
}

int video_create(Video **out, const char *path, const VideoFormat *raw)
{
    Video *const video = calloc(1, sizeof(*video));
    *out = video;
    if (!video)
        return -ENOMEM;
    video->path = path;
    video->raw = raw != NULL;
    if (raw)
        video->format = *raw;
    else if (has_no_source(path))
        return source_open_none(&video->source);
    return source_open(&video->source, path);
}

int video_begin(Video *video)
{
    const VideoCrop crop = video->options.crop;
    int err = choose_reader(video);
    if (!err)
        err = video->reader->open(video);
    video->native = video->format;
    return err || !crop.width ? err : video_crop(video, &crop);
}

int video_open(Video **out, const char *path, const VideoFormat *raw)
{
    int err = video_create(out, path, raw);
    if (!err)
        err = video_begin(*out);
    if (err) {
        video_close(*out);
        *out = NULL;
    }
    return err;
}

int video_reopen(Video **copy, const Video *video)
{
    int err = video_create(copy, video->path, video->raw ? &video->native : NULL);
    if (err)
        return err;
    (*copy)->options = video->options;
    (*copy)->options.quiet = true;
    (*copy)->options.decoders = 0; /* a second reading needs no speed */
    return video_begin(*copy);
}

int video_hold(Video *video)
{
    const int err = source_hold(video->source);
    if (err == -ENOBUFS && !video->source->seekable && !video->held_enough) {
        video->held_enough = true;
        say("%s is %zu MiB ahead of the other video and has to wait: a program that writes both of them "
            "should take turns",
            video->path, SOURCE_HOLD_MAX >> 20);
    }
    return err;
}

void video_close(Video *video)
{
    if (!video)
        return;
    if (video->reader)
        video->reader->close(video);
    source_close(video->source);
    convert_destroy(video->convert);
    for (unsigned i = 0; i < video->note_count; i++)
        free(video->notes[i].text);
    free(video->notes);
    free(video);
}

void video_note(Video *video, const char *kind, bool done, const char *format, ...)
{
    char line[512];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof(line), format, list);
    va_end(list);
    if (!video->options.quiet)
        say("%s%s: %s", done ? "" : "Warning: ", video->path, line);
    VideoNote *const grown = realloc(video->notes, (video->note_count + 1) * sizeof(*video->notes));
    video->notes = grown ? grown : video->notes;
    char *const text = grown ? strdup(line) : NULL;
    if (text)
        video->notes[video->note_count++] = (VideoNote){ kind, done, text };
    else
        video->notes_lost = true;
}

enum FrameStatus video_find(Video *video, uint64_t *offset)
{
    return video->reader->find(video, offset);
}

int64_t video_time(const Video *video, uint64_t offset)
{
    return video->reader->time ? video->reader->time(video, offset) : VIDEO_NO_TIME;
}

/* Finds the frame's planes: in the reader's memory, or read into memory of `convert`. */
static enum FrameStatus find_planes(const Video *video, uint64_t offset, unsigned wanted,
                                    Planes *planes)
{
    if (video->reader->planes)
        return video->reader->planes(video, offset, wanted, planes);
    const int err = convert_own_planes(video->convert, planes);
    if (err) {
        video_read_error(video, err);
        return FRAME_ERROR;
    }
    VmafPicture own = { .pix_fmt = video->native.pix_fmt, .bpc = planes->bitdepth };
    for (unsigned p = 0; p < planes->count; p++) {
        own.w[p] = planes->width[p];
        own.h[p] = planes->height[p];
        own.stride[p] = planes->stride[p];
        own.data[p] = (void *)planes->data[p];
    }
    return video->reader->read(video, offset, wanted, &own);
}

static enum FrameStatus convert(const Video *video, Convert *own, const Planes *found,
                                unsigned planes, const VmafPicture *pic)
{
    const int err = convert_run(own, found, planes, pic);
    if (!err)
        return FRAME_WHOLE;
    if (err == -ERANGE)
        say("%s: samples above %u, the most that %u bits hold", video->path,
            (1u << found->bitdepth) - 1, found->bitdepth);
    else
        say("%s: a frame could not be converted: %s", video->path, strerror(-err));
    return FRAME_ERROR;
}

enum FrameStatus video_read(const Video *video, uint64_t offset, unsigned planes,
                            const VmafPicture *pic)
{
    if (!video->convert)
        return video->reader->read(video, offset, planes, pic);
    Planes found;
    const enum FrameStatus status = find_planes(video, offset, planes, &found);
    return status != FRAME_WHOLE || !planes ? status
                                            : convert(video, video->convert, &found, planes, pic);
}

bool video_can_hold(const Video *video)
{
    return video->convert && video->reader->can_hold && video->reader->can_hold(video);
}

void *video_hold_frame(const Video *video)
{
    return video->reader->hold(video);
}

void video_let_go(const Video *video, void *held)
{
    video->reader->let_go(held);
}

enum FrameStatus video_read_held(const Video *video, const void *held, Convert *own,
                                 unsigned planes, const VmafPicture *pic)
{
    Planes found;
    video->reader->held_planes(video, held, &found);
    return planes ? convert(video, own, &found, planes, pic) : FRAME_WHOLE;
}

const char *video_kept_by(const Video *video)
{
    return video->reader->kept_by ? video->reader->kept_by(video) : NULL;
}

int video_can_keep(const Video *video, const KeptScorer *scorer, char *why, size_t size)
{
    return video->reader->can_keep(video, scorer, why, size);
}

int video_share(const Video *video, unsigned pairs, bool required, VmafVulkanState **state)
{
    return video->reader->share(video, pairs, required, state);
}

void video_start_keeping(Video *video)
{
    video->reader->start_keeping(video);
}

enum FrameStatus video_keep(const Video *video, uint64_t offset, KeptFrame **frame)
{
    return video->reader->keep(video, offset, frame);
}

void video_convert_range(Video *video, enum VideoRange range)
{
    video->range = range;
}

void video_raise_chroma(Video *video, enum VideoSiting siting)
{
    video->raised = siting;
}

int video_convert(Video *video, const VideoFormat *target, enum VideoScale scale)
{
    const VideoFormat *const from = &video->format;
    const bool resampled = from->width != target->width || from->height != target->height ||
                           from->pix_fmt != target->pix_fmt;
    if (target->bitdepth < from->bitdepth) {
        say("%s: %u-bit samples cannot be reduced to %u bits without loss", video->path,
            from->bitdepth, target->bitdepth);
        return -EINVAL;
    }
    if (resampled || video->convert || video->range) { /* if none of these, the reader widens */
        Planes shape;
        if (video->convert)
            shape = *convert_shape(video->convert);
        else
            planes_lay_out(&shape, from);
        Convert *convert;
        const int err = convert_create(&convert, &shape, &video->options.crop, target, scale,
                                       video->range, video->raised);
        if (err)
            return err;
        convert_destroy(video->convert);
        video->convert = convert;
        video->parallel = false;
    }
    video->format = *target;
    return 0;
}

/* -EINVAL, after logging why, if the rectangle does not fit the frames. */
static int check_crop(const Video *video, const Planes *shape, const VideoCrop *crop)
{
    const VideoFormat *const native = &video->native;
    const unsigned across = planes_grid(shape, true), down = planes_grid(shape, false);
    if (crop->x > native->width || crop->width > native->width - crop->x ||
        crop->y > native->height || crop->height > native->height - crop->y) {
        say("%s: frames of %ux%u have no rectangle %u:%u:%u:%u (width, height, left, top); "
            "--crop_ref and --crop_dist give each side one of its own",
            video->path, native->width, native->height, crop->width, crop->height, crop->x,
            crop->y);
        return -EINVAL;
    }
    if (crop->x % across || crop->y % down) {
        say("%s: cannot be cropped at %u,%u: with %s chroma the left edge must be a multiple of %u "
            "and the top a multiple of %u",
            video->path, crop->x, crop->y, video_format_name(native->pix_fmt), across, down);
        return -EINVAL;
    }
    return 0;
}

/* The beginning of the note that a video was cropped. */
#define CROPPED "cropped from %ux%u to %ux%u at %u,%u"

void video_options_of_notes(VideoOptions *options, const char *notes)
{
    unsigned width, height;
    VideoCrop crop;
    const char *const cropped = strstr(notes, "cropped from ");
    if (cropped &&
        sscanf(cropped, CROPPED, &width, &height, &crop.width, &crop.height, &crop.x, &crop.y) == 6)
        options->crop = crop;
}

int video_crop(Video *video, const VideoCrop *crop)
{
    Planes shape;
    VideoFormat format = video->native;
    if (video->convert)
        shape = *convert_shape(video->convert);
    else
        planes_lay_out(&shape, &video->native);
    int err = check_crop(video, &shape, crop);
    if (err)
        return err;
    format.width = crop->width;
    format.height = crop->height;
    Convert *convert;
    err = convert_create(&convert, &shape, crop, &format, SCALE_BICUBIC, RANGE_UNKNOWN,
                         SITING_UNKNOWN);
    if (err)
        return err;
    convert_destroy(video->convert);
    video->convert = convert;
    video->parallel = false;
    video->format = format;
    video->options.crop = *crop;
    video_note(video, "cropped", true, CROPPED "%s", video->native.width, video->native.height,
               crop->width, crop->height, crop->x, crop->y,
               video->options.bars ? ", what its black bars leave" : "");
    return 0;
}

enum FrameStatus video_skip(Video *video, unsigned frames)
{
    enum FrameStatus status = FRAME_WHOLE;
    if (video->source->seekable && video->reader->jump) {
        const uint64_t left = video_frames_left(video);
        const unsigned whole = frames < left ? frames : (unsigned)left;
        video->reader->jump(video, whole);
        frames -= whole;
    }
    while (status == FRAME_WHOLE && frames--) {
        uint64_t offset;
        status = video_find(video, &offset);
        if (status == FRAME_WHOLE)
            status = video_read(video, offset, 0, NULL);
    }
    return status;
}

enum FrameStatus video_go_to(Video *video, uint64_t frame, bool from_start)
{
    uint64_t next = 0;
    enum FrameStatus status = FRAME_WHOLE;
    if (frame && !from_start && video->source->seekable && video->reader->leap)
        status = video->reader->leap(video, frame, &next);
    for (; status == FRAME_WHOLE && next < frame; next++) {
        uint64_t offset;
        status = video_find(video, &offset);
    }
    return status;
}

enum FrameStatus video_approach(Video *video, uint64_t from, uint64_t to)
{
    if (video->reader->approach && video->source->seekable)
        return video->reader->approach(video, to);
    return to > from ? video_skip(video, (unsigned)(to - from)) : FRAME_WHOLE;
}

int64_t video_time_of(const Video *video, uint64_t frame)
{
    return video->reader->time_of ? video->reader->time_of(video, frame) : VIDEO_NO_TIME;
}

uint64_t video_frames_left(const Video *video)
{
    return video->reader->frames_left(video);
}

const char *video_format_name(enum VmafPixelFormat pix_fmt)
{
    switch (pix_fmt) {
    case VMAF_PIX_FMT_YUV420P:
        return "4:2:0";
    case VMAF_PIX_FMT_YUV422P:
        return "4:2:2";
    case VMAF_PIX_FMT_YUV444P:
        return "4:4:4";
    default:
        return "4:0:0";
    }
}

int video_compare(const Video *ref, const Video *dist, bool common_bitdepth)
{
    const VideoFormat *const a = &ref->format, *const b = &dist->format;
    unsigned problems = 0;
    if (a->width != b->width || a->height != b->height) {
        say("dimensions do not match: %ux%u (%s), %ux%u (%s)", a->width, a->height, ref->path,
            b->width, b->height, dist->path);
        problems++;
    }
    if (a->pix_fmt != b->pix_fmt) {
        say("pixel formats do not match: %s (%s), %s (%s)", video_format_name(a->pix_fmt),
            ref->path, video_format_name(b->pix_fmt), dist->path);
        problems++;
    }
    if (a->bitdepth != b->bitdepth && !common_bitdepth) {
        say("bitdepths do not match: %u (%s), %u (%s)", a->bitdepth, ref->path, b->bitdepth,
            dist->path);
        problems++;
    }
    if (!problems)
        return 0;
    say("videos are incompatible, %u problem%s.", problems, problems > 1 ? "s" : "");
    return -EINVAL;
}
