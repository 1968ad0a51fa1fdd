/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "colours.h"

#include <stdio.h>
#include <string.h>

/* The words, by value: those of FFmpeg and of model files. */
static const char *const words[COLOUR_PARTS][5] = {
    [COLOUR_RANGE] = { "unknown", "limited", "full" },
    [COLOUR_PRIMARIES] = { "unknown", "bt709", "bt2020", "smpte432" },
    [COLOUR_TRC] = { "unknown", "bt709", "smpte2084" },
    [COLOUR_MATRIX] = { "unknown", "bt709", "bt2020nc", "ictcp" },
};

/* Other words for the same function. H.273 says of the last three that they are BT.709's. */
static const struct {
    const char *word, *same_as;
} transfers[] = {
    { "pq", "smpte2084" },
    { "bt2020-10", "bt709" },
    { "bt2020-12", "bt709" },
    { "smpte170m", "bt709" },
};

const char *colours_name(enum ColourPart part, unsigned value)
{
    return value < sizeof(words[part]) / sizeof(words[part][0]) ? words[part][value] : NULL;
}

bool colours_find(enum ColourPart part, const char *word, unsigned *value)
{
    for (size_t i = 0; part == COLOUR_TRC && i < sizeof(transfers) / sizeof(*transfers); i++)
        if (!strcmp(word, transfers[i].word))
            word = transfers[i].same_as;
    for (*value = 0; colours_name(part, *value); ++*value)
        if (!strcmp(word, colours_name(part, *value)))
            return true;
    return false;
}

void colours_set(VmafColor *colour, enum ColourPart part, unsigned value)
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

unsigned colours_get(const VmafColor *colour, enum ColourPart part)
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

bool colours_are_complete(const VmafColor *colour)
{
    return colour->range && colour->primaries && colour->trc && colour->matrix;
}

bool colours_are_equal(const VmafColor *a, const VmafColor *b)
{
    return a->range == b->range && a->primaries == b->primaries && a->trc == b->trc &&
           a->matrix == b->matrix;
}

const char *colours_text(const VmafColor *colour, char text[COLOURS_TEXT_SIZE])
{
    snprintf(text, COLOURS_TEXT_SIZE, "%s %s %s %s",
             colours_name(COLOUR_RANGE, (unsigned)colour->range),
             colours_name(COLOUR_PRIMARIES, (unsigned)colour->primaries),
             colours_name(COLOUR_TRC, (unsigned)colour->trc),
             colours_name(COLOUR_MATRIX, (unsigned)colour->matrix));
    return text;
}

const char *colours_options(unsigned unknown, enum Side side, char text[COLOURS_OPTIONS_SIZE])
{
    static const char *const names[COLOUR_PARTS] = { "range", "primaries", "trc", "matrix" };
    int used = 0;
    text[0] = '\0';
    for (unsigned p = 0; p < COLOUR_PARTS; p++)
        if (unknown >> p & 1)
            used += snprintf(text + used, COLOURS_OPTIONS_SIZE - (size_t)used, "%s--color_%s_%s",
                             used ? ", " : "", names[p], side == SIDE_REF ? "ref" : "dist");
    return text;
}

static void read_tag(VmafColor *colour, enum ColourPart part, const char *word)
{
    unsigned value;
    if (word && colours_find(part, word, &value))
        colours_set(colour, part, value);
}

VmafColor colours_of_video(const Video *video)
{
    const VideoTraits *const traits = &video->traits;
    const enum VideoRange range = video->range ? video->range : traits->range;
    VmafColor colour = { .range = range == RANGE_FULL      ? VMAF_COLOR_RANGE_FULL
                                  : range == RANGE_LIMITED ? VMAF_COLOR_RANGE_LIMITED
                                                           : VMAF_COLOR_RANGE_UNKNOWN };
    read_tag(&colour, COLOUR_PRIMARIES, traits->primaries);
    read_tag(&colour, COLOUR_TRC, traits->transfer);
    read_tag(&colour, COLOUR_MATRIX, traits->matrix);
    return colour;
}
