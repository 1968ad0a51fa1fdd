/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <stdio_ext.h>
#endif

#include "base/mem.h"

/* ---- the target: what differs between systems is here ---- */

/* The paths of a file that is written. */
typedef struct TargetPath {
    char *path;      /* the final path, with links followed */
    char *temporary; /* written first, then renamed over `path`; NULL: `path` is written itself */
    bool shared;     /* the file has another name or owner: its bytes are replaced, not the file */
} TargetPath;

/* Moves a descriptor above the standard streams: a program may have closed its stderr, and what is
 * logged must not end up in the next file opened. */
static int above_streams(int fd)
{
#ifdef F_DUPFD_CLOEXEC
    if (fd >= 0 && fd <= STDERR_FILENO) {
        const int low = fd;
        fd = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        const int reason = errno;
        close(low);
        errno = reason;
    }
#endif
    return fd;
}

/* Opens a file, again if a signal interrupts it. A file descriptor or a negative errno. */
static int open_file(const char *path, int flags, unsigned mode)
{
    int fd;
    while ((fd = open(path, flags | O_CLOEXEC, mode)) < 0 && errno == EINTR)
        ;
    fd = above_streams(fd);
    return fd < 0 ? -errno : fd;
}

/* The length of the folder's part of a path, with its slash. */
static size_t folder_length(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* `name` beside `path`; NULL: no memory. */
static char *beside(const char *path, const char *name)
{
    const size_t folder = folder_length(path), size = strlen(name) + 1;
    char *const joined = mem_alloc(folder + size);
    if (!joined)
        return NULL;
    memcpy(joined, path, folder);
    memcpy(joined + folder, name, size);
    return joined;
}

/* Creates a file under a name that nobody else has; tries others while a name is taken. */
static int create_temporary(TargetPath *target, unsigned mode, int *fd)
{
    static atomic_uint counter;
    for (unsigned tries = 0; tries < 100; tries++) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        char name[96];
        snprintf(name, sizeof(name), ".vmaf-%ld-%u-%lx.tmp", (long)getpid(),
                 atomic_fetch_add(&counter, 1), (unsigned long)now.tv_nsec);
        target->temporary = beside(target->path, name);
        if (!target->temporary)
            return -ENOMEM;
        *fd = open_file(target->temporary, O_WRONLY | O_CREAT | O_EXCL, mode);
        if (*fd >= 0)
            return 0;
        mem_free(target->temporary);
        target->temporary = NULL;
        if (*fd != -EEXIST)
            return *fd;
    }
    return -EEXIST;
}

#ifdef _WIN32

/* The path at the end of a chain of links, with slashes; NULL without memory. */
static char *follow_links(const char *path)
{
    char *const found = realpath(path, NULL);
    char *const copy = mem_strdup(found ? found : path);
    free(found);
    for (char *c = copy; c && *c; c++)
        if (*c == '\\')
            *c = '/';
    return copy;
}

static bool must_write_through(const TargetPath *target)
{
    struct stat info;
    return !stat(target->path, &info) && !S_ISREG(info.st_mode);
}

static int look_at_old(TargetPath *target)
{
    return access(target->path, W_OK) && errno != ENOENT ? -errno : 0;
}

static int keep_attributes(TargetPath *target, int fd)
{
    return 0;
}

static void sync_folder(const char *path)
{
}

#else

static bool starts_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

/* The path at the end of a chain of links, whether the file exists or not; NULL without memory. */
static char *follow_links(const char *path)
{
    char target[4096];
    char *at = mem_strdup(path);
    /* Links under /proc stand for open files: only the link itself leads there. */
    for (unsigned links = 0; at && links < 40 && !starts_with(at, "/proc/"); links++) {
        const ssize_t length = readlink(at, target, sizeof(target) - 1);
        if (length < 0)
            return at;
        target[length] = '\0';
        char *const next = target[0] == '/' ? mem_strdup(target) : beside(at, target);
        mem_free(at);
        at = next;
    }
    return at; /* for a circle of links, opening it fails */
}

