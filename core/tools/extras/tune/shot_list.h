/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The shots of a source, which a child process finds (see input/shots.h). One thread at a time. */
#ifndef TUNE_SHOT_LIST_H
#define TUNE_SHOT_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "job.h"

typedef struct Shot {
    uint64_t first, frames;
    double time;    /* time of the first frame, in seconds on the file's own clock */
    double seconds; /* time until the next shot's first frame, or the end */
} Shot;

typedef struct ShotList {
    Shot *at;
    size_t count;
    uint64_t frames; /* frames of all of them */
} ShotList;

/* Find the shots of a source. Shots of fewer than `least` frames become part of a neighbour. Prints
 * errors and returns a negative errno. Free the list in any case. */
int shot_list_find(ShotList *list, const Original *source, Workshop *shop, uint64_t least);
void shot_list_free(ShotList *list);

/* Join shots that are too short with the one before them, the first one with the one after it. */
void shot_list_merge(ShotList *list, uint64_t least);

/* Print the shots of a file, one a line: "shot FRAME SECONDS", and at last "end FRAMES SECONDS".
 * The program runs itself with --shots for this, so that a decoder that crashes cannot harm it.
 * Returns an exit code. */
int shots_print_all(const char *path);

#endif
