/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/json_memory.h"
#include "common/message.h"
#include "encoder.h"
#include "libvmaf/libvmaf.h"

#define CACHE_SCHEMA 1 /* raised when entries change their meaning */

struct Cache {
    const char *path;
    double limit, used; /* bytes */
};

/* ---- the folder ---- */

typedef struct Entry {
    char *path;
    double bytes;
    struct timespec time; /* time of its last use */
} Entry;

static int by_age(const void *a, const void *b)
{
    const struct timespec *const p = &((const Entry *)a)->time, *const q =
                                                                    &((const Entry *)b)->time;
    if (p->tv_sec != q->tv_sec)
        return p->tv_sec < q->tv_sec ? -1 : 1;
    return (p->tv_nsec > q->tv_nsec) - (p->tv_nsec < q->tv_nsec);
}

/* True for names of our form: 32 digits, a point, an extension. Other files are left alone. */
static bool is_entry(const char *name)
{
    return strspn(name, "0123456789abcdef") == 32 && name[32] == '.' && !strchr(name + 33, '/');
}

static size_t list_entries(const Cache *cache, Entry **list)
{
    size_t count = 0, room = 0;
    struct stat info;
    DIR *const folder = opendir(cache->path);
    *list = NULL;
    for (struct dirent *item; folder && (item = readdir(folder));) {
        char *const path =
            is_entry(item->d_name) ? text_print("%s/%s", cache->path, item->d_name) : NULL;
        if (path && count == room) {
            room = room * 2 + 64;
            Entry *const grown = realloc(*list, room * sizeof(*grown));
            if (grown)
                *list = grown;
            else
                room = count;
        }
        if (path && count < room && !stat(path, &info) && S_ISREG(info.st_mode))
            (*list)[count++] = (Entry){ path, (double)info.st_size, info.st_mtim };
        else
            free(path);
    }
    if (folder)
        closedir(folder);
    return count;
}

/* Measure the folder, and bring it below its limit. */
static void trim(Cache *cache)
{
    Entry *list;
    const size_t count = list_entries(cache, &list);
    if (count)
        qsort(list, count, sizeof(*list), by_age);
    cache->used = 0.0;
    for (size_t i = 0; i < count; i++)
        cache->used += list[i].bytes;
    const double aim = cache->used > cache->limit ? cache->limit * 0.9 : cache->limit;
    for (size_t i = 0; i < count; i++) {
        if (cache->used > aim && !unlink(list[i].path))
            cache->used -= list[i].bytes;
        free(list[i].path);
    }
    free(list);
}

int cache_open(Cache **out, const char *path, double bytes)
{
    struct stat info;
    *out = NULL;
    if ((mkdir(path, 0777) && errno != EEXIST) || stat(path, &info) ||
        access(path, R_OK | W_OK | X_OK) || !S_ISDIR(info.st_mode)) {
        const int err = errno == EEXIST || !errno ? -ENOTDIR : -errno;
        say("cannot use %s as a cache: %s; choose another folder with --cache", path,
            strerror(-err));
        return err;
    }
    Cache *const cache = calloc(1, sizeof(*cache));
    if (!cache)
        return -ENOMEM;
    cache->path = path;
    cache->limit = bytes;
    trim(cache);
    *out = cache;
    return 0;
}

void cache_close(Cache *cache)
{
    free(cache);
}

/* ---- keys ---- */

/* Another version of a program makes other encodes: its file's size and time belong to the key. */
static void add_program(json_t *key, const char *name)
{
    struct stat info = { .st_size = 0 };
    const char *folder = strchr(name, '/') ? "" : getenv("PATH");
    bool found = folder && !*folder && !stat(name, &info);
    while (folder && *folder && !found) {
        const size_t length = strcspn(folder, ":");
        char *const path = text_print("%.*s/%s", (int)length, folder, name);
        found = path && !access(path, X_OK) && !stat(path, &info);
        free(path);
        folder += length + (folder[length] == ':');
    }
    json_array_append_new(key, json_text(name));
    json_array_append_new(key, json_integer((json_int_t)info.st_size));
    json_array_append_new(key, json_integer((json_int_t)info.st_mtim.tv_sec));
    json_array_append_new(key, json_integer((json_int_t)info.st_mtim.tv_nsec));
}

static void add_words(json_t *key, const Argv *words)
{
    json_array_append_new(key, json_integer((json_int_t)words->count));
    for (size_t i = 0; i < words->count; i++)
        json_array_append_new(key, json_text(words->words[i]));
}

/* All that an encode depends on. */
static json_t *encode_key(const Workshop *shop, const Job *job)
{
    const Encoder *const e = job->encoder;
    const Media *const source = &job->source->media;
    json_t *const key = json_array();
    json_array_append_new(key, json_integer(CACHE_SCHEMA));
    json_array_append_new(key, json_integer((json_int_t)source->digest[0]));
    json_array_append_new(key, json_integer((json_int_t)source->digest[1]));
    add_program(key, e->codec ? shop->ffmpeg : e->command.words.words[0]);
    json_array_append_new(key, e->codec ? json_text(e->codec) : json_null());
    json_array_append_new(key, e->option ? json_text(e->option) : json_null());
    json_array_append_new(key, e->filter ? json_text(e->filter) : json_null());
    json_array_append_new(key, e->device ? json_text(e->device) : json_null());
    add_words(key, &e->options);
    add_words(key, &e->command.words);
    json_array_append_new(key, json_real(job->setting));
    json_array_append_new(key, json_boolean(e->two_pass));
    json_array_append_new(key, json_boolean(job->part));
    return key;
}

