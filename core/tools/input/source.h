/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Bytes of a file, or of a pipe that can only be read on. */
#ifndef TOOLS_INPUT_SOURCE_H
#define TOOLS_INPUT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far one can look ahead. */
#define SOURCE_PEEK_MAX 4200

/* A piece of memory to fill. */
typedef struct Span {
    void *data;
    size_t size;
} Span;

typedef struct Source {
    int fd;
    bool seekable;
    uint64_t size;   /* seekable: of the file */
    uint64_t offset; /* what peek shows */
    size_t held;     /* bytes in `ahead`; all of them unread when not seekable */
    uint8_t ahead[SOURCE_PEEK_MAX];
} Source;

/* "-" is standard input. Logs, negative errno. */
int source_open(Source **source, const char *path);
void source_close(Source *source);

/* Shows up to `want` bytes at the current offset; fewer only at the end. */
int source_peek(Source *source, size_t want, const uint8_t **data, size_t *size);

/* Moves on. Bytes of a pipe are read and dropped: -ENODATA when it ends before. */
int source_skip(Source *source, uint64_t bytes);

/* Fills spans with the bytes at `offset`; -ENODATA when the file ends before. A pipe reads where it
 * stands and moves on; a file keeps its offset, and any number of threads may read at once. */
int source_read(Source *source, uint64_t offset, Span *spans, unsigned count);

#endif
