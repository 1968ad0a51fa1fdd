/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "scoring.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allow.h"
#include "files.h"
#include "libvmaf/inspect.h"
#include "rpc.h"
#include "tool.h"

static bool is_builtin_model(const char *name)
{
    VmafBuiltinModelInfo info = { .size = sizeof(info) };
    for (unsigned i = 0; !vmaf_builtin_model_info(i, &info); i++)
        if (!strcmp(info.name, name))
            return true;
    return false;
}

int scoring_add_model(Task *task, const char *model, char *why, size_t size)
{
    if (!model)
        return 0;
    task_add(task, "--model");
    if (!strcmp(model, "auto") || is_builtin_model(model)) {
        task_add(task, "version=%s", model);
        return 0;
    }
    if (!task_file(task, model, why, size))
        return -EACCES;
    char *text;
    size_t length;
    int err =
        harmless_model(task->files[task->file_count - 1].fd, model, &text, &length, why, size);
    if (!err) {
        const char *const name = task_replace(task, text, length, why, size);
        task_add(task, "path=%s", name ? name : "");
        err = name ? 0 : -EIO;
    }
    free(text);
    return err;
}

static int add_video(Task *task, const char *option, const char *path, char *why, size_t size)
{
    const char *const name = task_file(task, path, why, size);
    task_add(task, "%s", option);
    task_add(task, "%s", name ? name : "");
    return name ? 0 : -EACCES;
}

static void add_number(Task *task, const json_t *arguments, const char *name, const char *option)
{
    if (!json_object_get(arguments, name))
        return;
    task_add(task, "%s", option);
    task_add(task, "%lld", tool_integer(arguments, name, 0));
}

static void add_string(Task *task, const json_t *arguments, const char *name, const char *option)
{
    if (!json_object_get(arguments, name))
        return;
    task_add(task, "%s", option);
    task_add(task, "%s", tool_string(arguments, name, ""));
}

static long long thread_share(const McpConfig *config)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const long share = cores > 0 && config->jobs ? cores / (long)config->jobs : 1;
    return share > 1 ? share : 1;
}

static void add_options(Task *task, const json_t *arguments)
{
    const json_t *const raw = json_object_get(arguments, "raw");
    const json_t *feature;
    size_t i;
    json_array_foreach(json_object_get(arguments, "features"), i, feature)
    {
        task_add(task, "--feature");
        task_add(task, "%s", json_string_value(feature));
    }
    if (json_is_true(json_object_get(arguments, "shots")))
        task_add(task, "--shots");
    add_string(task, arguments, "backend", "--backend");
    add_string(task, arguments, "device", "--device");
    add_string(task, arguments, "scale", "--scale");
    add_string(task, arguments, "crop", "--crop");
    add_string(task, arguments, "crop_reference", "--crop_ref");
    add_string(task, arguments, "crop_distorted", "--crop_dist");
    add_string(task, arguments, "range", "--range");
    add_string(task, arguments, "film_grain", "--film_grain");
    if (json_is_true(json_object_get(arguments, "deinterlace")))
        task_add(task, "--deinterlace");
    add_string(task, arguments, "sync", "--sync");
    add_string(task, arguments, "offset", "--offset");
    add_string(task, arguments, "duration", "--duration");
    add_string(task, arguments, "fps", "--fps");
    if (json_is_true(json_object_get(arguments, "allow_partial")))
        task_add(task, "--allow_partial");
    add_string(task, arguments, "display", "--display");
    add_string(task, arguments, "enc_size", "--enc_size");
    add_number(task, arguments, "enc_bitdepth", "--enc_bitdepth");
    add_number(task, arguments, "subsample", "--subsample");
    add_number(task, arguments, "frame_count", "--frame_cnt");
    add_number(task, arguments, "skip_reference", "--frame_skip_ref");
    add_number(task, arguments, "skip_distorted", "--frame_skip_dist");
    add_number(task, raw, "width", "--width");
    add_number(task, raw, "height", "--height");
    add_string(task, raw, "pixel_format", "--pixel_format");
    add_number(task, raw, "bitdepth", "--bitdepth");
    task_add(task, "--threads");
    task_add(task, "%lld", tool_integer(arguments, "threads", thread_share(task->call->config)));
}

/* ---- progress ---- */

typedef struct Teller {
    Call *call;
    const Scoring *scoring;
    uint64_t frame, total; /* total 0: unknown */
} Teller;

