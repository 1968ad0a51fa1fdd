/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "show.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "report/catalogue.h"
#include "report/page.h"
#include "report/summary.h"
#include "vmaf/command.h"
#include "vmaf/limits.h"
#include "vmaf/run.h"
#include "vmaf/scores.h"

/* True if another model of the report has the same source. */
static bool is_twin(const StoredReport *report, size_t number)
{
    for (size_t i = 0; i < report->model_count; i++)
        if (i != number && !strcmp(report->models[i].source, report->models[number].source))
            return true;
    return false;
}

/* The name of the i-th score: its model, with its metric if two models have the same source. */
static const char *label_of(const StoredReport *report, size_t i, const char *name, char text[256])
{
    if (i >= report->model_count || !is_twin(report, i))
        return name;
    snprintf(text, 256, "%s (%s)", name, report->models[i].metric);
    return text;
}

/* True if the limit is for the i-th score. Limits that name the score of a feature are judged with
 * those of all features. */
static bool is_judged_by(const StoredReport *report, size_t i, const char *name,
                         const ScoreLimit *limit)
{
    if (i >= report->model_count)
        return !limit->name;
    return score_limit_names(limit, name) || score_limit_names(limit, report->models[i].metric);
}

/* The i-th score to show: its models' scores, or the headline if it has none. NULL after the
 * last. */
static const StoredMetric *score_of(const StoredReport *report, size_t i, const char **name)
{
    if (!report->model_count) {
        const StoredMetric *const metric = stored_headline(report);
        *name = metric->name;
        return i ? NULL : metric;
    }
    if (i >= report->model_count)
        return NULL;
    *name = report->models[i].source;
    return stored_model_metric(report, &report->models[i]);
}

/* True if the score reaches the limit. */
static int passes(const StoredReport *report, const StoredMetric *metric, const ScoreLimit *limit,
                  const ScoreOwner *owner, const char *label, bool *passed)
{
    Gathered gathered = { .figures = metric->figures };
    ShotSpans shots;
    int err = stored_shots(report, &shots);
    if (!err && limit->each_shot) {
        gathered.scores = stored_scores(report, metric);
        err = gathered.scores ? 0 : -ENOMEM;
    }
    if (!err)
        *passed = gathered_pass(&gathered, limit, &shots, owner->path, label);
    shot_spans_clear(&shots);
    gathered_clear(&gathered);
    return err;
}

static int say_shots(const StoredReport *report, const ScoreOwner *owner)
{
    ShotSpans shots;
    double *const scores = stored_scores(report, stored_headline(report));
    const int err = stored_shots(report, &shots);
    if (!err && scores)
        shots_say(&shots, scores, owner->path);
    shot_spans_clear(&shots);
    free(scores);
    return err ? err : scores ? 0 : -ENOMEM;
}

static void summarise(const StoredReport *report, SummaryRow *row)
{
    const char *name;
    const StoredMetric *const metric = score_of(report, 0, &name);
    if (!metric || !metric->figures.size)
        return;
    const size_t worst = summary_worst(metric->values, report->frame_count);
    const Summary summary = { .name = name,
                              .scores = metric->values,
                              .count = report->frame_count,
                              .figures = &metric->figures,
                              .worst = report->numbers[worst],
                              .worst_time = stored_time(report, worst),
                              .incomplete = stored_incomplete(report) };
    if (row)
        summary_keep(row, &summary, report->path);
    else
        summary_say(&summary, summary_may_colour());
}

/* row: keeps the summary for the table of several reports. many: the report is one of a catalogue,
 * whose scores are not printed. */
static int show(const StoredReport *report, const Options *options, SummaryRow *row, bool many,
                int *outcome)
{
    const bool several = many || options->words.count > 1;
    const bool on_stdout = !options->html || !output_is_stdout(options->html);
    const ScoreOwner owner = { several ? report->path : "", several ? ": " : "", on_stdout };
    const bool print = !many && (!options->html || (message_on_terminal() && !options->quiet));
    const StoredMetric *metric;
    const char *name;
    int err = 0;
    for (size_t i = 0; !err && (metric = score_of(report, i, &name)); i++) {
        char text[256];
        const char *const label = label_of(report, i, name, text);
        VmafStatistics figures;
        err = stored_figures(report, metric, &figures);
        if (!err && !figures.size) {
            say("%s: %s has no scores", report->path, name);
            return -EINVAL;
        }
        if (!err && print)
            err = score_say(options, &owner, label, &figures);
        for (unsigned g = 0; !err && g < options->score_limit_count; g++) {
            bool passed = true;
            if (is_judged_by(report, i, name, &options->score_limits[g]))
                err = passes(report, metric, &options->score_limits[g], &owner, label, &passed);
            if (!passed)
                *outcome = *outcome ? *outcome : SCORE_BELOW;
        }
    }
    bool below = false;
    if (!err)
        err = limits_judge_stored(options, report, &owner, &below);
    if (below)
        *outcome = *outcome ? *outcome : SCORE_BELOW;
    if (!err && score_limit_misses_frames(options, &owner, stored_incomplete(report)))
        *outcome = SCORE_UNJUDGED;
    if (!err && print && !options->quiet && message_on_terminal())
        summarise(report, several ? row : NULL);
    if (!err && print && !options->quiet)
        err = say_shots(report, &owner);
    return err;
}

