/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Options that state the colours of videos whose files do not. */
#include <stdio.h>
#include <string.h>

#include "option.h"
#include "vmaf/colours.h"

/* Accepts the words for the values of one part, "unknown" among them. */
static int set_part(Options *options, const Arg *arg, const char *value, enum ColourPart part)
{
    char wanted[80] = "";
    unsigned number;
    if (!colours_find(part, value, &number)) {
        size_t used = 0;
        const char *name;
        for (unsigned i = 0; (name = colours_name(part, i)); i++)
            used +=
                (size_t)snprintf(wanted + used, sizeof(wanted) - used, "%s%s", i ? ", " : "", name);
        return bad_value(arg, value, wanted);
    }
    const size_t length = strlen(arg->name);
    const bool ref = length > 4 && !strcmp(arg->name + length - 4, "_ref");
    const bool dist = length > 5 && !strcmp(arg->name + length - 5, "_dist");
    for (unsigned side = 0; side < SIDES; side++) {
        if ((side == SIDE_REF && dist) || (side == SIDE_DIST && ref))
            continue;
        colours_set(&options->color[side], part, number);
        options->color_given[side] |= 1u << part;
    }
    return 0;
}

static int set_range(Options *options, const Arg *arg, const char *value)
{
    return set_part(options, arg, value, COLOUR_RANGE);
}

static int set_primaries(Options *options, const Arg *arg, const char *value)
{
    return set_part(options, arg, value, COLOUR_PRIMARIES);
}

static int set_trc(Options *options, const Arg *arg, const char *value)
{
    return set_part(options, arg, value, COLOUR_TRC);
}

static int set_matrix(Options *options, const Arg *arg, const char *value)
{
    return set_part(options, arg, value, COLOUR_MATRIX);
}

#define RANGES "unknown|limited|full"
#define PRIMARIES "unknown|bt709|bt2020|smpte432"
#define TRCS "unknown|bt709|smpte2084|pq"
#define MATRICES "unknown|bt709|bt2020nc|ictcp"

const Arg colour_options[] = {
    { .help = "Colours, if the files do not state them (only for models that convert colours)" },
    { .name = "color_range",
      .value = "RANGE",
      .help = "range of the samples: limited, full or unknown",
      .newer = true,
      .set = set_range,
      .complete = RANGES },
    { .name = "color_primaries",
      .value = "NAME",
      .help = "colour primaries: bt709, bt2020, smpte432 or unknown",
      .newer = true,
      .set = set_primaries,
      .complete = PRIMARIES },
    { .name = "color_trc",
      .value = "NAME",
      .help = "transfer function: bt709, smpte2084 (or pq) or unknown",
      .newer = true,
      .set = set_trc,
      .complete = TRCS },
    { .name = "color_matrix",
      .value = "NAME",
      .help = "YUV matrix: bt709, bt2020nc, ictcp or unknown",
      .newer = true,
      .set = set_matrix,
      .complete = MATRICES },
    { .name = "color_range_ref",
      .value = "RANGE",
      .help = "like --color_range, for the reference only",
      .newer = true,
      .set = set_range,
      .complete = RANGES },
    { .name = "color_primaries_ref",
      .value = "NAME",
      .help = "like --color_primaries, for the reference only",
      .newer = true,
      .set = set_primaries,
      .complete = PRIMARIES },
    { .name = "color_trc_ref",
      .value = "NAME",
      .help = "like --color_trc, for the reference only",
      .newer = true,
      .set = set_trc,
      .complete = TRCS },
    { .name = "color_matrix_ref",
      .value = "NAME",
      .help = "like --color_matrix, for the reference only",
      .newer = true,
      .set = set_matrix,
      .complete = MATRICES },
    { .name = "color_range_dist",
      .value = "RANGE",
      .help = "like --color_range, for the distorted videos only",
      .newer = true,
      .set = set_range,
      .complete = RANGES },
    { .name = "color_primaries_dist",
      .value = "NAME",
      .help = "like --color_primaries, for the distorted videos only",
      .newer = true,
      .set = set_primaries,
      .complete = PRIMARIES },
    { .name = "color_trc_dist",
      .value = "NAME",
      .help = "like --color_trc, for the distorted videos only",
      .newer = true,
      .set = set_trc,
      .complete = TRCS },
    { .name = "color_matrix_dist",
      .value = "NAME",
      .help = "like --color_matrix, for the distorted videos only",
      .newer = true,
      .set = set_matrix,
      .complete = MATRICES },
    { 0 },
};
