/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "argv.h"

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
        empty(folder, SWEEP_LOCK);
    unlinkat(parent, name, AT_REMOVEDIR);
}

/* Removes the folder if its owner has died. Holds the lock meanwhile, so that an owner who has
 * created the lock file but not yet locked it notices the removal; an owner who has not yet created
 * it finds the folder gone. */
static void sweep_folder(int parent, const char *name)
{
    char *const path = text_print("%s/" SWEEP_LOCK, name);
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
    if (strncmp(name, SWEEP_PREFIX, strlen(SWEEP_PREFIX)) ||
        fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) || info.st_uid != geteuid())
        return;
    if (S_ISDIR(info.st_mode))
        sweep_folder(parent, name);
    else if (S_ISREG(info.st_mode) && sweep_is_draft(name))
        sweep_draft(parent, name);
}

void sweep(const char *parent)
{
    DIR *const dir = opendir(parent);
    if (!dir)
        return;
    for (const struct dirent *entry; (entry = readdir(dir));)
        sweep_one(dirfd(dir), entry->d_name);
    closedir(dir);
}

void sweep_remove(const char *path, int lock)
{
    remove_folder(AT_FDCWD, path);
    if (lock >= 0)
        close(lock);
}
