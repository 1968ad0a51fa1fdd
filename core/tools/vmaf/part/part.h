/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The file that a part of a run leaves: JSON, described in docs/shards.md. */
#ifndef TOOLS_SHARD_PART_H
#define TOOLS_SHARD_PART_H

#include <jansson.h>

#include "libvmaf/part.h"
#include "vmaf/rating.h"

enum { PART_VERSION = 1 };

/* Writes it as a whole or not at all. Says what is wrong; negative errno. */
int part_write(const struct Rating *rating, const Options *options);

/* A file read back. */
typedef struct PartFile {
    const char *path;
    json_t *head;          /* all but its values */
    uint64_t first, count; /* its pairs */
    bool ended;            /* there is none behind them */
    char *text;            /* the file, while it is loaded; the values are in it */
    const char *values, *values_end;
} PartFile;

/* Reads and checks the file: whole, unchanged, ours. With `keep_values` they can be read next. Says what is wrong;
 * negative errno. */
int part_load(PartFile *part, const char *path, bool keep_values);
void part_unload(PartFile *part);

/* The next row of values: those of each feature, or NULL where it has none, for as many as there are in `kinds`.
 * The room is the caller's. Says what is wrong; -EINVAL. */
typedef struct PartRow {
    VmafPartValue **room;         /* as many values as its kinds */
    const VmafPartValue **values; /* these, or NULL */
} PartRow;
int part_next_row(PartFile *part, const char *const *kinds, unsigned features, unsigned pair,
                  const PartRow *row);

#endif