/* Read a line "progress frame=N total=N fps=X …". */
static bool hear_progress(void *arg, const char *text)
{
    Teller *const teller = arg;
    const char *const at = strstr(text, "progress frame=");
    return at && sscanf(at, "progress frame=%" SCNu64 " total=%" SCNu64, &teller->frame,
                        &teller->total) >= 1;
}

static void tell_progress(void *arg)
{
    const Teller *const teller = arg;
    const Scoring *const scoring = teller->scoring;
    const double frame = (double)teller->frame, total = (double)teller->total;
    char message[128];
    snprintf(message, sizeof(message), "%" PRIu64 " frames scored", teller->frame);
    if (scoring->count > 1) /* assume that all videos have the length of this one */
        call_progress(teller->call, frame + total * scoring->index, total * scoring->count,
                      message);
    else
        call_progress(teller->call, frame, total, message);
}

/* ---- the report ---- */

typedef struct Frame {
    uint64_t number;
    double score;
    json_t *time; /* NULL: unknown */
} Frame;

static int compare_frames(const void *a, const void *b)
{
    const Frame *const x = a, *const y = b;
    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static json_t *worst_frames(const json_t *report, const char *metric, unsigned wanted)
{
    const json_t *const list = json_object_get(report, "frames");
    const json_t *const times = json_object_get(json_object_get(report, "vmaf_turbo"), "times");
    const size_t count = json_array_size(list);
    Frame *const frames = calloc(count ? count : 1, sizeof(*frames));
    json_t *const worst = json_array();
    const json_t *entry;
    size_t used = 0, i;
    if (!frames)
        return worst;
    json_array_foreach(list, i, entry)
    {
        const json_t *const score = json_object_get(json_object_get(entry, "metrics"), metric);
        if (json_is_number(score))
            frames[used++] =
                (Frame){ (uint64_t)json_integer_value(json_object_get(entry, "frameNum")),
                         json_number_value(score), json_array_get(times, i) };
    }
    qsort(frames, used, sizeof(*frames), compare_frames);
    for (i = 0; i < used && i < wanted; i++)
        json_array_append_new(worst,
                              json_pack("{s:I, s:f, s:O*}", "frame", (json_int_t)frames[i].number,
                                        "score", frames[i].score, "time", frames[i].time));
    free(frames);
    return worst;
}

/* Copy a text with the names that the client used. */
static json_t *named_text(const Task *task, const char *text)
{
    char named[2048];
    task_name_files(task, text, named, sizeof(named));
    return rpc_text(named);
}

/* Replace the texts of an object or array, at any depth, by those with the client's names. */
static void name_texts(const Task *task, json_t *value)
{
    const char *name;
    json_t *inner;
    size_t i;
    json_object_foreach (value, name, inner) {
        if (json_is_string(inner))
            json_object_set_new(value, name, named_text(task, json_string_value(inner)));
        else
            name_texts(task, inner);
    }
    json_array_foreach(value, i, inner)
    {
        if (json_is_string(inner))
            json_array_set_new(value, i, named_text(task, json_string_value(inner)));
        else
            name_texts(task, inner);
    }
}

/* Add what makes the scores doubtful: missing frames, and warnings. */
static void add_doubts(const Task *task, const json_t *details, json_t *result)
{
    static const char *const names[] = { "complete", "incomplete_reason", "warnings" };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const json_t *const value = json_object_get(details, names[i]);
        if (value)
            json_object_set_new(result, names[i], json_deep_copy(value));
        if (json_is_string(value))
            json_object_set_new(result, names[i], named_text(task, json_string_value(value)));
        else
            name_texts(task, json_object_get(result, names[i]));
    }
}

/* Copy the inputs without their paths, which have other names in the worker. */
static json_t *inputs_of(const Task *task, const json_t *details)
{
    json_t *const inputs = json_deep_copy(json_object_get(details, "inputs"));
    json_t *input;
    const char *side;
    json_object_foreach (inputs, side, input)
        json_object_del(input, "path");
    name_texts(task, inputs);
    return inputs;
}

/* Is `name` equal to `start`, or does it continue with an underscore? Names of metrics with
 * options, and of members of a collection, continue like that. */
static bool is_of(const char *name, const char *start)
{
    const size_t length = strlen(start);
    return !strncmp(name, start, length) && (!name[length] || name[length] == '_');
}

static bool is_of_feature(const char *name, const char *spec)
{
    char extractor[64];
    unsigned index;
    VmafMetricInfo metric = { .size = sizeof(metric) };
    snprintf(extractor, sizeof(extractor), "%.*s", (int)strcspn(spec, "="), spec);
    if (vmaf_extractor_find(extractor, &index))
        return false;
    for (unsigned i = 0; !vmaf_extractor_metric(index, i, &metric); i++)
        if (is_of(name, metric.short_name))
            return true;
    return false;
}

