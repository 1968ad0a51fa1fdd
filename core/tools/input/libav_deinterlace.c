/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Makes a progressive frame of an interlaced one (--deinterlace). Its first field stays as it is;
 * each line of the second is interpolated from four lines of the first: (9(a + b) - (c + d) + 8) /
 * 16, with a and b beside it, c and d behind these, and the nearest line in place of one outside.
 */
#include <errno.h>

#include "common/message.h"
#include "input/libav.h"

/* One plane of a frame: rows of samples of one or two bytes. */
typedef struct Plane {
    uint8_t *data;
    ptrdiff_t stride;
    int samples, rows; /* samples of a row, of all components together; number of rows */
    int most;          /* the largest value of a sample */
} Plane;

/* Line y of the first field, whose lines are `first`, first + 2, …; the nearest one for others. */
static const uint8_t *line(const Plane *plane, int first, int y)
{
    const int last = first + (plane->rows - 1 - first) / 2 * 2;
    const int inside = y < first ? first : y > last ? last : y;
    return plane->data + inside * plane->stride;
}

static int interpolate(int a, int b, int c, int d, int most)
{
    const int value = (9 * (a + b) - (c + d) + 8) >> 4;
    return value < 0 ? 0 : value > most ? most : value;
}

static void fill_line(const Plane *plane, int first, int y, bool deep)
{
    uint8_t *const to = plane->data + y * plane->stride;
    const uint8_t *const a = line(plane, first, y - 1), *const b = line(plane, first, y + 1);
    const uint8_t *const c = line(plane, first, y - 3), *const d = line(plane, first, y + 3);
    const uint16_t *const wa = (const uint16_t *)a, *const wb = (const uint16_t *)b;
    const uint16_t *const wc = (const uint16_t *)c, *const wd = (const uint16_t *)d;
    uint16_t *const wide = (uint16_t *)to;
    for (int x = 0; x < plane->samples && deep; x++)
        wide[x] = (uint16_t)interpolate(wa[x], wb[x], wc[x], wd[x], plane->most);
    for (int x = 0; x < plane->samples && !deep; x++)
        to[x] = (uint8_t)interpolate(a[x], b[x], c[x], d[x], plane->most);
}

/* True if all samples are whole bytes, or words in the order of this machine. */
static bool can_interpolate(const AVPixFmtDescriptor *pixel)
{
    const unsigned none = AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM |
                          AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;
    const bool big_endian = pixel->flags & AV_PIX_FMT_FLAG_BE;
    const int size = pixel->comp[0].depth > 8 ? 2 : 1;
    if (pixel->flags & none || (size == 2 && big_endian != (AV_HAVE_BIGENDIAN != 0)))
        return false;
    for (int c = 0; c < pixel->nb_components; c++)
        if (pixel->comp[c].depth != pixel->comp[0].depth || pixel->comp[c].step % size ||
            pixel->comp[c].offset % size || pixel->comp[c].shift + pixel->comp[c].depth > 8 * size)
            return false;
    return true;
}

static bool is_top_first(const AVFrame *frame)
{
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST;
#else
    return frame->top_field_first;
#endif
}

/* The plane that holds component c. */
static Plane plane_of(const AVFrame *frame, const AVPixFmtDescriptor *pixel, int c)
{
    const AVComponentDescriptor *const comp = &pixel->comp[c];
    const bool chroma = c == 1 || c == 2;
    const int columns = AV_CEIL_RSHIFT(frame->width, chroma ? pixel->log2_chroma_w : 0);
    return (Plane){ .data = frame->data[comp->plane],
                    .stride = frame->linesize[comp->plane],
                    .samples = columns * comp->step / (comp->depth > 8 ? 2 : 1),
                    .rows = AV_CEIL_RSHIFT(frame->height, chroma ? pixel->log2_chroma_h : 0),
                    .most = (1 << (comp->depth + comp->shift)) - 1 };
}

int libav_deinterlace(const Video *video, AVFrame *frame)
{
    const AVPixFmtDescriptor *const pixel = av_pix_fmt_desc_get(frame->format);
    if (!pixel || !can_interpolate(pixel)) {
        say("%s: frames of this format (%s) cannot be deinterlaced", video->path,
            pixel ? pixel->name : "none");
        return -ENOTSUP;
    }
    if (av_frame_make_writable(frame) < 0) {
        say("%s: not enough memory to deinterlace it", video->path);
        return -ENOMEM;
    }
    const int first = is_top_first(frame) ? 0 : 1;
    unsigned done = 0; /* the planes that were handled: several components may share one */
    for (int c = 0; c < pixel->nb_components; c++) {
        const Plane plane = plane_of(frame, pixel, c);
        if (done >> pixel->comp[c].plane & 1 || plane.rows <= first)
            continue;
        done |= 1u << pixel->comp[c].plane;
        for (int y = 1 - first; y < plane.rows; y += 2)
            fill_line(&plane, first, y, pixel->comp[c].depth > 8);
    }
    return 0;
}
