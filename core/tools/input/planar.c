/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/reader.h"

#include <errno.h>
#include <stdlib.h>

#include "common/message.h"

#define EDGE_MAX 65536
#define PLANES 4

typedef struct Layout {
    unsigned bitdepth;    /* in the file; pictures may have more */
    unsigned plane_count; /* in the file */
    unsigned width[PLANES], height[PLANES];
    uint64_t frame_size;
} Layout;

static unsigned sample_size(unsigned bitdepth)
{
    return bitdepth > 8 ? 2 : 1;
}

/* Chroma planes of a file are rounded up (those of a picture are rounded down). */
static void lay_out(Layout *layout, const VideoFormat *format, bool alpha)
{
    layout->bitdepth = format->bitdepth;
    layout->plane_count = format->pix_fmt == VMAF_PIX_FMT_YUV400P ? 1 : alpha ? 4 : 3;
    for (unsigned p = 0; p < layout->plane_count; p++) {
        layout->width[p] = file_plane_width(format->pix_fmt, format->width, p);
        layout->height[p] = file_plane_height(format->pix_fmt, format->height, p);
        layout->frame_size +=
            (uint64_t)layout->width[p] * layout->height[p] * sample_size(format->bitdepth);
    }
}

int planar_open(Video *video, bool alpha)
{
    const VideoFormat *const format = &video->format;
    if (format->width > EDGE_MAX || format->height > EDGE_MAX) {
        say("%s: frames of %ux%u are too large; %dx%d is the limit", video->path, format->width,
            format->height, EDGE_MAX, EDGE_MAX);
        return -EINVAL;
    }
    Layout *const layout = calloc(1, sizeof(*layout));
    if (!layout)
        return -ENOMEM;
    lay_out(layout, format, alpha);
    video->state = layout;
    video->parallel = video->source->seekable;
    return 0;
}

void planar_close(Video *video)
{
    free(video->state);
    video->state = NULL;
}

enum FrameStatus planar_find(Video *video, uint64_t *offset)
{
    const Layout *const layout = video->state;
    Source *const source = video->source;
    *offset = source->offset;
    if (source->seekable) {
        if (source->offset + layout->frame_size > source->size)
            return FRAME_CUT;
        source_skip(source, layout->frame_size);
    }
    return FRAME_WHOLE;
}

uint64_t planar_frame_size(const Video *video)
{
    const Layout *const layout = video->state;
    return layout->frame_size;
}

uint64_t planar_frames_left(const Video *video, unsigned header)
{
    const Layout *const layout = video->state;
    const Source *const source = video->source;
    if (!source->seekable || source->offset > source->size)
        return 0;
    return (source->size - source->offset) / (layout->frame_size + header);
}

/* Swaps bytes on big-endian machines: files store the low byte of a sample first. */
static void from_file_order(const VmafPicture *pic, unsigned p, unsigned y, unsigned end)
{
    static const uint16_t one = 1;
    if (*(const uint8_t *)&one) /* a little-endian machine */
        return;
    for (; y < end; y++) {
        uint16_t *const row = (uint16_t *)((uint8_t *)pic->data[p] + (ptrdiff_t)y * pic->stride[p]);
        for (unsigned x = 0; x < pic->w[p]; x++)
            row[x] = (uint16_t)(row[x] << 8 | row[x] >> 8);
    }
}

/* Widens the samples of a row to the picture's bit depth. Samples of one byte are in the second
 * half of the row, so that the row can be widened in place from left to right. Returns the
 * bitwise OR of all samples. */
static unsigned widen_row(uint16_t *row, unsigned width, unsigned from, unsigned to)
{
    const uint8_t *const narrow = (const uint8_t *)row + width;
    const unsigned shift = to - from;
    uint16_t bits = 0;
    if (from == 8) {
        for (unsigned x = 0; x < width; x++) {
            const unsigned sample = narrow[x];
            row[x] = (uint16_t)(sample << shift);
        }
    } else {
        for (unsigned x = 0; x < width; x++) {
            bits = (uint16_t)(bits | row[x]);
            row[x] = (uint16_t)(row[x] << shift);
        }
    }
    return bits;
}

static int widen_rows(const Video *video, const VmafPicture *pic, unsigned p, unsigned y,
                      unsigned end)
{
    const unsigned depth = ((const Layout *)video->state)->bitdepth;
    unsigned bits = 0;
    for (; y < end; y++)
        bits |= widen_row((uint16_t *)((uint8_t *)pic->data[p] + (ptrdiff_t)y * pic->stride[p]),
                          pic->w[p], depth, pic->bpc);
    if (!(bits >> depth))
        return 0;
    say("%s: samples above %u, the most that %u bits hold; are the values in the high bits, as in "
        "P010 and P016? They belong in the low ones",
        video->path, (1u << depth) - 1, depth);
    return -ERANGE;
}

