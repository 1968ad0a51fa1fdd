/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "message.h"

/* Comma-separated names, cut short if there are too many to print. */
typedef struct NameList {
    char text[1024];
    size_t used;
} NameList;

static void list_add(NameList *list, const char *name)
{
    const int n = snprintf(list->text + list->used, sizeof(list->text) - list->used, "%s%s",
                           list->used ? ", " : "", name);
    list->used += n > 0 ? (size_t)n : 0;
    if (list->used >= sizeof(list->text))
        list->used = sizeof(list->text) - 1;
}

/* The extractor that makes a metric of this name, raw or as printed. */
static const FeatureDef *maker_of(const char *metric)
{
    for (const FeatureDef *const *def = feature_registry; *def; def++)
        for (const FeatureOutput *out = (*def)->outputs; out && out->name; out++)
            if (!strcmp(out->name, metric) || !strcmp(metric_alias(out->name), metric))
                return *def;
    return NULL;
}

static const FeatureDef *find_extractor(const char *name)
{
    const FeatureDef *const def = feature_find(name);
    if (def)
        return def;
    const FeatureDef *const maker = maker_of(name);
    if (maker) {
        say("%s is a metric; the extractor that makes it is %s", name, maker->name);
    } else {
        NameList list = { 0 };
        for (const FeatureDef *const *each = feature_registry; *each; each++)
            list_add(&list, (*each)->name);
        say("there is no extractor \"%s\"; there are: %s", name, list.text);
    }
    return NULL;
}

/* Is it the short form under which an option shows in metric names? The reference's own users pass
 * those and have them ignored; the library warns, and that is enough. */
static bool is_alias(const FeatureDef *def, const char *key)
{
    for (const Option *option = def->options; option && option->name; option++)
        if (option->alias && !strcmp(option->alias, key))
            return true;
    return false;
}

static const Option *find_option(const FeatureDef *def, const char *key)
{
    NameList list = { 0 };
    for (const Option *option = def->options; option && option->name; option++) {
        if (!strcmp(option->name, key))
            return option;
        list_add(&list, option->name);
    }
    if (list.used)
        say("extractor %s has no option \"%s\"; it has: %s", def->name, key, list.text);
    else
        say("extractor %s has no option \"%s\"; it has none", def->name, key);
    return NULL;
}

static int check_number(const FeatureDef *def, const Option *option, const char *value)
{
    char text[64]; /* the value as the library will keep it */
    if (!dict_normalise_number(value, text, sizeof(text)) || isnan(text_to_double(text, NULL))) {
        say("%s: %s=%s is not a number", def->name, option->name, value);
        return -EINVAL;
    }
    const double number = text_to_double(text, NULL);
    if (option->type == OPTION_INT && number != floor(number)) {
        say("%s: %s=%s is not an integer", def->name, option->name, value);
        return -EINVAL;
    }
    if (number < option->min || number > option->max) {
        say("%s: %s=%s is out of range; it may be from %.10g to %.10g", def->name, option->name,
            value, option->min, option->max);
        return -EINVAL;
    }
    return 0;
}

static int check_option(const FeatureDef *def, const char *key, const char *value)
{
    if (is_alias(def, key))
        return 0;
    const Option *const option = find_option(def, key);
    if (!option)
        return -EINVAL;
    switch (option->type) {
    case OPTION_BOOL:
        if (!strcmp(value, "true") || !strcmp(value, "false"))
            return 0;
        say("%s: %s=%s; it is true or false", def->name, option->name, value);
        return -EINVAL;
    case OPTION_INT:
    case OPTION_DOUBLE:
        return check_number(def, option, value);
    default:
        return 0;
    }
}

int check_feature(const FeatureSpec *spec)
{
    const FeatureDef *const def = find_extractor(spec->extractor);
    if (!def)
        return -EINVAL;
    for (size_t i = 0; i < spec->option_count; i++) {
        const int err = check_option(def, spec->options[i].key, spec->options[i].value);
        if (err)
            return err;
    }
    return 0;
}

int check_overload(const OptionSpec *overload, const VmafModel *model)
{
    NameList list = { 0 };
    const FeatureDef *found = NULL, *last = NULL;
    for (unsigned i = 0; i < model->feature_count && !found; i++) {
        const FeatureDef *const def = feature_find_by_metric(model->features[i].name);
        if (def && !strcmp(def->name, overload->extractor))
            found = def;
        if (def && def != last)
            list_add(&list, def->name);
        last = def;
    }
    if (found)
        return check_option(found, overload->key, overload->value);
    say("the model has no extractor \"%s\"; it has: %s", overload->extractor, list.text);
    return -EINVAL;
}
