/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libvmaf/model.h"
#include "spec.h"

/* The first `stop` in text that no backslash precedes, or the end of text. */
static const char *find_unescaped(const char *text, char stop)
{
    for (; *text && *text != stop; text++)
        if (text[0] == '\\' && (text[1] == ':' || text[1] == '='))
            text++;
    return text;
}

/* A copy of begin…end with \: and \= resolved. */
static char *unescape(const char *begin, const char *end)
{
    char *const copy = calloc((size_t)(end - begin) + 1, 1);
    char *out = copy;
    if (!copy)
        return NULL;
    while (begin < end) {
        if (begin[0] == '\\' && begin + 1 < end && (begin[1] == ':' || begin[1] == '='))
            begin++;
        *out++ = *begin++;
    }
    return copy;
}

typedef struct Part {
    char *key;
    char *value;  /* NULL: a bare word */
    bool surplus; /* there was another '=' in the value */
} Part;

/* Takes the next part off *text and steps over its ':'. `last`: there is no further one. */
static int next_part(const char **text, Part *part, bool *last)
{
    const char *const end = find_unescaped(*text, ':');
    const char *equals = find_unescaped(*text, '=');
    if (equals > end)
        equals = end;
    *part = (Part){ .key = unescape(*text, equals) };
    if (equals < end) {
        part->value = unescape(equals + 1, end);
        part->surplus = find_unescaped(equals + 1, '=') < end;
    }
    *last = !*end;
    *text = *last ? end : end + 1;
    return part->key && (part->value || equals == end) ? 0 : -ENOMEM;
}

static void part_destroy(Part *part)
{
    free(part->key);
    free(part->value);
}

static void replace(char **field, char **text)
{
    free(*field);
    *field = *text;
    *text = NULL;
}

/* Appends an option, taking extractor (may be NULL), key and value over. */
static int append_option(OptionSpec **options, size_t *count, char **extractor, char **key,
                         char **value)
{
    OptionSpec *const grown = realloc(*options, (*count + 1) * sizeof(**options));
    if (!grown)
        return -ENOMEM;
    *options = grown;
    grown[*count] = (OptionSpec){ 0 };
    OptionSpec *const option = &grown[(*count)++];
    if (extractor)
        replace(&option->extractor, extractor);
    replace(&option->key, key);
    replace(&option->value, value);
    return 0;
}

static void options_destroy(OptionSpec *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(options[i].extractor);
        free(options[i].key);
        free(options[i].value);
    }
    free(options);
}

/* `EXTRACTOR.OPTION=VALUE` */
static int add_overload(ModelSpec *spec, Part *part)
{
    const char *const dot = strchr(part->key, '.');
    char *extractor = unescape(part->key, dot);
    char *key = strdup(dot + 1);
    int err = extractor && key ? 0 : -ENOMEM;
    if (!err)
        err =
            append_option(&spec->overloads, &spec->overload_count, &extractor, &key, &part->value);
    free(extractor);
    free(key);
    return err;
}

static int set_flag(ModelSpec *spec, const Part *part, uint64_t flag, char *error, size_t size)
{
    const bool on = !part->value || !strcmp(part->value, "true");
    if (!on && strcmp(part->value, "false")) {
        snprintf(error, size, "Problem parsing model, \"%s\" is true or false, not \"%s\".",
                 part->key, part->value);
        return -EINVAL;
    }
    spec->flags = on ? spec->flags | flag : spec->flags & ~flag;
    return 0;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && !strcmp(text + length - tail, end);
}

/* A word that begins a spec is the model itself: what looks like a file is one, and all else the name of a
 * built-in model. */
static bool is_bare_model(const Part *part)
{
    return !part->value && *part->key && strcmp(part->key, "disable_clip") &&
           strcmp(part->key, "enable_transform");
}

