/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "search.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "encoder.h"
#include "journal.h"
#include "results.h"

double search_setting(const Search *search, int step)
{
    return search->grid[step];
}

void search_target_name(const Search *search, char *text, size_t size)
{
    if (search->targets->count)
        targets_print(search->targets, text, size);
    else
        snprintf(text, size, "%.0f kbit/s", search->limit);
}

/* ---- scores ---- */

void search_scores(const Search *search, const Job *job, double scores[METRIC_MAX])
{
    const Metrics *const metrics = &search->shop->metrics;
    scores[0] = job->score;
    for (size_t i = 0; i < search->targets->count; i++) {
        const Target *const target = &search->targets->at[i];
        scores[i] = series_pool(target->metric, &target->pooling,
                                &job->series[metrics_find(metrics, target->metric)]);
    }
}

/* Without targets the bit rate may not exceed the limit, and steps lead to better settings. */
void search_goals(const Search *search, const double *scores, double bitrate,
                  double goals[METRIC_MAX])
{
    if (search->targets->count)
        memcpy(goals, scores, search->targets->count * sizeof(*goals));
    else
        goals[0] = -log(bitrate);
}

void search_scores_print(const Search *search, const double *scores, char *text, size_t size)
{
    Names names = { .used = 0 };
    char one[128];
    for (size_t i = 0; i < search->targets->count; i++) {
        const Target *const target = &search->targets->at[i];
        const bool plain = target->pooling.kind == POOLING_MEAN || search->targets->count == 1;
        snprintf(one, sizeof(one), "%s%s%s %.4f", target->metric, plain ? "" : ":",
                 plain ? "" : target->pooling.name, scores[i]);
        names_add(&names, one);
    }
    if (!search->targets->count) {
        snprintf(one, sizeof(one), "%s %.4f", search->shop->metrics.names[0], scores[0]);
        names_add(&names, one);
    }
    snprintf(text, size, "%s", names.text);
}

/* ---- tries ---- */

typedef struct Round {
    const Search *search;
    Job *jobs;
    size_t count;
} Round;

static int changed(void *arg, Job *job)
{
    const Round *const round = arg;
    status_draw(round->jobs, round->count);
    lines_progress(round->search->lines, round->jobs, round->count);
    return 0;
}

/* Join the frames' scores of one metric as if all samples were one video. */
static int join_series(const Round *round, size_t metric, Series *all)
{
    size_t count = 0;
    for (size_t i = 0; i < round->count; i++)
        count += round->jobs[i].series[metric].count;
    *all = (Series){ .scores = malloc((count + 1) * sizeof(*all->scores)),
                     .planes = round->jobs[0].series[metric].planes };
    if (!all->scores)
        return -ENOMEM;
    for (size_t i = 0; i < round->count; i++) {
        const Series *const one = &round->jobs[i].series[metric];
        memcpy(all->scores + all->count, one->scores, one->count * sizeof(*one->scores));
        all->count += one->count;
    }
    return 0;
}

static int sum_scores(const Search *search, const Round *round, Try *try)
{
    const Metrics *const metrics = &search->shop->metrics;
    int err = 0;
    for (size_t m = 0; !err && m < metrics->count; m++) {
        Series all;
        err = join_series(round, m, &all);
        if (!err && !search->targets->count)
            try->scores[0] = series_pool(metrics->names[m], &search->shop->pooling, &all);
        for (size_t i = 0; !err && i < search->targets->count; i++) {
            const Target *const target = &search->targets->at[i];
            if (metrics_find(metrics, target->metric) == m)
                try->scores[i] = series_pool(target->metric, &target->pooling, &all);
        }
        free(all.scores);
    }
    return err;
}

static int sum_up(const Search *search, const Round *round, Try *try)
{
    int err = 0;
    double bits = 0.0, seconds = 0.0;
    for (size_t i = 0; i < round->count; i++) {
        const Job *const job = &round->jobs[i];
        if (job->state != JOB_DONE)
            return -EIO; /* the job printed why */
        bits += (double)job->media.bytes * 8.0;
        seconds += job->source->media.seconds;
        try->encode_seconds += job->encode_seconds;
        try->frames += (double)job->media.frames;
    }
    try->bitrate = bits / seconds / 1000.0;
    try->places = json_array();
    try->warnings = json_array();
    try->models = json_array();
    for (size_t i = 0; !err && i < round->count; i++) {
        json_t *const place = json_pack("[O]", round->jobs[i].place);
        err = list_join(try->places, place);
        json_decref(place);
        if (!err)
            err = list_join(try->warnings, round->jobs[i].warnings);
        if (!err)
            err = list_join(try->models, round->jobs[i].models);
    }
    return err ? err : sum_scores(search, round, try);
}

