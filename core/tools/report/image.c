/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "pictures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* The samples of a line, with weights, whose sum is one sample of the scaled line. */
typedef struct Taps {
    unsigned first, count;
    float *weights; /* their sum is 1 */
} Taps;

typedef struct Scaler {
    Taps *taps; /* one for each scaled sample */
    float *weights;
} Scaler;

static void scaler_clear(Scaler *scaler)
{
    free(scaler->taps);
    free(scaler->weights);
    *scaler = (Scaler){ 0 };
}

static void set_mean(Taps *taps, unsigned i, double scale, unsigned from)
{
    const double begin = i * scale, end = begin + scale < from ? begin + scale : from;
    taps->first = (unsigned)begin;
    for (unsigned s = taps->first; s < from && s < end; s++) {
        const double covered = fmin(s + 1.0, end) - fmax(s, begin);
        taps->weights[taps->count++] = (float)(covered / (end - begin));
    }
}

static void set_between(Taps *taps, unsigned i, double scale, unsigned from)
{
    const double at = fmin(fmax((i + 0.5) * scale - 0.5, 0.0), from - 1.0);
    taps->first = (unsigned)at;
    taps->count = taps->first + 1 < from ? 2 : 1;
    const float part = taps->count == 2 ? (float)(at - taps->first) : 0.0f;
    taps->weights[0] = 1.0f - part;
    if (taps->count == 2)
        taps->weights[1] = part;
}

static int scaler_make(Scaler *scaler, unsigned from, unsigned to)
{
    const double scale = (double)from / to;
    const size_t most = from > to ? (size_t)scale + 3 : 2;
    *scaler =
        (Scaler){ calloc(to, sizeof(*scaler->taps)), calloc(to * most, sizeof(*scaler->weights)) };
    if (!scaler->taps || !scaler->weights)
        return -ENOMEM;
    for (unsigned i = 0; i < to; i++) {
        Taps *const taps = &scaler->taps[i];
        taps->weights = scaler->weights + i * most;
        if (from > to)
            set_mean(taps, i, scale, from);
        else
            set_between(taps, i, scale, from);
    }
    return 0;
}

static float sample(const VmafPicture *pic, unsigned plane, unsigned x, unsigned y)
{
    const uint8_t *const row =
        (const uint8_t *)pic->data[plane] + pic->stride[plane] * (ptrdiff_t)y;
    return pic->bpc > 8 ? ((const uint16_t *)row)[x] : row[x];
}

/* Scales a plane to `width` x `height`. A value of 1 is the largest sample. */
static int scale_plane(float *out, const VmafPicture *pic, unsigned plane, unsigned width,
                       unsigned height)
{
    const unsigned from_width = pic->w[plane], from_height = pic->h[plane];
    const float top = (float)((1u << pic->bpc) - 1);
    Scaler across = { 0 }, down = { 0 };
    float *const lines = malloc((size_t)width * from_height * sizeof(*lines));
    int err = lines ? scaler_make(&across, from_width, width) : -ENOMEM;
    if (!err)
        err = scaler_make(&down, from_height, height);
    for (unsigned y = 0; !err && y < from_height; y++) {
        for (unsigned x = 0; x < width; x++) {
            const Taps *const taps = &across.taps[x];
            float sum = 0.0f;
            for (unsigned i = 0; i < taps->count; i++)
                sum += taps->weights[i] * sample(pic, plane, taps->first + i, y);
            lines[(size_t)y * width + x] = sum / top;
        }
    }
    for (unsigned y = 0; !err && y < height; y++) {
        const Taps *const taps = &down.taps[y];
        for (unsigned x = 0; x < width; x++) {
            float sum = 0.0f;
            for (unsigned i = 0; i < taps->count; i++)
                sum += taps->weights[i] * lines[(size_t)(taps->first + i) * width + x];
            out[(size_t)y * width + x] = sum;
        }
    }
    scaler_clear(&across);
    scaler_clear(&down);
    free(lines);
    return err;
}

static uint8_t to_byte(float value)
{
    return (uint8_t)(fminf(fmaxf(value, 0.0f), 1.0f) * 255.0f + 0.5f);
}

/* Converts luma and chroma to RGB. A value of 1 is the largest sample. Chroma planes may be
 * NULL. */
