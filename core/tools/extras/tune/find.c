/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune search: runs the search, then encodes the whole source with the setting found. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "libvmaf/libvmaf.h"
#include "common/json_memory.h"
#include "common/message.h"
#include "common/temp.h"
#include "encoder.h"
#include "encoded.h"
#include "results.h"
#include "search.h"
#include "job.h"

#define WHOLE_MAX 6 /* encodes of the whole source, in case the samples mislead */

/* The encode of the whole source. */
typedef struct Whole {
    Search *search;
    TempFolder *temp;          /* in the output's folder, so that rename() can put the file there */
    char *best;                /* path of the best encode so far */
    Job job;                   /* the job that made `best` */
    double scores[METRIC_MAX]; /* scores of that job, one for each target */
    int reached, missed;
    unsigned encodes;
} Whole;

typedef struct Round {
    Job *job;
    Lines *lines;
} Round;

static int changed(void *arg, Job *job)
{
    const Round *const round = arg;
    status_draw(round->job, 1);
    lines_progress(round->lines, round->job, 1);
    return 0;
}

static void tell_whole(const Search *search, const Job *job, const double *scores)
{
    char setting[32], text[512];
    range_print(job->setting, setting, sizeof(setting));
    search_scores_print(search, scores, text, sizeof(text));
    if (search->talks)
        printf("%s %s: %s, %.2f kbit/s (whole video)\n", encoder_setting_name(search->encoder),
               setting, text, job->bitrate);
    fflush(stdout);
    lines_event(search->lines, "whole", search->lines ? result_json(job) : NULL);
}

/* Encode and score the whole with the setting of a step. Sets the figures that it is judged by. */
static int encode_whole(Whole *whole, const char *output, int step, double goals[METRIC_MAX])
{
    Search *const search = whole->search;
    Job job = { .source = &search->whole,
                .encoder = search->encoder,
                .setting = search_setting(search, step),
                .whole = true };
    Round round = { &job, search->lines };
    double scores[METRIC_MAX];
    job.output = temp_file(whole->temp, encoded_extension(output));
    if (!job.output)
        return -ENOMEM;
    status_start(search->shop->quiet, output);
    int err = jobs_run(search->shop, &job, 1, changed, &round);
    status_finish(&job, 1);
    whole->encodes++;
    if (!err && job.state != JOB_DONE)
        err = -EIO;
    if (err) {
        unlink(job.output);
        free(job.output);
        job_free(&job);
        return err;
    }
    search_scores(search, &job, scores);
    tell_whole(search, &job, scores);
    search_goals(search, scores, job.bitrate, goals);
    const bool reaches = seek_reaches(&search->seek, goals);
    if (reaches)
        whole->reached = step;
    else
        whole->missed = step;
    /* Keep the last encode that reaches the targets, or the first one of all. */
    if (reaches || !whole->best) {
        if (whole->best)
            unlink(whole->best);
        free(whole->best);
        whole->best = job.output;
        job_free(&whole->job);
        whole->job = job;
        memcpy(whole->scores, scores, sizeof(scores));
    } else {
        unlink(job.output);
        free(job.output);
        job_free(&job);
    }
    return 0;
}

/* By how many tolerances the whole may exceed a target before a worse setting is tried: that costs
 * another encode of everything. */
#define WHOLE_TOLERANCES 5

/* The step to try after this one; -1: done. The curves of the samples still apply, shifted. */
static int next_whole(const Whole *whole, int step, const double *goals)
{
    const Seek *const seek = &whole->search->seek;
    int next = seek_shifted(seek, step, goals);
    if (whole->encodes >= WHOLE_MAX)
        return -1;
    if (!seek_reaches(seek, goals)) {
        next = next < step ? next : step - 1;
        if (next <= whole->reached)
            next = whole->reached + 1;
        if (next < 0)
            next = 0;
        return next < step ? next : -1;
    }
    for (size_t i = 0; i < seek->goal_count; i++)
        if (goals[i] - seek->goals[i].target < WHOLE_TOLERANCES * seek->goals[i].tolerance)
            return -1;
    if (next >= whole->missed)
        next = whole->missed - 1;
    return next > step ? next : -1;
}

static int make_whole(Whole *whole, const char *output)
{
    Search *const search = whole->search;
    char *const folder = path_folder(output);
    int err = folder ? temp_create(&whole->temp, folder) : -ENOMEM;
    free(folder);
    whole->reached = -1;
    whole->missed = search->seek.last + 1;
    for (int step = search->seek.reached; !err && step >= 0;) {
        double goals[METRIC_MAX];
        err = encode_whole(whole, output, step, goals);
        if (!err)
            step = next_whole(whole, step, goals);
    }
    return err;
}

