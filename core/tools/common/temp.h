/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Temporary folders, and drafts of output files. Both disappear when the program ends. If it is
 * killed, the next program of ours that works in the same folder removes them: their owners hold a
 * lock on each as long as they live. One thread at a time may use an object. */
#ifndef TOOLS_TEMP_H
#define TOOLS_TEMP_H

#include <stdio.h>

typedef struct TempFolder TempFolder;

/* Creates a temporary folder in `parent`, after removing there what killed programs left behind.
 * Prints an error and returns a negative errno on failure. */
int temp_create(TempFolder **out, const char *parent);
/* Removes the folder with all its files. NULL is fine. */
void temp_destroy(TempFolder *temp);

const char *temp_path(const TempFolder *temp);
/* A path in the folder that does not exist yet, such as "…/12.mkv". The caller frees it. NULL: no
 * memory. */
char *temp_file(TempFolder *temp, const char *extension);

/* An output file that appears complete or not at all: a draft is written beside its path, and
 * closing renames it to that path. "-" is standard output; pipes and devices are written
 * directly. */
typedef struct Draft {
    const char *path;
    char *temporary; /* path of the draft; NULL: `path` is written directly */
    FILE *file;      /* to write to */
    /* The writer may set a negative errno: then closing discards the draft, as it does if memory
     * for a part of it was missing (json_memory.h). */
    int err;
} Draft;

/* Both print an error and return a negative errno on failure. Closing always frees the draft, and
 * returns its `err` if that is set. */
int draft_open(Draft *draft, const char *path);
int draft_close(Draft *draft);

/* Checks that a file can be created at `path`, before hours of work. Prints an error and returns a
 * negative errno if not. */
int draft_check(const char *path);

#endif
