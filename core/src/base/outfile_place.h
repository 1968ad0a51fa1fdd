/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Where the bytes of an Outfile go: a file of its own beside the one to be replaced, or the file
 * itself. What differs between systems is here. */
#ifndef BASE_OUTFILE_PLACE_H
#define BASE_OUTFILE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/outfile.h"

typedef struct Place {
    char *path;      /* behind links */
    char *temporary; /* what is written before it takes the place; NULL: the place itself is */
    bool shared;     /* another name or owner hangs on the file: its bytes are replaced, not it */
} Place;

/* All return 0 or a negative errno. */

/* *fd is open for writing and empty. */
int place_find(Place *place, const char *path, enum OutfileKind kind, int *fd);
void place_clear(Place *place);

/* A file descriptor, or a negative errno. */
int place_open_temporary(const Place *place); /* for reading */
int place_open_through(const Place *place);   /* emptied */

/* On success there is no temporary file any more. */
int place_replace(Place *place, bool synced);
void place_remove_temporary(Place *place);

bool place_is_on_disk(int fd); /* a plain file: no pipe, no device */
/* These set errno. */
int place_seek(int fd, uint64_t position);
int place_sync(int fd);

#endif
