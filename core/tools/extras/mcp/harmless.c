/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "harmless.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vmaf/spec.h"

#define MODEL_MAX ((off_t)64 << 20) /* bytes; those of today have some 100 thousand */

/* `heatmaps_path` is what there is today; values that lead somewhere are refused whatever their name. */
static bool names_file(const char *option, const char *value)
{
    return strstr(option, "path") || strstr(option, "file") || (value && strchr(value, '/'));
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
        snprintf(why, size, "feature %s: the option %s is not to be had here: it writes files",
                 feature.extractor, option->key);
        err = -EINVAL;
    }
    feature_spec_destroy(&feature);
    return err;
}

/* The first name in it, at any depth, that is such an option; NULL: none. Options are what stands below
 * `feature_opts_dicts`: there and nowhere else a model has any. */
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

int harmless_model(int fd, const char *path, char *why, size_t size)
{
    struct stat info;
    if (fstat(fd, &info) || info.st_size > MODEL_MAX) {
        snprintf(why, size, "%s is too large for a model", path);
        return -EFBIG;
    }
    char *const text = read_all(fd, (size_t)info.st_size);
    if (!text) {
        snprintf(why, size, "out of memory");
        return -ENOMEM;
    }
    json_t *const model = json_loadb(text, (size_t)info.st_size, 0, NULL);
    const char *const option = find_option(model, false);
    if (option)
        snprintf(why, size, "%s: a model with the option %s is not to be had here: it writes files",
                 path, option);
    const int err = option ? -EINVAL : 0;
    json_decref(model);
    free(text);
    return err;
}
