/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Scales one plane of samples, by libswscale. */
#ifndef TOOLS_INPUT_SCALE_H
#define TOOLS_INPUT_SCALE_H

#include "input/video.h"

typedef struct PlaneSize {
    unsigned width, height, bitdepth;
} PlaneSize;

typedef struct PlaneScaler PlaneScaler;

/* The depth may grow on the way. Says what is wrong; negative errno. */
int plane_scaler_create(PlaneScaler **scaler, const PlaneSize *from, const PlaneSize *to,
                        enum VideoScale method);
void plane_scaler_destroy(PlaneScaler *scaler); /* NULL is fine */

/* The scaled plane lies in the scaler's memory until it is run again. */
int plane_scaler_run(PlaneScaler *scaler, const uint8_t *data, ptrdiff_t stride,
                     const uint8_t **scaled, ptrdiff_t *scaled_stride);

/* A plane's row with room behind it for those who work on whole vectors. */
static inline ptrdiff_t plane_stride(unsigned width, unsigned bitdepth)
{
    return (ptrdiff_t)(((size_t)width * (bitdepth > 8 ? 2 : 1) + 127) / 64 * 64);
}

#endif
