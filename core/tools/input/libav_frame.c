/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A decoded frame as planes of luma and chroma, without a change to the samples wherever its format has them:
 * planar ones lie where they are; packed ones, and those of turned pictures, are gathered; RGB is computed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "input/libav.h"
#include "input/convert.h"
#include "common/message.h"

/* ---- which way ---- */

static bool is_deep(const AVPixFmtDescriptor *pixel)
{
    return pixel->comp[0].depth > 8;
}

/* Are all samples of luma and chroma somewhere in whole bytes, in steps? */
static bool has_samples(const AVPixFmtDescriptor *pixel, enum AVPixelFormat format)
{
    const unsigned none = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM |
                          AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;
    const int depth = pixel->comp[0].depth;
    if (pixel->flags & none || depth < 8 || depth > 16 || format == AV_PIX_FMT_XYZ12LE ||
        format == AV_PIX_FMT_XYZ12BE || format == AV_PIX_FMT_UYYVYY411)
        return false;
    for (int c = 0; c < (pixel->nb_components < 3 ? 1 : 3); c++)
        if (pixel->comp[c].depth != depth || pixel->comp[c].shift + depth > 16)
            return false;
    return true;
}

static bool is_direct(const AVPixFmtDescriptor *pixel)
{
    const bool big_endian = pixel->flags & AV_PIX_FMT_FLAG_BE;
    bool direct = big_endian == (AV_HAVE_BIGENDIAN != 0) || !is_deep(pixel);
    for (int c = 0; c < (pixel->nb_components < 3 ? 1 : 3); c++)
        direct = direct && pixel->comp[c].plane == c && pixel->comp[c].offset == 0 &&
                 pixel->comp[c].shift == 0 && pixel->comp[c].step == (is_deep(pixel) ? 2 : 1);
    return direct;
}

/* What swscale makes of a format without luma: a bit less than all that there was, as RGB has no exact
 * counterpart. */
static enum AVPixelFormat plain_format(const AVPixFmtDescriptor *pixel)
{
    const int depth = pixel->comp[0].depth;
    const bool deep = depth > 12 || pixel->flags & AV_PIX_FMT_FLAG_FLOAT;
    if (pixel->nb_components < 3 && !(pixel->flags & AV_PIX_FMT_FLAG_PAL))
        return deep ? AV_PIX_FMT_GRAY16 : AV_PIX_FMT_GRAY8;
    return deep         ? AV_PIX_FMT_YUV444P16
           : depth > 10 ? AV_PIX_FMT_YUV444P12
           : depth > 8  ? AV_PIX_FMT_YUV444P10
                        : AV_PIX_FMT_YUV444P;
}

/* The format with the coarsest chroma that has room for this one's. */
static enum VmafPixelFormat picture_format(const Planes *shape)
{
    if (shape->count < 3)
        return VMAF_PIX_FMT_YUV400P;
    if (shape->width[1] == shape->width[0] && shape->width[0] > 1)
        return VMAF_PIX_FMT_YUV444P;
    return shape->height[1] == shape->height[0] && shape->height[0] > 1 ? VMAF_PIX_FMT_YUV422P
                                                                        : VMAF_PIX_FMT_YUV420P;
}

static void lay_out(FrameWay *way, const AVPixFmtDescriptor *pixel)
{
    Planes *const shape = &way->shape;
    const bool upright = way->turn[0][0] != 0;
    shape->count = pixel->nb_components < 3 ? 1 : 3;
    shape->bitdepth = (unsigned)pixel->comp[0].depth;
    for (unsigned p = 0; p < shape->count; p++) {
        const int w = AV_CEIL_RSHIFT(way->width, p ? pixel->log2_chroma_w : 0);
        const int h = AV_CEIL_RSHIFT(way->height, p ? pixel->log2_chroma_h : 0);
        shape->width[p] = (unsigned)(upright ? w : h);
        shape->height[p] = (unsigned)(upright ? h : w);
    }
}

static int sign(int32_t value)
{
    return (value > 0) - (value < 0);
}

/* Quarter turns and mirrors, as players show them; any other angle is left alone. A display matrix leads from
 * coded to shown places; its transpose leads back. */