/* Encode and score all samples with one setting. */
static int measure(Search *search, Try *try)
{
    const Samples *const samples = &search->samples;
    Round round = { .search = search, .count = samples->count ? samples->count : 1 };
    round.jobs = calloc(round.count, sizeof(*round.jobs));
    if (!round.jobs)
        return -ENOMEM;
    for (size_t i = 0; i < round.count; i++)
        round.jobs[i] = (Job){ .source = samples->count ? &samples->at[i] : &search->whole,
                               .encoder = search->encoder,
                               .setting = try->setting };
    status_start(search->shop->quiet, search->path);
    int err = jobs_run(search->shop, round.jobs, round.count, changed, &round);
    status_hide();
    if (!err)
        err = sum_up(search, &round, try);
    for (size_t i = 0; i < round.count; i++)
        job_free(&round.jobs[i]);
    free(round.jobs);
    return err;
}

static json_t *figure(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *scores_json(const Search *search, const Try *try)
{
    json_t *const list = json_array();
    for (size_t i = 0; i < search->targets->count; i++) {
        const Target *const target = &search->targets->at[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:f, s:o}", "metric", target->metric,
                                              "pool", target->pooling.name, "target", target->score,
                                              "score", figure(try->scores[i])));
    }
    return list;
}

json_t *search_try_json(const Search *search, const Try *try)
{
    return json_pack("{s:f, s:o, s:o, s:f, s:f, s:f, s:O, s:O, s:O}", "setting", try->setting,
                     "score", figure(try->scores[0]), "scores", scores_json(search, try), "bitrate",
                     try->bitrate, "encode_seconds", try->encode_seconds, "frames", try->frames,
                     "scored_on", try->places, "warnings", try->warnings, "models", try->models);
}

/* Take a try as search_try_json wrote it. False: it is not complete. */
static bool restore(const Search *search, json_t *stored, Try *try)
{
    json_t *places, *warnings, *models, *scores, *one;
    size_t i;
    if (json_unpack(stored, "{s:F, s:o, s:F, s:F, s:F, s:o, s:o, s:o}", "score", &try->scores[0],
                    "scores", &scores, "bitrate", &try->bitrate, "encode_seconds",
                    &try->encode_seconds, "frames", &try->frames, "scored_on", &places, "warnings",
                    &warnings, "models", &models) ||
        json_array_size(scores) != search->targets->count)
        return false;
    json_array_foreach(scores, i, one) try->scores[i] =
        json_number_value(json_object_get(one, "score"));
    try->models = json_incref(models);
    try->places = json_incref(places);
    try->warnings = json_incref(warnings);
    return true;
}

/* Take the try from the journal, or measure it and add it there. */
static int recall_or_measure(Search *search, Try *try)
{
    char what[128];
    if (!search->journal)
        return measure(search, try);
    snprintf(what, sizeof(what), "%.6f on %zu samples of %g s by scene", try->setting,
             search->samples.count, search->options->sample_seconds);
    char *const key = key_make(search->path, search->options, search->encoder, what);
    if (!key)
        return -ENOMEM;
    int err = 0;
    if (restore(search, journal_get(search->journal, key), try)) {
        devices_recall(search->shop->devices, search->shop->device_count, try->places,
                       &search->shop->recalled);
    } else {
        err = measure(search, try);
        if (!err)
            err = result_note(search->journal, key, search_try_json(search, try), search->path);
    }
    free(key);
    return err;
}

static void try_free(Try *try)
{
    json_decref(try->places);
    json_decref(try->warnings);
    json_decref(try->models);
}

static void print_try(const Search *search, const Try *try)
{
    char setting[32], scores[512], codes[256];
    range_print(try->setting, setting, sizeof(setting));
    search_scores_print(search, try->scores, scores, sizeof(scores));
    warnings_codes(try->warnings, codes, sizeof(codes));
    printf("%s %s: %s, %.2f kbit/s%s%s\n", encoder_setting_name(search->encoder), setting, scores,
           try->bitrate, *codes ? "  ! " : "", codes);
    fflush(stdout);
}

static int try_setting(Search *search, int step)
{
    Try try = { .setting = search_setting(search, step) };
    double goals[METRIC_MAX];
    const int err = recall_or_measure(search, &try);
    if (err) {
        try_free(&try);
        return err;
    }
    search_goals(search, try.scores, try.bitrate, goals);
    seek_add(&search->seek, step, goals);
    search->tries[search->try_count++] = try;
    if (search->talks)
        print_try(search, &try);
    lines_event(search->lines, "try", search->lines ? search_try_json(search, &try) : NULL);
    return 0;
}

/* ---- the settings ---- */

