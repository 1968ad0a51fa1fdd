/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The colours of videos, for models that convert pictures to certain colours: from the command line
 * and from the files. For the main thread. */
#ifndef TOOLS_VMAF_COLOURS_H
#define TOOLS_VMAF_COLOURS_H

#include <stdbool.h>

#include "input/video.h"
#include "libvmaf/picture.h"

/* The four parts of a VmafColor. */
enum ColourPart { COLOUR_RANGE, COLOUR_PRIMARIES, COLOUR_TRC, COLOUR_MATRIX, COLOUR_PARTS };

/* The word for a value of a part; NULL: the enum has no such value. */
const char *colours_name(enum ColourPart part, unsigned value);
/* Finds the value of a word; false: there is none. */
bool colours_find(enum ColourPart part, const char *word, unsigned *value);
void colours_set(VmafColor *colour, enum ColourPart part, unsigned value);
unsigned colours_get(const VmafColor *colour, enum ColourPart part);
bool colours_are_complete(const VmafColor *colour);
bool colours_are_equal(const VmafColor *a, const VmafColor *b);

#define COLOURS_TEXT_SIZE 64
/* Writes the four words, as in "limited bt709 bt709 bt709". Returns `text`. */
const char *colours_text(const VmafColor *colour, char text[COLOURS_TEXT_SIZE]);

/* Writes the options that would give the parts of `unknown` (bit i: part i), as in
 * "--color_range_ref, --color_trc_ref". Returns `text`. */
#define COLOURS_OPTIONS_SIZE 128
const char *colours_options(unsigned unknown, enum Side side, char text[COLOURS_OPTIONS_SIZE]);

/* The colours of the samples that the video delivers, as its file tells them. */
VmafColor colours_of_video(const Video *video);

#endif
