/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "search.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/message.h"
#include "curve.h"
#include "journal.h"
#include "encoder.h"
#include "results.h"
#include "job.h"

double search_setting(const Search *search, int step)
{
    const Encoder *const e = search->encoder;
    return e->high_is_better ? floor(e->high) - step : ceil(e->low) + step;
}

int search_step(const Search *search, double setting)
{
    const Encoder *const e = search->encoder;
    return (int)(e->high_is_better ? floor(e->high) - setting : setting - ceil(e->low));
}

void search_target_name(const Search *search, char *text, size_t size)
{
    if (search->shop->pooling.kind == POOLING_MEAN)
        snprintf(text, size, "%s %g", search->shop->metric, search->target);
    else
        snprintf(text, size, "%s %g (%s)", search->shop->metric, search->target,
                 search->shop->pooling.name);
}

/* ---- samples ---- */

static void hear_tail(void *tail, enum ChildStream stream, const char *bytes, size_t count)
{
    tail_feed(tail, bytes, count);
}

/* Cut a sample without loss, so that the encoder's input and the reference for scoring are the same
 * frames. */
static int cut(Search *search, double from, double seconds, const char *path)
{
    Workshop *const shop = search->shop;
    Argv argv = { 0 };
    Tail tail = { .next = 0 };
    ChildEnd end;
    argv_add_all(&argv, (const char *const[]){ shop->ffmpeg, "-nostdin", "-hide_banner", "-v",
                                               "error", "-y", NULL });
    argv_add(&argv, "-ss");
    argv_addf(&argv, "%.6f", from);
    argv_add(&argv, "-i");
    argv_addf(&argv, "file:%s", search->whole.argument);
    argv_add(&argv, "-t");
    argv_addf(&argv, "%.6f", seconds);
    argv_add_all(&argv, (const char *const[]){ "-map", "0:v:0", "-c:v", "ffv1", "-level", "3", "-g",
                                               "1", "-slices", "4", "-f", "matroska", NULL });
    argv_addf(&argv, "file:%s", path);
    const ChildParams params = { .argv = (const char *const *)argv.words,
                                 .sink = { CHILD_NOWHERE, CHILD_TO_US },
                                 .time_limit = shop->time_limit,
                                 .heard = hear_tail,
                                 .arg = &tail };
    int err = argv.failed ? -ENOMEM : child_run(shop->children, &params, &end);
    if (!err && end.code) {
        say("cannot cut a sample from %s at %.2f s", search->path, from);
        tail_say(&tail);
        err = -EIO;
    }
    argv_free(&argv);
    return err;
}

/* Cut samples spread evenly over the source. Cut none if they would cover most of it. */
static int cut_samples(Search *search, const SearchParams *params)
{
    const double length = search->whole.media.seconds, seconds = params->sample_seconds;
    if (!params->samples || params->samples * seconds * 1.5 >= length)
        return 0;
    search->samples = calloc(params->samples, sizeof(*search->samples));
    search->files = calloc(params->samples, sizeof(*search->files));
    int err = search->samples && search->files ? 0 : -ENOMEM;
    for (unsigned i = 0; !err && i < params->samples; i++) {
        char *const file = temp_file(search->shop->temp, "mkv");
        if (!file)
            return -ENOMEM;
        search->files[search->sample_count] = file;
        Original *const sample = &search->samples[search->sample_count++];
        err = cut(search, length * (i + 0.5) / params->samples - seconds / 2, seconds, file);
        if (!err)
            err = original_open(sample, file, search->shop);
    }
    return err;
}

/* ---- tries ---- */

typedef struct Round {
    Job *jobs;
    size_t count;
} Round;

static int changed(void *arg, Job *job)
{
    const Round *const round = arg;
    status_draw(round->jobs, round->count);
    return 0;
}

/* Combine the jobs' scores and bitrates as if all samples were one video. */
static int sum_up(const Search *search, const Round *round, Try *try)
{
    size_t frames = 0;
    int err = 0;
    double bits = 0.0, seconds = 0.0;
    for (size_t i = 0; i < round->count; i++) {
        if (round->jobs[i].state != JOB_DONE)
            return -EIO; /* the job printed why */
        frames += round->jobs[i].score_count;
        bits += (double)round->jobs[i].media.bytes * 8.0;
        seconds += round->jobs[i].source->media.seconds;
    }
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
    if (err)
        return err;
    double *const scores = malloc((frames + 1) * sizeof(*scores));
    if (!scores)
        return -ENOMEM;
    size_t at = 0;
    for (size_t i = 0; i < round->count; i++) {
        memcpy(scores + at, round->jobs[i].scores, round->jobs[i].score_count * sizeof(*scores));
        at += round->jobs[i].score_count;
    }
    try->score = scored_pool(search->shop->metric, &search->shop->pooling, scores, frames,
                             round->jobs[0].planes);
    try->bitrate = bits / seconds / 1000.0;
    free(scores);
    return 0;
}

