/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/convert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "input/chroma.h"
#include "input/reader.h"
#include "common/message.h"

struct Convert {
    Planes whole; /* in `own`, if that is not NULL */
    Planes from;  /* the shape of what is taken of `whole` */
    Planes to;
    VideoCrop crop;     /* that rectangle; a width of 0: all */
    VideoFormat target; /* this and what follows: as convert_create got them */
    enum VideoScale scale;
    enum VideoRange range;
    enum VideoSiting raised;
    bool raises;             /* chroma is raised, not scaled */
    PlaneScaler *scalers[2]; /* for luma and chroma; NULL: the size stays */
    uint16_t *ranged[2];     /* tables for luma and chroma that convert the range; NULL: none */
    uint8_t *block, *own;    /* memory for `whole`, and its first aligned byte */
};

void planes_lay_out(Planes *planes, const VideoFormat *format)
{
    *planes = (Planes){ .count = format->pix_fmt == VMAF_PIX_FMT_YUV400P ? 1 : 3,
                        .bitdepth = format->bitdepth };
    for (unsigned p = 0; p < planes->count; p++) {
        planes->width[p] = file_plane_width(format->pix_fmt, format->width, p);
        planes->height[p] = file_plane_height(format->pix_fmt, format->height, p);
    }
}

unsigned planes_grid(const Planes *planes, bool width)
{
    const unsigned luma = width ? planes->width[0] : planes->height[0];
    const unsigned chroma = width ? planes->width[1] : planes->height[1];
    unsigned step = 1;
    while (planes->count > 1 && (luma + step - 1) / step > chroma)
        step *= 2;
    return step;
}

/* Sets `from` to the shape of the rectangle. */
static void crop_shape(Convert *convert)
{
    const VideoCrop *const crop = &convert->crop;
    const unsigned across = planes_grid(&convert->whole, true);
    const unsigned down = planes_grid(&convert->whole, false);
    convert->from = convert->whole;
    for (unsigned p = 0; crop->width && p < convert->from.count; p++) {
        convert->from.width[p] = p ? (crop->width + across - 1) / across : crop->width;
        convert->from.height[p] = p ? (crop->height + down - 1) / down : crop->height;
    }
}

/* The planes of the rectangle within whole planes. */
static Planes cut(const Convert *convert, const Planes *whole)
{
    const VideoCrop *const crop = &convert->crop;
    Planes planes = convert->from;
    for (unsigned p = 0; p < planes.count; p++) {
        const unsigned x = p ? crop->x / planes_grid(whole, true) : crop->x;
        const unsigned y = p ? crop->y / planes_grid(whole, false) : crop->y;
        planes.stride[p] = whole->stride[p];
        planes.data[p] = whole->data[p];
        if (planes.data[p] && crop->width)
            planes.data[p] +=
                (ptrdiff_t)y * whole->stride[p] + (ptrdiff_t)x * (whole->bitdepth > 8 ? 2 : 1);
    }
    return planes;
}

static bool can_raise(const Convert *convert)
{
    const Planes *const from = &convert->from;
    return convert->raised && convert->target.pix_fmt == VMAF_PIX_FMT_YUV444P &&
           convert->target.bitdepth > 8 && from->width[0] == convert->target.width &&
           from->height[0] == convert->target.height && chroma_can_raise(from);
}

static int add_scaler(Convert *convert, unsigned p, enum VideoScale method)
{
    const Planes *const from = &convert->from, *const to = &convert->to;
    if (p >= from->count || p >= to->count || (p && convert->raises) ||
        (from->width[p] == to->width[p] && from->height[p] == to->height[p]))
        return 0;
    return plane_scaler_create(&convert->scalers[p],
                               &(PlaneSize){ from->width[p], from->height[p], from->bitdepth },
                               &(PlaneSize){ to->width[p], to->height[p], to->bitdepth }, method);
}

/* Makes a table that maps each sample of `depth` bits to the other range. Samples had `from`
 * bits before they were widened. */
