/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/video.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "input/reader.h"
#include "message.h"

int video_read_error(const Video *video, int err)
{
    if (err != -ECANCELED)
        say("could not read file: %s: %s", video->path, strerror(-err));
    return err;
}

static int choose_reader(Video *video)
{
    const uint8_t *start;
    size_t size;
    const int err = source_peek(video->source, READER_PROBE_SIZE, &start, &size);
    if (err)
        return video_read_error(video, err);
    const VideoReader *const found = reader_probe(start, size);
    if (video->raw && found) {
        say("%s is a %s file; leave -w, -h, -p and -b out to read it as one", video->path,
            found->title);
        return -EINVAL;
    }
    /* What nobody knows is left to Y4M, which says what is wrong. */
    video->reader = video->raw ? &raw_reader : found ? found : &y4m_reader;
    return 0;
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
    return source_open(&video->source, path);
}

int video_begin(Video *video)
{
    const int err = choose_reader(video);
    return err ? err : video->reader->open(video);
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
    free(video);
}

enum FrameStatus video_find(Video *video, uint64_t *offset)
{
    return video->reader->find(video, offset);
}

int64_t video_time(const Video *video, uint64_t offset)
{
    return video->reader->time ? video->reader->time(video, offset) : VIDEO_NO_TIME;
}

enum FrameStatus video_read(const Video *video, uint64_t offset, unsigned planes,
                            const VmafPicture *pic)
{
    return video->reader->read(video, offset, planes, pic);
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

uint64_t video_frames_left(const Video *video)
{
    return video->reader->frames_left(video);
}

static const char *format_name(enum VmafPixelFormat pix_fmt)
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
        say("pixel formats do not match: %s (%s), %s (%s)", format_name(a->pix_fmt), ref->path,
            format_name(b->pix_fmt), dist->path);
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