/* Encode and score all samples with one setting. */
static int measure(Search *search, Try *try)
{
    Round round = { .count = search->sample_count ? search->sample_count : 1 };
    round.jobs = calloc(round.count, sizeof(*round.jobs));
    if (!round.jobs)
        return -ENOMEM;
    for (size_t i = 0; i < round.count; i++)
        round.jobs[i] =
            (Job){ .source = search->sample_count ? &search->samples[i] : &search->whole,
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

static json_t *try_json(const Try *try)
{
    return json_pack("{s:f, s:f, s:f, s:O, s:O, s:O}", "setting", try->setting, "score", try->score,
                     "bitrate", try->bitrate, "scored_on", try->places, "warnings", try->warnings,
                     "models", try->models);
}

/* Take the try from the journal, or measure it and add it there. */
static int recall_or_measure(Search *search, Try *try)
{
    char what[128];
    if (!search->journal)
        return measure(search, try);
    snprintf(what, sizeof(what), "%.6f on %zu samples of %g s", try->setting, search->sample_count,
             search->options->sample_seconds);
    char *const key = key_make(search->path, search->options, search->encoder, what);
    if (!key)
        return -ENOMEM;
    int err = 0;
    json_t *places, *warnings, *models;
    if (!json_unpack(journal_get(search->journal, key), "{s:F, s:F, s:o, s:o, s:o}", "score",
                     &try->score, "bitrate", &try->bitrate, "scored_on", &places, "warnings",
                     &warnings, "models", &models)) {
        try->models = json_incref(models);
        try->places = json_incref(places);
        try->warnings = json_incref(warnings);
    } else {
        err = measure(search, try);
        if (!err)
            err = result_note(search->journal, key, try_json(try), search->path);
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

static int try_setting(Search *search, int step)
{
    Try try = { .setting = search_setting(search, step) };
    const int err = recall_or_measure(search, &try);
    if (err) {
        try_free(&try);
        return err;
    }
    seek_add(&search->seek, step, try.score);
    search->tries[search->try_count++] = try;
    if (search->talks) {
        char setting[32], codes[256];
        range_print(try.setting, setting, sizeof(setting));
        warnings_codes(try.warnings, codes, sizeof(codes));
        printf("%s %s: %s %.4f, %.2f kbit/s%s%s\n", encoder_setting_name(search->encoder), setting,
               search->shop->metric, try.score, try.bitrate, *codes ? "  ! " : "", codes);
        fflush(stdout);
    }
    return 0;
}

int search_run(Search *search, Workshop *shop, const SearchParams *params)
{
    *search = (Search){ .shop = shop,
                        .encoder = params->encoder,
                        .path = params->path,
                        .target = params->target,
                        .talks = params->talks,
                        .options = params->options,
                        .journal = params->journal };
    int err = original_open(&search->whole, params->path, shop);
    if (!err)
        err = cut_samples(search, params);
    seek_start(&search->seek,
               search_step(search, params->encoder->high_is_better ? ceil(params->encoder->low)
                                                                   : floor(params->encoder->high)),
               params->target);
    for (int step; !err && (step = seek_next(&search->seek)) >= 0;)
        err = try_setting(search, step);
    for (size_t i = 0; !err && i < search->try_count; i++)
        if (search_step(search, search->tries[i].setting) == search->seek.reached)
            search->found = &search->tries[i];
    return err;
}

void search_close(Search *search)
{
    for (size_t i = 0; i < search->sample_count; i++) {
        original_close(&search->samples[i]);
        unlink(search->files[i]);
        free(search->files[i]);
    }
    free(search->samples);
    free(search->files);
    for (size_t i = 0; i < search->try_count; i++)
        try_free(&search->tries[i]);
    original_close(&search->whole);
    *search = (Search){ .shop = NULL };
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

json_t *search_json(const Search *search)
{
    json_t *const root = json_object(), *const tries = json_array();
    for (size_t i = 0; i < search->try_count; i++)
        json_array_append_new(tries, try_json(&search->tries[i]));
    json_object_set_new(root, "encoder", json_text(search->encoder->label));
    json_object_set_new(root, "option", json_string(encoder_setting_name(search->encoder)));
    json_object_set_new(root, "metric", json_text(search->shop->metric));
    json_object_set_new(root, "pool", json_string(search->shop->pooling.name));
    json_object_set_new(root, "target", json_real(search->target));
    json_object_set_new(root, "samples", json_integer((json_int_t)search->sample_count));
    json_object_set_new(root, "reached", json_boolean(search->found));
    json_object_set_new(root, "found", search->found ? try_json(search->found) : json_null());
    json_object_set_new(root, "tries", tries);
    json_object_set_new(root, "warnings", search_warnings(search));
    return root;
}

/* Assumptions before the first tries, for scores from 0 to 100: where good quality usually lies, as
 * a share of all steps; by how much the score falls over all steps; and the smallest slope to
 * calculate with. */
#define FIRST_GUESS 0.45
#define USUAL_SPAN 75.0
#define LEAST_SLOPE 0.01

void seek_start(Seek *seek, int last, double target)
{
    *seek = (Seek){ .last = last, .target = target, .reached = -1, .missed = last + 1 };
    seek->width[0] = seek->width[1] = 2 * (last + 2);
}

static const SeekPoint *find(const Seek *seek, int step)
{
    for (int i = 0; i < seek->count; i++)
        if (seek->tried[i].step == step)
            return &seek->tried[i];
    return NULL;
}

static double usual_slope(const Seek *seek)
{
    return USUAL_SPAN / (seek->last > 0 ? seek->last : 1);
}

double seek_slope(const Seek *seek, int step)
{
    const SeekPoint *before = NULL, *after = NULL;
    for (int i = 0; i < seek->count; i++) {
        const SeekPoint *const p = &seek->tried[i];
        if (p->step <= step && (!before || p->step > before->step))
            before = p;
        if (p->step > step && (!after || p->step < after->step))
            after = p;
    }
    if (!after) { /* beyond the last try: take the last two */
        after = before;
        before = NULL;
        for (int i = 0; after && i < seek->count; i++)
            if (seek->tried[i].step < after->step &&
                (!before || seek->tried[i].step > before->step))
                before = &seek->tried[i];
    }
    if (!before || !after)
        return usual_slope(seek);
    const double slope = (before->score - after->score) / (after->step - before->step);
    return slope > LEAST_SLOPE ? slope : LEAST_SLOPE; /* also for NAN */
}

static int clamp(double value, int low, int high)
{
    return value < low ? low : value > high ? high : (int)value;
}

/* The curve through all tries. NULL: too few of them, or no memory. */
static Curve *draw_curve(const Seek *seek)
{
    double x[SEEK_MAX], y[SEEK_MAX];
    size_t count = 0;
    for (int i = 0; i < seek->count; i++) {
        size_t at = count++;
        for (; at && x[at - 1] > seek->tried[i].step; at--) {
            x[at] = x[at - 1];
            y[at] = y[at - 1];
        }
        x[at] = seek->tried[i].step;
        y[at] = seek->tried[i].score;
    }
    return curve_create(CURVE_PCHIP, x, y, count);
}

/* Both limits are known: choose the step where the curve crosses the target. */
static int between(const Seek *seek)
{
    const int low = seek->reached + 1, high = seek->missed - 1;
    Curve *const curve = draw_curve(seek);
    /* Bisect if the last two tries did not even halve the interval. */
    if (!curve || seek->missed - seek->reached > seek->width[0] / 2) {
        curve_destroy(curve);
        return low + (high - low) / 2;
    }
    double from = seek->reached, to = seek->missed;
    for (unsigned i = 0; i < 40; i++) {
        const double middle = (from + to) / 2;
        *(curve_at(curve, middle) >= seek->target ? &from : &to) = middle;
    }
    curve_destroy(curve);
    return clamp(floor(from), low, high);
}

int seek_next(const Seek *seek)
{
    const int low = seek->reached + 1, high = seek->missed - 1;
    if (low > high || seek->count == SEEK_MAX)
        return -1;
    if (!seek->count)
        return clamp(round(seek->last * FIRST_GUESS), 0, seek->last);
    if (seek->reached >= 0 && seek->missed <= seek->last)
        return between(seek);
    /* Only one limit is known: go as far as the slope suggests. After three
     * tries, go to the end. */
    const bool good = seek->reached >= 0;
    const int from = good ? seek->reached : seek->missed;
    const SeekPoint *const point = find(seek, from);
    if (seek->count > 2 || !point || !isfinite(point->score))
        return good ? high : low;
    const double distance = fabs(point->score - seek->target) / seek_slope(seek, from);
    return good ? clamp(from + floor(distance), low, high)
                : clamp(from - ceil(distance), low, high);
}

void seek_add(Seek *seek, int step, double score)
{
    if (seek->count < SEEK_MAX)
        seek->tried[seek->count++] = (SeekPoint){ step, score };
    seek->width[0] = seek->width[1];
    seek->width[1] = seek->missed - seek->reached;
    if (score >= seek->target && step > seek->reached)
        seek->reached = step;
    if (!(score >= seek->target) && step < seek->missed)
        seek->missed = step;
    if (seek->reached >=
        seek->missed) /* the quality is not monotonic: trust the misses, which is the safe side */
        seek->reached = seek->missed - 1;
}
