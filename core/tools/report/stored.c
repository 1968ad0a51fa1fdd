/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/stored.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/argv.h"
#include "common/json_memory.h"
#include "common/message.h"
#include "report/scan.h"

void stored_destroy(StoredReport *report)
{
    if (!report)
        return;
    free(report->version);
    free(report->partial);
    free(report->incomplete);
    free(report->numbers);
    free(report->times);
    free(report->shots);
    for (unsigned side = 0; side < SIDES; side++)
        free(report->in_file[side]);
    for (size_t i = 0; i < report->metric_count; i++) {
        free(report->metrics[i].name);
        free(report->metrics[i].values);
    }
    free(report->metrics);
    for (size_t i = 0; i < report->clip_count; i++)
        free(report->clip[i].name);
    free(report->clip);
    for (unsigned side = 0; side < SIDES; side++) {
        free(report->input[side].path);
        free(report->input[side].kind);
        free(report->input[side].codec);
        free(report->input[side].pixel_format);
        free(report->input[side].filters);
        free(report->input[side].warnings);
        free(report->input[side].pairing);
    }
    for (size_t i = 0; i < report->warning_count; i++) {
        free(report->warnings[i].code);
        free(report->warnings[i].text);
    }
    free(report->warnings);
    for (size_t i = 0; i < report->model_count; i++) {
        free(report->models[i].metric);
        free(report->models[i].source);
        free(report->models[i].note);
    }
    free(report->models);
    for (size_t i = 0; i < report->feature_count; i++) {
        const StoredFeature *const feature = &report->features[i];
        free(feature->extractor);
        free(feature->options);
        free(feature->backend);
        free(feature->instruction_set);
        free(feature->device);
    }
    free(report->features);
    for (size_t i = 0; i < report->option_count; i++) {
        free(report->options[i].name);
        free(report->options[i].value);
    }
    free(report->options);
    free(report);
}

static const StoredMetric *find(const StoredReport *report, const char *name, size_t length,
                                const char *suffix)
{
    for (size_t i = 0; i < report->metric_count; i++) {
        const char *const there = report->metrics[i].name;
        if (!strncmp(there, name, length) && !strcmp(there + length, suffix))
            return &report->metrics[i];
    }
    return NULL;
}

const StoredMetric *stored_find(const StoredReport *report, const char *name)
{
    return find(report, name, strlen(name), "");
}

const StoredClip *stored_clip_figure(const StoredReport *report, const StoredMetric *metric)
{
    for (size_t i = 0; i < report->clip_count; i++)
        if (report->clip[i].name[0] == 'a' && !strcmp(report->clip[i].name + 1, metric->name))
            return &report->clip[i];
    return NULL;
}

const StoredMetric *stored_model_metric(const StoredReport *report, const StoredModel *model)
{
    const StoredMetric *const all =
        model->members ? find(report, model->metric, strlen(model->metric), "_bagging") : NULL;
    return all ? all : stored_find(report, model->metric);
}

bool stored_is_model(const StoredReport *report, const StoredMetric *metric)
{
    for (size_t i = 0; i < report->model_count; i++)
        if (stored_model_metric(report, &report->models[i]) == metric)
            return true;
    return false;
}

const StoredMetric *stored_headline(const StoredReport *report)
{
    static const char *const favourites[] = { "vmaf",   "ssimulacra2", "xpsnr_y",
                                              "psnr_y", "float_ssim",  "psnr_hvs" };
    const StoredMetric *found = NULL;
    for (size_t i = 0; !found && i < report->model_count; i++)
        found = stored_model_metric(report, &report->models[i]);
    if (!found)
        found = stored_find(report, "vmaf_bagging");
    for (size_t i = 0; !found && i < sizeof(favourites) / sizeof(*favourites); i++)
        found = stored_find(report, favourites[i]);
    for (size_t i = 0; !found && i < report->metric_count; i++)
        if (!strncmp(report->metrics[i].name, "vmaf", 4))
            found = &report->metrics[i];
    return found ? found : &report->metrics[0];
}

/* The length of a name without `suffix`; the whole length if it ends differently. */
static size_t stem_length(const char *name, const char *suffix)
{
    const size_t length = strlen(name), tail = strlen(suffix);
    return length > tail && !strcmp(name + length - tail, suffix) ? length - tail : length;
}

bool stored_interval(const StoredReport *report, const StoredMetric *metric, double *low,
                     double *high)
{
    const size_t stem = stem_length(metric->name, "_bagging");
    const StoredMetric *const lo = find(report, metric->name, stem, "_ci_p95_lo");
    const StoredMetric *const hi = find(report, metric->name, stem, "_ci_p95_hi");
    if (!lo || !hi || !lo->figures.size || !hi->figures.size)
        return false;
    *low = lo->figures.mean;
    *high = hi->figures.mean;
    return true;
}

