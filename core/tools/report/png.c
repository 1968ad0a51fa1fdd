/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/png.h"

#include <errno.h>
#include <stdlib.h>

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

/* What goes wrong is memory: libpng need not print it. */
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
