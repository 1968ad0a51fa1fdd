/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures for people to look at: converts planes of luma and chroma to RGB in another size, and
 * encodes them as PNG (through libpng, in memory). Pure functions: any thread may call them. */
#ifndef TOOLS_REPORT_IMAGE_H
#define TOOLS_REPORT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libvmaf/picture.h"

typedef struct Rgb {
    unsigned width, height;
    uint8_t *data; /* three bytes per pixel, rows without gaps */
} Rgb;

/* How samples encode colours. */
typedef struct RgbCoding {
    bool bt709; /* BT.709; else BT.601 */
    bool full;  /* full range; else limited, as in nearly all video */
} RgbCoding;

/* Makes an RGB picture of this size. A smaller one averages the samples under each pixel, a
 * larger one interpolates between neighbours. Free it with rgb_clear. 0 or -ENOMEM. */
int rgb_make(Rgb *rgb, const VmafPicture *pic, unsigned width, unsigned height,
             const RgbCoding *coding);
void rgb_clear(Rgb *rgb);

typedef struct Png {
    uint8_t *data;
    size_t size;
} Png;

/* False: this program was built without libpng, and png_make returns -ENOSYS. */
bool png_can(void);

/* Free the result with png_clear. 0 or negative errno. */
int png_make(Png *png, const Rgb *rgb);
void png_clear(Png *png);

#endif
