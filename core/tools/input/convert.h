/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Turns the planes of a video's frames into pictures of the wanted format: copies, widens, scales.
 * A Convert belongs to its video and is used by one thread at a time. */
#ifndef TOOLS_INPUT_CONVERT_H
#define TOOLS_INPUT_CONVERT_H

#include "input/video.h"

/* The planes of a frame. Samples of more than 8 bits are uint16_t. Halves of odd sides are
 * rounded up, as in files. */
typedef struct Planes {
    const uint8_t *data[3];
    ptrdiff_t stride[3];
    unsigned width[3], height[3];
    unsigned count; /* 1 or 3 */
    unsigned bitdepth;
} Planes;

/* Fills in everything except `data` and `stride` for a format. */
void planes_lay_out(Planes *planes, const VideoFormat *format);

/* How many columns (`width` true) or rows of luma share a sample of chroma: 1, 2 or 4. */
unsigned planes_grid(const Planes *planes, bool width);

typedef struct Convert Convert;

/* Prepares a conversion from planes of this shape to pictures of `target`. `crop`: the rectangle
 * to take of the planes; NULL, or a width of 0: all of them. `range`: RANGE_LIMITED converts full
 * range to limited, RANGE_FULL the other way round, RANGE_UNKNOWN changes nothing. `raised`: how
 * chroma lies that is raised linearly, if only its size changes; SITING_UNKNOWN: it is scaled as
 * luma is. Logs errors; returns 0 or negative errno. */
int convert_create(Convert **convert, const Planes *shape, const VideoCrop *crop,
                   const VideoFormat *target, enum VideoScale scale, enum VideoRange range,
                   enum VideoSiting raised);
/* Makes another one that does the same, for another thread. */
int convert_copy(Convert **copy, const Convert *convert);
void convert_destroy(Convert *convert); /* NULL is fine */
/* True if it scales planes, which takes much longer than anything else it does. */
bool convert_scales(const Convert *convert);

/* Converts the planes whose bits are set in `wanted`. -ERANGE if a sample is larger than its bit
 * depth allows. */
int convert_run(Convert *convert, const Planes *from, unsigned wanted, const VmafPicture *to);

/* The shape that is converted from, before it is cropped; `data` and `stride` are not set. */
const Planes *convert_shape(const Convert *convert);
/* Gives the caller planes of that shape, in memory that belongs to `convert`. 0 or -ENOMEM. */
int convert_own_planes(Convert *convert, Planes *planes);

/* ---- scaling one plane, by libswscale ---- */

typedef struct PlaneSize {
    unsigned width, height, bitdepth;
} PlaneSize;

typedef struct PlaneScaler PlaneScaler;

/* `to` may have more bits than `from`. Logs errors; returns 0 or negative errno (-ENOSYS without
 * libswscale). */
int plane_scaler_create(PlaneScaler **scaler, const PlaneSize *from, const PlaneSize *to,
                        enum VideoScale method);
void plane_scaler_destroy(PlaneScaler *scaler); /* NULL is fine */

/* Scales a plane. The result lies in the scaler's memory until the next run. */
int plane_scaler_run(PlaneScaler *scaler, const uint8_t *data, ptrdiff_t stride,
                     const uint8_t **scaled, ptrdiff_t *scaled_stride);

/* The bytes of a row, with room at its end for code that works on whole vectors. */
static inline ptrdiff_t plane_stride(unsigned width, unsigned bitdepth)
{
    return (ptrdiff_t)(((size_t)width * (bitdepth > 8 ? 2 : 1) + 127) / 64 * 64);
}

#endif