static void colour(Rgb *rgb, float *const planes[3], const RgbCoding *coding, unsigned bpc)
{
    /* Limited range with 8 bits is 16 to 235 for luma and 16 to 240 for chroma; it scales with
     * the depth. */
    const float unit = (float)(1u << (bpc - 8)) / (float)((1u << bpc) - 1);
    const float black = coding->full ? 0.0f : 16.0f * unit;
    const float luma_range = coding->full ? 1.0f : 219.0f * unit;
    const float chroma_range = coding->full ? 1.0f : 224.0f * unit, grey = 128.0f * unit;
    const float kr = coding->bt709 ? 0.2126f : 0.299f, kb = coding->bt709 ? 0.0722f : 0.114f;
    const float kg = 1.0f - kr - kb;
    for (size_t i = 0; i < (size_t)rgb->width * rgb->height; i++) {
        const float y = (planes[0][i] - black) / luma_range;
        const float u = planes[1] ? (planes[1][i] - grey) / chroma_range : 0.0f;
        const float v = planes[2] ? (planes[2][i] - grey) / chroma_range : 0.0f;
        const float r = y + 2.0f * (1.0f - kr) * v, b = y + 2.0f * (1.0f - kb) * u;
        rgb->data[i * 3] = to_byte(r);
        rgb->data[i * 3 + 1] = to_byte((y - kr * r - kb * b) / kg);
        rgb->data[i * 3 + 2] = to_byte(b);
    }
}

int rgb_make(Rgb *rgb, const VmafPicture *pic, unsigned width, unsigned height,
             const RgbCoding *coding)
{
    const size_t samples = (size_t)width * height;
    const unsigned plane_count = pic->pix_fmt == VMAF_PIX_FMT_YUV400P ? 1 : 3;
    float *planes[3] = { 0 };
    *rgb = (Rgb){ width, height, malloc(samples * 3) };
    int err = rgb->data ? 0 : -ENOMEM;
    for (unsigned p = 0; !err && p < plane_count; p++) {
        planes[p] = malloc(samples * sizeof(*planes[p]));
        err = planes[p] ? scale_plane(planes[p], pic, p, width, height) : -ENOMEM;
    }
    if (!err)
        colour(rgb, planes, coding, pic->bpc);
    for (unsigned p = 0; p < 3; p++)
        free(planes[p]);
    if (err)
        rgb_clear(rgb);
    return err;
}

void rgb_clear(Rgb *rgb)
{
    free(rgb->data);
    *rgb = (Rgb){ 0 };
}

/* ---- PNG ---- */

void png_clear(Png *png)
{
    free(png->data);
    *png = (Png){ 0 };
}

#ifdef HAVE_PNG
#include <png.h>
#include <string.h>

bool png_can(void)
{
    return true;
}

static void append(png_structp writer, png_bytep data, size_t size)
{
    Png *const png = png_get_io_ptr(writer);
    uint8_t *const grown = realloc(png->data, png->size + size);
    if (!grown)
        png_error(writer, "out of memory");
    memcpy(grown + png->size, data, size);
    png->data = grown;
    png->size += size;
}

static void flush(png_structp writer)
{
}

/* Error handlers that print nothing: the only possible error is lack of memory. */
static void fail(png_structp writer, png_const_charp message)
{
    png_longjmp(writer, 1);
}

static void ignore(png_structp writer, png_const_charp message)
{
}

static void write_rows(png_structp writer, png_infop info, const Rgb *rgb)
{
    png_set_IHDR(writer, info, rgb->width, rgb->height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_filter(writer, PNG_FILTER_TYPE_BASE, PNG_ALL_FILTERS);
    png_write_info(writer, info);
    for (unsigned y = 0; y < rgb->height; y++)
        png_write_row(writer, rgb->data + (size_t)y * rgb->width * 3);
    png_write_end(writer, NULL);
}

int png_make(Png *png, const Rgb *rgb)
{
    *png = (Png){ 0 };
    png_structp writer = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, fail, ignore);
    png_infop info = writer ? png_create_info_struct(writer) : NULL;
    if (!info) {
        png_destroy_write_struct(&writer, NULL);
        return -ENOMEM;
    }
    int err = 0;
    if (setjmp(png_jmpbuf(writer))) {
        png_destroy_write_struct(&writer, &info);
        png_clear(png);
        return -ENOMEM;
    }
    png_set_write_fn(writer, png, append, flush);
    write_rows(writer, info, rgb);
    png_destroy_write_struct(&writer, &info);
    return err;
}

#else

bool png_can(void)
{
    return false;
}

int png_make(Png *png, const Rgb *rgb)
{
    *png = (Png){ 0 };
    return -ENOSYS;
}

#endif