#define USUAL_STEP 0.25  /* for encoders that take any number */
#define RATE_FACTOR 1.02 /* from one bit rate to the next */

/* List the settings from the lowest. */
static double *list_settings(const Encoder *e, size_t *count)
{
    const bool free_choice = e->kind && !e->option && e->grain == 0.0;
    const double step = free_choice ? USUAL_STEP : e->grain > 0.0 ? e->grain : 1.0;
    const double low = ceil(e->low / step - 1e-9) * step;
    size_t room = e->setting_count;
    if (!room)
        room = e->rate ? (size_t)(log(e->high / e->low) / log(RATE_FACTOR)) + 2
                       : (size_t)((e->high - low) / step + 1e-9) + 1;
    double *const list = malloc(room * sizeof(*list));
    *count = 0;
    for (size_t i = 0; list && i < room; i++) {
        const double value = e->setting_count ? e->settings[i]
                             : e->rate ? fmin(round(e->low * pow(RATE_FACTOR, (double)i)), e->high)
                                       : low + (double)i * step;
        if (!*count || value > list[*count - 1])
            list[(*count)++] = value;
    }
    return list;
}

static void turn(double *list, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        const double kept = list[i];
        list[i] = list[count - 1 - i];
        list[count - 1 - i] = kept;
    }
}

/* How much of the encoder's whole range lies between two settings. */
static double share_of_range(const Encoder *e, double from, double to)
{
    if (e->rate)
        return fabs(log(to / from)) / log(e->high / e->low);
    return fabs(to - from) / (e->kind && !e->option ? e->kind->high - e->kind->low : 51.0);
}

/* The step whose setting lies at this share of the encoder's range from its best setting. */
static int step_at(const Search *search, int last, double share)
{
    const Encoder *const e = search->encoder;
    const double best = e->rate   ? search->grid[0]
                        : e->kind ? (e->high_is_better ? e->kind->high : e->kind->low)
                                  : e->low;
    int step = 0;
    while (step < last && share_of_range(e, best, search->grid[step]) < share)
        step++;
    return step;
}

static int prepare(Search *search)
{
    const Encoder *const e = search->encoder;
    const Targets *const targets = search->targets;
    const double tolerance = search->options->tolerance;
    size_t count;
    search->grid = list_settings(e, &count);
    if (!search->grid)
        return -ENOMEM;
    const bool by_rate = !targets->count;
    if (e->high_is_better != by_rate)
        turn(search->grid, count);
    const int last = (int)count - 1;
    const double per_step =
        last ? share_of_range(e, search->grid[0], search->grid[last]) / last : 1.0;
    double place = by_rate ? 0.5 : 1.0;
    for (size_t i = 0; i < targets->count; i++) {
        const Target *const target = &targets->at[i];
        const enum SeekScale scale = seek_scale(target->metric);
        search->seek.goals[i] =
            (SeekGoal){ .target = target->score,
                        .tolerance = scale == SEEK_OF_1 ? tolerance / 100 : tolerance,
                        .scale = scale,
                        .slope = seek_usual_fall(scale) * per_step };
        place = fmin(place, seek_usual_place(scale, target->score));
    }
    if (by_rate)
        search->seek.goals[0] = (SeekGoal){ .target = -log(search->limit),
                                            .tolerance = tolerance > 0.0 ? 0.02 : 0.0,
                                            .scale = SEEK_LINEAR,
                                            .slope = 6.0 * per_step };
    search->seek.goal_count = by_rate ? 1 : targets->count;
    seek_start(&search->seek, last, by_rate ? last / 2 : step_at(search, last, place));
    return 0;
}

/* ---- the search ---- */

/* The limit of the bit rate that the options give for this source. */
static double rate_limit(const TuneOptions *options, const Media *source)
{
    const double bytes = options->max_share > 0.0   ? options->max_share * (double)source->bytes
                         : options->max_bytes > 0.0 ? options->max_bytes
                                                    : (double)INFINITY;
    const double rate = options->max_bitrate > 0.0 ? options->max_bitrate : (double)INFINITY;
    return fmin(rate, bytes * 8.0 / source->seconds / 1000.0);
}

/* Does a setting that misses a target already need more than the limit? Then all settings that
 * reach the targets do. */
static bool is_hopeless(const Search *search)
{
    for (size_t i = 0; search->targets->count && i < search->try_count; i++)
        if (!seek_reaches(&search->seek, search->tries[i].scores) &&
            search->tries[i].bitrate > search->limit)
            return true;
    return false;
}