static uint16_t *range_table(unsigned from, unsigned depth, bool chroma, bool to_full)
{
    const double unit = 1u << (depth - 8), full = ((1u << from) - 1) << (depth - from);
    const double span = (chroma ? 224 : 219) * unit;
    const double middle = chroma ? 128 * unit : 0, foot = chroma ? 0 : 16 * unit;
    const unsigned most = (1u << depth) - 1;
    uint16_t *const table = malloc(((size_t)most + 1) * sizeof(*table));
    for (unsigned v = 0; table && v <= most; v++) {
        const double value = to_full ? (v - foot - middle) * most / span + middle
                                     : (v - middle) * span / full + foot + middle;
        table[v] = (uint16_t)(value < 0 ? 0 : value > most ? most : value + 0.5);
    }
    return table;
}

static int add_ranges(Convert *convert, enum VideoRange range)
{
    for (unsigned i = 0; i < 2 && range != RANGE_UNKNOWN; i++) {
        convert->ranged[i] =
            range_table(convert->from.bitdepth, convert->to.bitdepth, i > 0, range == RANGE_FULL);
        if (!convert->ranged[i])
            return -ENOMEM;
    }
    return 0;
}

int convert_create(Convert **out, const Planes *shape, const VideoCrop *crop,
                   const VideoFormat *target, enum VideoScale scale, enum VideoRange range,
                   enum VideoSiting raised)
{
    Convert *const convert = calloc(1, sizeof(*convert));
    if (!convert)
        return -ENOMEM;
    convert->whole = *shape;
    convert->target = *target;
    convert->scale = scale;
    convert->range = range;
    convert->raised = raised;
    if (crop)
        convert->crop = *crop;
    crop_shape(convert);
    planes_lay_out(&convert->to, target);
    convert->raises = can_raise(convert);
    int err = add_ranges(convert, range);
    for (unsigned p = 0; p < 2 && !err; p++)
        err = add_scaler(convert, p, scale);
    if (err) {
        convert_destroy(convert);
        return err;
    }
    *out = convert;
    return 0;
}

int convert_copy(Convert **copy, const Convert *convert)
{
    return convert_create(copy, &convert->whole, &convert->crop, &convert->target, convert->scale,
                          convert->range, convert->raised);
}

bool convert_scales(const Convert *convert)
{
    return convert->scalers[0] || convert->scalers[1] || convert->raises;
}

void convert_destroy(Convert *convert)
{
    if (!convert)
        return;
    for (unsigned i = 0; i < 2; i++) {
        plane_scaler_destroy(convert->scalers[i]);
        free(convert->ranged[i]);
    }
    free(convert->block);
    free(convert);
}

const Planes *convert_shape(const Convert *convert)
{
    return &convert->whole;
}

int convert_own_planes(Convert *convert, Planes *planes)
{
    Planes *const from = &convert->whole;
    if (!convert->own) {
        size_t size = 64, at = 0;
        for (unsigned p = 0; p < from->count; p++) {
            from->stride[p] = plane_stride(from->width[p], from->bitdepth);
            size += (size_t)from->stride[p] * from->height[p];
        }
        /* Zeroed, because vector code reads beyond the end of rows. */
        convert->block = calloc(1, size + 63);
        if (!convert->block)
            return -ENOMEM;
        convert->own = convert->block + (64 - (uintptr_t)convert->block % 64) % 64;
        for (unsigned p = 0; p < from->count; p++) {
            from->data[p] = convert->own + at;
            at += (size_t)from->stride[p] * from->height[p];
        }
    }
    *planes = *from;
    return 0;
}

static uint8_t *row_of(const VmafPicture *pic, unsigned p, unsigned y)
{
    return (uint8_t *)pic->data[p] + (ptrdiff_t)y * pic->stride[p];
}

/* Fills a chroma plane for a video without chroma. */
static void fill_grey(const VmafPicture *pic, unsigned p)
{
    for (unsigned y = 0; y < pic->h[p]; y++) {
        uint8_t *const row = row_of(pic, p, y);
        if (pic->bpc == 8)
            memset(row, 128, pic->w[p]);
        else
            for (unsigned x = 0; x < pic->w[p]; x++)
                ((uint16_t *)row)[x] = (uint16_t)(1u << (pic->bpc - 1));
    }
}

