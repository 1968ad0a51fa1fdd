/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "libvmaf/model.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "common/suggest.h"
#include "libvmaf/device.h"
#include "libvmaf/inspect.h"
#include "spec.h"

/* Finds the first `stop` in the text that has no backslash before it, or the text's end. */
static const char *find_unescaped(const char *text, char stop)
{
    for (; *text && *text != stop; text++)
        if (text[0] == '\\' && (text[1] == ':' || text[1] == '='))
            text++;
    return text;
}

/* True for the colon of a Windows drive, as in path=C:\x or C:/x: it follows a single letter, which
 * begins the item or its value, and a slash follows it. */
static bool is_drive(const char *item, const char *colon)
{
    return (colon == item + 1 || (colon > item + 1 && colon[-2] == '=')) &&
           isalpha((unsigned char)colon[-1]) && (colon[1] == '\\' || colon[1] == '/');
}

/* Finds the ':' that ends an item of --model, or the text's end. */
static const char *end_of_model_item(const char *item)
{
    const char *end = find_unescaped(item, ':');
    while (*end && is_drive(item, end))
        end = find_unescaped(end + 1, ':');
    return end;
}

/* Copies the text from `begin` to `end`, with \: and \= replaced by : and =. The caller frees it;
 * NULL: no memory. */
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

/* One KEY=VALUE, or a single word. */
typedef struct Item {
    char *key;
    char *value;  /* NULL: a single word */
    bool surplus; /* the value contains another '=' */
} Item;

/* Takes the item that ends at `end` off *text and steps over its ':'. Sets *last if it is the last
 * one. */
static int next_item(const char **text, const char *end, Item *item, bool *last)
{
    const char *equals = find_unescaped(*text, '=');
    if (equals > end)
        equals = end;
    *item = (Item){ .key = unescape(*text, equals) };
    if (equals < end) {
        item->value = unescape(equals + 1, end);
        item->surplus = find_unescaped(equals + 1, '=') < end;
    }
    *last = !*end;
    *text = *last ? end : end + 1;
    return item->key && (item->value || equals == end) ? 0 : -ENOMEM;
}

static void item_destroy(Item *item)
{
    free(item->key);
    free(item->value);
}

static void replace(char **field, char **text)
{
    free(*field);
    *field = *text;
    *text = NULL;
}

/* Appends an option. Takes over *extractor (`extractor` may be NULL), *key and *value. */
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

/* Adds EXTRACTOR.OPTION=VALUE. */
static int add_overload(ModelSpec *spec, Item *item)
{
    const char *const dot = strchr(item->key, '.');
    char *extractor = unescape(item->key, dot);
    char *key = strdup(dot + 1);
    int err = extractor && key ? 0 : -ENOMEM;
    if (!err)
        err =
            append_option(&spec->overloads, &spec->overload_count, &extractor, &key, &item->value);
    free(extractor);
    free(key);
    return err;
}

