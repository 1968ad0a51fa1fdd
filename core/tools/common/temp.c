/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "temp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "argv.h"
#include "json_memory.h"
#include "message.h"
#include "sweep.h"

/* Attempts to create something that another program's sweep keeps removing at once. Losing that
 * often is no longer bad luck. */
#define TRIES 1000

struct TempFolder {
    char *path;
    int lock;
    unsigned files;
};

/* Locks the new folder. Where the file system has no locks, nobody sweeps either. -EAGAIN: another
 * program has just removed the folder. */
static int take_lock(TempFolder *temp)
{
    char *const path = text_print("%s/" SWEEP_LOCK, temp->path);
    struct stat info;
    if (!path)
        return -ENOMEM;
    temp->lock = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const int err = temp->lock >= 0 ? 0 : -errno;
    free(path);
    if (err)
        return err == -ENOENT ? -EAGAIN : err;
    const bool taken = flock(temp->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
    if (!taken && !fstat(temp->lock, &info) && info.st_nlink)
        return 0;
    close(temp->lock);
    temp->lock = -1;
    return -EAGAIN;
}

static int make_folder(TempFolder *temp, const char *parent)
{
    temp->path = text_print("%s/" SWEEP_PREFIX "XXXXXX", parent);
    if (!temp->path)
        return -ENOMEM;
    int err = mkdtemp(temp->path) ? 0 : -errno;
    if (!err) {
        err = take_lock(temp);
        if (err && err != -EAGAIN)
            rmdir(temp->path);
    }
    if (err) {
        free(temp->path);
        temp->path = NULL;
    }
    return err;
}

int temp_create(TempFolder **out, const char *parent)
{
    TempFolder *const temp = calloc(1, sizeof(*temp));
    *out = NULL;
    if (!temp)
        return -ENOMEM;
    temp->lock = -1;
    sweep(parent);
    int err = -EAGAIN;
    for (unsigned i = 0; err == -EAGAIN && i < TRIES; i++)
        err = make_folder(temp, parent);
    if (err) {
        if (err != -ENOMEM)
            say("cannot create a temporary folder in %s: %s; choose another place with --temp",
                parent, strerror(-err));
        free(temp);
        return err;
    }
    *out = temp;
    return 0;
}

void temp_destroy(TempFolder *temp)
{
    if (!temp)
        return;
    sweep_remove(temp->path, temp->lock);
    free(temp->path);
    free(temp);
}

const char *temp_path(const TempFolder *temp)
{
    return temp->path;
}

char *temp_file(TempFolder *temp, const char *extension)
{
    return text_print("%s/%u.%s", temp->path, ++temp->files, extension);
}

/* ---- drafts ---- */

static int complain(const char *path, int error)
{
    say("cannot write %s: %s", path, strerror(error));
    return -error;
}

/* Locks a draft, so that nobody sweeps it away. Where the file system has no locks, nobody sweeps
 * either. -EAGAIN: another program has just removed it. */
static int lock_draft(int fd)
{
    struct stat info;
    const bool taken = flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
    return !taken && !fstat(fd, &info) && info.st_nlink ? 0 : -EAGAIN;
}

static int make_draft(Draft *draft, const char *folder, int *fd)
{
    draft->temporary = text_print("%s/" SWEEP_DRAFT, folder);
    if (!draft->temporary)
        return -ENOMEM;
    *fd = mkostemps(draft->temporary, strlen(".tmp"), O_CLOEXEC);
    int err = *fd >= 0 ? lock_draft(*fd) : -errno;
    if (!err)
        return 0;
    if (*fd >= 0)
        close(*fd);
    free(draft->temporary);
    draft->temporary = NULL;
    return err;
}

static int open_draft(Draft *draft, const char *folder)
{
    int fd = -1, err = -EAGAIN;
    sweep(folder);
    for (unsigned i = 0; err == -EAGAIN && i < TRIES; i++)
        err = make_draft(draft, folder, &fd);
    if (err)
        return err;
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    draft->file = fdopen(fd, "w");
    if (draft->file)
        return 0;
    err = -errno;
    unlink(draft->temporary);
    close(fd);
    free(draft->temporary);
    draft->temporary = NULL;
    return err;
}

int draft_open(Draft *draft, const char *path)
{
    *draft = (Draft){ .path = path };
    if (!strcmp(path, "-")) {
        draft->file = stdout;
        return 0;
    }
    struct stat info;
    if (!stat(path, &info) && !S_ISREG(info.st_mode)) { /* a pipe or device: nothing to replace */
        draft->file = fopen(path, "we");
        return draft->file ? 0 : complain(path, errno);
    }
    char *const folder = path_folder(path);
    const int err = folder ? open_draft(draft, folder) : -ENOMEM;
    free(folder);
    return err && err != -ENOMEM ? complain(path, -err) : err;
}

int draft_close(Draft *draft)
{
    if (!draft->err && json_memory_failed()) /* something may be missing in it */
        draft->err = -ENOMEM;
    errno = 0;
    bool lost = fflush(draft->file) || ferror(draft->file) || draft->err;
    if (draft->err)
        errno = -draft->err;
    if (draft->temporary) /* rename it while it is open, and so still locked */
        lost = lost || fsync(fileno(draft->file)) || rename(draft->temporary, draft->path);
    int error = lost ? (errno ? errno : EIO) : 0;
    if (draft->temporary && error)
        unlink(draft->temporary);
    if (draft->file != stdout && fclose(draft->file) && !error)
        error = errno;
    free(draft->temporary);
    return error ? complain(draft->path, error) : 0;
}

int draft_check(const char *path)
{
    struct stat info;
    if (!strcmp(path, "-"))
        return 0;
    if (!stat(path, &info)) {
        if (S_ISDIR(info.st_mode))
            return complain(path, EISDIR);
        return access(path, W_OK) ? complain(path, errno) : 0;
    }
    char *const folder = path_folder(path);
    if (!folder)
        return -ENOMEM;
    const int error = access(folder, W_OK | X_OK) ? errno : 0;
    free(folder);
    return error ? complain(path, error) : 0;
}
