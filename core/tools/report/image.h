/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures for eyes: from planes of luma and chroma to red, green and blue, in another size. */
#ifndef TOOLS_REPORT_IMAGE_H
#define TOOLS_REPORT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libvmaf/picture.h"

typedef struct Rgb {
    unsigned width, height;
    uint8_t *data; /* three bytes a pixel, rows without gaps */
} Rgb;

/* How samples stand for colours. */
typedef struct RgbCoding {
    bool bt709; /* else BT.601 */
    bool full;  /* range; else limited, as in nearly all video */
} RgbCoding;

/* Makes a picture of this size. Smaller: each pixel is the mean of what it covers; larger: between the
 * neighbours. -ENOMEM. */
int rgb_make(Rgb *rgb, const VmafPicture *pic, unsigned width, unsigned height,
             const RgbCoding *coding);
void rgb_clear(Rgb *rgb);

/* PNG files in memory, through libpng. */

typedef struct Png {
    uint8_t *data;
    size_t size;
} Png;

/* False: this program was built without libpng, and png_make gives -ENOSYS. */
bool png_can(void);

int png_make(Png *png, const Rgb *rgb);
void png_clear(Png *png);

#endif