static json_t *whole_json(const Search *search, const Whole *whole, const TuneOptions *options,
                          const char *command)
{
    const size_t samples = search->samples.count;
    json_t *const root = search_json(search);
    json_object_set_new(root, "vmaf_tune", json_string("search"));
    json_object_set_new(root, "schema", json_integer(TUNE_SCHEMA));
    json_object_set_new(root, "version", json_string(vmaf_version()));
    json_object_set_new(root, "source", json_text(search->path));
    json_object_set_new(root, "encodes",
                        json_integer((json_int_t)(search->try_count * (samples ? samples : 1))));
    json_object_set_new(root, "whole_encodes", json_integer(whole->encodes));
    json_object_set_new(root, "devices", devices_json(search->shop));
    json_object_set_new(root, "command", command ? json_text(command) : json_null());
    if (whole->best) {
        json_t *const made = result_json(&whole->job);
        json_object_set_new(made, "path", json_text(options->output));
        json_object_set_new(made, "reached", json_boolean(whole->reached >= 0));
        json_object_set_new(root, "output", made);
    }
    return root;
}

static int write_json(const Search *search, const Whole *whole, const TuneOptions *options,
                      const char *command)
{
    Draft draft;
    int err = draft_open(&draft, options->json);
    if (err)
        return err;
    json_t *const root = whole_json(search, whole, options, command);
    char *const text = json_whole_text(root, JSON_INDENT(2));
    if (text)
        fprintf(draft.file, "%s\n", text);
    else
        draft.err = -ENOMEM;
    json_decref(root);
    free(text);
    return draft_close(&draft);
}

static int say_unreached(const Search *search, double setting, const double *scores, double rate)
{
    char name[512], text[32], all[512];
    search_target_name(search, name, sizeof(name));
    range_print(setting, text, sizeof(text));
    search_scores_print(search, scores, all, sizeof(all));
    say("%s cannot be reached with %s: %s %s gives %s at %.2f kbit/s", name, search->encoder->label,
        encoder_setting_name(search->encoder), text, all, rate);
    return -ERANGE;
}

/* Prints that settings which reach the targets need more than the limit. */
static int say_over(const Search *search, double setting, const double *scores, double rate)
{
    char name[512], text[32], all[512];
    search_target_name(search, name, sizeof(name));
    range_print(setting, text, sizeof(text));
    search_scores_print(search, scores, all, sizeof(all));
    say("%s needs more than the limit of %.2f kbit/s with %s: %s %s gives %s at %.2f kbit/s", name,
        search->limit, search->encoder->label, encoder_setting_name(search->encoder), text, all,
        rate);
    return -EFBIG;
}

/* The command that makes the Y4M file of an encoder that wants one, and "&&". free() it. */
static char *y4m_step(const Search *search, const char *y4m)
{
    Argv argv = { 0 };
    argv_add_all(&argv, (const char *const[]){ search->shop->ffmpeg, "-i", NULL });
    argv_addf(&argv, "file:%s", search->whole.argument);
    argv_add_all(&argv, (const char *const[]){ "-map", "0:v:0", "-strict", "-1", y4m, NULL });
    char *const text = argv.failed ? NULL : argv_shell_text(&argv);
    char *const step = text ? text_print("%s && ", text) : NULL;
    argv_free(&argv);
    free(text);
    return step;
}

/* Make the command line that encodes the whole source with a setting, for a shell. free() it. NULL:
 * no memory. */
static char *reproduce(const Search *search, double setting, const char *output)
{
    static const char y4m[] = "source.y4m";
    char extension[16], name[32];
    encoder_extension(search->encoder, extension, sizeof(extension));
    snprintf(name, sizeof(name), "output.%s", extension);
    const Encode encode = { .ffmpeg = search->shop->ffmpeg,
                            .input = search->whole.argument,
                            .y4m = y4m,
                            .output = output ? output : name,
                            .setting = setting,
                            .whole = true,
                            .shown = true };
    const unsigned passes = search->encoder->two_pass ? 2 : 1;
    char *whole = encoder_wants_y4m(search->encoder) ? y4m_step(search, y4m) : strdup("");
    for (unsigned i = 1; i <= passes; i++) {
        Encode one = encode;
        one.pass = passes == 2 ? i : 0;
        one.pass_log = "two-pass";
        Argv argv = encoder_command(search->encoder, &one);
        char *const text = argv.failed ? NULL : argv_shell_text(&argv);
        char *const longer =
            text && whole ? text_print("%s%s%s", whole, text, i < passes ? " && " : "") : NULL;
        argv_free(&argv);
        free(text);
        free(whole);
        whole = longer;
    }
    return whole;
}

/* Does the whole encode reach the targets within the limit? */
static bool is_made(const Search *search, const Whole *whole)
{
    return whole->reached >= 0 && whole->job.bitrate <= search->limit;
}

/* The setting of the result. False: no setting reaches the target. */
static bool winner(const Search *search, const Whole *whole, const char *output, double *setting)
{
    if (!search->found || (output && !is_made(search, whole)))
        return false;
    *setting = output ? whole->job.setting : search->found->setting;
    return true;
}

