/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "fake_va.h"

#pragma GCC visibility push(default)
#include <va/va.h>

static void describe(const FakeVa *va, VAImage *image)
{
    *image = (VAImage){ .image_id = 1, .buf = 2, .width = va->w, .height = va->h };
    image->format.fourcc = va->fourcc;
    image->pitches[0] = va->pitch;
    image->offsets[0] = va->offset;
}

VAStatus vaSyncSurface(VADisplay display, VASurfaceID surface)
{
    return surface == FAKE_VA_SURFACE ? VA_STATUS_SUCCESS : VA_STATUS_ERROR_INVALID_SURFACE;
}

VAStatus vaDeriveImage(VADisplay display, VASurfaceID surface, VAImage *image)
{
    FakeVa *va = display;
    if (va->cannot_derive)
        return VA_STATUS_ERROR_OPERATION_FAILED;
    describe(va, image);
    va->images++;
    return VA_STATUS_SUCCESS;
}

VAStatus vaCreateImage(VADisplay display, VAImageFormat *format, int width, int height,
                       VAImage *image)
{
    FakeVa *va = display;
    if (format->fourcc != va->fourcc)
        return VA_STATUS_ERROR_INVALID_IMAGE_FORMAT;
    describe(va, image);
    va->images++;
    return VA_STATUS_SUCCESS;
}

VAStatus vaGetImage(VADisplay display, VASurfaceID surface, int x, int y, unsigned width,
                    unsigned height, VAImageID image)
{
    ((FakeVa *)display)->is_copy = 1;
    return VA_STATUS_SUCCESS;
}

VAStatus vaDestroyImage(VADisplay display, VAImageID image)
{
    ((FakeVa *)display)->images--;
    return VA_STATUS_SUCCESS;
}

VAStatus vaMapBuffer(VADisplay display, VABufferID buffer, void **data)
{
    FakeVa *va = display;
    if (va->cannot_derive && !va->is_copy)
        return VA_STATUS_ERROR_INVALID_BUFFER;
    va->mapped++;
    *data = va->data;
    return VA_STATUS_SUCCESS;
}

VAStatus vaUnmapBuffer(VADisplay display, VABufferID buffer)
{
    ((FakeVa *)display)->mapped--;
    return VA_STATUS_SUCCESS;
}
