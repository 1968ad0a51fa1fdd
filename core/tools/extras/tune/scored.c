/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "scored.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/argv.h"
#include "common/json_memory.h"
#include "common/message.h"
#include "report/stored.h"

json_t *json_text(const char *text)
{
    json_t *const plain = json_string(text);
    if (plain)
        return plain;
    /* Not valid UTF-8: write every byte outside of ASCII as \xNN. */
    char *const spelt = malloc(4 * strlen(text) + 1);
    char *at = spelt;
    if (!spelt)
        return NULL;
    for (; *text; text++) {
        if ((unsigned char)*text < 0x80)
            *at++ = *text;
        else
            at += sprintf(at, "\\x%02x", (unsigned char)*text);
    }
    *at = 0;
    json_t *const string = json_string(spelt);
    free(spelt);
    return string;
}

/* List the metrics of a frame for an error message. */
static void list_metrics(const json_t *frame, char *text, size_t size)
{
    const char *name;
    json_t *value;
    size_t used = 0;
    *text = 0;
    json_object_foreach (json_object_get(frame, "metrics"), name, value) {
        const int n = snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
        used += n > 0 ? (size_t)n : 0;
        if (used >= size)
            return;
    }
}

/* The scores that the metric stands for: one of each plane that was measured for `xpsnr`, else the
 * metric itself. */
static unsigned names_of(const char *metric, const json_t *frame, const char *names[3])
{
    static const char *const planes[] = { "xpsnr_y", "xpsnr_u", "xpsnr_v" };
    const json_t *const metrics = json_object_get(frame, "metrics");
    unsigned count = 0;
    for (unsigned p = 0; p < 3 && !strcmp(metric, "xpsnr"); p++)
        if (json_object_get(metrics, planes[p]))
            names[count++] = planes[p];
    if (!count)
        names[count++] = metric;
    return count;
}

/* Sets *score; false: the frame has none. JSON has null for infinity. */
static bool take_score(const json_t *frame, const char *name, double *score)
{
    const json_t *const value = json_object_get(json_object_get(frame, "metrics"), name);
    const bool infinite = json_is_null(value) && stored_is_infinite(name);
    *score = infinite ? (double)INFINITY : json_number_value(value);
    return infinite || json_is_number(value);
}

static int take_frames(Series *series, const json_t *frames, const char *metric, char *error,
                       size_t error_size)
{
    const char *names[3];
    const size_t count = json_array_size(frames);
    series->planes = names_of(metric, json_array_get(frames, 0), names);
    series->scores = malloc((count * series->planes + 1) * sizeof(*series->scores));
    if (!series->scores)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        bool all = true; /* with --subsample, some frames have no score */
        for (unsigned p = 0; all && p < series->planes; p++)
            all =
                take_score(json_array_get(frames, i), names[p], &series->scores[series->count + p]);
        series->count += all ? series->planes : 0;
    }
    if (series->count)
        return 0;
    char available[512];
    list_metrics(json_array_get(frames, 0), available, sizeof(available));
    snprintf(error, error_size, "no frame has a score \"%s\"; available: %s", metric, available);
    return -EINVAL;
}

/* The level of the mean root of errors, each given by its level. */
static double mean_level(const double *levels, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += pow(10.0, -levels[i] / 20.0);
    return -20.0 * log10(sum / (double)count);
}

double scored_pool(const char *metric, const Pooling *pooling, const double *scores, size_t count,
                   unsigned planes)
{
    const bool levels = !strncmp(metric, "xpsnr", strlen("xpsnr"));
    const size_t frames = planes ? count / planes : 0;
    double *const plane = frames ? watched_room(frames, sizeof(*plane)) : NULL;
    double least = (double)NAN;
    for (unsigned p = 0; plane && p < planes; p++) {
        for (size_t i = 0; i < frames; i++)
            plane[i] = scores[i * planes + p];
        const double score = levels && pooling->kind == POOLING_MEAN
                                 ? mean_level(plane, frames)
                                 : pooling_scores(pooling, plane, frames);
        least = p ? fmin(least, score) : score;
    }
    free(plane);
    if (frames && isnan(least)) /* no score is none because memory ran out */
        json_memory_note();
    return least;
}

