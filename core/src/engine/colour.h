/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The words for colours, as model files and the command line write them. Any thread may call these
 * functions. */
#ifndef ENGINE_COLOUR_H
#define ENGINE_COLOUR_H

#include <stdbool.h>
#include <stddef.h>

#include "libvmaf/picture.h"

/* The four parts of a VmafColor. */
enum ColourPart { COLOUR_RANGE, COLOUR_PRIMARIES, COLOUR_TRC, COLOUR_MATRIX, COLOUR_PARTS };

/* The word for a part: "range", "primaries", "trc", "matrix". */
const char *colour_part_name(enum ColourPart part);
/* The value of a part, as a number of its enum. */
unsigned colour_get(const VmafColor *colour, enum ColourPart part);
void colour_set(VmafColor *colour, enum ColourPart part, unsigned value);
/* The word for a value of a part; NULL: the enum has no such value. */
const char *colour_value_name(enum ColourPart part, unsigned value);

/* True if all values are in their enums. They may be unknown. */
bool colour_is_valid(const VmafColor *colour);
/* True if no part is unknown. */
bool colour_is_complete(const VmafColor *colour);
bool colour_equal(const VmafColor *a, const VmafColor *b);

/* Long enough for any text of colour_print. */
#define COLOUR_TEXT_SIZE 64
/* Writes the four values, as in "limited bt709 bt709 bt709". Returns `text`. */
const char *colour_print(const VmafColor *colour, char text[COLOUR_TEXT_SIZE]);
/* Writes the names of the parts that are unknown, as in "primaries, trc". Returns `text`. */
const char *colour_print_unknown(const VmafColor *colour, char text[COLOUR_TEXT_SIZE]);

#endif