/* Choose the metrics that the client asked for: those of models and features, without those that
 * models are computed from. */
static json_t *choose_metrics(const json_t *arguments, json_t *pooled, const json_t *models)
{
    json_t *const chosen = json_object(), *figures;
    const char *name;
    json_object_foreach (pooled, name, figures) {
        bool wanted = json_is_true(json_object_get(arguments, "all_metrics"));
        const json_t *entry;
        size_t i;
        json_array_foreach(models, i, entry) wanted |=
            is_of(name, json_string_value(json_object_get(entry, "metric")));
        json_array_foreach(json_object_get(arguments, "features"), i, entry) wanted |=
            is_of_feature(name, json_string_value(entry));
        if (wanted)
            json_object_set(chosen, name, figures);
    }
    return chosen;
}

/* Copy the models. A model from a file has another name in the worker; replace it by the client's
 * name. */
static json_t *models_of(const Task *task, const json_t *details)
{
    json_t *const models = json_deep_copy(json_object_get(details, "models"));
    json_t *model;
    size_t i;
    json_array_foreach(models, i, model)
    {
        const char *const source = json_string_value(json_object_get(model, "source"));
        const char *const asked = source ? task_client_name(task, source) : NULL;
        if (asked)
            json_object_set_new(model, "source", json_string(asked));
    }
    return models;
}

static double mean_of(const json_t *shot, const char *metric)
{
    const json_t *const figures = json_object_get(json_object_get(shot, "metrics"), metric);
    return json_number_value(json_object_get(figures, "mean"));
}

/* The shots with the lowest mean, lowest first. */
static json_t *worst_shots(const json_t *shots, const char *metric, unsigned count)
{
    json_t *const worst = json_array();
    const json_t *shot;
    size_t i;
    json_array_foreach(shots, i, shot)
    {
        const json_t *const figures = json_object_get(json_object_get(shot, "metrics"), metric);
        json_t *const entry =
            json_pack("{s:O, s:O, s:O}", "first", json_object_get(shot, "first"), "last",
                      json_object_get(shot, "last"), "begin", json_object_get(shot, "begin"));
        size_t at = json_array_size(worst);
        if (entry)
            json_object_update(entry, (json_t *)figures);
        while (at && json_number_value(json_object_get(json_array_get(worst, at - 1), "mean")) >
                         mean_of(shot, metric))
            at--;
        json_array_insert_new(worst, at, entry);
        if (json_array_size(worst) > count)
            json_array_remove(worst, count);
    }
    return json_pack("{s:I, s:o}", "count", (json_int_t)json_array_size(shots), "worst", worst);
}

static json_t *summarize(const Task *task, const Scoring *scoring)
{
    const Call *const call = task->call;
    const json_t *const report = scoring->report;
    const json_t *const details = json_object_get(report, "vmaf_turbo");
    json_t *const pooled = json_object_get(details, "pooled");
    json_t *const models = models_of(task, details);
    const char *const metric =
        json_string_value(json_object_get(json_array_get(models, 0), "metric"));
    const json_t *const mean =
        metric ? json_object_get(json_object_get(pooled, metric), "mean") : NULL;
    json_t *const result = json_pack(
        "{s:o, s:o, s:I, s:o, s:o*, s:O*, s:O*}", "reference", json_string(scoring->reference),
        "distorted", json_string(scoring->distorted), "frames",
        (json_int_t)json_array_size(json_object_get(report, "frames")), "pooled",
        choose_metrics(call->arguments, pooled, models), "models", models, "features",
        json_object_get(details, "features"), "fps", json_object_get(report, "fps"));
    if (result && json_is_number(mean)) {
        json_object_set_new(result, "metric", json_string(metric));
        json_object_set_new(result, "score", json_real(json_number_value(mean)));
        json_object_set_new(result, "worst", worst_frames(report, metric, scoring->worst));
        if (json_object_get(details, "shots"))
            json_object_set_new(
                result, "shots",
                worst_shots(json_object_get(details, "shots"), metric, scoring->worst));
    }
    if (result && json_object_size(json_object_get(report, "aggregate_metrics")))
        json_object_set(result, "whole_video", json_object_get(report, "aggregate_metrics"));
    if (result)
        add_doubts(task, details, result);
    if (result && json_object_get(details, "inputs"))
        json_object_set_new(result, "inputs", inputs_of(task, details));
    return result;
}