bool stored_is_member(const StoredReport *report, const StoredMetric *metric)
{
    const char *const underscore = strrchr(metric->name, '_');
    if (!underscore || strlen(underscore + 1) != 4 || strspn(underscore + 1, "0123456789") != 4)
        return false;
    return find(report, metric->name, (size_t)(underscore - metric->name), "_bagging") != NULL;
}

const char *stored_incomplete(const StoredReport *report)
{
    return report->incomplete ? report->incomplete : report->partial;
}

static const char *file_name(const char *path)
{
    const char *const slash = path_separator(path);
    return slash && slash[1] ? slash + 1 : path;
}

const char *stored_title(const StoredReport *report)
{
    const char *const path = report->input[SIDE_DIST].path;
    return file_name(path && strcmp(path, "-") != 0 ? path : report->path);
}

/* Frames per second of the reference, else of the distorted video; 0 if unknown. */
static double rate_of(const StoredReport *report)
{
    for (unsigned side = SIDE_REF; side < SIDES; side++) {
        const StoredInput *const input = &report->input[side];
        if (input->rate_num && input->rate_den)
            return (double)input->rate_num / input->rate_den;
    }
    return 0.0;
}

double stored_time(const StoredReport *report, size_t i)
{
    const double rate = rate_of(report);
    if (report->times)
        return report->times[i];
    return rate > 0.0 ? (double)stored_frame(report, SIDE_REF, i) / rate : (double)NAN;
}

double stored_duration(const StoredReport *report)
{
    const size_t last = report->frame_count - 1;
    const double span = stored_time(report, last) - stored_time(report, 0), rate = rate_of(report);
    const unsigned frames = report->numbers[last] - report->numbers[0];
    return span + (frames ? span / frames : rate > 0.0 ? 1.0 / rate : (double)NAN);
}

double stored_bit_rate(const StoredInput *input)
{
    const uint64_t frames = input->frames ? input->frames : input->found;
    if (input->bit_rate)
        return (double)input->bit_rate;
    if (!input->bytes || !frames || !input->rate_num || !input->rate_den)
        return 0.0;
    return (double)input->bytes * 8.0 * input->rate_num / input->rate_den / (double)frames;
}

uint64_t stored_frame(const StoredReport *report, enum Side side, size_t i)
{
    return report->in_file[side] ? report->in_file[side][i]
                                 : report->input[side].skipped + report->numbers[i];
}

/* ---- parsing ---- */

/* Limits that no real report reaches. */
enum { METRICS_MAX = 1024, FRAMES_MAX = 50 * 1000 * 1000 };
#if SIZE_MAX > UINT32_MAX
#define FILE_SIZE_MAX ((size_t)4 << 30)
#else
#define FILE_SIZE_MAX ((size_t)1 << 30)
#endif
/* Larger values cannot be scores, and would flatten all others in a chart. */
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
    if (json_memory_failed()) { /* jansson may have left out something */
        say("%s cannot be read: out of memory", report->path);
        json_decref(value);
        return NULL;
    }
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

/* Finds a metric by name. All frames list their metrics in the same order, so `guess`, the one
 * after the last found, is tried first. */
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
        return refuse(report, "its frames are not a list");
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

/* JSON has no infinity. Of all metrics, XPSNR has it for equal pictures, and these have no other
 * score that is not a number. */
bool stored_is_infinite(const char *metric)
{
    const char *const name = metric + (*metric == 'a');
    return !strncmp(name, "xpsnr_", strlen("xpsnr_"));
}

double *stored_scores(const StoredReport *report, const StoredMetric *metric)
{
    double *const scores = malloc(report->frame_count * sizeof(*scores));
    for (size_t i = 0; scores && i < report->frame_count; i++)
        scores[i] = isnan(metric->values[i]) && stored_is_infinite(metric->name)
                        ? (double)INFINITY
                        : metric->values[i];
    return scores;
}

int stored_figures(const StoredReport *report, const StoredMetric *metric, VmafStatistics *figures)
{
    *figures = metric->figures;
    if (metric->count == report->frame_count || !stored_is_infinite(metric->name))
        return 0;
    double *const scores = stored_scores(report, metric);
    int err = scores ? 0 : -ENOMEM;
    figures->size = sizeof(*figures);
    if (!err)
        err = vmaf_statistics(scores, report->frame_count, figures);
    free(scores);
    return err;
}

