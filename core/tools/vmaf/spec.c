/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "libvmaf/model.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "libvmaf/inspect.h"
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

/* The name of the extractor that makes a metric of this name, stored or as printed; NULL: none. */
static const char *maker_of(const char *name)
{
    VmafExtractorInfo info = { .size = sizeof(info) };
    VmafMetricInfo metric = { .size = sizeof(metric) };
    for (unsigned i = 0; !vmaf_extractor_info(i, &info); i++)
        for (unsigned j = 0; !vmaf_extractor_metric(i, j, &metric); j++)
            if (!strcmp(metric.name, name) || !strcmp(metric.short_name, name))
                return info.name;
    return NULL;
}

static int find_extractor(const char *name, unsigned *extractor)
{
    if (!vmaf_extractor_find(name, extractor))
        return 0;
    const char *const maker = maker_of(name);
    if (maker) {
        say("%s is a metric; the extractor that makes it is %s", name, maker);
    } else {
        Names names = { 0 };
        VmafExtractorInfo info = { .size = sizeof(info) };
        for (unsigned i = 0; !vmaf_extractor_info(i, &info); i++)
            names_add(&names, info.name);
        say("there is no extractor \"%s\"; there are: %s", name, names.text);
    }
    return -EINVAL;
}

/* Is it the short form under which an option shows in metric names? The reference's own users pass
 * those and have them ignored; the library warns, and that is enough. */
static bool is_short_name(unsigned extractor, const char *key)
{
    VmafOptionInfo option = { .size = sizeof(option) };
    for (unsigned i = 0; !vmaf_extractor_option(extractor, i, &option); i++)
        if (option.short_name && !strcmp(option.short_name, key))
            return true;
    return false;
}

static int find_option(unsigned extractor, const char *extractor_name, const char *key,
                       VmafOptionInfo *option)
{
    Names names = { 0 };
    for (unsigned i = 0; !vmaf_extractor_option(extractor, i, option); i++) {
        if (!strcmp(option->name, key))
            return 0;
        names_add(&names, option->name);
    }
    if (names.count)
        say("extractor %s has no option \"%s\"; it has: %s", extractor_name, key, names.text);
    else
        say("extractor %s has no option \"%s\"; it has none", extractor_name, key);
    return -EINVAL;
}

/* The number as the library will keep it (vmaf_feature_dictionary_set says how); NAN for what is no
 * number as a whole. */
static double kept_number(const char *value)
{
    char *end, text[64];
    const float number = strtof(value, &end);
    if (end == value || end[strspn(end, " \t\n\v\f\r")])
        return NAN;
    snprintf(text, sizeof(text), "%g", number);
    return strtod(text, NULL);
}

static int check_number(const char *extractor_name, const VmafOptionInfo *option, const char *value)
{
    const double number = kept_number(value);
    if (isnan(number)) {
        say("%s: %s=%s is not a number", extractor_name, option->name, value);
        return -EINVAL;
    }
    if (option->type == VMAF_OPTION_INT && number != floor(number)) {
        say("%s: %s=%s is not an integer", extractor_name, option->name, value);
        return -EINVAL;
    }
    if (number < option->min || number > option->max) {
        say("%s: %s=%s is out of range; it may be from %.10g to %.10g", extractor_name,
            option->name, value, option->min, option->max);
        return -EINVAL;
    }
    return 0;
}

static int check_option(unsigned extractor, const char *key, const char *value)
{
    VmafExtractorInfo info = { .size = sizeof(info) };
    VmafOptionInfo option = { .size = sizeof(option) };
    if (is_short_name(extractor, key))
        return 0;
    if (vmaf_extractor_info(extractor, &info) || find_option(extractor, info.name, key, &option))
        return -EINVAL;
    switch (option.type) {
    case VMAF_OPTION_BOOL:
        if (!strcmp(value, "true") || !strcmp(value, "false"))
            return 0;
        say("%s: %s=%s; it is true or false", info.name, option.name, value);
        return -EINVAL;
    case VMAF_OPTION_INT:
    case VMAF_OPTION_DOUBLE:
        return check_number(info.name, &option, value);
    default:
        return 0;
    }
}

int check_feature(const FeatureSpec *spec)
{
    unsigned extractor;
    int err = find_extractor(spec->extractor, &extractor);
    for (size_t i = 0; !err && i < spec->option_count; i++)
        err = check_option(extractor, spec->options[i].key, spec->options[i].value);
    return err;
}

/* Does the model use it? Else `names` are those that it uses. */
static bool is_used(const char *extractor, const VmafModel *model, Names *names)
{
    VmafModelFeatureInfo feature = { .size = sizeof(feature) };
    const char *last = NULL;
    for (unsigned i = 0; !vmaf_model_feature(model, i, &feature); i++) {
        if (!feature.extractor)
            continue;
        if (!strcmp(feature.extractor, extractor))
            return true;
        if (!last || strcmp(feature.extractor, last))
            names_add(names, feature.extractor);
        last = feature.extractor;
    }
    return false;
}

int check_overload(const OptionSpec *overload, const VmafModel *model, bool *used)
{
    Names names = { 0 };
    unsigned extractor;
    *used = is_used(overload->extractor, model, &names);
    if (!vmaf_extractor_find(overload->extractor, &extractor))
        return check_option(extractor, overload->key, overload->value);
    say("there is no extractor \"%s\"; the model has: %s", overload->extractor, names.text);
    return -EINVAL;
}
