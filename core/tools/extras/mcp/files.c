/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/argv.h"

#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif
#define FOLDER_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)

int folder_open(const char *path)
{
    const int fd = open(path, FOLDER_FLAGS);
    return fd < 0 ? -errno : fd;
}

void folder_close(int folder)
{
    close(folder);
}

/* Is it a file of /proc, /sys or the like? They look like regular files, but the kernel generates
 * their contents. */
static bool is_of_kernel(int fd)
{
#ifdef __linux__
    struct statfs system;
    return !fstatfs(fd, &system) &&
           (system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC ||
            system.f_type == DEBUGFS_MAGIC || system.f_type == TRACEFS_MAGIC);
#else
    (void)fd;
    return false;
#endif
}

/* Open the folder that contains the last component of *rest, one component at a time, and advance
 * *rest. Returns -1 with errno on failure. It follows no link: the path was resolved, so any link
 * was created since then. */
static int open_parent(int folder, const char **rest)
{
    int at = fcntl(folder, F_DUPFD_CLOEXEC, 3);
    for (const char *slash; at >= 0 && (slash = strchr(*rest, '/')); *rest = slash + 1) {
        char *const name = strndup(*rest, (size_t)(slash - *rest));
        const int next = name ? openat(at, name, FOLDER_FLAGS | O_NOFOLLOW) : -1;
        const int error = errno;
        free(name);
        close(at);
        errno = error;
        at = next;
    }
    return at;
}

int folder_open_file(int folder, const char *root, const char *rest)
{
    struct stat info;
    const int parent = open_parent(folder, &rest);
    if (parent < 0)
        return -errno;
    int fd = -1;
    if (!fstatat(parent, rest, &info, AT_SYMLINK_NOFOLLOW)) {
        errno = ENOTSUP;
        if (S_ISREG(info.st_mode)) /* not for devices: opening one can have side effects */
            fd = openat(parent, rest, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW);
    }
    int err = fd < 0 ? -errno : 0;
    close(parent);
    if (!err && is_of_kernel(fd)) {
        close(fd);
        err = -ENOTSUP;
    }
    return err ? err : fd;
}

char *file_name(int fd)
{
    return text_print("/proc/self/fd/%d", fd);
}

int scratch_open(Scratch *scratch)
{
    const char *const folder = getenv("TMPDIR");
    char name[4096];
    snprintf(name, sizeof(name), "%s/vmaf-mcp-XXXXXX", folder && *folder ? folder : "/tmp");
    *scratch = (Scratch){ .fd = mkostemp(name, O_CLOEXEC) };
    if (scratch->fd < 0)
        return -errno;
    unlink(name);
    scratch->name = file_name(scratch->fd);
    if (scratch->name)
        return 0;
    scratch_close(scratch);
    return -ENOMEM;
}

void scratch_close(Scratch *scratch)
{
    if (scratch->fd >= 0)
        close(scratch->fd);
    free(scratch->name);
    *scratch = (Scratch){ .fd = -1 };
}

int scratch_write(const Scratch *scratch, const char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        const ssize_t count = pwrite(scratch->fd, bytes + at, length - at, (off_t)at);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count < 0 ? -errno : -EIO;
        at += (size_t)count;
    }
    return 0;
}

char *scratch_read(const Scratch *scratch, size_t most, size_t *length)
{
    struct stat info;
    *length = 0;
    if (fstat(scratch->fd, &info) || !info.st_size || (uint64_t)info.st_size > most)
        return NULL;
    char *const text = malloc((size_t)info.st_size);
    ssize_t count = 1;
    while (text && count > 0 && *length < (size_t)info.st_size) {
        count = pread(scratch->fd, text + *length, (size_t)info.st_size - *length, (off_t)*length);
        *length += count > 0 ? (size_t)count : 0;
    }
    return text;
}
