/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/outfile_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

/* A program may have closed its stderr: what is logged must not end in the next file opened. */
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

/* open() as a signal may interrupt it, with the error as its value. */
static int open_file(const char *path, int flags, unsigned mode)
{
    int fd;
    while ((fd = open(path, flags | O_CLOEXEC, mode)) < 0 && errno == EINTR)
        ;
    fd = above_streams(fd);
    return fd < 0 ? -errno : fd;
}

/* Length of the folder's part of a path, its slash included. */
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

/* Nobody else has this name: it is made, or the next one tried. */
static int create_temporary(Place *place, unsigned mode, int *fd)
{
    static atomic_uint counter;
    for (unsigned tries = 0; tries < 100; tries++) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        char name[96];
        snprintf(name, sizeof(name), ".vmaf-%ld-%u-%lx.tmp", (long)getpid(),
                 atomic_fetch_add(&counter, 1), (unsigned long)now.tv_nsec);
        place->temporary = beside(place->path, name);
        if (!place->temporary)
            return -ENOMEM;
        *fd = open_file(place->temporary, O_WRONLY | O_CREAT | O_EXCL, mode);
        if (*fd >= 0)
            return 0;
        mem_free(place->temporary);
        place->temporary = NULL;
        if (*fd != -EEXIST)
            return *fd;
    }
    return -EEXIST;
}

#ifdef _WIN32

/* The path at the end of a chain of links, with slashes. */
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

static bool must_write_through(const Place *place)
{
    struct stat info;
    return !stat(place->path, &info) && !S_ISREG(info.st_mode);
}

static int look_at_old(Place *place)
{
    return access(place->path, W_OK) && errno != ENOENT ? -errno : 0;
}

static int keep_attributes(Place *place, int fd)
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

/* The path at the end of a chain of links, whether there is a file or not. */
static char *follow_links(const char *path)
{
    char target[4096];
    char *at = mem_strdup(path);
    /* What lies under /proc is no name but an open file: it is reached through the link only. */
    for (unsigned links = 0; at && links < 40 && !starts_with(at, "/proc/"); links++) {
        const ssize_t length = readlink(at, target, sizeof(target) - 1);
        if (length < 0)
            return at;
        target[length] = '\0';
        char *const next = target[0] == '/' ? mem_strdup(target) : beside(at, target);
        mem_free(at);
        at = next;
    }
    return at; /* a circle: to open it says so */
}

static bool is_same_file(const struct stat *a, int fd)
{
    struct stat b;
    return !fstat(fd, &b) && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* What is no plain file, and what a name would not replace: the files this program has open, under
 * the names that stand for them, or as where its output goes. */
static bool must_write_through(const Place *place)
{
    const char *const path = place->path;
    struct stat info;
    if (!*path || path[strlen(path) - 1] == '/' || starts_with(path, "/proc/") ||
        (starts_with(path, "/dev/") && !starts_with(path, "/dev/shm/")))
        return true;
    return !stat(path, &info) && (!S_ISREG(info.st_mode) || is_same_file(&info, STDOUT_FILENO) ||
                                  is_same_file(&info, STDERR_FILENO));
}

/* A file that may not be written is not replaced either. */
static int look_at_old(Place *place)
{
    const int fd = open_file(place->path, O_WRONLY | O_NONBLOCK | O_NOCTTY, 0);
    struct stat info;
    if (fd == -ENOENT)
        return 0;
    if (fd < 0)
        return fd;
    if (!fstat(fd, &info))
        place->shared = info.st_nlink > 1;
    close(fd);
    return 0;
}

static int keep_attributes(Place *place, int fd)
{
    struct stat old, fresh;
    if (stat(place->path, &old))
        return errno == ENOENT ? 0 : -errno;
    if (fstat(fd, &fresh))
        return -errno;
    const bool owned = old.st_uid == fresh.st_uid && old.st_gid == fresh.st_gid;
    if ((!owned && fchown(fd, old.st_uid, old.st_gid)) || fchmod(fd, old.st_mode & 07777))
        place->shared = true;
    return 0;
}

/* The new name, too, outlives a power cut. */
static void sync_folder(const char *path)
{
    char *const folder = beside(path, ".");
    const int fd = folder ? open_file(folder, O_RDONLY | O_DIRECTORY, 0) : -1;
    if (fd >= 0) {
        fsync(fd); /* not all file systems can: the file itself is safe */
        close(fd);
    }
    mem_free(folder);
}

#endif

static int rename_over(const char *from, const char *to)
{
    return rename(from, to) ? -errno : 0;
}

int place_seek(int fd, uint64_t position)
{
    return lseek(fd, (off_t)position, SEEK_SET) < 0 ? -1 : 0;
}

int place_sync(int fd)
{
    return fsync(fd);
}

int place_open_temporary(const Place *place)
{
    return open_file(place->temporary, O_RDONLY, 0);
}

int place_open_through(const Place *place)
{
    return open_file(place->path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
}

/* Some may write a file and not the folder it is in. */
static bool is_folder_closed(int err)
{
    return err == -EACCES || err == -EPERM || err == -EROFS || err == -ENAMETOOLONG;
}

static int find_beside(Place *place, int *fd)
{
    int err = look_at_old(place);
    if (!err)
        err = create_temporary(place, 0666, fd);
    if (err)
        return err;
    return keep_attributes(place, *fd);
}

static int find_for(Place *place, enum OutfileKind kind, int *fd)
{
    if (kind == OUTFILE_PRIVATE)
        return create_temporary(place, 0600, fd);
    int err = -EACCES;
    if (kind == OUTFILE_REPLACE && !must_write_through(place))
        err = find_beside(place, fd);
    if (err && !place->temporary && is_folder_closed(err)) {
        *fd = place_open_through(place);
        err = *fd < 0 ? *fd : 0;
    }
    return err;
}

int place_find(Place *place, const char *path, enum OutfileKind kind, int *fd)
{
    *fd = -1;
    *place = (Place){ .path = kind == OUTFILE_PRIVATE ? mem_strdup(path) : follow_links(path) };
    const int err = place->path ? find_for(place, kind, fd) : -ENOMEM;
    if (err) {
        if (*fd >= 0)
            close(*fd);
        place_remove_temporary(place);
        place_clear(place);
    }
    return err;
}

void place_clear(Place *place)
{
    mem_free(place->path);
    mem_free(place->temporary);
    *place = (Place){ 0 };
}

int place_replace(Place *place, bool synced)
{
    const int err = rename_over(place->temporary, place->path);
    if (err)
        return err;
    if (synced)
        sync_folder(place->path);
    mem_free(place->temporary);
    place->temporary = NULL;
    return 0;
}

void place_remove_temporary(Place *place)
{
    if (!place->temporary)
        return;
    unlink(place->temporary);
    mem_free(place->temporary);
    place->temporary = NULL;
}

bool place_is_on_disk(int fd)
{
    struct stat info;
    return !fstat(fd, &info) && S_ISREG(info.st_mode);
}
