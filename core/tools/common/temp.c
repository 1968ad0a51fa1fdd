/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "temp.h"

#include <dirent.h>
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
#include "message.h"

#define PREFIX ".vmaf-tune-"
#define LOCK "lock"
#define DRAFT PREFIX "XXXXXX.tmp" /* name of a draft, for mkostemps */

/* Attempts to create something that another program's sweep keeps removing at once. Losing that
 * often is no longer bad luck. */
#define TRIES 1000

struct TempFolder {
    char *path;
    int lock;
    unsigned files;
};

/* Removes everything in a folder, and in the folders within it; does not follow links. `kept` goes
 * last (NULL: in any order). Takes over the descriptor `folder`. */
static void empty(int folder, const char *kept)
{
    DIR *const dir = fdopendir(folder);
    if (!dir) {
        close(folder);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(dir));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
            (kept && !strcmp(entry->d_name, kept)))
            continue;
        if (!unlinkat(dirfd(dir), entry->d_name, 0))
            continue;
        const int inner =
            openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (inner >= 0)
            empty(inner, NULL);
        unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
    }
    if (kept)
        unlinkat(dirfd(dir), kept, 0);
    closedir(dir);
}

/* The lock file goes last: if we are killed meanwhile, the folder left behind still has one, or is
 * empty. */
static void remove_folder(int parent, const char *name)
{
    const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0)
        empty(folder, LOCK);
    unlinkat(parent, name, AT_REMOVEDIR);
}

/* Removes the folder if its owner has died. Holds the lock meanwhile, so that an owner who has
 * created the lock file but not yet locked it notices the removal; an owner who has not yet created
 * it finds the folder gone. */
static void sweep_folder(int parent, const char *name)
{
    char *const path = text_print("%s/" LOCK, name);
    const int lock = path ? openat(parent, path, O_RDWR | O_NOFOLLOW | O_CLOEXEC) : -1;
    free(path);
    if (lock < 0) {
        unlinkat(parent, name, AT_REMOVEDIR); /* works only if it is empty */
        return;
    }
    if (!flock(lock, LOCK_EX | LOCK_NB))
        remove_folder(parent, name);
    close(lock);
}

static bool is_draft(const char *name)
{
    static const char end[] = ".tmp";
    return strlen(name) == strlen(DRAFT) && !strcmp(name + strlen(DRAFT) - strlen(end), end);
}

/* Removes a draft whose writer has died. A writer that has not locked it yet notices the removal
 * when it does. */
static void sweep_draft(int parent, const char *name)
{
    const int draft = openat(parent, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (draft < 0)
        return;
    if (!flock(draft, LOCK_EX | LOCK_NB))
        unlinkat(parent, name, 0);
    close(draft);
}

static void sweep_one(int parent, const char *name)
{
    struct stat info;
    if (strncmp(name, PREFIX, strlen(PREFIX)) ||
        fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) || info.st_uid != geteuid())
        return;
    if (S_ISDIR(info.st_mode))
        sweep_folder(parent, name);
    else if (S_ISREG(info.st_mode) && is_draft(name))
        sweep_draft(parent, name);
}

/* Removes what killed programs of this user left in a folder. */
static void temp_sweep(const char *parent)
{
    DIR *const dir = opendir(parent);
    if (!dir)
        return;
    for (const struct dirent *entry; (entry = readdir(dir));)
        sweep_one(dirfd(dir), entry->d_name);
    closedir(dir);
}

/* Locks the new folder. Where the file system has no locks, nobody sweeps either. -EAGAIN: another
 * program has just removed the folder. */
static int take_lock(TempFolder *temp)
{
    char *const path = text_print("%s/" LOCK, temp->path);
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
    temp->path = text_print("%s/" PREFIX "XXXXXX", parent);
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
    temp_sweep(parent);
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
    remove_folder(AT_FDCWD, temp->path);
    if (temp->lock >= 0)
        close(temp->lock);
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
    draft->temporary = text_print("%s/" DRAFT, folder);
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
    temp_sweep(folder);
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
