/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Files that the library writes. An Outfile either replaces the old file as a whole or leaves it
 * untouched, and outfile_commit reports any error on the way. The caller owns it; one thread at a
 * time. */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct Outfile Outfile;

enum OutfileKind {
    /* Written to a temporary file beside it, which is renamed over it once all is on the disk:
     * until then, and after a failure, the old file is there. Links are followed; mode and owner
     * stay. A target that is not a plain file (a device, a pipe) or is the program's own output is
     * written directly. */
    OUTFILE_REPLACE,
    /* Emptied, then written at any position; on the disk when it is committed. */
    OUTFILE_IN_PLACE,
    /* Like OUTFILE_REPLACE, but readable by the owner only, without waiting for the disk; a link is
     * replaced itself, and nothing is written directly. */
    OUTFILE_PRIVATE,
};

/* 0 or a negative errno. */
int outfile_open(Outfile **out, const char *path, enum OutfileKind kind);

/* A stream to print to; its errors show in outfile_commit. The Outfile owns it. */
FILE *outfile_stream(Outfile *file);

/* Writes at a position. Do not mix with the stream. 0 or a negative errno. */
int outfile_write_at(Outfile *file, const void *data, size_t size, uint64_t position);

/* Finishes the file and frees it. 0 when every byte is in the target, else the first error. */
int outfile_commit(Outfile *file);

/* Frees the file and removes the temporary one; the target stays as it was. NULL is fine. */
void outfile_discard(Outfile *file);

#endif