/* Widens a row. Returns the bitwise OR of all samples. */
static unsigned widen_row(uint16_t *to, const uint8_t *from, unsigned width, unsigned from_depth,
                          unsigned to_depth)
{
    const unsigned shift = to_depth - from_depth;
    const uint16_t *const wide = (const uint16_t *)from;
    uint16_t bits = 0;
    if (from_depth == 8) {
        for (unsigned x = 0; x < width; x++)
            to[x] = (uint16_t)(from[x] << shift);
    } else {
        for (unsigned x = 0; x < width; x++) {
            bits = (uint16_t)(bits | wide[x]);
            to[x] = (uint16_t)(wide[x] << shift);
        }
    }
    return bits;
}

/* Copies a plane and widens its samples. A file rounds half of an odd side up, a picture down,
 * so the file's last column or row may be dropped. -ERANGE if a sample exceeds its bit depth. */
static int copy_plane(const uint8_t *data, ptrdiff_t stride, unsigned depth, const VmafPicture *pic,
                      unsigned p)
{
    enum { BATCH_ROWS = 64 }; /* the library reads rows while they are in the cache */
    unsigned bits = 0;
    for (unsigned y = 0; y < pic->h[p]; y++) {
        const uint8_t *const from = data + (ptrdiff_t)y * stride;
        if (depth == pic->bpc)
            memcpy(row_of(pic, p, y), from, (size_t)pic->w[p] * (depth > 8 ? 2 : 1));
        else
            bits |= widen_row((uint16_t *)row_of(pic, p, y), from, pic->w[p], depth, pic->bpc);
        if ((y + 1) % BATCH_ROWS == 0)
            vmaf_picture_rows_written(pic, p, y + 1);
    }
    return bits >> depth ? -ERANGE : 0;
}

static void change_range(const uint16_t *table, const VmafPicture *pic, unsigned p)
{
    for (unsigned y = 0; y < pic->h[p]; y++) {
        uint8_t *const row = row_of(pic, p, y);
        uint16_t *const deep = (uint16_t *)row;
        if (pic->bpc > 8)
            for (unsigned x = 0; x < pic->w[p]; x++)
                deep[x] = table[deep[x] & ((1u << pic->bpc) - 1)];
        else
            for (unsigned x = 0; x < pic->w[p]; x++)
                row[x] = (uint8_t)table[row[x]];
    }
}

static int convert_plane(Convert *convert, const Planes *from, unsigned p, const VmafPicture *pic)
{
    PlaneScaler *const scaler = convert->scalers[p > 0];
    int err = 0;
    if (p >= from->count) {
        fill_grey(pic, p);
    } else if (p && convert->raises) {
        err = chroma_raise(from, p, convert->raised, pic);
    } else if (scaler) {
        const uint8_t *data;
        ptrdiff_t stride;
        err = plane_scaler_run(scaler, from->data[p], from->stride[p], &data, &stride);
        if (!err)
            err = copy_plane(data, stride, convert->to.bitdepth, pic, p);
    } else {
        err = copy_plane(from->data[p], from->stride[p], from->bitdepth, pic, p);
    }
    if (!err && p < from->count && convert->ranged[p > 0])
        change_range(convert->ranged[p > 0], pic, p);
    if (!err)
        vmaf_picture_rows_written(pic, p, pic->h[p]);
    return err;
}

int convert_run(Convert *convert, const Planes *from, unsigned wanted, const VmafPicture *to)
{
    const Planes taken = cut(convert, from);
    int err = 0;
    for (unsigned p = 0; p < convert->to.count && !err; p++)
        if ((wanted & (1u << p)) && to->data[p])
            err = convert_plane(convert, &taken, p, to);
    return err;
}

/* ---- without libswscale ---- */

#ifndef HAVE_LIBAV

int plane_scaler_create(PlaneScaler **scaler, const PlaneSize *from, const PlaneSize *to,
                        enum VideoScale method)
{
    (void)scaler;
    (void)method;
    say("%ux%u cannot be scaled to %ux%u: this vmaf was built without libswscale (Meson's option "
        "-Dlibav=enabled)",
        from->width, from->height, to->width, to->height);
    return -ENOSYS;
}

void plane_scaler_destroy(PlaneScaler *scaler)
{
    (void)scaler;
}

int plane_scaler_run(PlaneScaler *scaler, const uint8_t *data, ptrdiff_t stride,
                     const uint8_t **scaled, ptrdiff_t *scaled_stride)
{
    (void)scaler;
    (void)data;
    (void)stride;
    (void)scaled;
    (void)scaled_stride;
    return -ENOSYS;
}

#endif