static bool is_same_file(const struct stat *a, int fd)
{
    struct stat b;
    return !fstat(fd, &b) && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* True for targets that renaming cannot replace: anything but a plain file, and the program's own
 * open files and output under the names that stand for them (/proc, /dev). */
static bool must_write_through(const TargetPath *target)
{
    const char *const path = target->path;
    struct stat info;
    if (!*path || path[strlen(path) - 1] == '/' || starts_with(path, "/proc/") ||
        (starts_with(path, "/dev/") && !starts_with(path, "/dev/shm/")))
        return true;
    return !stat(path, &info) && (!S_ISREG(info.st_mode) || is_same_file(&info, STDOUT_FILENO) ||
                                  is_same_file(&info, STDERR_FILENO));
}

/* Finds out whether the old file may be written, and whether it has other names. A file that may
 * not be written is not replaced either. */
static int look_at_old(TargetPath *target)
{
    const int fd = open_file(target->path, O_WRONLY | O_NONBLOCK | O_NOCTTY, 0);
    struct stat info;
    if (fd == -ENOENT)
        return 0;
    if (fd < 0)
        return fd;
    if (!fstat(fd, &info))
        target->shared = info.st_nlink > 1;
    close(fd);
    return 0;
}

static int keep_attributes(TargetPath *target, int fd)
{
    struct stat old, fresh;
    if (stat(target->path, &old))
        return errno == ENOENT ? 0 : -errno;
    if (fstat(fd, &fresh))
        return -errno;
    const bool owned = old.st_uid == fresh.st_uid && old.st_gid == fresh.st_gid;
    if ((!owned && fchown(fd, old.st_uid, old.st_gid)) || fchmod(fd, old.st_mode & 07777))
        target->shared = true;
    return 0;
}

/* Makes the new name survive a power cut, too. */
static void sync_folder(const char *path)
{
    char *const folder = beside(path, ".");
    const int fd = folder ? open_file(folder, O_RDONLY | O_DIRECTORY, 0) : -1;
    if (fd >= 0) {
        fsync(fd); /* some file systems cannot; the file itself is safe */
        close(fd);
    }
    mem_free(folder);
}

#endif

static int rename_over(const char *from, const char *to)
{
    return rename(from, to) ? -errno : 0;
}

static int target_seek(int fd, uint64_t position)
{
    return lseek(fd, (off_t)position, SEEK_SET) < 0 ? -1 : 0;
}

static int target_sync(int fd)
{
    return fsync(fd);
}

static int target_open_temporary(const TargetPath *target)
{
    return open_file(target->temporary, O_RDONLY, 0);
}

static int target_open_through(const TargetPath *target)
{
    return open_file(target->path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
}

static void target_remove_temporary(TargetPath *target)
{
    if (!target->temporary)
        return;
    unlink(target->temporary);
    mem_free(target->temporary);
    target->temporary = NULL;
}

static void target_clear(TargetPath *target)
{
    mem_free(target->path);
    mem_free(target->temporary);
    *target = (TargetPath){ 0 };
}

/* True if a program that may not create files in the folder may still write the file itself. */
static bool is_folder_closed(int err)
{
    return err == -EACCES || err == -EPERM || err == -EROFS || err == -ENAMETOOLONG;
}

static int find_beside(TargetPath *target, int *fd)
{
    int err = look_at_old(target);
    if (!err)
        err = create_temporary(target, 0666, fd);
    if (err)
        return err;
    return keep_attributes(target, *fd);
}

static int find_for(TargetPath *target, enum OutfileKind kind, int *fd)
{
    if (kind == OUTFILE_PRIVATE)
        return create_temporary(target, 0600, fd);
    int err = -EACCES;
    if (kind == OUTFILE_REPLACE && !must_write_through(target))
        err = find_beside(target, fd);
    if (err && !target->temporary && is_folder_closed(err)) {
        *fd = target_open_through(target);
        err = *fd < 0 ? *fd : 0;
    }
    return err;
}

/* Finds the paths and opens the file to write: *fd is empty. 0 or a negative errno. */
static int target_find(TargetPath *target, const char *path, enum OutfileKind kind, int *fd)
{
    *fd = -1;
    *target =
        (TargetPath){ .path = kind == OUTFILE_PRIVATE ? mem_strdup(path) : follow_links(path) };
    const int err = target->path ? find_for(target, kind, fd) : -ENOMEM;
    if (err) {
        if (*fd >= 0)
            close(*fd);
        target_remove_temporary(target);
        target_clear(target);
    }
    return err;
}

/* On success the temporary file is gone. 0 or a negative errno. */
static int target_replace(TargetPath *target, bool synced)
{
    const int err = rename_over(target->temporary, target->path);
    if (err)
        return err;
    if (synced)
        sync_folder(target->path);
    mem_free(target->temporary);
    target->temporary = NULL;
    return 0;
}

static bool target_is_on_disk(int fd)
{
    struct stat info;
    return !fstat(fd, &info) && S_ISREG(info.st_mode);
}

/* ---- files ---- */

struct Outfile {
    TargetPath target;
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
        if (!written) /* would never end */
            return -EIO;
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return 0;
}

#if defined(__linux__) && !defined(__ANDROID__) /* Android's C library has no fopencookie */
/* The C library's own streams fail when a signal interrupts them; this one tries again. */
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
    if (stream) /* one thread uses it, in many small writes: no lock for each */
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
    int err = target_find(&file->target, path, kind, &file->fd);
    if (err) {
        mem_free(file);
        return err;
    }
    file->synced = kind != OUTFILE_PRIVATE && target_is_on_disk(file->fd);
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
    if (target_seek(file->fd, position))
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

/* Ignores file systems that cannot sync. */
static int sync_file(int fd)
{
    int failed;
    while ((failed = target_sync(fd)) && errno == EINTR)
        ;
    return failed && errno != EINVAL && errno != ENOTSUP && errno != ENOSYS ? -errno : 0;
}

/* Closes the file. A signal does not keep it from being closed. */
static void close_file(Outfile *file)
{
    if (close(file->fd) && errno != EINTR)
        note(file, -errno);
    file->fd = -1;
}

/* Copies the temporary file into the target, which could not be replaced by renaming. */
static int copy_over(const Outfile *file)
{
    char buffer[1 << 14];
    const int from = target_open_temporary(&file->target);
    if (from < 0)
        return from;
    int err = 0;
    const int to = target_open_through(&file->target);
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

static int replace_target(Outfile *file)
{
    int err = file->target.shared ? -EBUSY : target_replace(&file->target, file->synced);
    /* Renaming also fails over a mount point (EBUSY), and in a folder where only owners may replace
     * files (EPERM, EACCES). */
    if (file->synced && (err == -EBUSY || err == -EPERM || err == -EACCES)) {
        err = copy_over(file);
        target_remove_temporary(&file->target);
    }
    return err;
}

int outfile_commit(Outfile *file)
{
    close_stream(file);
    if (!file->err && file->synced)
        note(file, sync_file(file->fd));
    close_file(file);
    if (!file->err && file->target.temporary)
        note(file, replace_target(file));
    const int err = file->err;
    if (err)
        target_remove_temporary(&file->target);
    target_clear(&file->target);
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
