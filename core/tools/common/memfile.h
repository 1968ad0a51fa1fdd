/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A file in memory, for text that is checked or completed before it is written. Unlike glibc's
 * open_memstream(), which forgets that it ran out of memory, it notes each loss. One thread at a
 * time may use an object. */
#ifndef TOOLS_MEMFILE_H
#define TOOLS_MEMFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct MemFile {
    FILE *file; /* to write to */
    char *text; /* the text written, terminated, after memfile_end */
    size_t size;
    size_t room; /* private, like the following */
    bool lost;
} MemFile;

/* Opens an empty file. The object must not move until it is closed. 0 or -ENOMEM. */
int memfile_open(MemFile *mem);

/* Ends the writing and sets `text` and `size`. -ENOMEM if anything that was written is lost. */
int memfile_end(MemFile *mem);

/* Frees everything. Does nothing for a zeroed object. */
void memfile_close(MemFile *mem);

#endif
