/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/details.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies a field that is a text; *out stays NULL when it is none. */
static int copy(char **out, const json_t *object, const char *name)
{
    const json_t *const value = json_object_get(object, name);
    if (!json_is_string(value) || *out)
        return 0;
    *out = strdup(json_string_value(value));
    return *out ? 0 : -ENOMEM;
}

static unsigned count(const json_t *object, const char *name)
{
    const json_int_t value = json_integer_value(json_object_get(object, name));
    return value > 0 && value <= INT_MAX ? (unsigned)value : 0;
}

static int take_input(StoredInput *input, const json_t *object)
{
    int err = copy(&input->path, object, "path");
    if (!err)
        err = copy(&input->kind, object, "kind");
    if (!err)
        err = copy(&input->pixel_format, object, "pixel_format");
    if (!err)
        err = copy(&input->filters, object, "filters");
    if (!err)
        err = copy(&input->warnings, object, "warnings");
    if (!err)
        err = copy(&input->pairing, object, "pairing");
    const char *const rate = json_string_value(json_object_get(object, "frame_rate"));
    if (rate && (rate[strspn(rate, "0123456789/")] ||
                 sscanf(rate, "%9u/%9u", &input->rate_num, &input->rate_den) != 2))
        input->rate_num = input->rate_den = 0;
    input->width = count(object, "width");
    input->height = count(object, "height");
    input->bitdepth = count(object, "bitdepth");
    input->frames = count(object, "frames");
    input->skipped = count(object, "skipped");
    return err;
}

/* Memory for as many items as the list has. */
static int make_room(const json_t *list, void *items, size_t size)
{
    void *const room = calloc(json_array_size(list) + 1, size);
    memcpy(items, &room, sizeof(room));
    return room ? 0 : -ENOMEM;
}

static int take_models(StoredReport *report, const json_t *list)
{
    int err = make_room(list, &report->models, sizeof(*report->models));
    for (size_t i = 0; !err && i < json_array_size(list); i++) {
        const json_t *const object = json_array_get(list, i);
        StoredModel *const model = &report->models[report->model_count];
        if (!json_is_string(json_object_get(object, "metric")) ||
            !json_is_string(json_object_get(object, "source")))
            continue;
        report->model_count++;
        model->members = count(object, "members");
        err = copy(&model->metric, object, "metric");
        if (!err)
            err = copy(&model->source, object, "source");
    }
    return err;
}

/* `name=value name=value` */
static int join_options(char **out, json_t *options)
{
    const char *name;
    json_t *value;
    size_t size = 1;
    json_object_foreach (options, name, value)
        size += strlen(name) + (json_is_string(value) ? json_string_length(value) : 0) + 2;
    char *const text = calloc(1, size);
    if (!text)
        return -ENOMEM;
    char *at = text;
    json_object_foreach (options, name, value)
        if (json_is_string(value))
            at += sprintf(at, "%s%s=%s", at > text ? " " : "", name, json_string_value(value));
    *out = text;
    return 0;
}

static int take_features(StoredReport *report, const json_t *list)
{
    int err = make_room(list, &report->features, sizeof(*report->features));
    for (size_t i = 0; !err && i < json_array_size(list); i++) {
        const json_t *const object = json_array_get(list, i);
        StoredFeature *const feature = &report->features[report->feature_count];
        if (!json_is_string(json_object_get(object, "extractor")) ||
            !json_is_string(json_object_get(object, "backend")))
            continue;
        report->feature_count++;
        err = copy(&feature->extractor, object, "extractor");
        if (!err)
            err = join_options(&feature->options, json_object_get(object, "options"));
        if (!err)
            err = copy(&feature->backend, object, "backend");
        if (!err)
            err = copy(&feature->instruction_set, object, "instruction_set");
        if (!err)
            err = copy(&feature->device, object, "device");
    }
    return err;
}

static int take_options(StoredReport *report, const json_t *list)
{
    int err = make_room(list, &report->options, sizeof(*report->options));
    for (size_t i = 0; !err && i < json_array_size(list); i++) {
        const json_t *const object = json_array_get(list, i);
        StoredOption *const option = &report->options[report->option_count];
        if (!json_is_string(json_object_get(object, "name")))
            continue;
        report->option_count++;
        err = copy(&option->name, object, "name");
        if (!err)
            err = copy(&option->value, object, "value");
    }
    return err;
}

int stored_take_details(StoredReport *report, const json_t *details)
{
    const json_t *const inputs = json_object_get(details, "inputs");
    const json_t *const scored = json_object_get(details, "scored");
    const json_t *const elapsed = json_object_get(details, "elapsed");
    if (!json_is_object(details) || report->detailed)
        return 0;
    report->detailed = true;
    report->width = count(scored, "width");
    report->height = count(scored, "height");
    report->threads = count(details, "threads");
    if (json_is_number(elapsed))
        report->elapsed = json_number_value(elapsed);
    int err = take_input(&report->input[SIDE_REF], json_object_get(inputs, "reference"));
    if (!err)
        err = take_input(&report->input[SIDE_DIST], json_object_get(inputs, "distorted"));
    if (!err)
        err = take_models(report, json_object_get(details, "models"));
    if (!err)
        err = take_features(report, json_object_get(details, "features"));
    if (!err)
        err = take_options(report, json_object_get(details, "options"));
    return err;
}
