/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Turns decoded frames into planes of luma and chroma. Samples stay unchanged if the format has
 * luma: planar frames are used where they are, packed and rotated ones are copied. RGB is
 * converted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "input/libav.h"
#include "input/convert.h"
#include "common/message.h"

/* ---- choosing the method ---- */

static bool is_deep(const AVPixFmtDescriptor *pixel)
{
    return pixel->comp[0].depth > 8;
}

/* True if all luma and chroma samples are in whole bytes at regular distances. */
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

/* The format that swscale converts a format without luma to. It cannot keep everything, because
 * RGB values have no exact counterpart in YUV. */
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

/* The format from which samples of RGB can be gathered as they are, with as many bits as `depth`;
 * AV_PIX_FMT_NONE: there is none. Colours of a palette are 8 bits each. */
static enum AVPixelFormat whole_rgb(const AVPixFmtDescriptor *pixel, enum AVPixelFormat format,
                                    unsigned depth)
{
    const unsigned none = AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;
    if (pixel->flags & AV_PIX_FMT_FLAG_PAL)
        return format == AV_PIX_FMT_PAL8 ? AV_PIX_FMT_RGB24 : AV_PIX_FMT_NONE;
    if (!(pixel->flags & AV_PIX_FMT_FLAG_RGB) || pixel->flags & none || pixel->nb_components < 3)
        return AV_PIX_FMT_NONE;
    for (unsigned c = 0; c < 3; c++)
        if (pixel->comp[c].depth != (int)depth || pixel->comp[c].step < (depth > 8 ? 2 : 1))
            return AV_PIX_FMT_NONE;
    return format;
}

/* The pixel format with the coarsest chroma that still holds the chroma of this shape. */
static enum VmafPixelFormat picture_format(const Planes *shape)
{
    if (shape->count < 3)
        return VMAF_PIX_FMT_YUV400P;
    if (shape->width[1] == shape->width[0] && shape->width[0] > 1)
        return VMAF_PIX_FMT_YUV444P;
    return shape->height[1] == shape->height[0] && shape->height[0] > 1 ? VMAF_PIX_FMT_YUV422P
                                                                        : VMAF_PIX_FMT_YUV420P;
}

static void lay_out(FrameUnpacker *unpacker, const AVPixFmtDescriptor *pixel)
{
    Planes *const shape = &unpacker->shape;
    const bool upright = unpacker->turn[0][0] != 0;
    shape->count = pixel->nb_components < 3 ? 1 : 3;
    shape->bitdepth = (unsigned)pixel->comp[0].depth;
    for (unsigned p = 0; p < shape->count; p++) {
        const int w = AV_CEIL_RSHIFT(unpacker->width, p ? pixel->log2_chroma_w : 0);
        const int h = AV_CEIL_RSHIFT(unpacker->height, p ? pixel->log2_chroma_h : 0);
        shape->width[p] = (unsigned)(upright ? w : h);
        shape->height[p] = (unsigned)(upright ? h : w);
    }
}

static int sign(int32_t value)
{
    return (value > 0) - (value < 0);
}

/* Rotates by quarter turns and mirrors, as players do; any other angle is ignored with a
 * warning. A display matrix maps coded to shown positions; its transpose maps them back. */
static void set_turn(FrameUnpacker *unpacker, Video *video, const int32_t *matrix)
{
    unpacker->turn[0][0] = unpacker->turn[1][1] = 1;
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
    unpacker->turn[0][0] = sign(a);
    unpacker->turn[0][1] = sign(b);
    unpacker->turn[1][0] = sign(c);
    unpacker->turn[1][1] = sign(d);
    if (upright && a > 0 && d > 0)
        return;
    const double degrees = -av_display_rotation_get(matrix);
    const int angle = ((int)(degrees < 0 ? degrees - 0.5 : degrees + 0.5) + 360) % 360;
    const bool mirrored = (double)a * d - (double)b * c < 0;
    video->traits.rotation = angle;
    video_note(video, "rotated", true, "turned by %d degrees clockwise%s, as it is to be shown",
               angle, mirrored ? " and mirrored" : "");
}

