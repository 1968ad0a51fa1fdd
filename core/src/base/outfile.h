/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Files that are written: every one of the library goes through here. What cannot be written to its
 * end is an error, whichever call finds it out, and what replaces a file replaces it as a whole. */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct Outfile Outfile;

enum OutfileKind {
    /* Written to a file beside it, which takes its place when all is on the disk: until then, and
     * after a failure, there is the old one. Links are followed; mode and owner stay. What is no
     * plain file (a device, a pipe) or is the program's own output is written through. */
    OUTFILE_REPLACE,
    /* Emptied, then written at any position; on the disk when it is committed. */
    OUTFILE_IN_PLACE,
    /* As OUTFILE_REPLACE, but for the owner's eyes only; a link is replaced itself, nothing is
     * written through, and nobody waits for the disk. */
    OUTFILE_PRIVATE,
};

/* 0 or a negative errno. */
int outfile_open(Outfile **out, const char *path, enum OutfileKind kind);

/* What is printed to it shows its errors in outfile_commit. Belongs to the file. */
FILE *outfile_stream(Outfile *file);

/* Not together with the stream. By one thread at a time. 0 or a negative errno. */
int outfile_write_at(Outfile *file, const void *data, size_t size, uint64_t position);

/* Ends the file and frees it: 0 when every byte is where it belongs, else the first error. */
int outfile_commit(Outfile *file);

/* Ends it without a word: no error is found, and nothing replaced. NULL is fine. */
void outfile_discard(Outfile *file);

#endif