static void set_turn(FrameWay *way, Video *video, const int32_t *matrix)
{
    way->turn[0][0] = way->turn[1][1] = 1;
    if (!matrix)
        return;
    const int32_t a = matrix[0], b = matrix[1], c = matrix[3], d = matrix[4];
    const bool upright = a && d && !b && !c, quarter = b && c && !a && !d;
    if (!upright && !quarter) {
        video_note(video, "rotated", false,
                   "is to be shown turned by %.1f degrees: scored as it was coded",
                   -av_display_rotation_get(matrix));
        return;
    }
    way->turn[0][0] = sign(a);
    way->turn[0][1] = sign(b);
    way->turn[1][0] = sign(c);
    way->turn[1][1] = sign(d);
    if (upright && a > 0 && d > 0)
        return;
    const double degrees = -av_display_rotation_get(matrix);
    const int angle = ((int)(degrees < 0 ? degrees - 0.5 : degrees + 0.5) + 360) % 360;
    const bool mirrored = (double)a * d - (double)b * c < 0;
    video->traits.rotation = angle;
    video_note(video, "rotated", true, "turned by %d degrees clockwise%s, as it is to be shown",
               angle, mirrored ? " and mirrored" : "");
}

static void note_format(FrameWay *way, Video *video, const AVPixFmtDescriptor *pixel)
{
    if (pixel->flags & AV_PIX_FMT_FLAG_ALPHA)
        video_note(video, "alpha", false, "has an alpha channel (%s), which is not scored",
                   pixel->name);
    if (way->way != WAY_SWSCALE)
        return;
    const bool colours = way->shape.count == 3;
    if (colours) {
        video->traits.matrix = NULL; /* the other video's is taken, see align.c */
        video->traits.range = RANGE_UNKNOWN;
        video->rgb = true;
    }
}

int frame_way_open(FrameWay *way, Video *video, const AVFrame *frame, const int32_t *matrix)
{
    enum { EDGE_MAX = 65536 };
    const AVPixFmtDescriptor *pixel = av_pix_fmt_desc_get(frame->format);
    if (!pixel || frame->width < 1 || frame->height < 1 || frame->width > EDGE_MAX ||
        frame->height > EDGE_MAX) {
        say("%s: frames of %dx%d (%s) cannot be scored", video->path, frame->width, frame->height,
            pixel ? pixel->name : "no format");
        return -EINVAL;
    }
    way->coded = frame->format;
    way->width = frame->width;
    way->height = frame->height;
    set_turn(way, video, matrix);
    const AVPixFmtDescriptor *const coded = pixel;
    if (!has_samples(pixel, frame->format)) {
        way->way = WAY_SWSCALE;
        way->plain = plain_format(pixel);
        pixel = av_pix_fmt_desc_get(way->plain);
    } else {
        way->way = is_direct(pixel) ? WAY_DIRECT : WAY_UNPACK;
    }
    lay_out(way, pixel);
    note_format(way, video, coded);
    video->format = (VideoFormat){ way->shape.width[0], way->shape.height[0], way->shape.bitdepth,
                                   picture_format(&way->shape) };
    return convert_create(&video->convert, &way->shape, &video->format, SCALE_BICUBIC,
                          RANGE_UNKNOWN);
}

void frame_way_close(FrameWay *way)
{
    sws_freeContext(way->sws);
    av_frame_free(&way->made);
    av_free(way->gathered);
}

/* ---- RGB ---- */

static int open_sws(FrameWay *way, const Video *video, const AVFrame *frame)
{
    way->sws = sws_getContext(
        way->width, way->height, way->coded, way->width, way->height, way->plain,
        SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT,
        NULL, NULL, NULL);
    way->made = av_frame_alloc();
    if (!way->sws || !way->made)
        return -EINVAL;
    way->made->format = way->plain;
    way->made->width = frame->width;
    way->made->height = frame->height;
    const int matrix = video->traits.matrix ? av_color_space_from_name(video->traits.matrix) : -1;
    const int *const table = sws_getCoefficients(matrix > 0 ? matrix : SWS_CS_DEFAULT);
    const int full = video->traits.range == RANGE_FULL;
    if (way->shape.count == 3)
        sws_setColorspaceDetails(way->sws, sws_getCoefficients(SWS_CS_DEFAULT), 1, table, full, 0,
                                 1 << 16, 1 << 16);
    return av_frame_get_buffer(way->made, 0) < 0 ? -ENOMEM : 0;
}

/* ---- planes ---- */

/* Samples at `step` bytes from column to column and from row to row. */
typedef struct Grid {
    const uint8_t *data;
    ptrdiff_t column, row;
    unsigned shift, mask;
    bool swapped; /* the bytes of a sample */
} Grid;