/* The worker's messages, for example about videos that differ or end early. */
static json_t *messages_of(const Task *task)
{
    json_t *const list = json_array();
    for (const char *line = task->said; *line;) {
        const size_t length = strcspn(line, "\n");
        char *const text = strndup(line, length);
        json_array_append_new(list, text ? rpc_text(text) : NULL);
        free(text);
        line += length + (line[length] == '\n');
    }
    return list;
}

static int take_report(const Task *task, Scoring *scoring, const char *text, size_t length,
                       char *why, size_t size)
{
    json_error_t error = { .text = "out of memory" };
    scoring->report = json_loadb(text, length, 0, &error);
    scoring->result = scoring->report ? summarize(task, scoring) : NULL;
    if (scoring->result)
        return 0;
    snprintf(why, size, "cannot read the worker's report: %s", error.text);
    return -EIO;
}

/* Read the worker's output: a line of JSON with pictures, if they were requested, then the report.
 */
static int take_output(Scoring *scoring, const Task *task, char *why, size_t size)
{
    const char *text = task->out ? task->out : "";
    size_t length = task->out_size;
    const char *const end = scoring->pictures ? memchr(text, '\n', length) : NULL;
    if (end) {
        scoring->shown = json_loadb(text, (size_t)(end - text), 0, NULL);
        length -= (size_t)(end + 1 - text);
        text = end + 1;
    }
    const int err = take_report(task, scoring, text, length, why, size);
    if (!err && *task->said)
        json_object_set_new(scoring->result, "messages", messages_of(task));
    return err;
}

/* Add all options except the distorted videos and the paths of reports. */
static int add_common(Task *task, Teller *teller, char *why, size_t size)
{
    const json_t *const arguments = teller->call->arguments;
    task->line = hear_progress;
    task->tick = tell_progress;
    task->arg = teller;
    add_options(task, arguments);
    task_add(task, "--local_only"); /* a playlist could lead out of the folders */
    task_add(task, "--progress");
    task_add(task, "--json");
    const json_t *feature;
    size_t i;
    int err = scoring_add_model(task, tool_string(arguments, "model", NULL), why, size);
    json_array_foreach(json_object_get(arguments, "features"), i, feature) if (!err) err =
        harmless_feature(json_string_value(feature), why, size);
    return err ? err : add_video(task, "--reference", teller->scoring->reference, why, size);
}

int scoring_run(Call *call, Scoring *scoring, char *why, size_t size)
{
    Task task;
    Teller teller = { .call = call, .scoring = scoring };
    task_init_worker(&task, call, scoring->pictures ? WORKER_FRAMES : WORKER_VMAF);
    if (scoring->pictures) {
        task_add(&task, "%u", scoring->pictures);
        task_add(&task, "vmaf");
    } else {
        task_add(&task, "--output");
        task_add(&task, WORKER_OUTPUT);
    }
    int err = add_common(&task, &teller, why, size);
    if (!err)
        err = add_video(&task, "--distorted", scoring->distorted, why, size);
    if (!err)
        err = task_run(&task, why, size);
    if (!err)
        err = take_output(scoring, &task, why, size);
    task_free(&task);
    return err;
}

static int add_with_output(Task *task, const Scoring *scoring, char *why, size_t size)
{
    const int err = add_video(task, "--distorted", scoring->distorted, why, size);
    const char *const output = err ? NULL : task_scratch(task, why, size);
    if (!output)
        return err ? err : -EIO;
    task_add(task, "--output");
    task_add(task, "%s", output);
    return 0;
}

int scoring_run_together(Call *call, Scoring *scorings, unsigned count, char *why, size_t size)
{
    Task task;
    Teller teller = { .call = call, .scoring = &(Scoring){ .reference = scorings->reference } };
    task_init_worker(&task, call, WORKER_VMAF);
    int err = add_common(&task, &teller, why, size);
    for (unsigned i = 0; !err && i < count; i++)
        err = add_with_output(&task, &scorings[i], why, size);
    if (!err)
        err = task_run(&task, why, size);
    for (unsigned i = 0; !err && i < count; i++) {
        size_t length;
        char *const text = task_read_scratch(&task, i, &length);
        err = take_report(&task, &scorings[i], text ? text : "", length, why, size);
        free(text);
    }
    task_free(&task);
    return err;
}

void scoring_free(Scoring *scoring)
{
    json_decref(scoring->shown);
    json_decref(scoring->report);
    json_decref(scoring->result);
    scoring->shown = scoring->report = scoring->result = NULL;
}
