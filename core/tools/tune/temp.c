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

/* Removes what is in a folder, and in the folders in it; links are not followed. */
static void empty(int folder)
{
    DIR *const dir = fdopendir(folder);
    if (!dir) {
        close(folder);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(dir));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        if (!unlinkat(dirfd(dir), entry->d_name, 0))
            continue;
        const int inner =
            openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (inner >= 0)
            empty(inner);
        unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
    }
    closedir(dir);
}

static void remove_folder(int parent, const char *name)
{
    const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0)
        empty(folder);
    unlinkat(parent, name, AT_REMOVEDIR);
}

/* Is it ours, and has its owner gone without removing it? */
static bool is_left_behind(int parent, const char *name)
{
    struct stat info;
    if (strncmp(name, PREFIX, strlen(PREFIX)) ||
        fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(info.st_mode) ||
        info.st_uid != geteuid())
        return false;
    char *const path = text_print("%s/" LOCK, name);
    const int lock = path ? openat(parent, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
    free(path);
    if (lock < 0) /* just being made */
        return false;
    const bool free_of_owner = !flock(lock, LOCK_EX | LOCK_NB);
    close(lock);
    return free_of_owner;
}

static void sweep(const char *parent)
{
    DIR *const dir = opendir(parent);
    if (!dir)
        return;
    for (const struct dirent *entry; (entry = readdir(dir));)
        if (is_left_behind(dirfd(dir), entry->d_name))
            remove_folder(dirfd(dir), entry->d_name);
    closedir(dir);
}

int temp_create(TempFolder **out, const char *parent)
{
    TempFolder *const temp = calloc(1, sizeof(*temp));
    *out = NULL;
    if (!temp)
        return -ENOMEM;
    sweep(parent);
    temp->lock = -1;
    temp->path = text_print("%s/" PREFIX "XXXXXX", parent);
    if (!temp->path) {
        free(temp);
        return -ENOMEM;
    }
    if (!mkdtemp(temp->path)) {
        const int err = -errno;
        say("no folder for temporary files can be made in %s: %s; --temp names another place",
            parent, strerror(-err));
        free(temp->path);
        free(temp);
        return err;
    }
    char *const lock = text_print("%s/" LOCK, temp->path);
    if (lock)
        temp->lock = open(lock, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (temp->lock >= 0)
        flock(temp->lock, LOCK_EX | LOCK_NB);
    free(lock);
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
