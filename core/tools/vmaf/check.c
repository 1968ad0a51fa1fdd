/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "libvmaf/inspect.h"
#include "common/message.h"

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
