/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/load.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/message.h"
#include "report/details.h"
#include "report/scan.h"

/* What no report reaches that was meant as one. */
enum { METRICS_MAX = 1024, FRAMES_MAX = 50 * 1000 * 1000 };
#if SIZE_MAX > UINT32_MAX
#define FILE_SIZE_MAX ((size_t)4 << 30)
#else
#define FILE_SIZE_MAX ((size_t)1 << 30)
#endif
/* Larger ones are no scores, and would leave nothing of the others in a drawing. */
#define SCORE_MAX 1e12

static int refuse(const StoredReport *report, const char *why)
{
    say("%s is not a JSON report of vmaf: %s", report->path, why);
    return -EINVAL;
}

static json_t *parse(const StoredReport *report, Slice text)
{
    json_error_t error;
    json_t *const value = json_loadb(text.data, text.size, JSON_DECODE_ANY, &error);
    if (!value)
        refuse(report, error.text);
    return value;
}

static int add_metric(StoredReport *report, const char *name, size_t capacity)
{
    if (report->metric_count == METRICS_MAX)
        return refuse(report, "it has too many metrics");
    StoredMetric *const grown =
        realloc(report->metrics, (report->metric_count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    report->metrics = grown;
    StoredMetric *const metric = &grown[report->metric_count];
    *metric = (StoredMetric){ .name = strdup(name),
                              .values = malloc(capacity * sizeof(*metric->values)) };
    if (!metric->name || !metric->values) {
        free(metric->name);
        free(metric->values);
        return -ENOMEM;
    }
    for (size_t i = 0; i < capacity; i++)
        metric->values[i] = (double)NAN;
    report->metric_count++;
    return 0;
}

/* Frames list their metrics in the same order: the one after the last found is tried first. */
static size_t find_metric(const StoredReport *report, const char *name, size_t guess)
{
    if (guess < report->metric_count && !strcmp(report->metrics[guess].name, name))
        return guess;
    for (size_t i = 0; i < report->metric_count; i++)
        if (!strcmp(report->metrics[i].name, name))
            return i;
    return report->metric_count;
}

static int grow_frames(StoredReport *report, size_t *capacity)
{
    const size_t more = *capacity ? *capacity * 2 : 256;
    unsigned *const numbers = realloc(report->numbers, more * sizeof(*numbers));
    if (!numbers)
        return -ENOMEM;
    report->numbers = numbers;
    for (size_t i = 0; i < report->metric_count; i++) {
        double *const values = realloc(report->metrics[i].values, more * sizeof(*values));
        if (!values)
            return -ENOMEM;
        for (size_t f = *capacity; f < more; f++)
            values[f] = (double)NAN;
        report->metrics[i].values = values;
    }
    *capacity = more;
    return 0;
}

static int take_metrics(StoredReport *report, json_t *metrics, size_t capacity)
{
    const char *name;
    json_t *value;
    size_t at = 0;
    json_object_foreach (metrics, name, value) {
        at = find_metric(report, name, at);
        if (at == report->metric_count) {
            const int err = add_metric(report, name, capacity);
            if (err)
                return err;
        }
        if (json_is_number(value) && fabs(json_number_value(value)) < SCORE_MAX)
            report->metrics[at].values[report->frame_count] = json_number_value(value);
        else if (!json_is_null(value) && !json_is_number(value))
            return refuse(report, "a score is not a number");
        at++;
    }
    return 0;
}

static int take_frame(StoredReport *report, json_t *frame, size_t *capacity)
{
    json_t *const number = json_object_get(frame, "frameNum");
    json_t *const metrics = json_object_get(frame, "metrics");
    if (!json_is_integer(number) || json_integer_value(number) < 0 ||
        json_integer_value(number) > INT32_MAX || !json_is_object(metrics))
        return refuse(report, "a frame lacks its number or its metrics");
    const unsigned index = (unsigned)json_integer_value(number);
    if (report->frame_count && index <= report->numbers[report->frame_count - 1])
        return refuse(report, "its frames are not in order");
    if (report->frame_count == FRAMES_MAX)
        return refuse(report, "it has too many frames");
    int err = report->frame_count == *capacity ? grow_frames(report, capacity) : 0;
    if (err)
        return err;
    report->numbers[report->frame_count] = index;
    err = take_metrics(report, metrics, *capacity);
    report->frame_count++;
    return err;
}

static int take_frames(StoredReport *report, Slice text)
{
    Scan scan = { text.data, text.data + text.size };
    size_t capacity = 0;
    bool first = true;
    Slice item;
    int next;
    if (report->frame_count || !scan_take(&scan, '['))
        return refuse(report, "its frames are no list");
    while ((next = scan_item(&scan, &first, &item)) > 0) {
        json_t *const frame = parse(report, item);
        const int err = frame ? take_frame(report, frame, &capacity) : -EINVAL;
        json_decref(frame);
        if (err)
            return err;
    }
    return next ? refuse(report, "its list of frames is broken") : 0;
}

static int take_string(char **out, const json_t *value)
{
    if (!json_is_string(value))
        return 0;
    free(*out);
    *out = strdup(json_string_value(value));
    return *out ? 0 : -ENOMEM;
}

static bool is_named(Slice key, const char *name)
{
    return key.size == strlen(name) + 2 && !memcmp(key.data + 1, name, key.size - 2);
}

static int take_member(StoredReport *report, Slice key, Slice text)
{
    if (is_named(key, "frames"))
        return take_frames(report, text);
    json_t *const value = parse(report, text);
    int err = value ? 0 : -EINVAL;
    if (!err && is_named(key, "version"))
        err = take_string(&report->version, value);
    else if (!err && is_named(key, "partial"))
        err = take_string(&report->partial, value);
    else if (!err && is_named(key, "fps") && json_is_number(value))
        report->fps = json_number_value(value);
    else if (!err && is_named(key, "vmaf_turbo"))
        err = stored_take_details(report, value);
    json_decref(value);
    return err;
}

/* The statistics of what numbers there are. */
static int take_statistics(StoredReport *report)
{
    double *const finite = malloc((report->frame_count + 1) * sizeof(*finite));
    int err = finite ? 0 : -ENOMEM;
    for (size_t m = 0; !err && m < report->metric_count; m++) {
        StoredMetric *const metric = &report->metrics[m];
        for (size_t i = 0; i < report->frame_count; i++)
            if (isfinite(metric->values[i]))
                finite[metric->count++] = metric->values[i];
        if (!metric->count)
            continue;
        metric->figures.size = sizeof(metric->figures);
        err = vmaf_statistics(finite, metric->count, &metric->figures);
    }
    free(finite);
    return err;
}

int stored_parse(StoredReport *report, const char *text, size_t size)
{
    Scan scan = { text, text + size };
    bool first = true;
    Slice key, value;
    int next;
    report->fps = report->elapsed = (double)NAN;
    if (!scan_take(&scan, '{'))
        return refuse(report, "it does not begin with {");
    while ((next = scan_member(&scan, &first, &key, &value)) > 0) {
        const int err = take_member(report, key, value);
        if (err)
            return err;
    }
    if (next)
        return refuse(report, "it is broken or cut off");
    scan_take(&scan, ' ');
    if (scan.at != scan.end)
        return refuse(report, "something follows its end");
    if (!report->frame_count || !report->metric_count)
        return refuse(report, "it has no frames with scores");
    return take_statistics(report);
}

static int read_file(const char *path, char **text, size_t *size)
{
    FILE *const file = fopen(path, "rb");
    size_t capacity = 1 << 16, used = 0;
    char *data = malloc(capacity);
    int err = !file ? -errno : !data ? -ENOMEM : 0;
    struct stat info;
    if (!err && !fstat(fileno(file), &info) && S_ISDIR(info.st_mode))
        err = -EISDIR;
    while (!err) {
        const size_t got = fread(data + used, 1, capacity - used, file);
        used += got;
        if (used < capacity) {
            err = ferror(file) ? -EIO : 0;
            break;
        }
        char *const grown = capacity < FILE_SIZE_MAX ? realloc(data, capacity * 2) : NULL;
        if (!grown) {
            err = capacity < FILE_SIZE_MAX ? -ENOMEM : -EFBIG;
            break;
        }
        data = grown;
        capacity *= 2;
    }
    if (file)
        fclose(file);
    if (err)
        free(data);
    *text = err ? NULL : data;
    *size = used;
    return err;
}

int stored_load(StoredReport **out, const char *path)
{
    char *text;
    size_t size;
    int err = read_file(path, &text, &size);
    if (err) {
        say("could not read the report %s: %s", path, strerror(-err));
        return err;
    }
    StoredReport *const report = calloc(1, sizeof(*report));
    err = report ? 0 : -ENOMEM;
    if (!err) {
        report->path = path;
        err = stored_parse(report, text, size);
    }
    free(text);
    if (err) {
        stored_destroy(report);
        return err;
    }
    *out = report;
    return 0;
}