static int say_warnings(const Search *search, const Whole *whole)
{
    size_t i;
    json_t *warning;
    json_t *const all = search_warnings(search);
    const int err = all ? list_join(all, whole->job.warnings) : -ENOMEM;
    json_array_foreach(all, i, warning)
    {
        char text[512];
        warning_text(warning, text, sizeof(text));
        say("warning: %s", text);
    }
    json_decref(all);
    return err;
}

/* Print a text whose bytes may be anything. */
static void print_plain(const char *text)
{
    for (; *text; text++)
        putchar((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text);
    putchar('\n');
}

static int say_end(const Search *search, const Whole *whole)
{
    const Try *const last = &search->tries[search->try_count - 1];
    if (search->end == SEARCH_MISSED)
        return say_unreached(search, last->setting, last->scores, last->bitrate);
    if (search->end == SEARCH_OVER)
        return say_over(search, last->setting, last->scores, last->bitrate);
    if (whole->reached < 0)
        return say_unreached(search, whole->job.setting, whole->scores, whole->job.bitrate);
    return say_over(search, whole->job.setting, whole->scores, whole->job.bitrate);
}

static void print_time(double seconds, char *text, size_t size)
{
    if (seconds < 100.0)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 6000.0)
        snprintf(text, size, "%.0f min", seconds / 60.0);
    else
        snprintf(text, size, "%.1f h", seconds / 3600.0);
}

/* The size and time that the whole will need. */
static void print_prediction(const Search *search)
{
    char time[32];
    const Prediction p = search_predict(search, search->found);
    print_time(p.seconds, time, sizeof(time));
    printf("the whole video will have about %.2f MB, %.1f%% of the source's, and take %s to "
           "encode\n",
           p.bytes / 1e6, 100.0 * p.share, time);
}

/* Print the result and choose the return value. */
static int conclude(const Search *search, const Whole *whole, const char *output,
                    const char *command)
{
    char name[512], setting[32], scores[512];
    const Try *const found = search->found;
    const size_t samples = search->samples.count;
    if (!found || (output && !is_made(search, whole)))
        return say_end(search, whole);
    if (!search->talks)
        return 0;
    search_target_name(search, name, sizeof(name));
    range_print(output ? whole->job.setting : found->setting, setting, sizeof(setting));
    search_scores_print(search, output ? whole->scores : found->scores, scores, sizeof(scores));
    printf("%s %s %s %s: %s at %.2f kbit/s; %zu setting%s tried on %zu sample%s, %u encode%s of "
           "the whole video\n",
           encoder_setting_name(search->encoder), setting,
           search->targets->count ? "reaches" : "stays within", name, scores,
           output ? whole->job.bitrate : found->bitrate, search->try_count,
           search->try_count == 1 ? "" : "s", samples ? samples : 1, samples > 1 ? "s" : "",
           whole->encodes, whole->encodes == 1 ? "" : "s");
    if (!output && samples)
        print_prediction(search);
    fputs("to encode the whole video like this: ", stdout);
    print_plain(command);
    return 0;
}

int tune_search(Workshop *shop, const TuneOptions *options)
{
    Search search;
    Whole whole = { .search = &search };
    double setting;
    char *command = NULL;
    SearchParams params = { .path = options->subject,
                            .encoder = &options->encoders[0],
                            .talks = (!options->json || strcmp(options->json, "-")) &&
                                     (!options->lines || strcmp(options->lines, "-")),
                            .options = options };
    int err = encoded_check(options);
    if (!err && options->output && options->encoders[0].codec)
        err = encoded_check_sound(shop, options);
    if (!err && options->json)
        err = draft_check(options->json);
    if (!err && options->lines)
        err = lines_open(&params.lines, options->lines);
    if (!err && options->resume)
        err = journal_open(&params.journal, options->resume);
    if (err) {
        lines_close(params.lines);
        return err;
    }
    err = search_run(&search, shop, &params);
    if (!err && search.found && options->output)
        err = make_whole(&whole, options->output);
    if (!err && winner(&search, &whole, options->output, &setting)) {
        command = reproduce(&search, setting, options->output);
        err = command ? 0 : -ENOMEM;
    }
    if (!err && options->json)
        err = write_json(&search, &whole, options, command);
    if (!err)
        lines_event(params.lines, "end",
                    params.lines ? whole_json(&search, &whole, options, command) : NULL);
    if (!err)
        err = conclude(&search, &whole, options->output, command);
    if (!err || err == -ERANGE || err == -EFBIG) {
        fflush(stdout);
        const int lost = say_warnings(&search, &whole);
        err = err ? err : lost;
        devices_tell(shop->devices, shop->device_count, &shop->last_resort, &shop->recalled);
    }
    if (!err && whole.best && rename(whole.best, options->output)) {
        err = -errno;
        say("cannot write %s: %s", options->output, strerror(-err));
    }
    free(command);
    free(whole.best);
    whole.job.output = NULL;
    job_free(&whole.job);
    temp_destroy(whole.temp);
    search_close(&search);
    journal_close(params.journal);
    const int lost = lines_close(params.lines);
    return err ? err : lost;
}