static void conclude(Search *search)
{
    const Try *best = NULL;
    for (size_t i = 0; search->seek.reached >= 0 && i < search->try_count; i++)
        if (search->tries[i].setting == search_setting(search, search->seek.reached))
            best = &search->tries[i];
    search->end = best ? SEARCH_FOUND : SEARCH_MISSED;
    if (is_hopeless(search) || (best && best->bitrate > search->limit))
        search->end = SEARCH_OVER;
    search->found = search->end == SEARCH_FOUND ? best : NULL;
}

static void tell_start(const Search *search)
{
    json_t *const places = json_array();
    for (size_t i = 0; i < search->samples.count; i++)
        json_array_append_new(places, json_pack("{s:f, s:f}", "from", search->samples.from[i],
                                                "seconds", search->samples.at[i].media.seconds));
    lines_event(search->lines, "start",
                json_pack("{s:o, s:o, s:o}", "source", json_text(search->path), "encoder",
                          json_text(search->encoder->label), "samples", places));
}

int search_run(Search *search, Workshop *shop, const SearchParams *params)
{
    *search = (Search){ .shop = shop,
                        .encoder = params->encoder,
                        .path = params->path,
                        .targets = &params->options->targets,
                        .talks = params->talks,
                        .options = params->options,
                        .journal = params->journal,
                        .lines = params->lines };
    int err = original_open(&search->whole, params->path, shop);
    if (!err)
        err = samples_cut(&search->samples, &search->whole, shop, params->options->samples,
                          params->options->sample_seconds);
    if (!err) {
        search->limit = rate_limit(params->options, &search->whole.media);
        err = prepare(search);
    }
    if (!err)
        tell_start(search);
    for (int step; !err && !is_hopeless(search) && (step = seek_next(&search->seek)) >= 0;)
        err = try_setting(search, step);
    if (!err)
        conclude(search);
    return err;
}

void search_close(Search *search)
{
    samples_free(&search->samples);
    for (size_t i = 0; i < search->try_count; i++)
        try_free(&search->tries[i]);
    original_close(&search->whole);
    free(search->grid);
    *search = (Search){ .shop = NULL };
}

Prediction search_predict(const Search *search, const Try *try)
{
    const Media *const whole = &search->whole.media;
    const double bytes = try->bitrate * 1000.0 / 8.0 * whole->seconds;
    return (Prediction){ bytes, bytes / (double)whole->bytes,
                         try->encode_seconds * (double)whole->frames / try->frames };
}

json_t *search_warnings(const Search *search)
{
    json_t *const all = json_array();
    int err = all ? 0 : -ENOMEM;
    for (size_t i = 0; !err && i < search->try_count; i++)
        err = list_join(all, search->tries[i].warnings);
    if (!err)
        return all;
    json_decref(all);
    return NULL;
}

static json_t *targets_json(const Search *search)
{
    json_t *const list = json_array();
    for (size_t i = 0; i < search->targets->count; i++) {
        const Target *const target = &search->targets->at[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:f}", "metric", target->metric, "pool",
                                              target->pooling.name, "score", target->score));
    }
    return list;
}

static json_t *predicted_json(const Search *search)
{
    if (!search->found)
        return json_null();
    const Prediction p = search_predict(search, search->found);
    return json_pack("{s:I, s:f, s:f}", "bytes", (json_int_t)p.bytes, "percent", 100.0 * p.share,
                     "encode_seconds", p.seconds);
}

json_t *search_json(const Search *search)
{
    static const char *const ends[] = { "found", "missed", "over" };
    const Targets *const targets = search->targets;
    json_t *const root = json_object(), *const tries = json_array();
    for (size_t i = 0; i < search->try_count; i++)
        json_array_append_new(tries, search_try_json(search, &search->tries[i]));
    json_object_set_new(root, "encoder", json_text(search->encoder->label));
    json_object_set_new(root, "option", json_string(encoder_setting_name(search->encoder)));
    json_object_set_new(root, "metric", json_text(search->shop->metrics.names[0]));
    json_object_set_new(root, "pool", json_string(search->shop->pooling.name));
    json_object_set_new(root, "target",
                        targets->count ? json_real(targets->at[0].score) : json_null());
    json_object_set_new(root, "targets", targets_json(search));
    json_object_set_new(root, "max_bitrate",
                        isfinite(search->limit) ? json_real(search->limit) : json_null());
    json_object_set_new(root, "samples", json_integer((json_int_t)search->samples.count));
    json_object_set_new(root, "reached", json_boolean(search->found));
    json_object_set_new(root, "end", json_string(ends[search->end]));
    json_object_set_new(root, "found",
                        search->found ? search_try_json(search, search->found) : json_null());
    json_object_set_new(root, "predicted", predicted_json(search));
    json_object_set_new(root, "tries", tries);
    json_object_set_new(root, "warnings", search_warnings(search));
    return root;
}
