/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "journal.h"
#include "common/json_memory.h"
#include "common/message.h"
#include "common/temp.h"
#include "results.h"
#include "job.h"

typedef struct Comparison {
    Job *jobs;
    size_t count;
    bool table; /* print the table as results arrive */
    const TuneOptions *options;
    Journal *journal; /* journal of finished jobs; NULL: there is none */
} Comparison;

static int note(const Comparison *c, const Job *job)
{
    char *const key = key_of_setting(c->options->subject, c->options, job->encoder, job->setting);
    const int err =
        key ? result_note(c->journal, key, result_json(job), c->options->subject) : -ENOMEM;
    free(key);
    return err;
}

static int changed(void *arg, Job *job)
{
    Comparison *const c = arg;
    if (job && job->state == JOB_DONE) {
        status_hide();
        if (c->table)
            results_print_job(stdout, job);
        fflush(stdout);
        const int err = c->journal ? note(c, job) : 0;
        if (err)
            return err;
    }
    status_draw(c->jobs, c->count);
    return 0;
}

/* List the jobs setting by setting rather than encoder by encoder, so that a broken encoder shows
 * early. */
static int list_jobs(Comparison *c, Original *source, const TuneOptions *options)
{
    size_t most = 0;
    for (size_t i = 0; i < options->encoder_count; i++) {
        c->count += options->encoders[i].setting_count;
        if (options->encoders[i].setting_count > most)
            most = options->encoders[i].setting_count;
    }
    c->jobs = calloc(c->count, sizeof(*c->jobs));
    if (!c->jobs)
        return -ENOMEM;
    size_t at = 0;
    for (size_t k = 0; k < most; k++)
        for (size_t i = 0; i < options->encoder_count; i++)
            if (k < options->encoders[i].setting_count)
                c->jobs[at++] = (Job){ .source = source,
                                       .encoder = &options->encoders[i],
                                       .setting = options->encoders[i].settings[k] };
    return 0;
}

/* Take finished results from the journal of an earlier run. */
static int restore_jobs(Comparison *c, Workshop *shop)
{
    for (size_t i = 0; c->journal && i < c->count; i++) {
        Job *const job = &c->jobs[i];
        char *const key =
            key_of_setting(c->options->subject, c->options, job->encoder, job->setting);
        if (!key)
            return -ENOMEM;
        json_t *const stored = journal_get(c->journal, key);
        const bool restored = stored && result_restore(job, stored);
        free(key);
        if (!restored)
            continue;
        devices_recall(shop->devices, shop->device_count, job->place, &shop->recalled);
        if (c->table)
            results_print_job(stdout, job);
    }
    return 0;
}

static int by_encoder(const void *a, const void *b)
{
    const Job *const p = a, *const q = b;
    if (p->encoder != q->encoder)
        return p->encoder < q->encoder ? -1 : 1;
    return p->setting < q->setting ? -1 : p->setting > q->setting;
}

static int write_json(const Results *results, FILE *file)
{
    json_t *const json = results_json(results);
    char *const text = json_whole_text(json, JSON_INDENT(2));
    if (text)
        fprintf(file, "%s\n", text);
    json_decref(json);
    free(text);
    return text ? 0 : -ENOMEM;
}

static int write_svg(const Results *results, FILE *file)
{
    results_write_svg(results, file);
    return 0;
}

static int write_html(const Results *results, FILE *file)
{
    results_write_html(results, file);
    return 0;
}

static int write_files(const Results *results, const TuneOptions *options)
{
    const struct {
        const char *path;
        int (*write)(const Results *results, FILE *file);
    } files[] = { { options->json, write_json },
                  { options->svg, write_svg },
                  { options->html, write_html } };
    int result = 0;
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        Draft draft;
        if (!files[i].path)
            continue;
        int err = draft_open(&draft, files[i].path);
        if (!err) {
            draft.err = files[i].write(results, draft.file);
            err = draft_close(&draft);
        }
        result = result ? result : err;
    }
    return result;
}

static int check_files(const TuneOptions *options)
{
    const char *const paths[] = { options->json, options->svg, options->html };
    int err = 0;
    for (size_t i = 0; !err && i < sizeof(paths) / sizeof(*paths); i++)
        if (paths[i])
            err = draft_check(paths[i]);
    return err;
}

static int tell(const Comparison *c, const Results *results, const TuneOptions *options)
{
    size_t failed = 0;
    for (size_t i = 0; i < c->count; i++)
        failed += c->jobs[i].state != JOB_DONE;
    if (c->table) {
        results_print_deltas(results, stdout);
        results_print_warnings(results, stdout);
    }
    fflush(stdout);
    const Workshop *const shop = results->shop;
    devices_tell(shop->devices, shop->device_count, &shop->last_resort, &shop->recalled);
    const int err = write_files(results, options);
    if (failed)
        say("%zu of %zu encodes failed or were skipped", failed, c->count);
    return err ? err : failed ? -EIO : 0;
}

int tune_compare(Workshop *shop, const TuneOptions *options)
{
    Comparison c = { .table = !options->json || strcmp(options->json, "-"), .options = options };
    Original source;
    Results results;
    int err = check_files(options);
    if (err)
        return err;
    err = original_open(&source, options->subject, shop);
    if (!err && options->resume)
        err = journal_open(&c.journal, options->resume);
    if (!err)
        err = list_jobs(&c, &source, options);
    if (!err) {
        char name[128];
        results = (Results){ .metric = shop->metrics.names[0], .pooling = shop->pooling };
        results_score_name(&results, name, sizeof(name));
        if (c.table)
            results_print_heading(stdout, name);
        err = restore_jobs(&c, shop);
    }
    if (!err) {
        status_start(options->quiet, options->subject);
        err = jobs_run(shop, c.jobs, c.count, changed, &c);
        status_finish(c.jobs, c.count);
    }
    if (!err) {
        qsort(c.jobs, c.count, sizeof(*c.jobs), by_encoder);
        err = results_create(&results, shop, &source, c.jobs, c.count, options->encoders,
                             options->encoder_count, options->anchor);
    }
    if (!err) {
        err = tell(&c, &results, options);
        results_free(&results);
    }
    for (size_t i = 0; i < c.count; i++)
        job_free(&c.jobs[i]);
    free(c.jobs);
    journal_close(c.journal);
    original_close(&source);
    return err;
}
