/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune ladder: sizes and settings of a source for adaptive streaming. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_memory.h"
#include "common/message.h"
#include "common/temp.h"
#include "encoded.h"
#include "encoder.h"
#include "lines.h"
#include "options.h"
#include "playlist.h"
#include "results.h"
#include "rungs.h"
#include "samples.h"
#include "seek.h"

typedef struct Ladder {
    Workshop *shop;
    const TuneOptions *options;
    const Encoder *plain; /* as the user gave it */
    Original source;
    Samples samples;
    Encoder
        *sizes; /* the encoder once for each size; own label and filter, the rest is `plain`'s */
    unsigned *heights;
    size_t size_count;
    Job *points; /* one for each size and setting, summed up over the samples */
    size_t point_count;
    PlannedRung *rungs;
    size_t rung_count;
    size_t encodes;
    Lines *lines;
    bool sound; /* the source has some */
    bool talks;
} Ladder;

/* ---- sizes ---- */

static int by_height(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p < q) - (p > q);
}

/* Make the encoder for each height that is not above the source's. */
static int make_sizes(Ladder *ladder)
{
    const TuneOptions *const options = ladder->options;
    const Encoder *const plain = ladder->plain;
    const unsigned whole = ladder->source.media.height;
    double heights[RANGE_MAX];
    memcpy(heights, options->sizes, options->size_count * sizeof(*heights));
    qsort(heights, options->size_count, sizeof(*heights), by_height);
    ladder->sizes = calloc(options->size_count, sizeof(*ladder->sizes));
    ladder->heights = calloc(options->size_count, sizeof(*ladder->heights));
    if (!ladder->sizes || !ladder->heights)
        return -ENOMEM;
    for (size_t i = 0; i < options->size_count; i++) {
        const unsigned height = (unsigned)heights[i];
        if (height > whole)
            continue;
        Encoder *const e = &ladder->sizes[ladder->size_count];
        ladder->heights[ladder->size_count++] = height;
        *e = *plain;
        e->label = text_print("%s %up", plain->label, height);
        e->filter = height == whole && !plain->filter ? NULL
                    : height == whole                 ? strdup(plain->filter)
                                                      : text_print("%s%sscale=-2:%u:flags=bicubic",
                                                   plain->filter ? plain->filter : "",
                                                   plain->filter ? "," : "", height);
        if (!e->label || (!e->filter && (height != whole || plain->filter)))
            return -ENOMEM;
    }
    if (ladder->size_count)
        return 0;
    say("%s has %u rows, fewer than all sizes; choose others with --sizes", ladder->source.path,
        whole);
    return -EINVAL;
}

static size_t sample_count(const Ladder *ladder)
{
    return ladder->samples.count ? ladder->samples.count : 1;
}

static Original *sample_at(Ladder *ladder, size_t i)
{
    return ladder->samples.count ? &ladder->samples.at[i] : &ladder->source;
}

/* ---- encodes ---- */

typedef struct Round {
    Ladder *ladder;
    Job *jobs;
    size_t count;
} Round;

static int changed(void *arg, Job *job)
{
    const Round *const round = arg;
    if (job && job->state == JOB_DONE && round->ladder->lines)
        lines_event(round->ladder->lines, "encode", result_json(job));
    status_draw(round->jobs, round->count);
    lines_progress(round->ladder->lines, round->jobs, round->count);
    return 0;
}