static void note_format(FrameUnpacker *unpacker, Video *video, const AVPixFmtDescriptor *pixel)
{
    if (pixel->flags & AV_PIX_FMT_FLAG_ALPHA)
        video_note(video, "alpha", false, "has an alpha channel (%s), which is not scored",
                   pixel->name);
    if (unpacker->method != UNPACK_SWSCALE)
        return;
    const bool colours = unpacker->shape.count == 3;
    if (colours) {
        video->traits.matrix = NULL; /* settle_rgb in align.c chooses them later */
        video->traits.range = RANGE_UNKNOWN;
        video->rgb = true;
        unpacker->rgb = whole_rgb(pixel, unpacker->coded, unpacker->shape.bitdepth);
        video->rgb_whole = unpacker->rgb != AV_PIX_FMT_NONE;
    }
}

int frame_unpacker_open(FrameUnpacker *unpacker, Video *video, const AVFrame *frame,
                        const int32_t *matrix)
{
    enum { EDGE_MAX = 65536 };
    const AVPixFmtDescriptor *pixel = av_pix_fmt_desc_get(frame->format);
    if (!pixel || frame->width < 1 || frame->height < 1 || frame->width > EDGE_MAX ||
        frame->height > EDGE_MAX) {
        say("%s: frames of %dx%d (%s) cannot be scored", video->path, frame->width, frame->height,
            pixel ? pixel->name : "no format");
        return -EINVAL;
    }
    unpacker->coded = frame->format;
    unpacker->width = frame->width;
    unpacker->height = frame->height;
    set_turn(unpacker, video, matrix);
    const AVPixFmtDescriptor *const coded = pixel;
    if (!has_samples(pixel, frame->format)) {
        unpacker->method = UNPACK_SWSCALE;
        unpacker->plain = plain_format(pixel);
        pixel = av_pix_fmt_desc_get(unpacker->plain);
    } else {
        unpacker->method = is_direct(pixel) ? UNPACK_DIRECT : UNPACK_GATHER;
    }
    lay_out(unpacker, pixel);
    note_format(unpacker, video, coded);
    video->format = (VideoFormat){ unpacker->shape.width[0], unpacker->shape.height[0],
                                   unpacker->shape.bitdepth, picture_format(&unpacker->shape) };
    return convert_create(&video->convert, &unpacker->shape, NULL, &video->format, SCALE_BICUBIC,
                          RANGE_UNKNOWN, SITING_UNKNOWN);
}

void frame_unpacker_close(FrameUnpacker *unpacker)
{
    sws_freeContext(unpacker->sws);
    av_frame_free(&unpacker->made);
    av_free(unpacker->gathered);
}

/* ---- RGB ---- */

static int open_sws(FrameUnpacker *unpacker, const Video *video, const AVFrame *frame)
{
    const enum AVPixelFormat to = video->rgb_kept ? unpacker->rgb : unpacker->plain;
    unpacker->sws = sws_getContext(
        unpacker->width, unpacker->height, unpacker->coded, unpacker->width, unpacker->height, to,
        SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT,
        NULL, NULL, NULL);
    unpacker->made = av_frame_alloc();
    if (!unpacker->sws || !unpacker->made)
        return -EINVAL;
    unpacker->made->format = to;
    unpacker->made->width = frame->width;
    unpacker->made->height = frame->height;
    const int matrix = video->traits.matrix ? av_color_space_from_name(video->traits.matrix) : -1;
    const int *const table = sws_getCoefficients(matrix > 0 ? matrix : SWS_CS_DEFAULT);
    const int full = video->traits.range == RANGE_FULL;
    if (unpacker->shape.count == 3 && !video->rgb_kept)
        sws_setColorspaceDetails(unpacker->sws, sws_getCoefficients(SWS_CS_DEFAULT), 1, table, full,
                                 0, 1 << 16, 1 << 16);
    return av_frame_get_buffer(unpacker->made, 0) < 0 ? -ENOMEM : 0;
}

/* ---- planes ---- */

/* The samples of one component: `column` and `row` are the bytes from one column or row to the
 * next. */
