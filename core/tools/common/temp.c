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

struct TempFolder {
    char *path;
    int lock;
    unsigned files;
};

/* Removes what is in a folder, but for `kept` (NULL: all), and in the folders in it; links are not followed. */
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

/* The lock goes last: whoever is killed meanwhile leaves a folder that has one, or that is empty. */
static void remove_folder(int parent, const char *name)
{
    const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0)
        empty(folder, LOCK);
    unlinkat(parent, name, AT_REMOVEDIR);
}

/* Removes the folder if its owner has gone without doing so. The lock is held meanwhile, so that an owner who has made
 * it and not yet taken it sees that the folder goes; and one who has not yet made it finds no place for it. */
static void sweep_folder(int parent, const char *name)
{
    char *const path = text_print("%s/" LOCK, name);
    const int lock = path ? openat(parent, path, O_RDWR | O_NOFOLLOW | O_CLOEXEC) : -1;
    free(path);
    if (lock < 0) {
        unlinkat(parent, name, AT_REMOVEDIR); /* if it is empty */
        return;
    }
    if (!flock(lock, LOCK_EX | LOCK_NB))
        remove_folder(parent, name);
    close(lock);
}

static bool is_draft(const char *name)
{
    static const char end[] = ".tmp";
    return strlen(name) == strlen(TEMP_DRAFT) &&
           !strcmp(name + strlen(TEMP_DRAFT) - strlen(end), end);
}

/* The same for a file; its writer sees that it goes when he locks it. */
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

void temp_sweep(const char *parent)
{
    DIR *const dir = opendir(parent);
    if (!dir)
        return;
    for (const struct dirent *entry; (entry = readdir(dir));)
        sweep_one(dirfd(dir), entry->d_name);
    closedir(dir);
}

/* Where nothing can be locked nobody sweeps. -EAGAIN: somebody has just swept the folder away. */
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

/* To be swept away that often takes more than bad luck. */
#define TRIES 1000

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
            say("no folder for temporary files can be made in %s: %s; --temp names another place",
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
