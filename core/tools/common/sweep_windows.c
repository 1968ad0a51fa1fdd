/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Windows has no functions that work relative to an open folder, and removes a file only when
 * nobody has it open any more. */
#include "sweep.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "argv.h"

/* Calls `call` with the path of each entry of the folder. */
static void each_entry(const char *folder, void (*call)(const char *path, const char *name))
{
    DIR *const dir = opendir(folder);
    if (!dir)
        return;
    for (const struct dirent *entry; (entry = readdir(dir));) {
        char *const path = strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")
                               ? text_print("%s/%s", folder, entry->d_name)
                               : NULL;
        if (path)
            call(path, entry->d_name);
        free(path);
    }
    closedir(dir);
}

static void remove_entry(const char *path, const char *name)
{
    struct stat info;
    if (!lstat(path, &info) && S_ISDIR(info.st_mode))
        each_entry(path, remove_entry);
    if (unlink(path))
        rmdir(path);
}

static void remove_unless_lock(const char *path, const char *name)
{
    if (strcmp(name, SWEEP_LOCK))
        remove_entry(path, name);
}

/* The lock file goes last: if we are killed meanwhile, the folder left behind still has one, or is
 * empty. */
void sweep_remove(const char *path, int lock)
{
    each_entry(path, remove_unless_lock);
    if (lock >= 0)
        close(lock);
    each_entry(path, remove_entry);
    rmdir(path);
}

static void sweep_folder(const char *path)
{
    char *const file = text_print("%s/" SWEEP_LOCK, path);
    const int lock = file ? open(file, O_RDWR) : -1;
    free(file);
    if (lock < 0)
        rmdir(path); /* works only if it is empty */
    else if (!flock(lock, LOCK_EX | LOCK_NB))
        sweep_remove(path, lock);
    else
        close(lock);
}

static void sweep_draft(const char *path)
{
    const int draft = open(path, O_RDWR);
    if (draft < 0)
        return;
    if (!flock(draft, LOCK_EX | LOCK_NB))
        unlink(path);
    close(draft);
}

static void sweep_one(const char *path, const char *name)
{
    struct stat info;
    if (strncmp(name, SWEEP_PREFIX, strlen(SWEEP_PREFIX)) || lstat(path, &info))
        return;
    if (S_ISDIR(info.st_mode))
        sweep_folder(path);
    else if (S_ISREG(info.st_mode) && sweep_is_draft(name))
        sweep_draft(path);
}

void sweep(const char *parent)
{
    each_entry(parent, sweep_one);
}