static int set_flag(ModelSpec *spec, const Item *item, uint64_t flag, char *error, size_t size)
{
    const bool on = !item->value || !strcmp(item->value, "true");
    if (!on && strcmp(item->value, "false")) {
        snprintf(error, size, "Problem parsing model, \"%s\" is true or false, not \"%s\".",
                 item->key, item->value);
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

/* True for a first word that is the model itself: a file if it looks like one, else the name of
 * a built-in model. */
static bool is_bare_model(const Item *item)
{
    return !item->value && *item->key && strcmp(item->key, "disable_clip") &&
           strcmp(item->key, "enable_transform");
}

static void take_bare_model(ModelSpec *spec, Item *item)
{
    const bool file = strpbrk(item->key, "/\\") || ends_with(item->key, ".json");
    replace(file ? &spec->path : &spec->version, &item->key);
}

static int apply_model_item(ModelSpec *spec, Item *item, char *error, size_t size)
{
    if (!strcmp(item->key, "disable_clip"))
        return set_flag(spec, item, VMAF_MODEL_FLAG_DISABLE_CLIP, error, size);
    if (!strcmp(item->key, "enable_transform"))
        return set_flag(spec, item, VMAF_MODEL_FLAG_ENABLE_TRANSFORM, error, size);

    const bool path = !strcmp(item->key, "path");
    if (!item->value || (item->surplus && !path)) {
        snprintf(error, size, "Problem parsing model, bad option string \"%s%s%s\".", item->key,
                 item->value ? "=" : "", item->value ? item->value : "");
        return -EINVAL;
    }
    if (path)
        replace(&spec->path, &item->value);
    else if (!strcmp(item->key, "version"))
        replace(&spec->version, &item->value);
    else if (!strcmp(item->key, "name") && *item->value)
        replace(&spec->name, &item->value);
    else if (strchr(item->key, '.'))
        return add_overload(spec, item);
    else {
        snprintf(error, size, "Problem parsing model: \"%s\"", item->key);
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
        Item item;
        err = next_item(&text, end_of_model_item(text), &item, &last);
        if (!err && first && is_bare_model(&item))
            take_bare_model(spec, &item);
        else if (!err)
            err = apply_model_item(spec, &item, error, size);
        item_destroy(&item);
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
        Item item;
        err = next_item(&text, find_unescaped(text, ':'), &item, &last);
        if (!err && (!item.value || item.surplus || !*item.key)) {
            snprintf(error, size, "Problem parsing feature \"%s\", bad option string \"%s%s%s\".",
                     spec->extractor, item.key, item.value ? "=" : "",
                     item.value ? item.value : "");
            err = -EINVAL;
        }
        if (!err)
            err = append_option(&spec->options, &spec->option_count, NULL, &item.key, &item.value);
        item_destroy(&item);
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

bool model_spec_is_auto(const ModelSpec *spec)
{
    return spec->version && !strcmp(spec->version, "auto");
}

const char *model_spec_label(const ModelSpec *spec)
{
    return spec->version ? spec->version : spec->path;
}

const char *model_spec_name(const ModelSpec *spec)
{
    return spec->name ? spec->name : "vmaf";
}

/* The name of the extractor that makes this metric, which may have its stored or its printed name;
 * NULL: none. */
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

const char *extractor_of_metric(const char *metric)
{
    return strcmp(metric, "xpsnr") ? maker_of(metric) : "xpsnr";
}

/* True for `motion_v2`, with or without the name of a backend. */
static bool is_old_motion(const char *name)
{
    static const char old[] = "motion_v2";
    const char *const rest = strncmp(name, old, strlen(old)) ? NULL : name + strlen(old);
    return rest && (!*rest || (*rest == '_' && vmaf_backend_built(rest + 1) >= 0));
}

static int find_extractor(const char *name, unsigned *extractor)
{
    if (!vmaf_extractor_find(name, extractor))
        return 0;
    const char *const maker = maker_of(name), *const ours = vmaf_extractor_elsewhere(name);
    if (ours && !vmaf_extractor_find(ours, extractor)) {
        say("unknown extractor \"%s\"; here its name is %s: --feature %s", name, ours, ours);
    } else if (is_old_motion(name)) {
        say("there is no extractor %s: motion has taken it in; its metric is "
            "VMAF_integer_feature_motion_sad_score",
            name);
    } else if (maker) {
        say("%s is a metric; use its extractor: %s", name, maker);
    } else {
        Names names = { 0 };
        Suggestion like = { 0 };
        char text[96];
        VmafExtractorInfo info = { .size = sizeof(info) };
        for (unsigned i = 0; !vmaf_extractor_info(i, &info); i++) {
            names_add(&names, info.name);
            suggest(&like, name, strlen(name), info.name);
        }
        say("unknown extractor \"%s\"; use one of: %s%s", name, names.text,
            suggestion_text(&like, "", text));
    }
    return -EINVAL;
}

/* True if the key is the short form under which an option appears in metric names. Users of the
 * reference pass those, and it ignores them; the library's warning is enough. */
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
    Suggestion like = { 0 };
    char text[96];
    for (unsigned i = 0; !vmaf_extractor_option(extractor, i, option); i++) {
        if (!strcmp(option->name, key))
            return 0;
        names_add(&names, option->name);
        suggest(&like, key, strlen(key), option->name);
    }
    if (names.count)
        say("extractor %s has no option \"%s\"; it has: %s%s", extractor_name, key, names.text,
            suggestion_text(&like, "", text));
    else
        say("extractor %s has no option \"%s\"; it has no options", extractor_name, key);
    return -EINVAL;
}

/* The number as the library will store it (see vmaf_feature_dictionary_set); NAN if the whole text
 * is not a number. */
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
        say("%s: %s=%s is out of range; use %.10g to %.10g", extractor_name, option->name, value,
            option->min, option->max);
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
        say("%s: %s=%s is neither true nor false", info.name, option.name, value);
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

/* True if the model uses the extractor. Otherwise adds the extractors that it uses to `names`. */
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
    say("unknown extractor \"%s\"; the model uses: %s", overload->extractor, names.text);
    return -EINVAL;
}
