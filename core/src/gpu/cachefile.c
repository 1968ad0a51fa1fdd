/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/cachefile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#ifdef _WIN32
#include <direct.h>
#define make_folder(path) _mkdir(path)
#else
#define make_folder(path) mkdir(path, 0700)
#endif

#define MAX_FILE ((size_t)256 << 20)

typedef struct Header {
    char magic[8];
    uint64_t size, checksum;
} Header;

static const char magic[8] = "vmafcch1";

/* FNV-1a. */
static uint64_t checksum(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

static int folder(char *path, size_t size)
{
    const char *own = getenv("VMAF_CACHE_DIR");
#ifdef _WIN32
    const char *base = getenv("LOCALAPPDATA"), *sub = "";
#else
    const char *base = getenv("XDG_CACHE_HOME"), *sub = "";
    if (!base || base[0] != '/') {
        base = getenv("HOME");
        sub = "/.cache";
    }
#endif
    int n;
    if (own)
        n = own[0] ? snprintf(path, size, "%s", own) : -1;
    else
        n = base && base[0] ? snprintf(path, size, "%s%s/vmaf", base, sub) : -1;
    return n < 0 || (size_t)n >= size ? -ENOENT : 0;
}

/* As mkdir -p; whether it worked shows when the file is opened. */
static void make_folders(char *path)
{
    for (char *at = path + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        make_folder(path);
        *at = '/';
    }
    make_folder(path);
}

static int read_checked(FILE *file, void **data, size_t *size)
{
    Header header;
    if (fread(&header, sizeof(header), 1, file) != 1 ||
        memcmp(header.magic, magic, sizeof(magic)) || !header.size || header.size > MAX_FILE)
        return -ENOENT;
    void *bytes = mem_alloc((size_t)header.size);
    if (!bytes)
        return -ENOMEM;
    if (fread(bytes, (size_t)header.size, 1, file) != 1 ||
        checksum(bytes, (size_t)header.size) != header.checksum) {
        mem_free(bytes);
        return -ENOENT;
    }
    *data = bytes;
    *size = (size_t)header.size;
    return 0;
}

int cachefile_read(const char *name, void **data, size_t *size)
{
    char path[1024];
    int err = folder(path, sizeof(path) - 128);
    if (err)
        return err;
    snprintf(path + strlen(path), 128, "/%.100s", name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return -ENOENT;
    err = read_checked(file, data, size);
    fclose(file);
    return err;
}

int cachefile_write(const char *name, const void *data, size_t size)
{
    char path[1024], temporary[1100];
    int err = folder(path, sizeof(path) - 128);
    if (err)
        return err;
    make_folders(path);
    snprintf(path + strlen(path), 128, "/%.100s", name);
    snprintf(temporary, sizeof(temporary), "%s.%ld.tmp", path, (long)getpid());
    FILE *file = fopen(temporary, "wb");
    if (!file)
        return -errno;
    Header header = { .size = size, .checksum = checksum(data, size) };
    memcpy(header.magic, magic, sizeof(magic));
    bool good = fwrite(&header, sizeof(header), 1, file) == 1 && fwrite(data, size, 1, file) == 1;
    good = fclose(file) == 0 && good;
#ifdef _WIN32
    if (good)
        remove(path); /* rename does not replace there */
#endif
    if (good && rename(temporary, path) == 0)
        return 0;
    remove(temporary);
    return -EIO;
}
