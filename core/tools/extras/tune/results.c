/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "results.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "libvmaf/libvmaf.h"
#include "encoder.h"

static int fill_line(Line *line, const Encoder *encoder, const Job *jobs, size_t count)
{
    line->encoder = encoder;
    line->points = calloc(count + 1, sizeof(*line->points));
    line->rising = calloc(count + 1, sizeof(*line->rising));
    if (!line->points || !line->rising)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        if (jobs[i].encoder == encoder && jobs[i].state == JOB_DONE && isfinite(jobs[i].score))
            line->points[line->count++] = (RatePoint){ jobs[i].bitrate, jobs[i].score };
    memcpy(line->rising, line->points, line->count * sizeof(*line->rising));
    line->rising_count = rate_points_rising(line->rising, line->count);
    return 0;
}

static int find_hull(Results *results)
{
    RatePoint *const all = malloc((results->job_count + 1) * sizeof(*all));
    results->hull = malloc((results->job_count + 1) * sizeof(*results->hull));
    if (!all || !results->hull) {
        free(all);
        return -ENOMEM;
    }
    for (size_t i = 0; i < results->job_count; i++) {
        const Job *const job = &results->jobs[i];
        all[i] = job->state == JOB_DONE && isfinite(job->score)
                     ? (RatePoint){ job->bitrate, job->score }
                     : (RatePoint){ NAN, NAN };
    }
    results->hull_count = rate_hull(all, results->job_count, results->hull);
    free(all);
    return 0;
}

int results_create(Results *results, const Workshop *shop, const Original *source, const Job *jobs,
                   size_t job_count, const Encoder *encoders, size_t encoder_count,
                   const char *anchor)
{
    *results = (Results){ .shop = shop,
                          .source = source,
                          .jobs = jobs,
                          .job_count = job_count,
                          .metric = shop->metrics.names[0],
                          .pooling = shop->pooling };
    results->lines = calloc(encoder_count, sizeof(*results->lines));
    int err = results->lines ? 0 : -ENOMEM;
    for (size_t i = 0; !err && i < encoder_count; i++) {
        err = fill_line(&results->lines[results->line_count++], &encoders[i], jobs, job_count);
        if (!results->anchor && (!anchor || !strcmp(anchor, encoders[i].label)))
            results->anchor = &results->lines[i];
    }
    if (!err)
        err = find_hull(results);
    if (err)
        results_free(results);
    return err;
}

void results_free(Results *results)
{
    for (size_t i = 0; i < results->line_count; i++) {
        free(results->lines[i].points);
        free(results->lines[i].rising);
    }
    free(results->lines);
    free(results->hull);
    *results = (Results){ .source = NULL };
}

void results_score_name(const Results *results, char *text, size_t size)
{
    if (results->pooling.kind == POOLING_MEAN)
        snprintf(text, size, "%s", results->metric);
    else
        snprintf(text, size, "%s (%s)", results->metric, results->pooling.name);
}

json_t *results_warnings(const Results *results)
{
    json_t *const all = json_array();
    int err = all ? 0 : -ENOMEM;
    for (size_t i = 0; !err && i < results->job_count; i++)
        err = list_join(all, results->jobs[i].warnings);
    if (!err)
        return all;
    json_decref(all);
    return NULL;
}

static bool is_warned(const Job *job, const json_t *warning)
{
    size_t i;
    json_t *item;
    json_array_foreach(job->warnings, i, item) if (json_equal(item, warning)) return true;
    return false;
}

void results_warned(const Results *results, const json_t *warning, char *text, size_t size)
{
    Names names = { .used = 0 };
    bool all = true;
    for (size_t i = 0; i < results->job_count; i++) {
        const Job *const job = &results->jobs[i];
        char setting[32], name[256];
        if (job->state != JOB_DONE)
            continue;
        if (!is_warned(job, warning)) {
            all = false;
            continue;
        }
        range_print(job->setting, setting, sizeof(setting));
        snprintf(name, sizeof(name), "%s %s %s", job->encoder->label,
                 encoder_setting_name(job->encoder), setting);
        names_add(&names, name);
    }
    snprintf(text, size, "%s", all ? "all encodes" : names.text);
}

/* ---- on the terminal ---- */

void results_print_heading(FILE *file, const char *score_name)
{
    fprintf(file, "%-28s %7s %12s %14s %11s %11s  %s\n", "encoder", "setting", "kbit/s", score_name,
            "encode fps", "score fps", "scored on");
}

/* Print a name, replacing control characters, which could move the cursor. */
static void print_label(FILE *file, const char *label, int width)
{
    int used = 0;
    for (; *label; label++, used++)
        fputc((unsigned char)*label < 0x20 || *label == 0x7f ? '?' : *label, file);
    for (; used < width; used++)
        fputc(' ', file);
}

static double speed(const Job *job, double seconds)
{
    return seconds > 0.0 ? (double)job->media.frames / seconds : 0.0;
}