/* A model may be a file, "path=model.json:name=x": its time belongs to the key. */
static void add_score_word(json_t *key, const char *word)
{
    struct stat info;
    json_array_append_new(key, json_text(word));
    if (strncmp(word, "path=", strlen("path=")) != 0)
        return;
    char *const file = strndup(word + strlen("path="), strcspn(word + strlen("path="), ":"));
    if (file && !stat(file, &info)) {
        json_array_append_new(key, json_integer((json_int_t)info.st_size));
        json_array_append_new(key, json_integer((json_int_t)info.st_mtim.tv_sec));
        json_array_append_new(key, json_integer((json_int_t)info.st_mtim.tv_nsec));
    }
    free(file);
}

static json_t *report_key(const Workshop *shop, const Job *job)
{
    json_t *const key = encode_key(shop, job);
    json_array_append_new(key, json_string(vmaf_version()));
    for (size_t i = 0; i < shop->score_words.count; i++)
        add_score_word(key, shop->score_words.words[i]);
    return key;
}

/* The path of an entry: two sums of 64 bits over the text of its key. Releases the key. free() the
 * path; NULL: no memory. */
static char *entry_path(const Cache *cache, json_t *key, const char *extension)
{
    char *const text = json_whole_text(key, JSON_COMPACT);
    uint64_t sum[2] = { UINT64_C(0xcbf29ce484222325), UINT64_C(0x9ae16a3b2f90404f) };
    json_decref(key);
    for (const char *c = text; c && *c; c++)
        for (unsigned i = 0; i < 2; i++)
            sum[i] = (sum[i] ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    char *const path = text ? text_print("%s/%016" PRIx64 "%016" PRIx64 ".%s", cache->path, sum[0],
                                         sum[1], extension)
                            : NULL;
    free(text);
    return path;
}

static char *encode_path(const Cache *cache, const Workshop *shop, const Job *job,
                         const char *extension)
{
    char own[16];
    encoder_extension(job->encoder, own, sizeof(own));
    return entry_path(cache, encode_key(shop, job), extension ? extension : own);
}

/* ---- files ---- */

/* Copy a file, on one file system without copying its bytes. */
static int copy(const char *from, const char *to)
{
    char bytes[65536];
    if (!link(from, to))
        return 0;
    FILE *const in = fopen(from, "re"), *const out = in ? fopen(to, "we") : NULL;
    bool good = in && out;
    for (size_t count; good && (count = fread(bytes, 1, sizeof(bytes), in)) > 0;)
        good = fwrite(bytes, 1, count, out) == count;
    good = good && !ferror(in);
    if (in)
        fclose(in);
    if (out)
        good = !fclose(out) && good;
    if (out && !good)
        unlink(to);
    return good ? 0 : -EIO;
}

static double size_of(const char *path)
{
    struct stat info;
    return stat(path, &info) ? -1.0 : (double)info.st_size;
}

/* Put a file into the cache: complete, or not at all. */
static void keep(Cache *cache, const char *from, const char *path)
{
    char *const draft = path ? text_print("%s.%ld", path, (long)getpid()) : NULL;
    if (draft && !copy(from, draft) && !rename(draft, path)) {
        const double bytes = size_of(path);
        utimensat(AT_FDCWD, path, NULL, 0);
        cache->used += bytes > 0.0 ? bytes : 0.0;
        if (cache->used > cache->limit)
            trim(cache);
    }
    if (draft)
        unlink(draft); /* is still there if something failed */
    free(draft);
}

static bool take(const char *path, const char *to)
{
    if (!path || copy(path, to))
        return false;
    utimensat(AT_FDCWD, path, NULL, 0);
    return true;
}

bool cache_take_encode(Cache *cache, const Workshop *shop, const Job *job, const char *path,
                       double *seconds)
{
    char *const entry = encode_path(cache, shop, job, NULL);
    char *const about = encode_path(cache, shop, job, "about");
    json_t *const note = about ? json_read_file(about, 0, NULL) : NULL;
    double bytes = 0.0;
    const bool taken = entry &&
                       !json_unpack(note, "{s:F, s:F}", "seconds", seconds, "bytes", &bytes) &&
                       size_of(entry) == bytes && take(entry, path);
    json_decref(note);
    free(about);
    free(entry);
    return taken;
}

bool cache_take_report(Cache *cache, const Workshop *shop, const Job *job, const char *path)
{
    char *const entry = entry_path(cache, report_key(shop, job), "report");
    const bool taken = take(entry, path);
    free(entry);
    return taken;
}

void cache_keep_encode(Cache *cache, const Workshop *shop, const Job *job)
{
    char *const entry = encode_path(cache, shop, job, NULL);
    char *const about = encode_path(cache, shop, job, "about");
    char *const draft = temp_file(shop->temp, "about");
    FILE *const file = draft ? fopen(draft, "we") : NULL;
    keep(cache, job->file, entry);
    if (file) {
        fprintf(file, "{\"seconds\": %.6f, \"bytes\": %.0f}\n", job->encode_seconds,
                size_of(job->file));
        if (!fclose(file))
            keep(cache, draft, about);
        unlink(draft);
    }
    free(draft);
    free(about);
    free(entry);
}

void cache_keep_report(Cache *cache, const Workshop *shop, const Job *job)
{
    char *const entry = entry_path(cache, report_key(shop, job), "report");
    keep(cache, job->report, entry);
    free(entry);
}

void cache_drop_report(Cache *cache, const Workshop *shop, const Job *job)
{
    char *const entry = entry_path(cache, report_key(shop, job), "report");
    if (entry)
        unlink(entry);
    free(entry);
}