/* Sum up the encodes of all samples as if they were one video. `point` has encoder and setting. */
static int sum_up(Ladder *ladder, Job *jobs, size_t count, Job *point, double *peak)
{
    double seconds = 0.0;
    size_t scores = 0;
    for (size_t i = 0; i < count; i++) {
        if (jobs[i].state != JOB_DONE)
            return -EIO; /* the job printed why */
        scores += jobs[i].series[0].count;
    }
    Series *const all = &point->series[0];
    *all = (Series){ .scores = malloc((scores + 1) * sizeof(double)),
                     .planes = jobs[0].series[0].planes };
    point->warnings = json_array();
    point->models = json_array();
    point->place = json_incref(jobs[0].place);
    int err = all->scores ? 0 : -ENOMEM;
    for (size_t i = 0; !err && i < count; i++) {
        const Series *const one = &jobs[i].series[0];
        memcpy(all->scores + all->count, one->scores, one->count * sizeof(*one->scores));
        all->count += one->count;
        point->media.bytes += jobs[i].media.bytes;
        point->media.frames += jobs[i].media.frames;
        point->media.width = jobs[i].media.width;
        point->media.height = jobs[i].media.height;
        point->encode_seconds += jobs[i].encode_seconds;
        point->score_seconds += jobs[i].score_seconds;
        seconds += jobs[i].source->media.seconds;
        const double most = packets_peak(&jobs[i].packets, SEGMENT_SECONDS);
        *peak = fmax(*peak, most);
        err = most < 0.0 ? -ENOMEM : list_join(point->warnings, jobs[i].warnings);
        if (!err)
            err = list_join(point->models, jobs[i].models);
    }
    point->metric = ladder->shop->metrics.names[0];
    if (!err)
        point->score = series_pool(point->metric, &ladder->shop->pooling, all);
    point->bitrate = (double)point->media.bytes * 8.0 / seconds / 1000.0;
    point->state = JOB_DONE;
    return err;
}

/* Encode and score points, which have encoders and settings, on all samples. Sets peak rates
 * (kbit/s). */
static int measure(Ladder *ladder, Job *points, size_t count, double *peaks)
{
    const size_t each = sample_count(ladder);
    Round round = { .ladder = ladder, .count = count * each };
    round.jobs = calloc(round.count, sizeof(*round.jobs));
    if (!round.jobs)
        return -ENOMEM;
    for (size_t i = 0; i < round.count; i++)
        round.jobs[i] = (Job){ .source = sample_at(ladder, i % each),
                               .encoder = points[i / each].encoder,
                               .setting = points[i / each].setting,
                               .lists_packets = true };
    status_start(ladder->shop->quiet, ladder->source.path);
    int err = jobs_run(ladder->shop, round.jobs, round.count, changed, &round);
    status_finish(round.jobs, round.count);
    for (size_t i = 0; !err && i < count; i++)
        err = sum_up(ladder, round.jobs + i * each, each, &points[i], &peaks[i]);
    ladder->encodes += round.count;
    for (size_t i = 0; i < round.count; i++)
        job_free(&round.jobs[i]);
    free(round.jobs);
    return err;
}

/* The settings that each size is tried with: those of --crf, or five from good quality to poor. */
static size_t list_settings(const Ladder *ladder, double settings[RANGE_MAX])
{
    static const double shares[] = { 0.3, 0.4, 0.5, 0.6, 0.7 };
    const Encoder *const e = ladder->plain;
    if (e->setting_count) {
        memcpy(settings, e->settings, e->setting_count * sizeof(*settings));
        return e->setting_count;
    }
    for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++) {
        const double down = shares[i] * (e->high - e->low);
        settings[i] = round(e->high_is_better ? e->high - down : e->low + down);
    }
    return sizeof(shares) / sizeof(*shares);
}

static int try_all(Ladder *ladder)
{
    double settings[RANGE_MAX];
    const size_t each = list_settings(ladder, settings);
    ladder->point_count = each * ladder->size_count;
    ladder->points = calloc(ladder->point_count, sizeof(*ladder->points));
    double *const peaks = calloc(ladder->point_count, sizeof(*peaks));
    int err = ladder->points && peaks ? 0 : -ENOMEM;
    for (size_t i = 0; !err && i < ladder->point_count; i++)
        ladder->points[i] = (Job){ .source = &ladder->source,
                                   .encoder = &ladder->sizes[i / each],
                                   .setting = settings[i % each] };
    if (!err)
        err = measure(ladder, ladder->points, ladder->point_count, peaks);
    free(peaks);
    return err;
}

/* ---- rungs ---- */

typedef struct OwnCurve {
    double *settings;
    RatePoint *points;
    size_t count;
} OwnCurve;