/* Refuses to overwrite a report with the page. */
static int check_page(const Options *options)
{
    for (size_t i = 0; options->html && i < options->words.count; i++) {
        if (strcmp(options->html, options->words.at[i]) != 0)
            continue;
        say("%s is one of the reports: the page would overwrite it", options->html);
        return -EINVAL;
    }
    return 0;
}

/* Checks that each limit is for a score of each report: a limit without one would pass. */
static int check_limits(StoredReport *const *reports, size_t count, const Options *options)
{
    for (unsigned g = 0; g < options->score_limit_count; g++) {
        const ScoreLimit *const limit = &options->score_limits[g];
        for (size_t r = 0; r < count; r++) {
            const char *name;
            bool judges = false;
            for (size_t i = 0; !judges && score_of(reports[r], i, &name); i++)
                judges = is_judged_by(reports[r], i, name, limit);
            for (size_t m = 0; !judges && m < reports[r]->metric_count; m++)
                judges = limit_is_for_stored(limit, &reports[r]->metrics[m]);
            if (judges && limit->each_shot && !reports[r]->shot_count) {
                say("--fail_under: %s has no shots: score its videos with --shots",
                    reports[r]->path);
                return -EINVAL;
            }
            if (judges)
                continue;
            say("--fail_under: %s has no model or metric that is called \"%.*s\"", reports[r]->path,
                (int)limit->name_length, limit->name ? limit->name : "");
            return -EINVAL;
        }
    }
    return 0;
}

/* ---- a catalogue ---- */

typedef struct Judging {
    const Options *options;
    int outcome;
} Judging;

/* Compares a report with the limits. */
static int judge(void *arg, const StoredReport *report)
{
    Judging *const judging = arg;
    StoredReport *const one = (StoredReport *)report;
    const int err = check_limits(&one, 1, judging->options);
    return err ? err : show(report, judging->options, NULL, true, &judging->outcome);
}

/* True if the reports are shown as rows of one page instead of curve by curve. */
static bool wants_catalogue(const Options *options)
{
    bool folder = false;
    for (size_t i = 0; !folder && i < options->words.count; i++)
        folder = catalogue_is_folder(options->words.at[i]);
    return options->catalogue || folder || options->words.count > HTML_REPORTS_MAX;
}

/* Prints a line about the whole catalogue. */
static void say_catalogue(const Catalogue *catalogue)
{
    const Title *worst = NULL;
    double sum = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < catalogue->count; i++) {
        const Title *const title = &catalogue->titles[i];
        if (!isfinite(title->score) || strcmp(title->metric, catalogue->titles[0].metric) != 0)
            continue;
        sum += title->score;
        count++;
        worst = !worst || title->score < worst->score ? title : worst;
    }
    if (worst)
        say("%zu title%s: %s %.2f on average, lowest %.2f: %s", catalogue->count,
            catalogue->count == 1 ? "" : "s", worst->metric, sum / (double)count, worst->score,
            worst->key);
    if (catalogue->skipped)
        say("%zu file%s no report%s of vmaf and left out; the first one: %s", catalogue->skipped,
            catalogue->skipped == 1 ? " is" : "s are", catalogue->skipped == 1 ? "" : "s",
            catalogue->first_skipped);
}

/* Prints the titles that are worse than the baseline. Returns their number. */
static size_t say_worse(const Catalogue *catalogue, double drop)
{
    enum { LINES_MAX = 20 };
    size_t worse = 0, compared = 0;
    for (size_t i = 0; i < catalogue->count; i++) {
        const Title *const title = &catalogue->titles[i];
        compared += !isnan(title_drop(title));
        if (!(title_drop(title) > drop) || worse++ >= LINES_MAX)
            continue;
        say("%s: %s is %.2f (p5 %.2f), before %.2f (p5 %.2f)", title->key, title->metric,
            title->score, title->p5, title->baseline, title->baseline_p5);
    }
    if (worse > LINES_MAX)
        say("and %zu more", worse - LINES_MAX);
    say("%zu of %zu titles are in the baseline; %zu dropped by more than %g", compared,
        catalogue->count, worse, drop);
    return worse;
}