static void gather8(uint8_t *to, ptrdiff_t stride, const Grid *grid, unsigned width,
                    unsigned height)
{
    for (unsigned y = 0; y < height; y++) {
        const uint8_t *from = grid->data + (ptrdiff_t)y * grid->row;
        for (unsigned x = 0; x < width; x++, from += grid->column)
            to[x] = (uint8_t)((*from >> grid->shift) & grid->mask);
        to += stride;
    }
}

static void gather16(uint8_t *to, ptrdiff_t stride, const Grid *grid, unsigned width,
                     unsigned height)
{
    const unsigned high = grid->swapped ? 0 : 1;
    for (unsigned y = 0; y < height; y++) {
        const uint8_t *from = grid->data + (ptrdiff_t)y * grid->row;
        uint16_t *const row = (uint16_t *)to;
        for (unsigned x = 0; x < width; x++, from += grid->column) {
            const unsigned sample = (unsigned)from[high] << 8 | from[1 - high];
            row[x] = (uint16_t)((sample >> grid->shift) & grid->mask);
        }
        to += stride;
    }
}

/* A component's samples as the picture is shown: the first one, and the ways to its neighbours. */
static Grid grid_of(const FrameWay *way, const AVFrame *frame, const AVPixFmtDescriptor *pixel,
                    unsigned c)
{
    const AVComponentDescriptor *const comp = &pixel->comp[c];
    const ptrdiff_t step = comp->step, stride = frame->linesize[comp->plane];
    const ptrdiff_t w = AV_CEIL_RSHIFT(way->width, c ? pixel->log2_chroma_w : 0);
    const ptrdiff_t h = AV_CEIL_RSHIFT(way->height, c ? pixel->log2_chroma_h : 0);
    const int(*const turn)[2] = way->turn;
    Grid grid = {
        .data = frame->data[comp->plane] + comp->offset,
        .column = turn[0][0] * step + turn[1][0] * stride,
        .row = turn[0][1] * step + turn[1][1] * stride,
        .shift = (unsigned)comp->shift,
        .mask = (1u << comp->depth) - 1,
        .swapped = pixel->flags & AV_PIX_FMT_FLAG_BE,
    };
    if (turn[0][0] < 0 || turn[0][1] < 0)
        grid.data += (w - 1) * step;
    if (turn[1][0] < 0 || turn[1][1] < 0)
        grid.data += (h - 1) * stride;
    return grid;
}

static int make_room(FrameWay *way)
{
    const Planes *const shape = &way->shape;
    size_t size = 64;
    for (unsigned p = 0; p < shape->count; p++) {
        way->gathered_stride[p] = plane_stride(shape->width[p], shape->bitdepth);
        size += (size_t)way->gathered_stride[p] * shape->height[p];
    }
    way->gathered = av_mallocz(size);
    return way->gathered ? 0 : -ENOMEM;
}

static int gather(FrameWay *way, const AVFrame *frame, unsigned wanted, Planes *planes)
{
    const AVPixFmtDescriptor *const pixel = av_pix_fmt_desc_get(frame->format);
    const int err = way->gathered ? 0 : make_room(way);
    if (err)
        return err;
    uint8_t *to = way->gathered;
    for (unsigned p = 0; p < planes->count; p++) {
        planes->data[p] = to;
        planes->stride[p] = way->gathered_stride[p];
        const Grid grid = grid_of(way, frame, pixel, p);
        if (wanted & (1u << p))
            (planes->bitdepth > 8 ? gather16 : gather8)(to, planes->stride[p], &grid,
                                                        planes->width[p], planes->height[p]);
        to += planes->stride[p] * (ptrdiff_t)planes->height[p];
    }
    return 0;
}

int frame_way_planes(FrameWay *way, const Video *video, const AVFrame *frame, unsigned wanted,
                     Planes *planes)
{
    *planes = way->shape;
    if (way->way == WAY_SWSCALE) {
        const int err = way->sws ? 0 : open_sws(way, video, frame);
        if (err)
            return err;
        if (sws_scale(way->sws, (const uint8_t *const *)frame->data, frame->linesize, 0,
                      frame->height, way->made->data, way->made->linesize) < 0)
            return -EINVAL;
        frame = way->made;
    }
    if (way->way == WAY_UNPACK || way->turn[0][0] != 1 || way->turn[1][1] != 1)
        return gather(way, frame, wanted, planes);
    for (unsigned p = 0; p < planes->count; p++) {
        planes->data[p] = frame->data[p];
        planes->stride[p] = frame->linesize[p];
    }
    return 0;
}
