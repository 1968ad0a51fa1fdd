/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune corpus: processes many sources with one journal. Each result has a key with everything
 * it depends on, and results that the journal already has are skipped. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "common/interrupt.h"
#include "journal.h"
#include "common/message.h"
#include "encoder.h"
#include "results.h"
#include "search.h"
#include "job.h"

typedef struct Corpus {
    Workshop *shop;
    const TuneOptions *options;
    Journal *journal;
    size_t done, kept, failed;
    /* The current source. */
    const char *path;
    Job *jobs;
    size_t job_count;
} Corpus;

/* ---- the list ---- */

static int read_whole(const char *path, char **text, size_t *length)
{
    FILE *const file = strcmp(path, "-") ? fopen(path, "re") : stdin;
    int err = file ? 0 : -errno;
    *text = NULL;
    *length = 0;
    for (size_t count = 1; !err && count;) {
        char *const grown = realloc(*text, *length + 65537);
        if (!grown) {
            err = -ENOMEM;
            break;
        }
        *text = grown;
        count = fread(grown + *length, 1, 65536, file);
        *length += count;
        grown[*length] = 0;
        if (ferror(file))
            err = -EIO;
    }
    if (file && file != stdin)
        fclose(file);
    if (err)
        say("cannot read the list %s: %s", path, strerror(-err));
    return err;
}

/* Read one path per line. If the file contains a zero byte, paths end with zero bytes, as `find
 * -print0` writes them. */
static int read_list(const char *path, Argv *list)
{
    char *text;
    size_t length;
    int err = read_whole(path, &text, &length);
    if (!err) {
        const char end = memchr(text, 0, length) ? 0 : '\n';
        for (size_t at = 0; at < length;) {
            const char *const stop = memchr(text + at, end, length - at);
            const size_t size = stop ? (size_t)(stop - text) - at : length - at;
            if (size)
                argv_take(list, strndup(text + at, size));
            at += size + 1;
        }
        err = list->failed ? -ENOMEM : 0;
        if (!err && !list->count) {
            say("the list %s is empty", path);
            err = -EINVAL;
        }
    }
    free(text);
    return err;
}

/* ---- settings ---- */

static int note(Corpus *corpus, const char *key, json_t *object)
{
    const int err = result_note(corpus->journal, key, object, corpus->path);
    corpus->done += !err;
    return err;
}

static int changed(void *arg, Job *job)
{
    Corpus *const corpus = arg;
    if (job && job->state == JOB_DONE) {
        char *const key = key_of_setting(corpus->path, corpus->options, job->encoder, job->setting);
        status_hide();
        const int err = key ? note(corpus, key, result_json(job)) : -ENOMEM;
        free(key);
        if (err)
            return err;
        if (!corpus->options->quiet) {
            printf("%s: ", corpus->path);
            results_print_job(stdout, job);
            fflush(stdout);
        }
    }
    status_draw(corpus->jobs, corpus->job_count);
    return 0;
}

/* Counts a result of an earlier run; `places` are NULL where it names none. */
static void note_kept(Corpus *corpus, const json_t *places)
{
    corpus->kept++;
    devices_recall(corpus->shop->devices, corpus->shop->device_count, places,
                   &corpus->shop->recalled);
}

static int list_jobs(Corpus *corpus, Original *source)
{
    const TuneOptions *const o = corpus->options;
    size_t room = 0;
    for (size_t i = 0; i < o->encoder_count; i++)
        room += o->encoders[i].setting_count;
    corpus->job_count = 0;
    corpus->jobs = calloc(room + 1, sizeof(*corpus->jobs));
    if (!corpus->jobs)
        return -ENOMEM;
    for (size_t i = 0; i < o->encoder_count; i++) {
        Encoder *const encoder = &o->encoders[i];
        for (size_t k = 0; k < encoder->setting_count; k++) {
            char *const key = key_of_setting(corpus->path, o, encoder, encoder->settings[k]);
            if (!key)
                return -ENOMEM;
            const json_t *const kept = journal_get(corpus->journal, key);
            if (kept)
                note_kept(corpus, json_object_get(kept, "scored_on"));
            else
                corpus->jobs[corpus->job_count++] =
                    (Job){ .source = source, .encoder = encoder, .setting = encoder->settings[k] };
            free(key);
        }
    }
    return 0;
}

