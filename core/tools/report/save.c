/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/save.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/argv.h"
#include "common/message.h"

static bool write_all(FILE *file, const char *data, size_t size)
{
    errno = 0;
    const bool written = fwrite(data, 1, size, file) == size && !fflush(file);
    if (!written && !errno)
        errno = EIO;
    return written;
}

static int write_through(const char *path, const char *data, size_t size)
{
    FILE *const file = fopen(path, "wb");
    if (!file)
        return -errno;
    int err = write_all(file, data, size) ? 0 : -errno;
    if (fclose(file) && !err)
        err = -EIO;
    return err;
}

/* The permissions that a new file would get. */
static mode_t new_mode(void)
{
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static int replace(const char *path, const char *data, size_t size, mode_t mode)
{
    const char *const slash = path_separator(path);
    const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    const size_t room = folder + sizeof(".vmaf-XXXXXX.tmp");
    char *const beside = malloc(room);
    if (!beside)
        return -ENOMEM;
    snprintf(beside, room, "%.*s.vmaf-XXXXXX.tmp", (int)folder, path);
    const int fd = mkstemps(beside, (int)strlen(".tmp"));
    FILE *const file = fd < 0 ? NULL : fdopen(fd, "wb");
    int err = file ? 0 : -errno;
    if (!err && (!write_all(file, data, size) || fchmod(fd, mode) || fsync(fd)))
        err = -errno;
    if (file && fclose(file) && !err)
        err = -EIO;
    if (!err && rename(beside, path))
        err = -errno;
    if (err && fd >= 0)
        unlink(beside);
    free(beside);
    return err;
}

int save_file(const char *path, const char *data, size_t size)
{
    if (!strcmp(path, "-")) {
        write_all(stdout, data, size);
        return finish_stdout();
    }
    struct stat info;
    const bool there = !stat(path, &info);
    errno = 0;
    char *const target =
        realpath(path, NULL); /* replace the target of a symbolic link, not the link */
    int err = there && !target ? -errno : 0;
    if (!err && there && !S_ISREG(info.st_mode))
        err = write_through(path, data, size);
    else if (!err)
        err =
            replace(target ? target : path, data, size, there ? info.st_mode & 07777 : new_mode());
    free(target);
    if (err)
        say("could not write file: %s: %s", path, strerror(-err));
    return err;
}