static void take_bare_model(ModelSpec *spec, Part *part)
{
    const bool file = strpbrk(part->key, "/\\") || ends_with(part->key, ".json");
    replace(file ? &spec->path : &spec->version, &part->key);
}

static int apply_model_part(ModelSpec *spec, Part *part, char *error, size_t size)
{
    if (!strcmp(part->key, "disable_clip"))
        return set_flag(spec, part, VMAF_MODEL_FLAG_DISABLE_CLIP, error, size);
    if (!strcmp(part->key, "enable_transform"))
        return set_flag(spec, part, VMAF_MODEL_FLAG_ENABLE_TRANSFORM, error, size);

    const bool path = !strcmp(part->key, "path");
    if (!part->value || (part->surplus && !path)) {
        snprintf(error, size, "Problem parsing model, bad option string \"%s%s%s\".", part->key,
                 part->value ? "=" : "", part->value ? part->value : "");
        return -EINVAL;
    }
    if (path)
        replace(&spec->path, &part->value);
    else if (!strcmp(part->key, "version"))
        replace(&spec->version, &part->value);
    else if (!strcmp(part->key, "name") && *part->value)
        replace(&spec->name, &part->value);
    else if (strchr(part->key, '.'))
        return add_overload(spec, part);
    else {
        snprintf(error, size, "Problem parsing model: \"%s\"", part->key);
        return -EINVAL;
    }
    return 0;
}

int model_spec_parse(ModelSpec *spec, const char *text, char *error, size_t size)
{
    *spec = (ModelSpec){ 0 };
    const char *const whole = text;
    int err = 0;
    for (bool first = true, last = false; !err && !last; first = false) {
        Part part;
        err = next_part(&text, &part, &last);
        if (!err && first && is_bare_model(&part))
            take_bare_model(spec, &part);
        else if (!err)
            err = apply_model_part(spec, &part, error, size);
        part_destroy(&part);
    }
    if (!err && !spec->version && !spec->path) {
        snprintf(error, size,
                 "Problem parsing model \"%s\": it needs NAME, version=NAME or path=FILE.", whole);
        err = -EINVAL;
    }
    if (err)
        model_spec_destroy(spec);
    return err;
}

void model_spec_destroy(ModelSpec *spec)
{
    free(spec->version);
    free(spec->path);
    free(spec->name);
    options_destroy(spec->overloads, spec->overload_count);
    *spec = (ModelSpec){ 0 };
}

int feature_spec_parse(FeatureSpec *spec, const char *text, char *error, size_t size)
{
    *spec = (FeatureSpec){ 0 };
    const char *const equals = find_unescaped(text, '=');
    spec->extractor = unescape(text, equals);
    int err = spec->extractor ? 0 : -ENOMEM;
    if (!err && !*spec->extractor) {
        snprintf(error, size, "Problem parsing feature \"%s\": no extractor is named.", text);
        err = -EINVAL;
    }
    text = *equals ? equals + 1 : equals;
    for (bool last = !*equals; !err && !last;) {
        Part part;
        err = next_part(&text, &part, &last);
        if (!err && (!part.value || part.surplus || !*part.key)) {
            snprintf(error, size, "Problem parsing feature \"%s\", bad option string \"%s%s%s\".",
                     spec->extractor, part.key, part.value ? "=" : "",
                     part.value ? part.value : "");
            err = -EINVAL;
        }
        if (!err)
            err = append_option(&spec->options, &spec->option_count, NULL, &part.key, &part.value);
        part_destroy(&part);
    }
    if (err)
        feature_spec_destroy(spec);
    return err;
}

void feature_spec_destroy(FeatureSpec *spec)
{
    free(spec->extractor);
    options_destroy(spec->options, spec->option_count);
    *spec = (FeatureSpec){ 0 };
}

const char *model_spec_label(const ModelSpec *spec)
{
    return spec->version ? spec->version : spec->path;
}

const char *model_spec_name(const ModelSpec *spec)
{
    return spec->name ? spec->name : "vmaf";
}