void results_print_job(FILE *file, const Job *job)
{
    char setting[32], place[384], codes[256];
    range_print(job->setting, setting, sizeof(setting));
    place_print(job->place, place, sizeof(place));
    print_label(file, job->encoder->label, 28);
    fprintf(file, " %7s %12.2f %14.4f %11.2f %11.2f  ", setting, job->bitrate, job->score,
            speed(job, job->encode_seconds), speed(job, job->score_seconds));
    print_label(file, place, 0);
    warnings_codes(job->warnings, codes, sizeof(codes));
    if (*codes)
        fputs("  ! ", file);
    print_label(file, codes, 0);
    fputc('\n', file);
}

void results_print_warnings(const Results *results, FILE *file)
{
    size_t i;
    json_t *warning;
    json_t *const all = results_warnings(results);
    if (json_array_size(all))
        fputc('\n', file);
    json_array_foreach(all, i, warning)
    {
        char text[512], encodes[1024];
        warning_text(warning, text, sizeof(text));
        results_warned(results, warning, encodes, sizeof(encodes));
        fputs("warning: ", file);
        print_label(file, text, 0);
        fputs(" (", file);
        print_label(file, encodes, 0);
        fputs(")\n", file);
    }
    json_decref(all);
}

static void print_delta(FILE *file, double value, const char *unit)
{
    if (isfinite(value))
        fprintf(file, " %+10.3f%s", value, unit);
    else
        fprintf(file, " %10s%*s", "-", (int)strlen(unit), "");
}

void results_print_deltas(const Results *results, FILE *file)
{
    const Line *const anchor = results->anchor;
    if (results->line_count > 1) {
        fprintf(file, "\n%-28s %35s %32s\n%-28s", "against", "BD-rate", "BD-quality", "");
        for (unsigned i = 0; i < 2; i++)
            for (unsigned k = 0; k < CURVE_KINDS; k++)
                fprintf(file, " %*s", i ? 10 : 11, curve_name(k));
        fputc('\n', file);
    }
    for (size_t i = 0; i < results->line_count; i++) {
        const Line *const line = &results->lines[i];
        if (line == anchor)
            continue;
        print_label(file, line->encoder->label, 28);
        for (unsigned k = 0; k < CURVE_KINDS; k++)
            print_delta(
                file,
                bd_rate(k, anchor->rising, anchor->rising_count, line->rising, line->rising_count),
                "%");
        for (unsigned k = 0; k < CURVE_KINDS; k++)
            print_delta(file,
                        bd_quality(k, anchor->rising, anchor->rising_count, line->rising,
                                   line->rising_count),
                        "");
        fputc('\n', file);
    }
    if (results->line_count > 1) {
        fputs("(against ", file);
        print_label(file, anchor->encoder->label, 0);
        fputs("; a negative BD-rate is better; -: curves do not overlap, or too few points)\n",
              file);
    }
    fputs("\non the hull:", file);
    for (size_t i = 0; i < results->hull_count; i++) {
        const Job *const job = &results->jobs[results->hull[i]];
        char setting[32];
        range_print(job->setting, setting, sizeof(setting));
        fputs(i ? ", " : " ", file);
        print_label(file, job->encoder->label, 0);
        fprintf(file, " %s", setting);
    }
    fputs(results->hull_count ? "\n" : " nothing\n", file);
}

/* ---- as JSON ---- */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *pooled(const Job *job)
{
    static const char *const names[] = { "mean", "harmonic_mean", "min",    "p1",
                                         "p5",   "p10",           "median", "max" };
    json_t *const object = json_object();
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        Pooling pooling;
        pooling_parse(&pooling, names[i], strlen(names[i]));
        json_object_set_new(object, names[i],
                            number(series_pool(job->metric, &pooling, &job->series[0])));
    }
    return object;
}

int result_note(Journal *journal, const char *key, json_t *object, const char *path)
{
    json_object_set_new(object, "source", json_text(path));
    json_object_set_new(object, "version", json_string(vmaf_version()));
    return journal_add(journal, key, object);
}

bool result_restore(Job *job, json_t *stored)
{
    double frames, bytes;
    json_t *place, *warnings, *pooled;
    if (json_unpack(stored, "{s:F, s:F, s:F, s:F, s:F, s:F, s:o, s:o, s:o}", "bitrate",
                    &job->bitrate, "bytes", &bytes, "frames", &frames, "score", &job->score,
                    "encode_seconds", &job->encode_seconds, "score_seconds", &job->score_seconds,
                    "scored_on", &place, "warnings", &warnings, "pooled", &pooled) ||
        !json_is_object(place) || !json_is_array(warnings))
        return false;
    job->media.bytes = (uint64_t)bytes;
    job->media.frames = (uint64_t)frames;
    job->place = json_incref(place);
    job->warnings = json_incref(warnings);
    job->stored = json_incref(stored);
    job->state = JOB_DONE;
    return true;
}