enum { BATCH_ROWS = 64 };

/* Reads rows y…end-1 of a plane. If a row of the file is longer than the picture's, its last
 * samples go to `rest`. */
static int read_rows(const Video *video, uint64_t offset, const VmafPicture *pic, unsigned p,
                     unsigned y, unsigned end)
{
    const Layout *const layout = video->state;
    Span spans[2 * BATCH_ROWS];
    uint8_t rest[2];
    unsigned count = 0;
    const size_t row_size = (size_t)layout->width[p] * sample_size(layout->bitdepth);
    const size_t kept = (size_t)pic->w[p] * sample_size(layout->bitdepth);
    const size_t indent = sample_size(pic->bpc) > sample_size(layout->bitdepth) ? pic->w[p] : 0;
    for (; y < end; y++) {
        uint8_t *const row = (uint8_t *)pic->data[p] + (ptrdiff_t)y * pic->stride[p];
        spans[count++] = (Span){ row + indent, kept };
        if (row_size > kept)
            spans[count++] = (Span){ rest, row_size - kept };
    }
    return source_read(video->source, offset, spans, count);
}

/* A few rows at a time, so that they are still in the cache when they are looked at. */
static int read_plane(const Video *video, uint64_t offset, const VmafPicture *pic, unsigned p)
{
    const Layout *const layout = video->state;
    const size_t row_size = (size_t)layout->width[p] * sample_size(layout->bitdepth);
    const bool same_depth = pic->bpc == layout->bitdepth;
    const bool contiguous =
        same_depth && pic->w[p] == layout->width[p] && pic->stride[p] == (ptrdiff_t)row_size;
    int err = 0;
    for (unsigned y = 0, end; !err && y < pic->h[p]; y = end) {
        end = pic->h[p] - y < BATCH_ROWS ? pic->h[p] : y + BATCH_ROWS;
        if (contiguous) {
            Span rows = { (uint8_t *)pic->data[p] + y * row_size, (end - y) * row_size };
            err = source_read(video->source, offset + y * row_size, &rows, 1);
        } else {
            err = read_rows(video, offset + y * row_size, pic, p, y, end);
        }
        if (!err && sample_size(layout->bitdepth) == 2)
            from_file_order(pic, p, y, end);
        if (!err && !same_depth)
            err = widen_rows(video, pic, p, y, end);
        if (!err)
            vmaf_picture_rows_written(pic, p, end);
    }
    return err;
}

enum FrameStatus planar_read(const Video *video, uint64_t offset, unsigned planes,
                             const VmafPicture *pic)
{
    const Layout *const layout = video->state;
    int err = 0;
    for (unsigned p = 0; p < layout->plane_count && !err; p++) {
        const uint64_t row_size = (uint64_t)layout->width[p] * sample_size(layout->bitdepth);
        const uint64_t size = row_size * layout->height[p];
        uint64_t rest = size;
        if (p < 3 && (planes & (1u << p)) && pic->data[p]) {
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
    if (err != -ERANGE) /* that was logged already */
        video_read_error(video, err);
    return FRAME_ERROR;
}

/* Raw video: nothing but samples. Only its user knows the format. */

static int raw_open(Video *video)
{
    return planar_open(video, false);
}

static enum FrameStatus raw_find(Video *video, uint64_t *offset)
{
    const uint8_t *data;
    size_t size;
    const int err = source_peek(video->source, 1, &data, &size);
    if (err) {
        video_read_error(video, err);
        return FRAME_ERROR;
    }
    return size ? planar_find(video, offset) : FRAME_NONE;
}

static uint64_t raw_frames_left(const Video *video)
{
    return planar_frames_left(video, 0);
}

static void raw_jump(Video *video, unsigned frames)
{
    source_skip(video->source, frames * planar_frame_size(video));
}

static enum FrameStatus raw_leap(Video *video, uint64_t frame, uint64_t *next)
{
    const uint64_t left = raw_frames_left(video);
    *next = frame < left ? frame : left;
    return source_skip(video->source, *next * planar_frame_size(video)) ? FRAME_ERROR : FRAME_WHOLE;
}

const VideoReader raw_reader = {
    .name = "raw",
    .title = "raw",
    .open = raw_open,
    .close = planar_close,
    .find = raw_find,
    .read = planar_read,
    .frames_left = raw_frames_left,
    .jump = raw_jump,
    .leap = raw_leap,
};
