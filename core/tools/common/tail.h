/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The last lines that a child wrote, to be shown if it fails. */
#ifndef TUNE_TAIL_H
#define TUNE_TAIL_H

#include <stddef.h>

#define TAIL_LINES 6
#define TAIL_WIDTH 240

typedef struct Tail {
    char lines[TAIL_LINES][TAIL_WIDTH];
    size_t next; /* where the line in work goes, counted on and on */
    size_t used; /* of it */
} Tail;

/* Bytes that would do something to a terminal become '?'. */
void tail_feed(Tail *tail, const char *bytes, size_t count);

/* Says them, indented. */
void tail_say(const Tail *tail);

#endif
