/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Finds the black bars around a video's picture (--crop auto). Pure functions, except the last one,
 * which is for the main thread. */
#ifndef TOOLS_INPUT_BARS_H
#define TOOLS_INPUT_BARS_H

#include <stdbool.h>

#include "input/video.h"
#include "libvmaf/picture.h"

/* Rows and columns at the edges that are black in all frames seen so far. */
typedef struct Bars {
    unsigned top, bottom, left, right;
    unsigned frames; /* that were not black as a whole */
} Bars;

/* Looks at one more frame. `full`: its samples have full range. */
void bars_look(Bars *bars, const VmafPicture *pic, bool full);

/* The rectangle between the bars, with its edges on the grid of chroma samples. A width of 0: no
 * frame showed anything, or bars are more than half of a side, which is more likely a dark
 * picture. */
VideoCrop bars_crop(const Bars *bars, const VideoFormat *format, unsigned across, unsigned down);

/* Crops the videos whose sides (the first video is the reference) ask for it to what their black
 * bars leave. Looks at frames across each file, which it opens once more. If both sides ask, a
 * distorted video of the reference's size gets the reference's rectangle, unless its own is clearly
 * another one. Logs errors; returns 0 or negative errno. */
int videos_crop_bars(Video *const *videos, unsigned count, const bool asked[SIDES]);

#endif