int stored_shots(const StoredReport *report, ShotSpans *spans)
{
    const ScoredFrames frames = { report->numbers, 1, report->frame_count,
                                  report->numbers[report->frame_count - 1] };
    const int err = shot_spans_make(spans, report->shots, report->shot_count, &frames);
    for (size_t i = 0; !err && i < spans->count; i++) {
        ShotSpan *const shot = &spans->at[i];
        shot->begin = stored_time(report, shot->at);
        shot->end = stored_time(report, shot->at + shot->count - 1);
    }
    return err;
}

bool stored_has_scores(const StoredMetric *metric)
{
    return metric->figures.size || stored_is_infinite(metric->name);
}

double stored_score(const StoredReport *report, const StoredMetric *metric)
{
    const StoredClip *const clip = stored_clip_figure(report, metric);
    if (clip && stored_is_infinite(metric->name))
        return clip->value;
    return metric->figures.size ? metric->figures.mean : (double)NAN;
}

static int take_clip(StoredReport *report, const json_t *figures)
{
    const char *name;
    json_t *value;
    report->clip = calloc(json_object_size(figures) + 1, sizeof(*report->clip));
    if (!report->clip)
        return -ENOMEM;
    json_object_foreach ((json_t *)figures, name, value) {
        StoredClip *const clip = &report->clip[report->clip_count++];
        clip->name = strdup(name);
        clip->value = json_is_number(value)      ? json_number_value(value)
                      : stored_is_infinite(name) ? (double)INFINITY
                                                 : (double)NAN;
        if (!clip->name)
            return -ENOMEM;
    }
    return 0;
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
    else if (!err && is_named(key, "aggregate_metrics") && !report->clip)
        err = take_clip(report, value);
    else if (!err && is_named(key, "vmaf_turbo"))
        err = stored_take_details(report, value);
    json_decref(value);
    return err;
}

/* Forgets times and numbers that do not fit the frames. Scores are worth showing without them. */
static void check_frames(StoredReport *report)
{
    bool fits = report->time_count == report->frame_count;
    for (size_t i = 1; fits && i < report->time_count; i++)
        fits = report->times[i] >= report->times[i - 1];
    if (!fits) {
        free(report->times);
        report->times = NULL;
    }
    for (unsigned side = 0; side < SIDES; side++) {
        if (report->in_file_count[side] == report->frame_count)
            continue;
        free(report->in_file[side]);
        report->in_file[side] = NULL;
    }
}

/* Computes the statistics of each metric's finite values. */
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

