/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The worst frames of a report, and pictures of them: the videos that a report names are opened
 * again and their frames encoded as PNG. */
#ifndef TOOLS_REPORT_PICTURES_H
#define TOOLS_REPORT_PICTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libvmaf/picture.h"
#include "report/stored.h"

/* Pictures for people to look at: converts planes of luma and chroma to RGB in another size, and
 * encodes them as PNG (through libpng, in memory). Pure functions: any thread may call them. */

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

/* The most bytes of all pictures of a page together: 8 MB, once they are base64. Pictures are made
 * smaller until they fit; if that is not enough, frames stay without pictures. */
#define PICTURES_SIZE_MAX ((size_t)5990000)
/* With less than this for a picture, fewer frames get pictures. */
#define PICTURE_SHARE_MIN ((size_t)40000)
#define PICTURES_WIDTH_MAX 960

#define WORST_MAX 8

/* Finds the frames with the lowest scores and sets `frames` to their indices in the report,
 * lowest score first. Neighbouring frames look alike, so they are a second apart at least. With
 * `fill`, other frames are taken as well if there are not enough seconds. Returns the number of
 * frames. */
unsigned worst_frames(const StoredReport *report, const StoredMetric *metric, bool fill,
                      size_t frames[WORST_MAX]);

/* Encodes these frames (indices in the report, the most important one first) of both videos, within
 * `room` bytes: the first frames only, if there is no room for all. If a picture cannot be made it
 * stays empty and `why` gets the reason, because scores are worth showing without pictures. Free
 * the pictures with png_clear. 0 or -ENOMEM. */
int pictures_read(const StoredReport *report, const size_t *frames, unsigned count, size_t room,
                  Png (*pictures)[SIDES], char *why, size_t size);

#endif