static int try_settings(Corpus *corpus)
{
    Original source = { .path = NULL };
    int err = list_jobs(corpus, &source);
    if (!err && corpus->job_count) {
        err = original_open(&source, corpus->path, corpus->shop);
        if (err && err != -EINTR && err != -ENOMEM) { /* other sources may still work */
            corpus->failed += corpus->job_count;
            err = 0;
        } else if (!err) {
            status_start(corpus->options->quiet, corpus->path);
            err = jobs_run(corpus->shop, corpus->jobs, corpus->job_count, changed, corpus);
            status_finish(corpus->jobs, corpus->job_count);
            for (size_t i = 0; i < corpus->job_count; i++)
                corpus->failed += corpus->jobs[i].state != JOB_DONE;
        }
    }
    for (size_t i = 0; i < corpus->job_count; i++)
        job_free(&corpus->jobs[i]);
    free(corpus->jobs);
    original_close(&source);
    return err;
}

/* ---- targets ---- */

static char *key_of_target(const Corpus *corpus, const Encoder *encoder)
{
    const TuneOptions *const o = corpus->options;
    char text[512];
    size_t used = 0;
    for (size_t i = 0; i < o->targets.count; i++)
        used +=
            (size_t)snprintf(text + used, sizeof(text) - used, "%.17g, ", o->targets.at[i].score);
    snprintf(text + used, sizeof(text) - used,
             "in %zu from %g to %g, %u samples of %g s by scene, within %g", encoder->setting_count,
             encoder->low, encoder->high, o->samples, o->sample_seconds, o->tolerance);
    return key_make(corpus->path, o, encoder, text);
}

static void tell_search(const Corpus *corpus, const Search *search)
{
    char setting[32] = "", name[512], scores[512];
    search_target_name(search, name, sizeof(name));
    if (search->found) {
        range_print(search->found->setting, setting, sizeof(setting));
        search_scores_print(search, search->found->scores, scores, sizeof(scores));
    }
    if (corpus->options->quiet)
        return;
    if (search->found)
        printf("%s: %s %s %s reaches %s: %s at %.2f kbit/s\n", corpus->path, search->encoder->label,
               encoder_setting_name(search->encoder), setting, name, scores,
               search->found->bitrate);
    else
        printf("%s: %s cannot reach %s\n", corpus->path, search->encoder->label, name);
    fflush(stdout);
}

static int try_target(Corpus *corpus, Encoder *encoder)
{
    const TuneOptions *const o = corpus->options;
    char *const key = key_of_target(corpus, encoder);
    if (!key)
        return -ENOMEM;
    const json_t *const kept = journal_get(corpus->journal, key);
    if (kept) {
        note_kept(corpus, json_object_get(json_object_get(kept, "found"), "scored_on"));
        free(key);
        return 0;
    }
    Search search;
    const SearchParams params = { .path = corpus->path, .encoder = encoder, .options = o };
    int err = search_run(&search, corpus->shop, &params);
    if (!err) {
        err = note(corpus, key, search_json(&search));
        if (!err)
            tell_search(corpus, &search);
    } else if (err != -EINTR && err != -ENOMEM) {
        corpus->failed++;
        err = 0;
    }
    search_close(&search);
    free(key);
    return err;
}

static int try_targets(Corpus *corpus)
{
    int err = 0;
    for (size_t i = 0; !err && i < corpus->options->encoder_count; i++)
        err = try_target(corpus, &corpus->options->encoders[i]);
    return err;
}

int tune_corpus(Workshop *shop, const TuneOptions *options)
{
    Corpus corpus = { .shop = shop, .options = options };
    Argv list = { 0 };
    int err = read_list(options->subject, &list);
    if (!err)
        err = journal_open(&corpus.journal, options->output);
    for (size_t i = 0; !err && i < list.count; i++) {
        corpus.path = list.words[i];
        err = options->targets.count ? try_targets(&corpus) : try_settings(&corpus);
        if (!err && interrupt_signal())
            err = -EINTR;
    }
    if (corpus.journal)
        say("%s: %zu new results, %zu kept, %zu failed%s", options->output, corpus.done,
            corpus.kept, corpus.failed, err == -EINTR ? "; run the same command to continue" : "");
    devices_tell(shop->devices, shop->device_count, &shop->last_resort, &shop->recalled);
    journal_close(corpus.journal);
    argv_free(&list);
    return err ? err : corpus.failed ? -EIO : 0;
}