/* Notes that frames are missing in the report itself: it was changed, or put together wrongly. */
static int check_scored(StoredReport *report)
{
    enum { ROOM = 96 };
    if (report->frame_count >= report->scored || stored_incomplete(report))
        return 0;
    report->incomplete = malloc(ROOM);
    if (!report->incomplete)
        return -ENOMEM;
    snprintf(report->incomplete, ROOM, "the report has the scores of %zu of %zu frames",
             report->frame_count, report->scored);
    return 0;
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
        return refuse(report, "there is text after its end");
    if (!report->frame_count || !report->metric_count)
        return refuse(report, "it has no frames with scores");
    check_frames(report);
    const int err = check_scored(report);
    return err ? err : take_statistics(report);
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

/* ---- the object vmaf_turbo ---- */

/* Copies a string field; *out stays NULL if the field is not a string. */
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

static uint64_t count_large(const json_t *object, const char *name)
{
    const json_int_t value = json_integer_value(json_object_get(object, name));
    return value > 0 ? (uint64_t)value : 0;
}

static int take_input(StoredInput *input, const json_t *object)
{
    int err = copy(&input->path, object, "path");
    if (!err)
        err = copy(&input->kind, object, "kind");
    if (!err)
        err = copy(&input->codec, object, "codec");
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
    if (json_is_true(json_object_get(object, "ended")))
        input->found = count(object, "frames_found");
    input->bytes = count_large(object, "bytes");
    input->bit_rate = count_large(object, "bit_rate");
    return err;
}

/* Times that no video reaches: more than a thousand years. */
#define TIME_MAX 1e11

static int take_times(StoredReport *report, const json_t *list)
{
    const size_t size = json_array_size(list);
    report->times = size ? malloc(size * sizeof(*report->times)) : NULL;
    if (size && !report->times)
        return -ENOMEM;
    for (size_t i = 0; i < size; i++) {
        const json_t *const time = json_array_get(list, i);
        if (!json_is_number(time) || !(fabs(json_number_value(time)) < TIME_MAX))
            return 0; /* too few: check_frames forgets them */
        report->times[report->time_count++] = json_number_value(time);
    }
    return 0;
}

/* Takes the first frames of the shots; none of them if they make no sense. */
static int take_shots(StoredReport *report, const json_t *list)
{
    const size_t size = json_array_size(list);
    report->shots = size ? malloc(size * sizeof(*report->shots)) : NULL;
    if (size && !report->shots)
        return -ENOMEM;
    for (size_t i = 0; i < size; i++) {
        const json_t *const first = json_object_get(json_array_get(list, i), "first");
        const json_int_t number = json_integer_value(first);
        if (!json_is_integer(first) || number < 0 || number >= UINT_MAX ||
            (i && number <= (json_int_t)report->shots[i - 1])) {
            report->shot_count = 0;
            return 0;
        }
        report->shots[report->shot_count++] = (unsigned)number;
    }
    return 0;
}

static int take_frame_numbers(StoredReport *report, enum Side side, const json_t *list)
{
    const size_t size = json_array_size(list);
    uint64_t *const numbers = size ? malloc(size * sizeof(*numbers)) : NULL;
    if (size && !numbers)
        return -ENOMEM;
    report->in_file[side] = numbers;
    for (size_t i = 0; i < size; i++) {
        const json_t *const number = json_array_get(list, i);
        if (!json_is_integer(number) || json_integer_value(number) < 0)
            return 0; /* too few: check_frames forgets them */
        numbers[report->in_file_count[side]++] = (uint64_t)json_integer_value(number);
    }
    return 0;
}

/* Allocates one item for each element of the list. */
static int make_room(const json_t *list, void *items, size_t size)
{
    void *const room = calloc(json_array_size(list) + 1, size);
    memcpy(items, &room, sizeof(room));
    return room ? 0 : -ENOMEM;
}

static int add_warning(StoredReport *report, const char *code, const char *text, unsigned side)
{
    const StoredWarning fresh = { strdup(code), strdup(text), side };
    report->warnings[report->warning_count++] = fresh;
    return fresh.code && fresh.text ? 0 : -ENOMEM;
}

static int take_warnings(StoredReport *report, const json_t *list)
{
    int err = make_room(list, &report->warnings, sizeof(*report->warnings));
    for (size_t i = 0; !err && i < json_array_size(list); i++) {
        const json_t *const object = json_array_get(list, i);
        const char *const code = json_string_value(json_object_get(object, "code"));
        const char *const text = json_string_value(json_object_get(object, "text"));
        const char *const input = json_string_value(json_object_get(object, "input"));
        if (code && text)
            err = add_warning(report, code, text,
                              !input                        ? SIDES
                              : !strcmp(input, "reference") ? SIDE_REF
                                                            : SIDE_DIST);
    }
    return err;
}

/* A report of an earlier version has its warnings only as texts of the inputs. */
static int take_old_warnings(StoredReport *report)
{
    report->warnings = calloc(SIDES, sizeof(*report->warnings));
    int err = report->warnings ? 0 : -ENOMEM;
    for (unsigned side = 0; !err && side < SIDES; side++)
        if (report->input[side].warnings)
            err = add_warning(report, "warning", report->input[side].warnings, side);
    return err;
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
        if (!err)
            err = copy(&model->note, object, "note");
    }
    return err;
}

/* Joins options as `name=value name=value`. */
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

/* Notes why not all frames were scored. */
static int take_incomplete(StoredReport *report, const json_t *details)
{
    if (!json_is_false(json_object_get(details, "complete")))
        return 0;
    const int err = copy(&report->incomplete, details, "incomplete_reason");
    if (err || report->incomplete)
        return err;
    report->incomplete = strdup("not all frames were scored");
    return report->incomplete ? 0 : -ENOMEM;
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
    const unsigned pairs = count(scored, "frames"), every = count(scored, "subsample");
    report->scored = every > 1 && pairs ? (pairs - 1) / every + 1 : pairs;
    report->threads = count(details, "threads");
    if (json_is_number(elapsed))
        report->elapsed = json_number_value(elapsed);
    int err = take_input(&report->input[SIDE_REF], json_object_get(inputs, "reference"));
    if (!err)
        err = take_input(&report->input[SIDE_DIST], json_object_get(inputs, "distorted"));
    const json_t *const numbers = json_object_get(details, "frame_numbers");
    if (!err)
        err = take_times(report, json_object_get(details, "times"));
    if (!err)
        err = take_shots(report, json_object_get(details, "shots"));
    if (!err)
        err = take_frame_numbers(report, SIDE_REF, json_object_get(numbers, "reference"));
    if (!err)
        err = take_frame_numbers(report, SIDE_DIST, json_object_get(numbers, "distorted"));
    const json_t *const warnings = json_object_get(details, "warnings");
    if (!err)
        err = json_is_array(warnings) ? take_warnings(report, warnings) : take_old_warnings(report);
    if (!err)
        err = take_incomplete(report, details);
    if (!err)
        err = take_models(report, json_object_get(details, "models"));
    if (!err)
        err = take_features(report, json_object_get(details, "features"));
    if (!err)
        err = take_options(report, json_object_get(details, "options"));
    return err;
}
