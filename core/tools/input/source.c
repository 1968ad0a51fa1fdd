/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef _WIN32
#include <io.h>
#else
#include <sys/uio.h>
#endif

#include "input/source.h"
#include "message.h"

/* Reads into the spans as one; the number of bytes, 0 at the end, or negative errno. */
#ifdef _WIN32
static int64_t read_spans(const Source *source, uint64_t offset, const Span *spans, unsigned count)
{
    (void)offset;
    (void)count;
    const unsigned size = spans->size < INT_MAX ? (unsigned)spans->size : INT_MAX;
    const int n = _read(source->fd, spans->data, size);
    return n < 0 ? -errno : n;
}
#else
static int64_t read_spans(const Source *source, uint64_t offset, const Span *spans, unsigned count)
{
    enum { BATCH = 128 };
    struct iovec batch[BATCH];
    unsigned n = 0;
    for (; n < count && n < BATCH; n++)
        batch[n] = (struct iovec){ .iov_base = spans[n].data, .iov_len = spans[n].size };
    ssize_t got;
    do {
        got = source->seekable ? preadv(source->fd, batch, (int)n, (off_t)offset)
                               : readv(source->fd, batch, (int)n);
    } while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}
#endif

/* Takes `bytes` off the front of the spans. */
static void consume(Span **spans, unsigned *count, size_t bytes)
{
    while (*count && bytes >= (*spans)->size) {
        bytes -= (*spans)->size;
        (*spans)++;
        (*count)--;
    }
    if (*count) {
        (*spans)->data = (uint8_t *)(*spans)->data + bytes;
        (*spans)->size -= bytes;
    }
}

static int read_all(const Source *source, uint64_t offset, Span *spans, unsigned count)
{
    consume(&spans, &count, 0);
    while (count) {
        const int64_t got = read_spans(source, offset, spans, count);
        if (got <= 0)
            return got ? (int)got : -ENODATA;
        offset += (uint64_t)got;
        consume(&spans, &count, (size_t)got);
    }
    return 0;
}

static int inspect(Source *source, const char *path)
{
    struct stat info;
    if (fstat(source->fd, &info)) {
        say("could not open file: %s: %s", path, strerror(errno));
        return -errno;
    }
    if (S_ISDIR(info.st_mode)) {
        say("could not open file: %s: it is a directory", path);
        return -EISDIR;
    }
#ifndef _WIN32 /* reads at a position need preadv; without it a file is read like a pipe */
    source->seekable = S_ISREG(info.st_mode);
    source->size = (uint64_t)info.st_size;
    if (source->seekable) { /* standard input may have been read from */
        const off_t offset = lseek(source->fd, 0, SEEK_CUR);
        source->offset = offset > 0 ? (uint64_t)offset : 0;
    }
#endif
#ifdef POSIX_FADV_SEQUENTIAL
    if (source->seekable)
        posix_fadvise(source->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
    return 0;
}

int source_open(Source **out, const char *path)
{
    Source *const source = calloc(1, sizeof(*source));
    if (!source)
        return -ENOMEM;
#ifdef O_BINARY
    const int flags = O_RDONLY | O_BINARY;
#else
    const int flags = O_RDONLY | O_CLOEXEC;
#endif
    source->fd = strcmp(path, "-") ? open(path, flags) : dup(STDIN_FILENO);
#ifdef _WIN32
    if (source->fd >= 0)
        _setmode(source->fd, _O_BINARY);
#endif
    if (source->fd < 0) {
        const int err = -errno;
        say("could not open file: %s: %s", path, strerror(errno));
        free(source);
        return err;
    }
    const int err = inspect(source, path);
    if (err) {
        source_close(source);
        return err;
    }
    *out = source;
    return 0;
}

void source_close(Source *source)
{
    if (!source)
        return;
    close(source->fd);
    free(source);
}

int source_peek(Source *source, size_t want, const uint8_t **data, size_t *size)
{
    if (source->seekable)
        source->held = 0;
    while (source->held < want) {
        const Span span = { source->ahead + source->held, want - source->held };
        const int64_t got = read_spans(source, source->offset + source->held, &span, 1);
        if (got < 0)
            return (int)got;
        if (!got)
            break;
        source->held += (size_t)got;
    }
    *data = source->ahead;
    *size = source->held < want ? source->held : want;
    return 0;
}

/* A pipe's bytes that a peek has read come first. */
static size_t take_held(Source *source, void *into, size_t size)
{
    if (size > source->held)
        size = source->held;
    memcpy(into, source->ahead, size);
    source->held -= size;
    memmove(source->ahead, source->ahead + size, source->held);
    return size;
}

int source_skip(Source *source, uint64_t bytes)
{
    source->offset += bytes;
    if (source->seekable)
        return 0;
    uint8_t dropped[SOURCE_PEEK_MAX];
    const size_t most = bytes < sizeof(dropped) ? (size_t)bytes : sizeof(dropped);
    bytes -= take_held(source, dropped, most);
    while (bytes) {
        Span span = { dropped, bytes < sizeof(dropped) ? (size_t)bytes : sizeof(dropped) };
        bytes -= span.size;
        const int err = read_all(source, 0, &span, 1);
        if (err)
            return err;
    }
    return 0;
}

int source_read(Source *source, uint64_t offset, Span *spans, unsigned count)
{
    if (source->seekable)
        return read_all(source, offset, spans, count);
    while (source->held && count) {
        const size_t size = take_held(source, spans->data, spans->size);
        consume(&spans, &count, size);
    }
    return read_all(source, 0, spans, count);
}
