/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Bytes of a file, or of a pipe that can only be read on. */
#ifndef TOOLS_INPUT_SOURCE_H
#define TOOLS_INPUT_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* How far one can look ahead. */
#define SOURCE_PEEK_MAX 4200
/* How much of a pipe may be held. */
#define SOURCE_HOLD_MAX ((size_t)512 << 20)

/* A piece of memory to fill. */
typedef struct Span {
    void *data;
    size_t size;
} Span;

typedef struct Source {
    int fd;
    bool seekable;
    uint64_t
        size; /* seekable: of the file when it was opened; what is appended later is not read */
    uint64_t offset; /* what peek shows */
    /* Bytes that were looked at; of a pipe, all that were read and not taken. */
    uint8_t *ahead;
    size_t begin, held, capacity;
    bool ended;              /* a pipe, when it was held */
    struct Waiting *waiting; /* pipes: see waiting.h */
    atomic_bool cancelled;
} Source;

/* "-" is standard input. Does not wait for the other end of a named pipe. Logs, negative errno. */
int source_open(Source **source, const char *path);
/* A source without bytes, for a video that is not in one file: it can be cancelled. */
int source_open_none(Source **source);
void source_close(Source *source); /* NULL is fine */

/* Shows up to `want` bytes at the current offset; fewer only at the end. */
int source_peek(Source *source, size_t want, const uint8_t **data, size_t *size);
/* The same, but of a pipe no more than a newline needs: what follows it may take its time. */
int source_peek_line(Source *source, size_t want, const uint8_t **data, size_t *size);

/* Moves on. Bytes of a pipe are read and dropped: -ENODATA when it ends before. */
int source_skip(Source *source, uint64_t bytes);

/* Fills spans with the bytes at `offset`; -ENODATA when the file ends before. A pipe reads where it
 * stands and moves on; a file keeps its offset, and any number of threads may read at once. */
int source_read(Source *source, uint64_t offset, Span *spans, unsigned count);

/* Reads up to `size` bytes at the current offset, one at least, and moves on. How many, 0 at the end, or
 * negative errno. */
int64_t source_take(Source *source, void *into, size_t size);

/* Reads some bytes of a pipe into memory, for whoever reads later, so that its writer gets on. Waits for
 * them, or for source_wake: 0. -ENODATA when there are no more; -ENOBUFS when enough are held, or it is no
 * pipe. By the thread that reads, as all of the above. */
int source_hold(Source *source);

/* From any thread: ends the waiting of a source_hold; makes all reading of a pipe and all peeking, now and
 * later, fail with -ECANCELED. */
void source_wake(Source *source);
void source_cancel(Source *source);

/* Reads of a pipe, which wait for its writer unless another thread ends that: the part of a Source that
 * differs between systems. */

int waiting_open(Source *source);   /* 0 or a negative errno */
void waiting_close(Source *source); /* one that was not opened is fine */

/* The number of bytes, 0 at the end, or a negative errno: -ECANCELED once the source is cancelled, -EINTR
 * when `holding` was ended by source_wake. */
int64_t waiting_read(Source *source, const struct iovec *pieces, unsigned count, bool holding);

#endif