/* The points of a size by rising rate, without those that score no better than a cheaper one. */
static int draw(const Ladder *ladder, size_t size, OwnCurve *curve)
{
    curve->settings = calloc(ladder->point_count, sizeof(*curve->settings));
    curve->points = calloc(ladder->point_count, sizeof(*curve->points));
    if (!curve->settings || !curve->points)
        return -ENOMEM;
    for (size_t i = 0; i < ladder->point_count; i++) {
        const Job *const job = &ladder->points[i];
        if (job->encoder == &ladder->sizes[size] && isfinite(job->score))
            curve->points[curve->count++] = (RatePoint){ job->bitrate, job->score };
    }
    curve->count = rate_points_rising(curve->points, curve->count);
    for (size_t k = 0; k < curve->count; k++)
        for (size_t i = 0; i < ladder->point_count; i++)
            if (ladder->points[i].encoder == &ladder->sizes[size] &&
                ladder->points[i].bitrate == curve->points[k].rate)
                curve->settings[k] = ladder->points[i].setting;
    return 0;
}

static void find_limits(const OwnCurve *curves, size_t count, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < curves[s].count; i++) {
            *low = fmin(*low, curves[s].points[i].quality);
            *high = fmax(*high, curves[s].points[i].quality);
        }
}

#define USUAL_TOP 95.0 /* viewers seldom see that a score is higher */

static size_t choose(const Ladder *ladder, const OwnCurve *own, const SizeCurve *curves,
                     Rung *rungs)
{
    const TuneOptions *const options = ladder->options;
    double low, high;
    if (options->rate_count)
        return rungs_by_rate(curves, ladder->size_count, options->rates, options->rate_count,
                             rungs);
    find_limits(own, ladder->size_count, &low, &high);
    const bool of_100 = seek_scale(ladder->shop->metrics.names[0]) == SEEK_OF_100;
    if (options->targets.count)
        high = fmin(high, options->targets.at[0].score);
    else if (of_100)
        high = fmin(high, USUAL_TOP);
    return rungs_by_score(curves, ladder->size_count, low, high, options->target_steps, rungs);
}

static double rounded(const Encoder *e, double setting)
{
    const double step = e->grain > 0.0 ? e->grain : e->kind && !e->option ? 0.25 : 1.0;
    return fmin(fmax(round(setting / step) * step, e->low), e->high);
}

/* Choose the rungs and measure each with the setting that it gets. */
static int make_rungs(Ladder *ladder)
{
    const size_t sizes = ladder->size_count;
    const size_t wanted =
        ladder->options->rate_count ? ladder->options->rate_count : ladder->options->target_steps;
    OwnCurve *const own = calloc(sizes, sizeof(*own));
    SizeCurve *const curves = calloc(sizes, sizeof(*curves));
    Rung *const rungs = calloc(wanted, sizeof(*rungs));
    Job *const points = calloc(wanted, sizeof(*points));
    double *const peaks = calloc(wanted, sizeof(*peaks));
    ladder->rungs = calloc(wanted, sizeof(*ladder->rungs));
    int err = own && curves && rungs && points && peaks && ladder->rungs ? 0 : -ENOMEM;
    for (size_t s = 0; !err && s < sizes; s++) {
        err = draw(ladder, s, &own[s]);
        curves[s] = (SizeCurve){ own[s].settings, own[s].points, own[s].count };
    }
    const size_t count = err ? 0 : choose(ladder, own, curves, rungs);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        Encoder *const e = &ladder->sizes[rungs[i].size];
        const double setting = rounded(e, rungs[i].setting);
        if (!kept || points[kept - 1].encoder != e || points[kept - 1].setting != setting)
            points[kept++] = (Job){ .source = &ladder->source, .encoder = e, .setting = setting };
    }
    if (!err && !kept) {
        say("no size reaches a rung; give other --sizes, --crf or --rates");
        err = -ERANGE;
    }
    if (!err)
        err = measure(ladder, points, kept, peaks);
    ladder->rung_count = kept;
    for (size_t i = 0; ladder->rungs && i < kept; i++)
        ladder->rungs[i] =
            (PlannedRung){ .job = points[i], .peak = fmax(peaks[i], points[i].bitrate) };
    for (size_t i = 0; !err && i < kept; i++)
        err = rung_find_codec(&ladder->rungs[i], ladder->shop);
    for (size_t s = 0; own && s < sizes; s++) {
        free(own[s].settings);
        free(own[s].points);
    }
    free(own);
    free(curves);
    free(rungs);
    free(points);
    free(peaks);
    return err;
}