static int write_catalogue(const Options *options, Catalogue *catalogue, int *outcome)
{
    const double drop = options->max_drop > 0 ? options->max_drop : TITLE_DROP;
    int err = options->baseline ? catalogue_compare(catalogue, options->baseline) : 0;
    if (err)
        return err;
    if (!options->quiet)
        say_catalogue(catalogue);
    if (options->baseline && say_worse(catalogue, drop) && options->max_drop > 0)
        *outcome = *outcome ? *outcome : SCORE_BELOW;
    if (options->html)
        err = catalogue_write(catalogue, drop, options->html);
    if (!err && options->save_baseline)
        err = catalogue_save(catalogue, options->save_baseline);
    return err;
}

/* ---- a catalogue that is watched ---- */

/* Waits a second. False: a signal came. */
static bool wait_a_second(void)
{
    for (unsigned i = 0; i < 10 && !interrupt_signal(); i++)
        nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
    return !interrupt_signal();
}

/* Waits until the reports have changed and are left alone for a second: many may be written one
 * after the other. Waits at most ten times for that. False: a signal came. */
static bool wait_for_change(const CatalogueSource *source, uint64_t *state)
{
    const uint64_t before = *state;
    unsigned busy = 0;
    do {
        const uint64_t last = *state;
        if (!wait_a_second())
            return false;
        *state = catalogue_state(source);
        busy += *state != last;
        if (*state == last && *state != before)
            return true;
    } while (busy < 10 || *state == before);
    return true;
}

/* Writes the page again whenever reports change, until a signal comes. Nothing that happens to the
 * reports meanwhile is an error. */
static int watch_catalogue(const Options *options)
{
    Catalogue shown = { 0 };
    CatalogueSource source = { .paths = options->words.at,
                               .count = options->words.count,
                               .before = &shown };
    int outcome = 0;
    interrupt_watch();
    for (size_t i = 0; i < source.count; i++)
        if (!catalogue_is_folder(source.paths[i])) {
            say("--watch: %s is no folder", source.paths[i]);
            return -EINVAL;
        }
    uint64_t state = catalogue_state(&source);
    do {
        Catalogue now;
        if (catalogue_read(&now, &source))
            continue;
        if (now.count || shown.count) /* also when the last report has gone */
            write_catalogue(options, &now, &outcome);
        catalogue_clear(&shown);
        shown = now;
    } while (wait_for_change(&source, &state));
    catalogue_clear(&shown);
    return 0;
}

static int show_catalogue(const Options *options)
{
    Judging judging = { options, 0 };
    Catalogue catalogue;
    int err = check_page(options);
    if (!err && options->watch)
        return watch_catalogue(options);
    if (err)
        return err;
    const CatalogueSource source = { .paths = options->words.at,
                                     .count = options->words.count,
                                     .visit = options->score_limit_count ? judge : NULL,
                                     .arg = &judging };
    err = catalogue_read(&catalogue, &source);
    if (err)
        return err;
    err = write_catalogue(options, &catalogue, &judging.outcome);
    catalogue_clear(&catalogue);
    return err ? err : judging.outcome;
}

int stored_show(const Options *options)
{
    if (wants_catalogue(options))
        return show_catalogue(options);
    const size_t count = options->words.count;
    StoredReport **const reports = calloc(count, sizeof(*reports));
    int outcome = 0;
    SummaryRow *const rows = calloc(count, sizeof(*rows));
    int err = reports && rows ? check_page(options) : -ENOMEM;
    for (size_t i = 0; !err && i < count; i++)
        err = stored_load(&reports[i], options->words.at[i]);
    if (!err)
        err = check_limits(reports, count, options);
    for (size_t i = 0; !err && i < count; i++)
        err = show(reports[i], options, &rows[i], false, &outcome);
    if (!err)
        summary_say_rows(rows, count, summary_may_colour());
    if (!err && options->html)
        err = html_write(reports, count, options->html, NULL);
    for (size_t i = 0; reports && i < count; i++)
        stored_destroy(reports[i]);
    free(reports);
    free(rows);
    return err ? err : outcome;
}
