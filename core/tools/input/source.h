/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The bytes of a file or of a pipe. A pipe can only be read forwards.
 *
 * A Source belongs to its video. One thread reads; any thread may call source_wake and
 * source_cancel, and any number of threads may call source_read on a file. */
#ifndef TOOLS_INPUT_SOURCE_H
#define TOOLS_INPUT_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* The most bytes that can be peeked at. */
#define SOURCE_PEEK_MAX 4200
/* The most bytes of a pipe that are kept in memory. */
#define SOURCE_HOLD_MAX ((size_t)512 << 20)

/* A piece of memory to fill. */
typedef struct Span {
    void *data;
    size_t size;
} Span;

typedef struct Source {
    int fd; /* -1: a video without a file of its own, see source_open_none */
    bool seekable;
    uint64_t size;   /* size of a file when it was opened; bytes appended later are not read */
    uint64_t offset; /* the next byte: where peek, take and skip begin */
    /* Bytes that were peeked at; for a pipe, all bytes that were read but not taken yet. */
    uint8_t *ahead;
    size_t begin, held, capacity;
    bool ended;              /* source_hold reached the end of the pipe */
    int64_t patience;        /* ns to wait at the end of a file for more; see source_follow */
    bool complete;           /* the file did not grow for that long: it has ended */
    struct Waiting *waiting; /* for pipes: see waiting_open */
    atomic_bool cancelled;
} Source;

/* Opens a file; "-" is standard input. Does not wait for the other end of a named pipe. Logs
 * errors; returns 0 or negative errno. */
int source_open(Source **source, const char *path);
/* Right after source_open: reads a file that is still being written, as if it were a pipe: at its
 * end, waits until nothing was added for `patience` ns. Does nothing to a pipe. Logs errors;
 * returns 0 or negative errno. */
int source_follow(Source *source, const char *path, int64_t patience);
/* Creates a source without bytes, for a video that is not one file. It can be cancelled. */
int source_open_none(Source **source);
void source_close(Source *source); /* NULL is fine */

/* Shows up to `want` bytes at the current offset; fewer only at the end. They stay valid until the
 * next call. */
int source_peek(Source *source, size_t want, const uint8_t **data, size_t *size);
/* The same, but stops reading a pipe after a newline: the bytes after it may arrive much later. */
int source_peek_line(Source *source, size_t want, const uint8_t **data, size_t *size);

/* Moves forwards. Bytes of a pipe are read and thrown away: -ENODATA if it ends before. */
int source_skip(Source *source, uint64_t bytes);

/* Fills the spans with the bytes at `offset`; -ENODATA if the file ends before. A pipe ignores
 * `offset`: it is read from where it stands, and moves on. A file keeps its current offset. */
int source_read(Source *source, uint64_t offset, Span *spans, unsigned count);

/* Reads at least one and at most `size` bytes at the current offset and moves on. Returns their
 * number, 0 at the end, or negative errno. */
int64_t source_take(Source *source, void *into, size_t size);

/* Reads some bytes of a pipe into memory, where later calls find them, so that its writer can
 * continue. Waits for bytes or for source_wake, then returns 0. -ENODATA: the pipe has ended.
 * -ENOBUFS: SOURCE_HOLD_MAX bytes are held already, or it is not a pipe. */
int source_hold(Source *source);

/* From any thread: makes a source_hold that waits return. */
void source_wake(Source *source);
/* From any thread: all reads of a pipe and all peeks, now and later, fail with -ECANCELED. */
void source_cancel(Source *source);

/* ---- waiting.c, waiting_windows.c: blocking reads of a pipe that another thread can end ---- */

int waiting_open(Source *source);   /* 0 or negative errno */
void waiting_close(Source *source); /* does nothing if the source was not opened */

/* Returns the number of bytes, 0 at the end, or negative errno: -ECANCELED once the source is
 * cancelled, -EINTR when source_wake ended a read with `holding`. */
int64_t waiting_read(Source *source, const struct iovec *pieces, unsigned count, bool holding);

#endif
