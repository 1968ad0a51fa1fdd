/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "input/plane_size.h"
#include "message.h"
#include "video.h"
#include "y4m.h"

#define SIDE_MAX 65536

static unsigned sample_size(unsigned bitdepth)
{
    return bitdepth > 8 ? 2 : 1;
}

static int lay_out(Video *video, bool alpha)
{
    const VideoFormat *const format = &video->format;
    if (format->width > SIDE_MAX || format->height > SIDE_MAX) {
        say("%s: frames of %ux%u are too large; %dx%d is the limit", video->path, format->width,
            format->height, SIDE_MAX, SIDE_MAX);
        return -EINVAL;
    }
    video->plane_count = format->pix_fmt == VMAF_PIX_FMT_YUV400P ? 1 : alpha ? 4 : 3;
    for (unsigned p = 0; p < video->plane_count; p++) {
        video->plane_width[p] = file_plane_width(format->pix_fmt, format->width, p);
        video->plane_height[p] = file_plane_height(format->pix_fmt, format->height, p);
        video->frame_size += (uint64_t)video->plane_width[p] * video->plane_height[p] *
                             sample_size(format->bitdepth);
    }
    return 0;
}

static int read_error(const Video *video, int err)
{
    say("could not read file: %s: %s", video->path, strerror(-err));
    return err;
}

static int open_raw(Video *video, const VideoFormat *raw)
{
    static const char magic[] = "YUV4MPEG2";
    const uint8_t *data;
    size_t size;
    const int err = source_peek(video->source, sizeof(magic) - 1, &data, &size);
    if (err)
        return read_error(video, err);
    if (size == sizeof(magic) - 1 && !memcmp(data, magic, size)) {
        say("%s is a Y4M file; leave -w, -h, -p and -b out to read it as one", video->path);
        return -EINVAL;
    }
    video->format = *raw;
    return lay_out(video, false);
}

static int open_y4m(Video *video)
{
    const uint8_t *data;
    size_t size;
    int err = source_peek(video->source, Y4M_LINE_MAX, &data, &size);
    if (err)
        return read_error(video, err);
    if (!size) {
        say("%s: the file is empty", video->path);
        return -EINVAL;
    }
    const size_t line = y4m_line_length(data, size);
    Y4mHeader header;
    char error[256];
    err =
        y4m_parse_header(&header, (const char *)data, line ? line - 1 : size, error, sizeof(error));
    if (!err && !line) {
        snprintf(error, sizeof(error), "its Y4M header does not end");
        err = -EINVAL;
    }
    if (err) {
        say("%s: %s", video->path, error);
        return err;
    }
    if (header.other_version)
        say("Warning: %s: incorrect Y4M version; YUV4MPEG2 is assumed.", video->path);
    if (!header.interlace_known)
        say("Warning: %s: interlacing unknown; assuming progressive scan.", video->path);
    video->y4m = true;
    video->format = (VideoFormat){ header.width, header.height, header.bitdepth, header.pix_fmt };
    err = source_skip(video->source, line);
    return err ? read_error(video, err) : lay_out(video, header.alpha);
}

int video_open(Video **out, const char *path, const VideoFormat *raw)
{
    Video *const video = mem_zalloc(sizeof(*video));
    if (!video)
        return -ENOMEM;
    video->path = path;
    int err = source_open(&video->source, path);
    if (!err)
        err = raw ? open_raw(video, raw) : open_y4m(video);
    if (err)
        video_close(video);
    else
        *out = video;
    return err;
}

void video_close(Video *video)
{
    if (!video)
        return;
    source_close(video->source);
    mem_free(video);
}

/* Steps over `FRAME`, its parameters and the newline. */
static enum FrameStatus pass_frame_header(Video *video)
{
    static const char magic[] = "FRAME";
    size_t line = 0;
    for (size_t want = 128; !line; want = Y4M_LINE_MAX) {
        const uint8_t *data;
        size_t size;
        const int err = source_peek(video->source, want, &data, &size);
        if (err) {
            read_error(video, err);
            return FRAME_ERROR;
        }
        if (!size)
            return FRAME_NONE;
        line = y4m_line_length(data, size);
        const bool starts = size >= sizeof(magic) - 1 && !memcmp(data, magic, sizeof(magic) - 1);
        if (!starts || (!line && (size < want || want == Y4M_LINE_MAX)))
            return FRAME_CUT;
    }
    return source_skip(video->source, line) ? FRAME_ERROR : FRAME_WHOLE;
}

static enum FrameStatus expect_raw_frame(Video *video)
{
    const uint8_t *data;
    size_t size;
    const int err = source_peek(video->source, 1, &data, &size);
    if (err) {
        read_error(video, err);
        return FRAME_ERROR;
    }
    return size ? FRAME_WHOLE : FRAME_NONE;
}

