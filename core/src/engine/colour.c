/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/colour.h"

#include <stdio.h>
#include <string.h>

enum { VALUES_MAX = 4 };

static const struct {
    const char *name;
    const char *values[VALUES_MAX + 1]; /* indexed by the enum; NULL ends the list */
} parts[COLOUR_PARTS] = {
    [COLOUR_RANGE] = { "range", { "unknown", "limited", "full" } },
    [COLOUR_PRIMARIES] = { "primaries", { "unknown", "bt709", "bt2020", "smpte432" } },
    [COLOUR_TRC] = { "trc", { "unknown", "bt709", "smpte2084" } },
    [COLOUR_MATRIX] = { "matrix", { "unknown", "bt709", "bt2020nc", "ictcp" } },
};

const char *colour_part_name(enum ColourPart part)
{
    return parts[part].name;
}

unsigned colour_get(const VmafColor *colour, enum ColourPart part)
{
    switch (part) {
    case COLOUR_RANGE:
        return (unsigned)colour->range;
    case COLOUR_PRIMARIES:
        return (unsigned)colour->primaries;
    case COLOUR_TRC:
        return (unsigned)colour->trc;
    default:
        return (unsigned)colour->matrix;
    }
}

void colour_set(VmafColor *colour, enum ColourPart part, unsigned value)
{
    switch (part) {
    case COLOUR_RANGE:
        colour->range = (enum VmafColorRange)value;
        break;
    case COLOUR_PRIMARIES:
        colour->primaries = (enum VmafColorPrimaries)value;
        break;
    case COLOUR_TRC:
        colour->trc = (enum VmafColorTransferCharacteristic)value;
        break;
    default:
        colour->matrix = (enum VmafColorMatrixCoefficients)value;
        break;
    }
}

const char *colour_value_name(enum ColourPart part, unsigned value)
{
    return value < VALUES_MAX ? parts[part].values[value] : NULL;
}

bool colour_is_valid(const VmafColor *colour)
{
    bool valid = true;
    for (unsigned p = 0; p < COLOUR_PARTS; p++)
        valid =
            valid && colour_value_name((enum ColourPart)p, colour_get(colour, (enum ColourPart)p));
    return valid;
}

bool colour_is_complete(const VmafColor *colour)
{
    return colour->range && colour->primaries && colour->trc && colour->matrix;
}

bool colour_equal(const VmafColor *a, const VmafColor *b)
{
    return a->range == b->range && a->primaries == b->primaries && a->trc == b->trc &&
           a->matrix == b->matrix;
}

const char *colour_print(const VmafColor *colour, char text[COLOUR_TEXT_SIZE])
{
    int at = 0;
    for (unsigned p = 0; p < COLOUR_PARTS; p++) {
        const enum ColourPart part = (enum ColourPart)p;
        const char *const name = colour_value_name(part, colour_get(colour, part));
        at += snprintf(text + at, COLOUR_TEXT_SIZE - (size_t)at, "%s%s", p ? " " : "",
                       name ? name : "?");
    }
    return text;
}

const char *colour_print_unknown(const VmafColor *colour, char text[COLOUR_TEXT_SIZE])
{
    int at = 0;
    text[0] = '\0';
    for (unsigned p = 0; p < COLOUR_PARTS; p++)
        if (!colour_get(colour, (enum ColourPart)p))
            at += snprintf(text + at, COLOUR_TEXT_SIZE - (size_t)at, "%s%s", at ? ", " : "",
                           parts[p].name);
    return text;
}