double series_pool(const char *metric, const Pooling *pooling, const Series *series)
{
    return scored_pool(metric, pooling, series->scores, series->count, series->planes);
}

/* The feature that tells best where the scores come from: the first one that a GPU measured. */
static const json_t *find_feature(const json_t *features)
{
    size_t i;
    json_t *feature;
    json_array_foreach(features, i, feature)
    {
        const char *const backend = json_string_value(json_object_get(feature, "backend"));
        if (backend && strcmp(backend, "cpu"))
            return feature;
    }
    return json_array_get(features, 0);
}

/* The extractors that ran on the CPU. */
static json_t *find_on_cpu(const json_t *features)
{
    json_t *const names = json_array();
    size_t i;
    json_t *feature;
    json_array_foreach(features, i, feature)
    {
        const char *const backend = json_string_value(json_object_get(feature, "backend"));
        if (backend && !strcmp(backend, "cpu"))
            json_array_append(names, json_object_get(feature, "extractor"));
    }
    return names;
}

static json_t *make_place(const json_t *report, const char *label)
{
    const json_t *const features = json_object_get(report, "features");
    const json_t *const feature = find_feature(features);
    const char *backend = json_string_value(json_object_get(feature, "backend"));
    const char *type = json_string_value(json_object_get(feature, "device_type"));
    backend = backend ? backend : "cpu";
    const bool gpu = strcmp(backend, "cpu") != 0;
    type = !gpu ? "cpu" : type ? type : "other";
    return json_pack("{s:o, s:s, s:O?, s:s, s:b, s:o}", "label", json_text(label), "backend",
                     backend, "device", gpu ? json_object_get(feature, "device") : NULL, "type",
                     type, "software", gpu && !strcmp(type, "cpu"), "on_cpu",
                     gpu ? find_on_cpu(features) : json_array());
}

bool place_beside(const json_t *place, char *text, size_t size)
{
    Names names = { .used = 0 };
    size_t i;
    json_t *name;
    json_array_foreach(json_object_get(place, "on_cpu"), i, name)
        names_add(&names, json_string_value(name));
    snprintf(text, size, "%s", names.text);
    return names.used;
}

void place_print(const json_t *place, char *text, size_t size)
{
    const char *const label = json_string_value(json_object_get(place, "label"));
    char names[256];
    const bool beside = place_beside(place, names, sizeof(names));
    snprintf(text, size, "%s%s%s%s", label ? label : "-",
             json_is_true(json_object_get(place, "software")) ? " (software)" : "",
             beside ? ", on the CPU: " : "", beside ? names : "");
}

int list_join(json_t *list, const json_t *more)
{
    size_t i, k;
    json_t *item, *known;
    json_array_foreach(more, i, item)
    {
        bool there = false;
        json_array_foreach(list, k, known) there |= json_equal(item, known);
        if (!there && json_array_append(list, item))
            return -ENOMEM;
    }
    return list ? 0 : -ENOMEM;
}

static bool member_is(const json_t *object, const char *name, const char *text)
{
    const char *const value = json_string_value(json_object_get(object, name));
    return value && !strcmp(value, text);
}

const json_t *warnings_find(const json_t *warnings, const char *code, const char *input)
{
    size_t i;
    const json_t *warning;
    json_array_foreach(warnings, i, warning)
    {
        if (member_is(warning, "code", code) && member_is(warning, "input", input))
            return warning;
    }
    return NULL;
}

void warnings_codes(const json_t *warnings, char *text, size_t size)
{
    Names names = { .used = 0 };
    size_t i;
    json_t *warning;
    json_t *const seen = json_object();
    json_array_foreach(warnings, i, warning)
    {
        const char *const code = json_string_value(json_object_get(warning, "code"));
        if (!code || json_object_get(seen, code))
            continue;
        json_object_set_new(seen, code, json_true());
        names_add(&names, code);
    }
    json_decref(seen);
    snprintf(text, size, "%s", names.text);
}

void warning_text(const json_t *warning, char *text, size_t size)
{
    const char *const input = json_string_value(json_object_get(warning, "input"));
    const char *const said = json_string_value(json_object_get(warning, "text"));
    const bool source = input && !strcmp(input, "reference");
    snprintf(text, size, "%s%s", !input ? "" : source ? "source: " : "encode: ", said ? said : "");
}