typedef struct Grid {
    const uint8_t *data;
    ptrdiff_t column, row;
    unsigned shift, mask;
    bool swapped; /* the file's byte order is not ours */
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

/* The samples of a component in the orientation in which the picture is shown. */
static Grid grid_of(const FrameUnpacker *unpacker, const AVFrame *frame,
                    const AVPixFmtDescriptor *pixel, unsigned c)
{
    const AVComponentDescriptor *const comp = &pixel->comp[c];
    const ptrdiff_t step = comp->step, stride = frame->linesize[comp->plane];
    const ptrdiff_t w = AV_CEIL_RSHIFT(unpacker->width, c ? pixel->log2_chroma_w : 0);
    const ptrdiff_t h = AV_CEIL_RSHIFT(unpacker->height, c ? pixel->log2_chroma_h : 0);
    const int(*const turn)[2] = unpacker->turn;
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

static int make_room(FrameUnpacker *unpacker)
{
    const Planes *const shape = &unpacker->shape;
    size_t size = 64;
    for (unsigned p = 0; p < shape->count; p++) {
        unpacker->gathered_stride[p] = plane_stride(shape->width[p], shape->bitdepth);
        size += (size_t)unpacker->gathered_stride[p] * shape->height[p];
    }
    unpacker->gathered = av_mallocz(size);
    return unpacker->gathered ? 0 : -ENOMEM;
}

/* The component of a frame that becomes plane p. RGB becomes G, B, R. */
static unsigned component_of(const AVPixFmtDescriptor *pixel, unsigned p)
{
    return pixel->flags & AV_PIX_FMT_FLAG_RGB ? (p + 1) % 3 : p;
}

static int gather(FrameUnpacker *unpacker, const AVFrame *frame, unsigned wanted, Planes *planes)
{
    const AVPixFmtDescriptor *const pixel = av_pix_fmt_desc_get(frame->format);
    const int err = unpacker->gathered ? 0 : make_room(unpacker);
    if (err)
        return err;
    uint8_t *to = unpacker->gathered;
    for (unsigned p = 0; p < planes->count; p++) {
        planes->data[p] = to;
        planes->stride[p] = unpacker->gathered_stride[p];
        const Grid grid = grid_of(unpacker, frame, pixel, component_of(pixel, p));
        if (wanted & (1u << p))
            (planes->bitdepth > 8 ? gather16 : gather8)(to, planes->stride[p], &grid,
                                                        planes->width[p], planes->height[p]);
        to += planes->stride[p] * (ptrdiff_t)planes->height[p];
    }
    return 0;
}

static void use_planes(const AVFrame *frame, Planes *planes)
{
    for (unsigned p = 0; p < planes->count; p++) {
        planes->data[p] = frame->data[p];
        planes->stride[p] = frame->linesize[p];
    }
}

void frame_unpacker_direct_planes(const FrameUnpacker *unpacker, const AVFrame *frame,
                                  Planes *planes)
{
    *planes = unpacker->shape;
    use_planes(frame, planes);
}

bool frame_unpacker_is_direct(const FrameUnpacker *unpacker)
{
    return unpacker->method == UNPACK_DIRECT && unpacker->turn[0][0] == 1 &&
           unpacker->turn[1][1] == 1;
}

int frame_unpacker_planes(FrameUnpacker *unpacker, const Video *video, const AVFrame *frame,
                          unsigned wanted, Planes *planes)
{
    *planes = unpacker->shape;
    if (unpacker->method == UNPACK_SWSCALE &&
        !(video->rgb_kept && unpacker->rgb == unpacker->coded)) {
        const int err = unpacker->sws ? 0 : open_sws(unpacker, video, frame);
        if (err)
            return err;
        if (sws_scale(unpacker->sws, (const uint8_t *const *)frame->data, frame->linesize, 0,
                      frame->height, unpacker->made->data, unpacker->made->linesize) < 0)
            return -EINVAL;
        frame = unpacker->made;
    }
    if (unpacker->method == UNPACK_GATHER || video->rgb_kept || unpacker->turn[0][0] != 1 ||
        unpacker->turn[1][1] != 1)
        return gather(unpacker, frame, wanted, planes);
    use_planes(frame, planes);
    return 0;
}
