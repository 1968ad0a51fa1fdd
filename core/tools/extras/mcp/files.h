/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Files that this server opens for its workers, and the names by which workers open them again. */
#ifndef MCP_FILES_H
#define MCP_FILES_H

#include <stddef.h>

/* The name of a worker's standard output, as a path of a report. */
#ifdef _WIN32
#define WORKER_OUTPUT "-"
#else
#define WORKER_OUTPUT "/proc/self/fd/1"
#endif

/* Files of folders: allow.h says which. The folder at `path` for folder_open_file; its descriptor
 * or a negative errno. folder_close takes it back. */
int folder_open(const char *path);
void folder_close(int folder);

/* Opens a regular file in a folder, `root`, for reading. `rest` is its resolved path relative to
 * the folder: no link is followed. While it is open, the name of file_name leads to the same file.
 * Returns a descriptor or a negative errno; -ENOTSUP if it is not a regular file. */
int folder_open_file(int folder, const char *root, const char *rest);

/* The name by which a worker that inherits the descriptor opens the file. The caller frees it;
 * NULL: no memory. */
char *file_name(int fd);

/* A file for a worker to write, which disappears when it is closed. */
typedef struct Scratch {
    int fd;     /* -1: none */
    char *name; /* name by which a worker that inherits the descriptor opens it */
} Scratch;

/* 0 or a negative errno. Close it in any case. */
int scratch_open(Scratch *scratch);
void scratch_close(Scratch *scratch);
/* Writes it anew. 0 or a negative errno. */
int scratch_write(const Scratch *scratch, const char *bytes, size_t length);
/* Reads it. free() the text. NULL: empty, more than `most` bytes, or no memory. */
char *scratch_read(const Scratch *scratch, size_t most, size_t *length);

#endif
