/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/cachefile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "gpu/cachefolder.h"
#include "gpu/siphash.h"

#define MAX_FILE ((size_t)256 << 20)
#define KEY_NAME "key"

typedef struct Header {
    char magic[8];
    uint8_t tag[SIPHASH_SIZE]; /* of name and data, made with the user's key */
} Header;

static const char magic[8] = "vmafcch2";

static void join(char path[CACHE_PATH], const char *folder, const char *name)
{
    snprintf(path, CACHE_PATH, "%s/%.100s", folder, name);
}

static int replace(const char *path, const void *head, size_t head_size, const void *data,
                   size_t size)
{
    Outfile *file;
    const int err = outfile_open(&file, path, OUTFILE_PRIVATE);
    if (err)
        return err;
    fwrite(head, 1, head_size, outfile_stream(file));
    fwrite(data, 1, size, outfile_stream(file));
    return outfile_commit(file);
}

/* ---- the key ---- */

static int read_key(const char *folder, uint8_t key[SIPHASH_SIZE])
{
    char path[CACHE_PATH];
    void *data;
    size_t size;
    join(path, folder, KEY_NAME);
    const int err = cachefolder_load(path, SIPHASH_SIZE, &data, &size);
    if (err)
        return err;
    const bool whole = size == SIPHASH_SIZE;
    if (whole)
        memcpy(key, data, SIPHASH_SIZE);
    mem_free(data);
    return whole ? 0 : -ENOENT;
}

/* Of several that make one at a time the last one stays: what the others have tagged is written
 * again some day. */
static int make_key(const char *folder, uint8_t key[SIPHASH_SIZE])
{
    char path[CACHE_PATH];
    int err = read_key(folder, key);
    if (!err)
        return 0;
    join(path, folder, KEY_NAME);
    err = cachefolder_random(key, SIPHASH_SIZE);
    if (!err)
        err = replace(path, key, SIPHASH_SIZE, "", 0);
    return err ? err : read_key(folder, key);
}

/* A file that is moved to another name proves nothing there. */
static void make_tag(const uint8_t key[SIPHASH_SIZE], const char *name, const void *data,
                     size_t size, uint8_t tag[SIPHASH_SIZE])
{
    uint8_t own[SIPHASH_SIZE];
    siphash(key, name, strlen(name), own);
    siphash(own, data, size, tag);
}

/* ---- files ---- */

static int check(const char *name, const uint8_t key[SIPHASH_SIZE], const uint8_t *file,
                 size_t size)
{
    uint8_t tag[SIPHASH_SIZE];
    if (size <= sizeof(Header) || memcmp(file, magic, sizeof(magic)))
        return -ENOENT;
    make_tag(key, name, file + sizeof(Header), size - sizeof(Header), tag);
    return memcmp(file + offsetof(Header, tag), tag, sizeof(tag)) ? -ENOENT : 0;
}

int cachefile_read(const char *name, void **data, size_t *size)
{
    char folder[CACHE_FOLDER], path[CACHE_PATH];
    uint8_t key[SIPHASH_SIZE];
    void *file;
    size_t whole;
    if (cachefolder_find(folder, false) || read_key(folder, key))
        return -ENOENT;
    join(path, folder, name);
    int err = cachefolder_load(path, MAX_FILE, &file, &whole);
    if (err)
        return err;
    err = check(name, key, file, whole);
    if (err) {
        log_debug("cache: %s is not what this user wrote: not used", path);
        mem_free(file);
        return err;
    }
    *size = whole - sizeof(Header);
    memmove(file, (char *)file + sizeof(Header), *size);
    *data = file;
    return 0;
}

int cachefile_write(const char *name, const void *data, size_t size)
{
    char folder[CACHE_FOLDER], path[CACHE_PATH];
    uint8_t key[SIPHASH_SIZE];
    Header header;
    if (!size || size > MAX_FILE - sizeof(header))
        return -EINVAL;
    int err = cachefolder_find(folder, true);
    if (!err)
        err = make_key(folder, key);
    if (err)
        return err;
    memcpy(header.magic, magic, sizeof(magic));
    make_tag(key, name, data, size, header.tag);
    join(path, folder, name);
    return replace(path, &header, sizeof(header), data, size);
}
