/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Planes of samples, as a video has them, to pictures as they are wanted: copied, widened, scaled. */
#ifndef TOOLS_INPUT_CONVERT_H
#define TOOLS_INPUT_CONVERT_H

#include "input/video.h"

/* A frame's planes, where they lie. Samples above 8 bits are uint16_t. Halves of odd sides are rounded up, as
 * in files. */
typedef struct Planes {
    const uint8_t *data[3];
    ptrdiff_t stride[3];
    unsigned width[3], height[3];
    unsigned count; /* 1 or 3 */
    unsigned bitdepth;
} Planes;

/* All but where they lie, for a format. */
void planes_lay_out(Planes *planes, const VideoFormat *format);

typedef struct Convert Convert;

/* From planes of this shape to pictures of `target`. `range`: limited makes that of full, full of limited, unknown
 * leaves samples as they are. Says what is wrong; negative errno. */
int convert_create(Convert **convert, const Planes *shape, const VideoFormat *target,
                   enum VideoScale scale, enum VideoRange range);
void convert_destroy(Convert *convert); /* NULL is fine */

/* Only the planes whose bits are set. -ERANGE when samples are larger than their depth. */
int convert_run(Convert *convert, const Planes *from, unsigned wanted, const VmafPicture *to);

/* What is converted from; where it lies is not said. */
const Planes *convert_shape(const Convert *convert);
/* Memory of that shape, for who has no planes of his own. */
int convert_own_planes(Convert *convert, Planes *planes);

/* Scales one plane of samples, by libswscale. */

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
