/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#ifdef __linux__
#include <stdio_ext.h>
#endif
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/outfile_place.h"

struct Outfile {
    Place place;
    int fd;
    int err; /* the first one */
    bool synced;
    FILE *stream;
};

static void note(Outfile *file, int err)
{
    if (!file->err)
        file->err = err;
}

static int write_all(int fd, const void *data, size_t size)
{
    const char *bytes = data;
    while (size) {
        const ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno != EINTR)
            return -errno;
        if (!written) /* no error, and no end either */
            return -EIO;
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return 0;
}

#ifdef __linux__
/* The C library's own streams give up when a signal comes. */
static ssize_t write_stream(void *cookie, const char *data, size_t size)
{
    Outfile *const file = cookie;
    if (!file->err)
        note(file, write_all(file->fd, data, size));
    errno = -file->err;
    return file->err ? 0 : (ssize_t)size;
}

static FILE *make_stream(Outfile *file)
{
    FILE *const stream = fopencookie(file, "w", (cookie_io_functions_t){ .write = write_stream });
    if (stream) /* it is one thread's, and written in many small pieces */
        __fsetlocking(stream, FSETLOCKING_BYCALLER);
    return stream;
}
#else
static FILE *make_stream(Outfile *file)
{
    const int fd = dup(file->fd);
    FILE *const stream = fd < 0 ? NULL : fdopen(fd, "wb");
    if (fd >= 0 && !stream)
        close(fd);
    return stream;
}
#endif

int outfile_open(Outfile **out, const char *path, enum OutfileKind kind)
{
    *out = NULL;
    Outfile *const file = mem_zalloc(sizeof(*file));
    if (!file)
        return -ENOMEM;
    int err = place_find(&file->place, path, kind, &file->fd);
    if (err) {
        mem_free(file);
        return err;
    }
    file->synced = kind != OUTFILE_PRIVATE && place_is_on_disk(file->fd);
    if (kind != OUTFILE_IN_PLACE && !(file->stream = make_stream(file))) {
        outfile_discard(file);
        return -ENOMEM;
    }
    *out = file;
    return 0;
}

FILE *outfile_stream(Outfile *file)
{
    return file->stream;
}

int outfile_write_at(Outfile *file, const void *data, size_t size, uint64_t position)
{
    if (place_seek(file->fd, position))
        note(file, -errno);
    if (!file->err)
        note(file, write_all(file->fd, data, size));
    return file->err;
}

static void close_stream(Outfile *file)
{
    if (!file->stream)
        return;
    errno = 0;
    const bool lost = fflush(file->stream) || ferror(file->stream);
    const int reason = errno;
    if (fclose(file->stream) || lost)
        note(file, reason ? -reason : -EIO);
    file->stream = NULL;
}

/* A file system that does not know how to sync has nothing to lose. */
static int sync_file(int fd)
{
    int failed;
    while ((failed = place_sync(fd)) && errno == EINTR)
        ;
    return failed && errno != EINVAL && errno != ENOTSUP && errno != ENOSYS ? -errno : 0;
}

/* The end of the file that was open. A signal does not keep it from being closed. */
static void close_file(Outfile *file)
{
    if (close(file->fd) && errno != EINTR)
        note(file, -errno);
    file->fd = -1;
}

/* Byte for byte into the file that is there: what could not simply be replaced. */
static int copy_over(const Outfile *file)
{
    char buffer[1 << 14];
    const int from = place_open_temporary(&file->place);
    if (from < 0)
        return from;
    int err = 0;
    const int to = place_open_through(&file->place);
    if (to < 0)
        err = to;
    ssize_t size = 1;
    while (!err && size && (size > 0 || errno == EINTR)) {
        size = read(from, buffer, sizeof(buffer));
        if (size > 0)
            err = write_all(to, buffer, (size_t)size);
    }
    if (!err && size < 0)
        err = -errno;
    if (!err)
        err = sync_file(to);
    if (to >= 0 && close(to) && errno != EINTR && !err)
        err = -errno;
    close(from);
    return err;
}

static int take_place(Outfile *file)
{
    int err = file->place.shared ? -EBUSY : place_replace(&file->place, file->synced);
    /* Or a place that is mounted, or a folder whose files only their owners may replace. */
    if (file->synced && (err == -EBUSY || err == -EPERM || err == -EACCES)) {
        err = copy_over(file);
        place_remove_temporary(&file->place);
    }
    return err;
}

int outfile_commit(Outfile *file)
{
    close_stream(file);
    if (!file->err && file->synced)
        note(file, sync_file(file->fd));
    close_file(file);
    if (!file->err && file->place.temporary)
        note(file, take_place(file));
    const int err = file->err;
    if (err)
        place_remove_temporary(&file->place);
    place_clear(&file->place);
    mem_free(file);
    return err;
}

void outfile_discard(Outfile *file)
{
    if (!file)
        return;
    note(file, -ECANCELED);
    outfile_commit(file);
}