/* The stored result without the journal's own members. */
static json_t *stored_json(const Job *job)
{
    json_t *const object = json_copy(job->stored);
    json_object_del(object, "key");
    json_object_del(object, "source");
    json_object_del(object, "version");
    return object;
}

const char *result_failure(const Job *job)
{
    return job->failure ? job->failure : "left out, because the encoder failed at another setting";
}

json_t *result_json(const Job *job)
{
    if (job->stored)
        return stored_json(job);
    json_t *const object = json_object();
    json_object_set_new(object, "encoder", json_text(job->encoder->label));
    json_object_set_new(object, "option", json_string(encoder_setting_name(job->encoder)));
    json_object_set_new(object, "setting", number(job->setting));
    if (job->state != JOB_DONE) {
        json_object_set_new(object, "failed", json_true());
        json_object_set_new(object, "reason", json_text(result_failure(job)));
        return object;
    }
    json_object_set_new(object, "bitrate", number(job->bitrate));
    json_object_set_new(object, "bytes", json_integer((json_int_t)job->media.bytes));
    json_object_set_new(object, "frames", json_integer((json_int_t)job->media.frames));
    json_object_set_new(object, "score", number(job->score));
    json_object_set_new(object, "pooled", pooled(job));
    json_object_set_new(object, "encode_seconds", number(job->encode_seconds));
    json_object_set_new(object, "encode_fps", number(speed(job, job->encode_seconds)));
    json_object_set_new(object, "score_seconds", number(job->score_seconds));
    json_object_set_new(object, "score_fps", number(speed(job, job->score_seconds)));
    json_object_set(object, "scored_on", job->place);
    json_object_set(object, "models", job->models);
    json_object_set(object, "warnings", job->warnings);
    return object;
}

static json_t *device_json(const ScoringDevice *device)
{
    json_t *const object = json_object();
    json_object_set_new(object, "label", json_text(device->label));
    json_object_set_new(object, "scored", json_integer(device->scored));
    json_object_set_new(object, "stopped", device->dead ? json_text(device->why) : json_null());
    return object;
}

json_t *devices_json(const Workshop *shop)
{
    json_t *const list = json_array();
    for (size_t i = 0; i < shop->device_count; i++)
        json_array_append_new(list, device_json(&shop->devices[i]));
    if (shop->last_resort.scored)
        json_array_append_new(list, device_json(&shop->last_resort));
    return list;
}

static json_t *source_json(const Original *source)
{
    json_t *const object = json_object();
    json_object_set_new(object, "path", json_text(source->path));
    json_object_set_new(object, "width", json_integer(source->media.width));
    json_object_set_new(object, "height", json_integer(source->media.height));
    json_object_set_new(object, "frames", json_integer((json_int_t)source->media.frames));
    json_object_set_new(object, "seconds", number(source->media.seconds));
    return object;
}

static json_t *deltas_json(const Results *results, const Line *line)
{
    const Line *const anchor = results->anchor;
    json_t *const object = json_object(), *const rate = json_object(),
                  *const quality = json_object();
    for (unsigned k = 0; k < CURVE_KINDS; k++) {
        json_object_set_new(rate, curve_name(k),
                            number(bd_rate(k, anchor->rising, anchor->rising_count, line->rising,
                                           line->rising_count)));
        json_object_set_new(quality, curve_name(k),
                            number(bd_quality(k, anchor->rising, anchor->rising_count, line->rising,
                                              line->rising_count)));
    }
    json_object_set_new(object, "encoder", json_text(line->encoder->label));
    json_object_set_new(object, "anchor", json_text(anchor->encoder->label));
    json_object_set_new(object, "bd_rate", rate);
    json_object_set_new(object, "bd_quality", quality);
    return object;
}

json_t *results_json(const Results *results)
{
    json_t *const root = json_object(), *const points = json_array(), *const deltas = json_array(),
                  *const hull = json_array();
    for (size_t i = 0; i < results->job_count; i++)
        json_array_append_new(points, result_json(&results->jobs[i]));
    for (size_t i = 0; i < results->line_count; i++)
        if (&results->lines[i] != results->anchor)
            json_array_append_new(deltas, deltas_json(results, &results->lines[i]));
    for (size_t i = 0; i < results->hull_count; i++)
        json_array_append_new(hull, json_integer((json_int_t)results->hull[i]));
    json_object_set_new(root, "vmaf_tune", json_string("compare"));
    json_object_set_new(root, "schema", json_integer(TUNE_SCHEMA));
    json_object_set_new(root, "version", json_string(vmaf_version()));
    json_object_set_new(root, "source", source_json(results->source));
    json_object_set_new(root, "metric", json_text(results->metric));
    json_object_set_new(root, "pool", json_string(results->pooling.name));
    json_object_set_new(root, "points", points);
    json_object_set_new(root, "deltas", deltas);
    json_object_set_new(root, "hull", hull);
    json_object_set_new(root, "devices", devices_json(results->shop));
    return root;
}