/* True if the words begin with an option that vmaf-tune has, too. */
static bool is_own_option(const char *words)
{
    static const char *const own[] = { "--model", "--display", "--range", "--feature" };
    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
        if (!strncmp(words, own[i], strlen(own[i])))
            return true;
    return false;
}

/* A warning's text without the remedy at its end, if that is an option of the vmaf command that
 * vmaf-tune lacks. free() it; NULL: out of memory. */
static char *without_remedy(const char *text, const char *code)
{
    static const char moved[] = "; mend the encoder's command, which moves pictures in time";
    const char *remedy = NULL;
    for (const char *at = strstr(text, "; "); at && !remedy; at = strstr(at + 2, "; ")) {
        const char *const words = at + 2 + (strncmp(at + 2, "use ", 4) ? 0 : 4);
        if (!strncmp(words, "--", 2) && !is_own_option(words))
            remedy = at;
    }
    const int length = (int)(remedy ? (size_t)(remedy - text) : strlen(text));
    const bool is_moved = remedy && !strcmp(code, "offset_suspected");
    return text_print("%.*s%s", length, text, is_moved ? moved : "");
}

/* A copy of a warning of the vmaf command, as vmaf-tune gives it. NULL: out of memory. */
static json_t *own_warning(const json_t *warning, const char *code)
{
    const char *const said = json_string_value(json_object_get(warning, "text"));
    char *const text = without_remedy(said ? said : "", code);
    json_t *const copy = text ? json_copy((json_t *)warning) : NULL;
    if (copy)
        json_object_set_new(copy, "text", json_string(text));
    free(text);
    return copy;
}

/* Take the warnings, except the one about a software device, which the place already tells. */
static int take_warnings(Scored *scored, const json_t *warnings)
{
    size_t i;
    json_t *warning, *const others = json_array();
    bool lost = !others;
    json_array_foreach(warnings, i, warning)
    {
        const char *const code = json_string_value(json_object_get(warning, "code"));
        if (code && strcmp(code, "software_device") != 0)
            lost |= json_array_append_new(others, own_warning(warning, code)) != 0;
    }
    scored->warnings = json_array();
    const int err = lost ? -ENOMEM : list_join(scored->warnings, others);
    json_decref(others);
    return err;
}

/* Take what our own part of the report says. */
static int take_more(Scored *scored, const json_t *report, const char *label)
{
    const json_t *const pairs = json_object_get(json_object_get(report, "scored"), "frames");
    scored->pairs = (uint64_t)json_integer_value(pairs);
    scored->place = make_place(report, label);
    scored->models = json_array();
    const int err = list_join(scored->models, json_object_get(report, "models"));
    if (err || !scored->place)
        return -ENOMEM;
    return take_warnings(scored, json_object_get(report, "warnings"));
}

int scored_read(Scored *scored, const char *path, const Metrics *metrics, const char *label,
                char *error, size_t error_size)
{
    json_error_t problem;
    json_t *const report = json_read_file(path, 0, &problem);
    *scored = (Scored){ .pairs = 0 };
    if (!report) {
        snprintf(error, error_size, "cannot read the report of the scores: %s", problem.text);
        return -EINVAL;
    }
    int err = 0;
    for (size_t i = 0; !err && i < metrics->count; i++)
        err = take_frames(&scored->series[i], json_object_get(report, "frames"), metrics->names[i],
                          error, error_size);
    if (!err)
        err = take_more(scored, json_object_get(report, "vmaf_turbo"), label);
    json_decref(report);
    if (err)
        scored_free(scored);
    return err;
}

json_t *scored_place(const char *path, const char *label)
{
    json_t *const report = json_read_file(path, 0, NULL);
    json_t *const place = report ? make_place(json_object_get(report, "vmaf_turbo"), label) : NULL;
    json_decref(report);
    return place;
}

void scored_free(Scored *scored)
{
    for (size_t i = 0; i < METRIC_MAX; i++)
        free(scored->series[i].scores);
    json_decref(scored->place);
    json_decref(scored->warnings);
    json_decref(scored->models);
    *scored = (Scored){ .pairs = 0 };
}
