/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/cachefolder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"

/* What is asked of the system; `own`: it must be this user's, and nobody else's to write. */
#ifdef _WIN32

#define getenv_trusted getenv
#define BASE_VARIABLE "LOCALAPPDATA"

static bool is_absolute(const char *path)
{
    return path[0] != 0;
}

/* A profile's folders are its owner's: the system sees to that. */
static bool is_own(const struct stat *info)
{
    return true;
}

int cachefolder_random(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned value;
        if (rand_s(&value))
            return -EIO;
        bytes[i] = (uint8_t)value;
    }
    return 0;
}

#else

#define BASE_VARIABLE "XDG_CACHE_HOME"
/* A program that runs with more rights than its user's does not let him say where it writes. */
#ifdef __linux__
#define getenv_trusted secure_getenv
#else
#define getenv_trusted getenv
#endif

static bool is_absolute(const char *path)
{
    return path[0] == '/';
}

static bool is_own(const struct stat *info)
{
    return info->st_uid == geteuid() && !(info->st_mode & (S_IWGRP | S_IWOTH));
}

int cachefolder_random(uint8_t *bytes, size_t size)
{
    const int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    const ssize_t got = read(fd, bytes, size);
    close(fd);
    return got == (ssize_t)size ? 0 : -EIO;
}

#endif

static int copy_path(char folder[CACHE_FOLDER], const char *base, const char *tail)
{
    const int n = snprintf(folder, CACHE_FOLDER, "%s%s", base, tail);
    return n < 0 || n >= CACHE_FOLDER ? -ENOENT : 0;
}

/* The folder's name, and how much of it must be there already. */
static int name_folder(char folder[CACHE_FOLDER], size_t *given)
{
    const char *const named = getenv_trusted("VMAF_CACHE_DIR");
    const char *const base = getenv_trusted(BASE_VARIABLE);
    const char *const home = getenv_trusted("HOME");
    *given = 0;
    if (named)
        return named[0] ? copy_path(folder, named, "") : -ENOENT;
    if (base && is_absolute(base))
        return copy_path(folder, base, "/vmaf");
    /* Without a home of one's own nothing is kept, and no tree is made where it would be. */
    struct stat info;
    if (!home || !is_absolute(home) || stat(home, &info) || !S_ISDIR(info.st_mode) ||
        !is_own(&info))
        return -ENOENT;
    *given = strlen(home);
    return copy_path(folder, home, "/.cache/vmaf");
}

/* As mkdir -p; whether it worked shows when it is looked at. */
static void make_folders(char *path, size_t given)
{
    for (char *at = path + given + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        mkdir(path, 0700);
        *at = '/';
    }
    mkdir(path, 0700);
}

int cachefolder_find(char folder[CACHE_FOLDER], bool make)
{
    size_t given;
    struct stat info;
    const int err = name_folder(folder, &given);
    if (err)
        return err;
    if (make)
        make_folders(folder, given);
    if (lstat(folder, &info))
        return -ENOENT;
    if (S_ISDIR(info.st_mode) && is_own(&info))
        return 0;
    log_debug("cache: %s is not used: it must be a folder of this user that others cannot write",
              folder);
    return -EPERM;
}

static int read_all(int fd, uint8_t *bytes, size_t size)
{
    while (size) {
        const ssize_t got = read(fd, bytes, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return -ENOENT;
        bytes += got;
        size -= (size_t)got;
    }
    return 0;
}

static int load_open(int fd, size_t max_size, void **data, size_t *size)
{
    struct stat info;
    if (fstat(fd, &info) || !S_ISREG(info.st_mode) || !is_own(&info) || info.st_size <= 0 ||
        (uint64_t)info.st_size > max_size)
        return -ENOENT;
    *size = (size_t)info.st_size;
    *data = mem_alloc(*size);
    if (!*data)
        return -ENOMEM;
    const int err = read_all(fd, *data, *size);
    if (err) {
        mem_free(*data);
        *data = NULL;
    }
    return err;
}

int cachefolder_load(const char *path, size_t max_size, void **data, size_t *size)
{
    *data = NULL;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return -ENOENT;
    const int err = load_open(fd, max_size, data, size);
    close(fd);
    return err;
}
