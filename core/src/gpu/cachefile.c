/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/cachefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/outfile.h"

#define MAX_FILE ((size_t)256 << 20)
#define KEY_NAME "key"
#define CACHE_FOLDER 1024
#define CACHE_PATH (CACHE_FOLDER + 128)

/* ---- SipHash ---- */

static uint64_t rotate(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

/* Loads up to 8 bytes, little-endian. */
static uint64_t load_word(const uint8_t *bytes, size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

static void store_word(uint8_t *bytes, uint64_t word)
{
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(word >> (8 * i));
}

static void mix(uint64_t v[4], unsigned rounds)
{
    for (; rounds; rounds--) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[2] = rotate(v[2], 32);
    }
}

static void absorb(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v, 2);
    v[0] ^= word;
}

void siphash(const uint8_t key[SIPHASH_SIZE], const void *data, size_t size,
             uint8_t value[SIPHASH_SIZE])
{
    const uint8_t *bytes = data;
    const uint64_t k0 = load_word(key, 8), k1 = load_word(key + 8, 8);
    uint64_t v[4] = { 0x736f6d6570736575 ^ k0, 0x646f72616e646f6d ^ k1 ^ 0xee,
                      0x6c7967656e657261 ^ k0, 0x7465646279746573 ^ k1 };
    size_t left = size;
    for (; left >= 8; left -= 8, bytes += 8)
        absorb(v, load_word(bytes, 8));
    absorb(v, load_word(bytes, left) | (uint64_t)size << 56);
    v[2] ^= 0xee;
    mix(v, 4);
    store_word(value, v[0] ^ v[1] ^ v[2] ^ v[3]);
    v[1] ^= 0xdd;
    mix(v, 4);
    store_word(value + 8, v[0] ^ v[1] ^ v[2] ^ v[3]);
}

/* ---- the folder ---- */

/* How each system checks names and owners. is_own: the file or folder belongs to this user, and
 * nobody else can write it. */
#ifdef _WIN32

#define getenv_trusted getenv
#define BASE_VARIABLE "LOCALAPPDATA"

static bool is_absolute(const char *path)
{
    return path[0] != 0;
}

/* The system itself keeps others from writing in a user's profile. */
static bool is_own(const struct stat *info)
{
    return true;
}

static int random_bytes(uint8_t *bytes, size_t size)
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
/* In a program that runs with more rights than its user, the user must not choose where it
 * writes. */
#if defined(__linux__) && !defined(__ANDROID__)
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

static int random_bytes(uint8_t *bytes, size_t size)
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

/* Finds the folder's name. *given: the length of its beginning that must exist already. */
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
    /* Without a home folder of the user's own nothing is kept, and no folders are created in its
     * stead. */
    struct stat info;
    if (!home || !is_absolute(home) || stat(home, &info) || !S_ISDIR(info.st_mode) ||
        !is_own(&info))
        return -ENOENT;
    *given = strlen(home);
    return copy_path(folder, home, "/.cache/vmaf");
}

/* Creates folders like mkdir -p. Errors are ignored: find_folder looks at the result. */
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

static int find_folder(char folder[CACHE_FOLDER], bool make)
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
    log_debug(
        "cache: folder %s is not used: it must belong to this user, and others must not be able to "
        "write it",
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

static int load_file(const char *path, size_t max_size, void **data, size_t *size)
{
    *data = NULL;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return -ENOENT;
    const int err = load_open(fd, max_size, data, size);
    close(fd);
    return err;
}

/* ---- files with a tag ---- */

typedef struct Header {
    char magic[8];
    uint8_t tag[SIPHASH_SIZE]; /* checksum of name and data, made with the user's key */
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
    const int err = load_file(path, SIPHASH_SIZE, &data, &size);
    if (err)
        return err;
    const bool whole = size == SIPHASH_SIZE;
    if (whole)
        memcpy(key, data, SIPHASH_SIZE);
    mem_free(data);
    return whole ? 0 : -ENOENT;
}

/* Reads the key, or creates it. If several processes create one at the same time the last one
 * stays, and files tagged with another key are written again later. */
static int make_key(const char *folder, uint8_t key[SIPHASH_SIZE])
{
    char path[CACHE_PATH];
    int err = read_key(folder, key);
    if (!err)
        return 0;
    join(path, folder, KEY_NAME);
    err = random_bytes(key, SIPHASH_SIZE);
    if (!err)
        err = replace(path, key, SIPHASH_SIZE, "", 0);
    return err ? err : read_key(folder, key);
}

/* The tag covers the name, so that a file that is moved to another name is not accepted there. */
static void make_tag(const uint8_t key[SIPHASH_SIZE], const char *name, const void *data,
                     size_t size, uint8_t tag[SIPHASH_SIZE])
{
    uint8_t own[SIPHASH_SIZE];
    siphash(key, name, strlen(name), own);
    siphash(own, data, size, tag);
}

/* ---- reading and writing ---- */

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
    if (find_folder(folder, false) || read_key(folder, key))
        return -ENOENT;
    join(path, folder, name);
    int err = load_file(path, MAX_FILE, &file, &whole);
    if (err)
        return err;
    err = check(name, key, file, whole);
    if (err) {
        log_debug("cache: %s is not used: this user did not write it", path);
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
    int err = find_folder(folder, true);
    if (!err)
        err = make_key(folder, key);
    if (err)
        return err;
    memcpy(header.magic, magic, sizeof(magic));
    make_tag(key, name, data, size, header.tag);
    join(path, folder, name);
    return replace(path, &header, sizeof(header), data, size);
}
