/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "allow.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "vmaf/spec.h"

typedef struct Folder {
    char *path; /* resolved, without a final slash: "" for the root */
    int fd;
} Folder;

struct Allow {
    Folder *folders;
    size_t count;
};

Allow *allow_create(void)
{
    return calloc(1, sizeof(Allow));
}

void allow_destroy(Allow *allow)
{
    if (!allow)
        return;
    for (size_t i = 0; i < allow->count; i++) {
        free(allow->folders[i].path);
        folder_close(allow->folders[i].fd);
    }
    free(allow->folders);
    free(allow);
}

int allow_add(Allow *allow, const char *folder)
{
    Folder *const grown = realloc(allow->folders, (allow->count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    allow->folders = grown;
    char *const path = realpath(folder, NULL);
    if (!path)
        return -errno;
    const int fd = folder_open(path);
    if (fd < 0) {
        free(path);
        return fd;
    }
    const size_t length = strlen(path);
    if (length && path[length - 1] == '/') /* the root */
        path[length - 1] = '\0';
    grown[allow->count++] = (Folder){ path, fd };
    return 0;
}

const char *allow_folder(const Allow *allow, size_t index)
{
    if (index >= allow->count)
        return NULL;
    return *allow->folders[index].path ? allow->folders[index].path : "/";
}

/* The path relative to the folder. NULL: not inside it. */
static const char *below(const Folder *folder, const char *path)
{
    const size_t length = strlen(folder->path);
    return !strncmp(path, folder->path, length) && path[length] == '/' ? path + length + 1 : NULL;
}

static bool is_absolute(const char *path)
{
#ifdef _WIN32
    return *path == '/' || *path == '\\' || (*path && path[1] == ':');
#else
    return *path == '/';
#endif
}

/* Resolve links and dots. free() the path. NULL: not found. */
static char *resolve(const Allow *allow, const char *path)
{
    if (is_absolute(path))
        return realpath(path, NULL);
    for (size_t i = 0; i < allow->count; i++) {
        char full[PATH_MAX];
        const int length = snprintf(full, sizeof(full), "%s/%s", allow->folders[i].path, path);
        char *const found =
            length > 0 && (size_t)length < sizeof(full) ? realpath(full, NULL) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

static int check_file(int fd, const char *path, uint64_t max_bytes, char *why, size_t size)
{
    struct stat info;
    if (fstat(fd, &info) || !S_ISREG(info.st_mode)) {
        snprintf(why, size, "%s is not an ordinary file", path);
        return -ENOTSUP;
    }
    if ((uint64_t)info.st_size > max_bytes) {
        snprintf(why, size,
                 "%s has %" PRIu64 " bytes, and this server reads files of up to %" PRIu64
                 " (--max_bytes)",
                 path, (uint64_t)info.st_size, max_bytes);
        return -EFBIG;
    }
    return 0;
}

static int tell_outside(const Allow *allow, const char *path, char *why, size_t size)
{
    int used =
        snprintf(why, size, "%s: no such file in the folders that this server may read:", path);
    for (size_t i = 0; i < allow->count && used > 0 && (size_t)used < size; i++)
        used += snprintf(why + used, size - (size_t)used, " %s", allow_folder(allow, i));
    return -EACCES;
}

int allow_open(const Allow *allow, const char *path, uint64_t max_bytes, char *why, size_t size)
{
    char *const real = resolve(allow, path);
    int fd = -ENOENT;
    bool inside = false;
    for (size_t i = 0; real && !inside && i < allow->count; i++) {
        const char *const rest = below(&allow->folders[i], real);
        inside = rest;
        if (rest)
            fd = folder_open_file(allow->folders[i].fd, allow->folders[i].path, rest);
    }
    free(real);
    if (!inside)
        return tell_outside(allow, path, why, size);
    if (fd < 0) {
        if (fd == -ENOTSUP)
            snprintf(why, size, "%s is not an ordinary file", path);
        else
            snprintf(why, size, "cannot open %s: %s", path, strerror(-fd));
        return fd;
    }
    const int err = check_file(fd, path, max_bytes, why, size);
    if (err)
        close(fd);
    return err ? err : fd;
}

#define MODEL_MAX ((off_t)64 << 20) /* bytes; current models have about 100 KB */

/* Today only `heatmaps_path` names a file. Refuse every value with a slash or backslash as well,
 * whatever the option's name. */
static bool names_file(const char *option, const char *value)
{
    return strstr(option, "path") || strstr(option, "file") || (value && strpbrk(value, "/\\"));
}

int harmless_feature(const char *spec, char *why, size_t size)
{
    FeatureSpec feature;
    int err = feature_spec_parse(&feature, spec, why, size);
    if (err)
        return err;
    for (size_t i = 0; !err && i < feature.option_count; i++) {
        const OptionSpec *const option = &feature.options[i];
        if (!names_file(option->key, option->value))
            continue;
        snprintf(why, size, "feature %s: the option %s is not allowed, because it writes files",
                 feature.extractor, option->key);
        err = -EINVAL;
    }
    feature_spec_destroy(&feature);
    return err;
}

/* The name of the first option that names a file, at any depth. NULL: none. A model has options
 * only below `feature_opts_dicts`. */
static const char *find_option(json_t *value, bool options)
{
    const char *name, *found = NULL;
    json_t *inner;
    size_t i;
    json_object_foreach (value, name, inner) {
        found = options && names_file(name, json_string_value(inner))
                    ? name
                    : find_option(inner, options || !strcmp(name, "feature_opts_dicts"));
        if (found)
            return found;
    }
    json_array_foreach(value, i, inner)
    {
        found = find_option(inner, options);
        if (found)
            return found;
    }
    return NULL;
}

static char *read_all(int fd, size_t count)
{
    char *const text = malloc(count + 1);
    size_t at = 0;
    for (ssize_t got = 1; text && got > 0 && at<count; at += got> 0 ? (size_t)got : 0)
        got = pread(fd, text + at, count - at, (off_t)at);
    if (text)
        memset(text + at, 0, count + 1 - at);
    return text;
}

/* Check the text as the library will read it: with a value for each name, and with whatever may
 * stand behind the object. */
static int check_model(const char *text, size_t length, const char *path, char *why, size_t size)
{
    json_error_t error;
    json_t *const model = json_loadb(
        text, length, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK | JSON_DECODE_INT_AS_REAL,
        &error);
    const char *const option = find_option(model, false);
    if (!model)
        snprintf(why, size, "%s is no model: not JSON: line %d, column %d: %.100s", path,
                 error.line, error.column, error.text);
    else if (option)
        snprintf(why, size,
                 "%s: the model sets the option %s, which is not allowed, because it writes files",
                 path, option);
    const int err = model && !option ? 0 : -EINVAL;
    json_decref(model);
    return err;
}

int harmless_model(int fd, const char *path, char **text, size_t *length, char *why, size_t size)
{
    struct stat info;
    *text = NULL;
    if (fstat(fd, &info) || info.st_size > MODEL_MAX) {
        snprintf(why, size, "%s is too large for a model", path);
        return -EFBIG;
    }
    *length = (size_t)info.st_size;
    *text = read_all(fd, *length);
    if (!*text) {
        snprintf(why, size, "out of memory");
        return -ENOMEM;
    }
    const int err = check_model(*text, *length, path, why, size);
    if (err) {
        free(*text);
        *text = NULL;
    }
    return err;
}
