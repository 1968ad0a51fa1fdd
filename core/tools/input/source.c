/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "input/source.h"
#include "common/message.h"

/* The size of the pieces in which a pipe is read into memory or thrown away. */
#define CHUNK ((size_t)1 << 16)

void source_cancel(Source *source)
{
    atomic_store(&source->cancelled, true);
    source_wake(source);
}

/* ---- reading ---- */

/* Reads once into the spans. Returns the number of bytes, 0 at the end, or negative errno. */
static int64_t read_spans(Source *source, uint64_t offset, const Span *spans, unsigned count)
{
    enum { BATCH = 128 };
    struct iovec batch[BATCH];
    unsigned n = 0;
    for (; n < count && n < BATCH; n++)
        batch[n] = (struct iovec){ .iov_base = spans[n].data, .iov_len = spans[n].size };
    if (!source->seekable)
        return waiting_read(source, batch, n, false);
    ssize_t got;
    do
        got = preadv(source->fd, batch, (int)n, (off_t)offset);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}

/* Removes `bytes` from the front of the spans. */
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

static int read_all(Source *source, uint64_t offset, Span *spans, unsigned count)
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
    source->seekable = S_ISREG(info.st_mode);
    source->size = (uint64_t)info.st_size;
    if (source->seekable) { /* someone may have read from standard input before */
        const off_t offset = lseek(source->fd, 0, SEEK_CUR);
        source->offset = offset > 0 ? (uint64_t)offset : 0;
    }
#ifdef POSIX_FADV_SEQUENTIAL
    if (source->seekable)
        posix_fadvise(source->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
    return 0;
}

/* Opens without waiting for the writer of a named pipe, so that the other video can be opened
 * meanwhile; reads wait instead. Only on Linux, where reads can distinguish a writer that has
 * not opened the pipe yet from one that has closed it. */
static int open_path(const char *path)
{
#ifdef __linux__
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
#else
    return open(path, O_RDONLY | O_CLOEXEC);
#endif
}

int source_open(Source **out, const char *path)
{
    Source *const source = calloc(1, sizeof(*source));
    if (!source)
        return -ENOMEM;
    source->fd = strcmp(path, "-") ? open_path(path) : dup(STDIN_FILENO);
    if (source->fd < 0) {
        const int err = -errno;
        say("could not open file: %s: %s", path, strerror(errno));
        free(source);
        return err;
    }
    int err = inspect(source, path);
    if (!err && !source->seekable) {
        err = waiting_open(source);
        if (err)
            say("could not open file: %s: %s", path, strerror(-err));
    }
    if (err) {
        source_close(source);
        return err;
    }
    *out = source;
    return 0;
}

int source_follow(Source *source, const char *path, int64_t patience)
{
    if (!source->seekable || source->fd < 0)
        return 0;
    const int err = waiting_open(source);
    if (err) {
        say("could not open file: %s: %s", path, strerror(-err));
        return err;
    }
    source->seekable = false;
    source->size = 0; /* not known yet */
    source->patience = patience;
    return 0;
}

int source_open_none(Source **out)
{
    Source *const source = calloc(1, sizeof(*source));
    if (!source)
        return -ENOMEM;
    source->fd = -1;
    source->seekable = true;
    *out = source;
    return 0;
}

void source_close(Source *source)
{
    if (!source)
        return;
    waiting_close(source);
    if (source->fd >= 0)
        close(source->fd);
    free(source->ahead);
    free(source);
}

/* ---- bytes ahead ---- */

/* Makes room for `bytes` more after the held ones. The buffer is large enough that at least a
 * quarter is free after the held bytes were moved to its front, so they are moved rarely. */
static int make_room(Source *source, size_t bytes)
{
    const size_t want = source->held + bytes;
    if (source->begin + want <= source->capacity)
        return 0;
    size_t capacity = source->capacity ? source->capacity : CHUNK;
    while (want > capacity / 4 * 3)
        capacity *= 2;
    if (capacity > source->capacity) {
        uint8_t *const larger = realloc(source->ahead, capacity);
        if (!larger)
            return -ENOMEM;
        source->ahead = larger;
        source->capacity = capacity;
    }
    memmove(source->ahead, source->ahead + source->begin, source->held);
    source->begin = 0;
    return 0;
}

/* Reads up to `most` bytes after the held ones. Returns their number, 0 at the end, or negative
 * errno. */
static int64_t read_ahead(Source *source, size_t most)
{
    const int err = make_room(source, most);
    if (err)
        return err;
    const Span span = { source->ahead + source->begin + source->held, most };
    const int64_t got = read_spans(source, source->offset + source->held, &span, 1);
    if (got > 0)
        source->held += (size_t)got;
    return got;
}

static int look(Source *source, size_t want, bool line, const uint8_t **data, size_t *size)
{
    if (atomic_load(&source->cancelled))
        return -ECANCELED;
    if (source->seekable) {
        const uint64_t left = source->offset < source->size ? source->size - source->offset : 0;
        source->begin = source->held = 0;
        want = want < left ? want : (size_t)left;
    }
    while (source->held < want &&
           !(line && source->held && memchr(source->ahead + source->begin, '\n', source->held))) {
        const int64_t got = read_ahead(source, want - source->held);
        if (got < 0)
            return (int)got;
        if (!got)
            break;
    }
    static const uint8_t none[1];
    *data = source->ahead ? source->ahead + source->begin : none;
    *size = source->held < want ? source->held : want;
    return 0;
}

int source_peek(Source *source, size_t want, const uint8_t **data, size_t *size)
{
    return look(source, want, false, data, size);
}

int source_peek_line(Source *source, size_t want, const uint8_t **data, size_t *size)
{
    return look(source, want, true, data, size);
}

int source_hold(Source *source)
{
    if (source->seekable || source->held >= SOURCE_HOLD_MAX)
        return -ENOBUFS;
    if (source->ended)
        return -ENODATA;
    const int err = make_room(source, CHUNK);
    if (err)
        return err;
    const struct iovec piece = { source->ahead + source->begin + source->held, CHUNK };
    const int64_t got = waiting_read(source, &piece, 1, true);
    if (got > 0)
        source->held += (size_t)got;
    source->ended = !got;
    return got == -EINTR ? 0 : got < 0 ? (int)got : got ? 0 : -ENODATA;
}

/* Copies bytes of a pipe that were read ahead. Returns their number. */
static size_t take_held(Source *source, void *into, size_t size)
{
    if (size > source->held)
        size = source->held;
    if (size)
        memcpy(into, source->ahead + source->begin, size);
    source->held -= size;
    source->begin = source->held ? source->begin + size : 0;
    return size;
}

int source_skip(Source *source, uint64_t bytes)
{
    source->offset += bytes;
    if (source->seekable)
        return 0;
    const size_t held = bytes < source->held ? (size_t)bytes : source->held;
    source->held -= held;
    source->begin = source->held ? source->begin + held : 0;
    bytes -= held;
    uint8_t dropped[CHUNK];
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

int64_t source_take(Source *source, void *into, size_t size)
{
    if (atomic_load(&source->cancelled))
        return -ECANCELED;
    if (source->seekable) {
        const uint64_t left = source->offset < source->size ? source->size - source->offset : 0;
        size = size < left ? size : (size_t)left;
    }
    int64_t got = source->seekable ? 0 : (int64_t)take_held(source, into, size);
    if (!got && size) {
        const Span span = { into, size };
        got = read_spans(source, source->offset, &span, 1);
    }
    if (got > 0)
        source->offset += (uint64_t)got;
    return got;
}
