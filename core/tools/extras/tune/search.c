/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "search.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "key.h"
#include "common/message.h"
#include "range.h"
#include "results.h"
#include "status.h"

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
    char pool[POOL_NAME_SIZE];
    pool_print(&search->shop->pool, pool);
    if (search->shop->pool.kind == POOL_MEAN)
        snprintf(text, size, "%s %g", search->shop->metric, search->target);
    else
        snprintf(text, size, "%s %g (%s)", search->shop->metric, search->target, pool);
}

/* ---- samples ---- */

static void hear_tail(void *tail, enum ChildStream stream, const char *bytes, size_t count)
{
    tail_feed(tail, bytes, count);
}

/* Cuts a sample, without loss: what is encoded and what it is compared with are then the same frames. */
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
        say("no sample can be cut from %s at %.2f s", search->path, from);
        tail_say(&tail);
        err = -EIO;
    }
    argv_free(&argv);
    return err;
}

/* Spread evenly; none when they would be most of the whole. */
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

/* All samples count as one video. */
static int sum_up(const Search *search, const Round *round, Try *try)
{
    size_t frames = 0;
    double bits = 0.0, seconds = 0.0;
    for (size_t i = 0; i < round->count; i++) {
        if (round->jobs[i].state != JOB_DONE)
            return -EIO; /* it was said why */
        frames += round->jobs[i].score_count;
        bits += (double)round->jobs[i].media.bytes * 8.0;
        seconds += round->jobs[i].source->media.seconds;
    }
    double *const scores = malloc((frames + 1) * sizeof(*scores));
    if (!scores)
        return -ENOMEM;
    size_t at = 0;
    for (size_t i = 0; i < round->count; i++) {
        memcpy(scores + at, round->jobs[i].scores, round->jobs[i].score_count * sizeof(*scores));
        at += round->jobs[i].score_count;
    }
    try->score = pool_scores(&search->shop->pool, scores, frames);
    try->bitrate = bits / seconds / 1000.0;
    free(scores);
    return 0;
}

/* Encodes and scores all samples with one setting. */
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
    return json_pack("{s:f, s:f, s:f}", "setting", try->setting, "score", try->score, "bitrate",
                     try->bitrate);
}

/* The same, unless the journal has it. */
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
    if (json_unpack(journal_get(search->journal, key), "{s:F, s:F}", "score", &try->score,
                    "bitrate", &try->bitrate)) {
        err = measure(search, try);
        if (!err)
            err = result_note(search->journal, key, try_json(try), search->path);
    }
    free(key);
    return err;
}

static int try_setting(Search *search, int step)
{
    Try try = { .setting = search_setting(search, step) };
    const int err = recall_or_measure(search, &try);
    if (err)
        return err;
    seek_add(&search->seek, step, try.score);
    search->tries[search->try_count++] = try;
    if (search->talks) {
        char setting[32];
        range_print(try.setting, setting, sizeof(setting));
        printf("%s %s: %s %.4f, %.2f kbit/s\n", encoder_setting_name(search->encoder), setting,
               search->shop->metric, try.score, try.bitrate);
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
    original_close(&search->whole);
    *search = (Search){ .shop = NULL };
}

json_t *search_json(const Search *search)
{
    char pool[POOL_NAME_SIZE];
    json_t *const root = json_object(), *const tries = json_array();
    pool_print(&search->shop->pool, pool);
    for (size_t i = 0; i < search->try_count; i++)
        json_array_append_new(tries, try_json(&search->tries[i]));
    json_object_set_new(root, "encoder", json_text(search->encoder->label));
    json_object_set_new(root, "option", json_string(encoder_setting_name(search->encoder)));
    json_object_set_new(root, "metric", json_text(search->shop->metric));
    json_object_set_new(root, "pool", json_string(pool));
    json_object_set_new(root, "target", json_real(search->target));
    json_object_set_new(root, "samples", json_integer((json_int_t)search->sample_count));
    json_object_set_new(root, "reached", json_boolean(search->found));
    json_object_set_new(root, "found", search->found ? try_json(search->found) : json_null());
    json_object_set_new(root, "tries", tries);
    return root;
}