/* ---- results ---- */

static void print_rungs(const Ladder *ladder, const char *command)
{
    char setting[32];
    printf("\n%-11s %9s %12s %12s %14s\n", "rung", encoder_setting_name(ladder->plain), "kbit/s",
           "peak kbit/s", ladder->shop->metrics.names[0]);
    for (size_t i = 0; i < ladder->rung_count; i++) {
        const PlannedRung *const rung = &ladder->rungs[i];
        char size[32];
        range_print(rung->job.setting, setting, sizeof(setting));
        snprintf(size, sizeof(size), "%ux%u", rung->job.media.width, rung->job.media.height);
        printf("%-11s %9s %12.2f %12.2f %14.4f\n", size, setting, rung->job.bitrate, rung->peak,
               rung->job.score);
    }
    fputs("to make all rungs with one decode of the source: ", stdout);
    for (const char *c = command; *c; c++)
        putchar((unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c);
    putchar('\n');
}

static json_t *rungs_json(const Ladder *ladder)
{
    json_t *const list = json_array();
    for (size_t i = 0; i < ladder->rung_count; i++) {
        const PlannedRung *const rung = &ladder->rungs[i];
        char name[64];
        rung_name(rung, name, sizeof(name));
        json_t *const object = result_json(&rung->job);
        json_object_set_new(object, "width", json_integer(rung->job.media.width));
        json_object_set_new(object, "height", json_integer(rung->job.media.height));
        json_object_set_new(object, "peak_bitrate", json_real(rung->peak));
        if (rung_frame_rate(rung) > 0.0)
            json_object_set_new(object, "frame_rate", json_real(rung_frame_rate(rung)));
        if (*rung->codec.text) {
            json_object_set_new(object, "codecs", json_string(rung->codec.text));
            json_object_set_new(object, "video_range", json_string(rung->codec.range));
        }
        json_object_set_new(object, "playlist", json_string(name));
        json_array_append_new(list, object);
    }
    return list;
}

static void write_rungs_html(const void *arg, FILE *file)
{
    const Ladder *const ladder = arg;
    char setting[32];
    fputs("<h2>Rungs</h2>\n<table><thead><tr><th>size</th><th>setting</th><th>kbit/s</th>"
          "<th>peak kbit/s</th><th>score</th></tr></thead><tbody>\n",
          file);
    for (size_t i = 0; i < ladder->rung_count; i++) {
        const PlannedRung *const rung = &ladder->rungs[i];
        range_print(rung->job.setting, setting, sizeof(setting));
        fprintf(file,
                "<tr><td data-label=\"size\">%u×%u</td><td data-label=\"setting\">%s</td>"
                "<td data-label=\"kbit/s\">%.2f</td><td data-label=\"peak kbit/s\">%.2f</td>"
                "<td data-label=\"score\">%.4f</td></tr>\n",
                rung->job.media.width, rung->job.media.height, setting, rung->job.bitrate,
                rung->peak, rung->job.score);
    }
    fputs("</tbody></table>\n", file);
}

/* Open a file, let `write` fill it, and close it. NULL path: nothing to do. */
static int write_file(const char *path, const Ladder *ladder, const Results *results,
                      const char *command,
                      int (*write)(const Ladder *, const Results *, const char *, FILE *))
{
    Draft draft;
    if (!path)
        return 0;
    int err = draft_open(&draft, path);
    if (err)
        return err;
    draft.err = write(ladder, results, command, draft.file);
    return draft_close(&draft);
}

static int write_json(const Ladder *ladder, const Results *results, const char *command, FILE *file)
{
    json_t *const root = results_json(results);
    json_object_set_new(root, "vmaf_tune", json_string("ladder"));
    json_object_set_new(root, "samples", json_integer((json_int_t)ladder->samples.count));
    json_object_set_new(root, "rungs", rungs_json(ladder));
    json_object_set_new(root, "encodes", json_integer((json_int_t)ladder->encodes));
    json_object_set_new(root, "command", json_text(command));
    char *const text = json_whole_text(root, JSON_INDENT(2));
    if (text)
        fprintf(file, "%s\n", text);
    json_decref(root);
    free(text);
    return text ? 0 : -ENOMEM;
}

static int write_html(const Ladder *ladder, const Results *results, const char *command, FILE *file)
{
    results_write_html(results, file);
    return 0;
}

static int write_playlist(const Ladder *ladder, const Results *results, const char *command,
                          FILE *file)
{
    playlist_write(ladder->rungs, ladder->rung_count, ladder->sound, file);
    return 0;
}

static int tell(Ladder *ladder)
{
    const TuneOptions *const options = ladder->options;
    Results results;
    char *const command = ladder_command(ladder->shop, &ladder->source, ladder->rungs,
                                         ladder->rung_count, ladder->sound);
    int err = command ? results_create(&results, ladder->shop, &ladder->source, ladder->points,
                                       ladder->point_count, ladder->sizes, ladder->size_count, NULL)
                      : -ENOMEM;
    if (!err) {
        results.more = write_rungs_html;
        results.more_arg = ladder;
        err = write_file(options->json, ladder, &results, command, write_json);
        if (!err)
            err = write_file(options->html, ladder, &results, command, write_html);
        if (!err)
            err = write_file(options->playlist, ladder, &results, command, write_playlist);
        if (ladder->talks) {
            char name[128];
            results_score_name(&results, name, sizeof(name));
            results_print_heading(stdout, name);
            for (size_t i = 0; i < ladder->point_count; i++)
                results_print_job(stdout, &ladder->points[i]);
            results_print_warnings(&results, stdout);
            print_rungs(ladder, command);
        }
        lines_event(ladder->lines, "end",
                    ladder->lines ? json_pack("{s:o, s:o}", "rungs", rungs_json(ladder), "command",
                                              json_text(command))
                                  : NULL);
        results_free(&results);
    }
    free(command);
    return err;
}

static int check_files(const TuneOptions *options)
{
    const char *const paths[] = { options->json, options->html, options->playlist };
    int err = 0;
    for (size_t i = 0; !err && i < sizeof(paths) / sizeof(*paths); i++)
        if (paths[i])
            err = draft_check(paths[i]);
    return err;
}

static void ladder_end(Ladder *ladder)
{
    for (size_t i = 0; i < ladder->rung_count; i++)
        job_free(&ladder->rungs[i].job);
    free(ladder->rungs);
    for (size_t i = 0; ladder->points && i < ladder->point_count; i++)
        job_free(&ladder->points[i]);
    free(ladder->points);
    for (size_t i = 0; i < ladder->size_count; i++) {
        free(ladder->sizes[i].label);
        free(ladder->sizes[i].filter);
    }
    free(ladder->sizes);
    free(ladder->heights);
    samples_free(&ladder->samples);
    original_close(&ladder->source);
}

int tune_ladder(Workshop *shop, const TuneOptions *options)
{
    Ladder ladder = { .shop = shop,
                      .options = options,
                      .plain = &options->encoders[0],
                      .talks = (!options->json || strcmp(options->json, "-")) &&
                               (!options->lines || strcmp(options->lines, "-")) };
    shop->allow_scaled = true;
    int err = check_files(options);
    if (!err && options->lines)
        err = lines_open(&ladder.lines, options->lines);
    if (!err)
        err = original_open(&ladder.source, options->subject, shop);
    if (!err)
        err = make_sizes(&ladder);
    if (!err)
        err = encoded_has_sound(shop, options->subject, &ladder.sound);
    if (!err)
        err = samples_cut(&ladder.samples, &ladder.source, shop, options->samples,
                          options->sample_seconds);
    if (!err)
        err = try_all(&ladder);
    if (!err)
        err = make_rungs(&ladder);
    if (!err)
        err = tell(&ladder);
    fflush(stdout);
    devices_tell(shop->devices, shop->device_count, &shop->last_resort, &shop->recalled);
    const int lost = lines_close(ladder.lines);
    ladder_end(&ladder);
    return err ? err : lost;
}