enum FrameStatus video_find(Video *video, uint64_t *offset)
{
    Source *const source = video->source;
    const enum FrameStatus status = video->y4m ? pass_frame_header(video) : expect_raw_frame(video);
    if (status != FRAME_WHOLE)
        return status;
    *offset = source->offset;
    if (source->seekable) {
        if (source->offset + video->frame_size > source->size)
            return FRAME_CUT;
        source_skip(source, video->frame_size);
    }
    video->next++;
    return FRAME_WHOLE;
}

enum FrameStatus video_skip(Video *video, unsigned frames)
{
    enum FrameStatus status = FRAME_WHOLE;
    while (status == FRAME_WHOLE && frames--) {
        uint64_t offset;
        status = video_find(video, &offset);
        if (status == FRAME_WHOLE && !video->source->seekable &&
            source_skip(video->source, video->frame_size))
            status = FRAME_CUT;
    }
    return status;
}

uint64_t video_frames_left(const Video *video)
{
    enum { FRAME_HEADER = 6 };
    const Source *const source = video->source;
    if (!source->seekable || source->offset > source->size)
        return 0;
    return (source->size - source->offset) / (video->frame_size + (video->y4m ? FRAME_HEADER : 0));
}

/* Brings samples of a shallower video to the picture's depth. Samples of one byte lie in the second
 * half of the row, so that the row can be widened in place, from left to right. */
static void deepen_row(uint16_t *row, unsigned width, unsigned from, unsigned to)
{
    const uint8_t *const narrow = (const uint8_t *)row + width;
    const unsigned shift = to - from;
    if (from == 8) {
        for (unsigned x = 0; x < width; x++) {
            const unsigned sample = narrow[x];
            row[x] = (uint16_t)(sample << shift);
        }
    } else {
        for (unsigned x = 0; x < width; x++)
            row[x] = (uint16_t)(row[x] << shift);
    }
}

/* Reads rows y…end-1 of a plane; what the file's rows have beyond the picture's goes to `rest`. */
static int read_rows(const Video *video, uint64_t offset, const VmafPicture *pic, unsigned p,
                     unsigned y, unsigned end)
{
    enum { ROWS = 64 };
    Span spans[2 * ROWS];
    uint8_t rest[2];
    const size_t row_size = (size_t)video->plane_width[p] * sample_size(video->format.bitdepth);
    const size_t kept = (size_t)pic->w[p] * sample_size(video->format.bitdepth);
    const size_t indent =
        sample_size(pic->bpc) > sample_size(video->format.bitdepth) ? pic->w[p] : 0;
    while (y < end) {
        unsigned count = 0;
        const unsigned stop = end - y < ROWS ? end : y + ROWS;
        const uint64_t batch = (uint64_t)(stop - y) * row_size;
        for (; y < stop; y++) {
            uint8_t *const row = (uint8_t *)pic->data[p] + (ptrdiff_t)y * pic->stride[p];
            spans[count++] = (Span){ row + indent, kept };
            if (row_size > kept)
                spans[count++] = (Span){ rest, row_size - kept };
        }
        const int err = source_read(video->source, offset, spans, count);
        if (err)
            return err;
        offset += batch;
    }
    return 0;
}

static int read_plane(const Video *video, uint64_t offset, const VmafPicture *pic, unsigned p)
{
    const size_t row_size = (size_t)video->plane_width[p] * sample_size(video->format.bitdepth);
    const unsigned rows = pic->h[p];
    int err;
    if (pic->bpc == video->format.bitdepth && pic->w[p] == video->plane_width[p] &&
        pic->stride[p] == (ptrdiff_t)row_size) {
        Span whole = { pic->data[p], row_size * rows };
        err = source_read(video->source, offset, &whole, 1);
    } else {
        err = read_rows(video, offset, pic, p, 0, rows);
    }
    if (err || pic->bpc == video->format.bitdepth)
        return err;
    for (unsigned y = 0; y < rows; y++)
        deepen_row((uint16_t *)((uint8_t *)pic->data[p] + (ptrdiff_t)y * pic->stride[p]), pic->w[p],
                   video->format.bitdepth, pic->bpc);
    return 0;
}

enum FrameStatus video_read(const Video *video, uint64_t offset, unsigned planes,
                            const VmafPicture *pic)
{
    int err = 0;
    for (unsigned p = 0; p < video->plane_count && !err; p++) {
        const uint64_t row_size =
            (uint64_t)video->plane_width[p] * sample_size(video->format.bitdepth);
        const uint64_t size = row_size * video->plane_height[p];
        uint64_t rest = size;
        if (p < 3 && (planes & (1u << p))) {
            err = read_plane(video, offset, pic, p);
            rest -= row_size * pic->h[p];
        }
        if (!err && !video->source->seekable)
            err = source_skip(video->source, rest);
        offset += size;
    }
    if (!err)
        return FRAME_WHOLE;
    if (err == -ENODATA)
        return FRAME_CUT;
    read_error(video, err);
    return FRAME_ERROR;
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
