/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "job.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "cache.h"
#include "encoder.h"
#include "scored.h"

#define LOOK_TIME 250 /* milliseconds between updates of the progress display */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double job_step_seconds(const Job *job)
{
    return now() - job->since;
}

void end_print(const ChildEnd *end, char *text, size_t size)
{
    if (end->timed_out)
        snprintf(text, size, "time limit exceeded");
    else if (end->signal)
        snprintf(text, size, "signal %d", end->signal);
    else
        snprintf(text, size, "exit code %d", end->code);
}

/* ---- steps of a job ---- */

static void hear(void *arg, enum ChildStream stream, const char *bytes, size_t count)
{
    Job *const job = arg;
    if (stream == CHILD_ERR)
        tail_feed(&job->tail, bytes, count);
    if (job->state == JOB_MEASURING && stream == CHILD_OUT)
        media_feed(&job->reader, bytes, count);
    if (((job->state == JOB_FIRST_PASS || job->state == JOB_ENCODING ||
          job->state == JOB_COUNTING) &&
         stream == CHILD_OUT) ||
        (job->state == JOB_SCORING && stream == CHILD_ERR))
        frame_count_feed(&job->count, bytes, count);
}

static int start(Workshop *shop, Job *job, enum JobState state, Argv argv, const char *program)
{
    argv_free(&job->argv);
    job->argv = argv;
    if (argv.failed)
        return -ENOMEM;
    job->tail = (Tail){ .next = 0 };
    job->count = (FrameCount){ .frame = 0 };
    job->state = state;
    job->since = now();
    const ChildParams params = { .argv = (const char *const *)argv.words,
                                 .program = program,
                                 .sink = { CHILD_TO_US, CHILD_TO_US },
                                 .time_limit = shop->time_limit,
                                 .heard = hear,
                                 .arg = job };
    const int err = child_start(shop->children, &params, &job->child);
    if (err)
        say("cannot run %s: %s", argv.words[0], strerror(-err));
    return err;
}

static void fail(Workshop *shop, Job *job, const char *what, const char *why);

static int start_measure(Workshop *shop, Job *job)
{
    struct stat info;
    const bool there = !stat(job->file, &info);
    if (!there || !info.st_size) {
        fail(shop, job, "encoding failed",
             there ? "the encoder reported success, but its file is empty"
                   : "the encoder reported success, but wrote no file");
        return 0;
    }
    job->reader = (MediaReader){ .packets = job->lists_packets ? &job->packets : NULL };
    return start(shop, job, JOB_MEASURING, media_command(shop->ffmpeg, job->file), NULL);
}

/* Start one of two passes, or the only one (0). */
static int start_pass(Workshop *shop, Job *job, unsigned pass)
{
    const Encode encode = { .ffmpeg = shop->ffmpeg,
                            .input = job->source->argument,
                            .y4m = job->source->y4m,
                            .output = job->file,
                            .setting = job->setting,
                            .pass = pass,
                            .pass_log = job->pass_log,
                            .part = job->part,
                            .zones = job->zones,
                            .whole = job->whole };
    return start(shop, job, pass == 1 ? JOB_FIRST_PASS : JOB_ENCODING,
                 encoder_command(job->encoder, &encode), NULL);
}

static int start_encode(Workshop *shop, Job *job)
{
    char extension[16];
    encoder_extension(job->encoder, extension, sizeof(extension));
    job->file = job->output ? strdup(job->output) : temp_file(shop->temp, extension);
    if (!job->file)
        return -ENOMEM;
    if (job->made)
        return start_measure(shop, job);
    if (encoder_wants_y4m(job->encoder)) {
        const int err = original_decode(job->source, shop);
        if (err == -EIO) /* original_decode printed why; other sources may still work */
            fail(shop, job, "encoding failed", "cannot decode the source");
        if (err)
            return err == -EIO ? 0 : err;
    }
    job->kept_encode = shop->cache && !job->whole &&
                       cache_take_encode(shop->cache, shop, job, job->file, &job->encode_seconds);
    if (job->kept_encode)
        return start_measure(shop, job);
    if (!job->encoder->two_pass)
        return start_pass(shop, job, 0);
    job->pass_log = temp_file(shop->temp, "log");
    return job->pass_log ? start_pass(shop, job, 1) : -ENOMEM;
}

static int start_score(Workshop *shop, Job *job, ScoringDevice *device)
{
    Argv argv = { 0 };
    job->report = temp_file(shop->temp, "json");
    if (!job->report)
        return -ENOMEM;
    argv_add_all(&argv, (const char *const[]){ "vmaf-tune", "--vmaf", "-r", job->source->argument,
                                               "-d", job->file, "--json", "-o", job->report,
                                               "--precision", "max", "--progress", NULL });
    scoring_device_add_options(device, &argv);
    if (shop->score_words.count)
        argv_add_all(&argv, (const char *const *)shop->score_words.words);
    job->device = device;
    device_take(shop->devices, device, true);
    return start(shop, job, JOB_SCORING, argv, shop->self);
}

/* ---- ends of steps ---- */

static void discard(char **path, bool keep)
{
    if (*path && !keep)
        unlink(*path);
    free(*path);
    *path = NULL;
}

static void discard_log(Job *job)
{
    if (job->pass_log)
        encoder_discard_log(job->pass_log);
    free(job->pass_log);
    job->pass_log = NULL;
}

static void end_step(Workshop *shop, Job *job)
{
    child_destroy(job->child);
    job->child = NULL;
    if (job->device)
        device_take(shop->devices, job->device, false);
    job->device = NULL;
}

static void fail(Workshop *shop, Job *job, const char *what, const char *why)
{
    char setting[32];
    range_print(job->setting, setting, sizeof(setting));
    status_hide();
    say("%s at %s %s: %s: %s", job->encoder->label, encoder_setting_name(job->encoder), setting,
        what, why);
    tail_say(&job->tail);
    job->failure = text_print("%s: %s", what, why);
    end_step(shop, job);
    discard(&job->file, false);
    discard(&job->report, false);
    discard_log(job);
    job->state = JOB_FAILED;
    job->encoder->failed = true;
}

/* Is the encode one of the whole source? Where packets and frames may differ, decode both. */
static int check_encode(Workshop *shop, Job *job)
{
    Original *const source = job->source;
    for (;;) {
        const enum MediaDifference difference =
            media_compare(&source->media, &job->media, shop->allow_scaled);
        int err = 0;
        if (difference == MEDIA_FRAMES && !source->counted) {
            err = original_count(source, shop);
        } else if (difference == MEDIA_FRAMES && !job->counted) {
            return start(shop, job, JOB_COUNTING, media_count_command(shop->ffmpeg, job->file),
                         NULL);
        } else if (difference == MEDIA_SHAPE && !source->shaped) {
            err = original_shape(source, shop);
        } else if (difference) {
            char why[256];
            media_difference_text(difference, &source->media, &job->media, why, sizeof(why));
            fail(shop, job, "encoding failed", why);
            return 0;
        } else {
            if (shop->cache && !job->whole && !job->kept_encode)
                cache_keep_encode(shop->cache, shop, job);
            job->state = JOB_MEASURED;
            return 0;
        }
        if (err == -EIO) { /* the reason was printed; other sources may still work */
            fail(shop, job, "measuring failed", "cannot decode the source");
            return 0;
        }
        if (err)
            return err;
    }
}

static int finish_measure(Workshop *shop, Job *job)
{
    if (!media_finish(&job->reader, &job->media)) {
        fail(shop, job, "encoding failed", "the encoder's output has no video");
        return 0;
    }
    /* Use the source's duration for all its encodes, because containers store times with different
     * precision. */
    job->bitrate = (double)job->media.bytes * 8.0 / job->source->media.seconds / 1000.0;
    end_step(shop, job);
    return check_encode(shop, job);
}

/* Compute the score again, on another device if there is one. */
static void score_again(Workshop *shop, Job *job)
{
    end_step(shop, job);
    discard(&job->report, false);
    job->state = JOB_MEASURED;
}

/* The device may be to blame: try it. A device that no longer works gets no more scorings. If it
 * works, the scoring gets a second chance elsewhere. */
static int scoring_failed(Workshop *shop, Job *job, const char *why)
{
    ScoringDevice *const device = job->device;
    char reason[256] = "";
    const int err = scoring_device_is_gpu(device)
                        ? trial_run(&shop->trial, device, reason, sizeof(reason))
                        : -EINVAL;
    if (err == -ENODEV) {
        status_hide();
        devices_bury(shop->devices, shop->device_count, device, reason);
        score_again(shop, job);
    } else if (!err && !job->refused) {
        status_hide();
        say("scoring %s at %s %g failed on %s (%s); trying once more", job->encoder->label,
            encoder_setting_name(job->encoder), job->setting, device->label, why);
        tail_say(&job->tail);
        job->refused = device;
        score_again(shop, job);
    } else if (err && err != -EINVAL) {
        return err;
    } else {
        fail(shop, job, "scoring failed", why);
    }
    return 0;
}

/* Were all frames scored? Packets of the source that are not frames do not count. */
static int check_pairs(Workshop *shop, Job *job, uint64_t pairs)
{
    char why[160];
    Original *const source = job->source;
    if (pairs < source->media.frames) {
        const int err = original_count(source, shop);
        if (err && err != -EIO)
            return err;
    }
    if (pairs >= source->media.frames)
        return 0;
    snprintf(why, sizeof(why), "only %" PRIu64 " of %" PRIu64 " frames could be compared", pairs,
             source->media.frames);
    fail(shop, job, "scoring failed", why);
    return 0;
}

/* Could all of the encode be decoded? What a decoder repaired is not what the encoder made. */
static void check_damage(Workshop *shop, Job *job, const json_t *warnings)
{
    char why[640];
    const json_t *const damage = warnings_find(warnings, "damaged", "distorted");
    if (!damage)
        return;
    snprintf(why, sizeof(why), "its encode is damaged: %s",
             json_string_value(json_object_get(damage, "text")));
    fail(shop, job, "encoding failed", why);
}

static int finish_score(Workshop *shop, Job *job)
{
    char error[640];
    Scored scored;
    int err = scored_read(&scored, job->report, &shop->metrics,
                          job->device ? job->device->label : "cache", error, sizeof(error));
    if (err && job->kept_report) { /* damaged: score again */
        cache_drop_report(shop->cache, shop, job);
        job->kept_report = false;
        score_again(shop, job);
        return 0;
    }
    if (err) {
        fail(shop, job, "scoring failed", err == -ENOMEM ? "out of memory" : error);
        return 0;
    }
    err = check_pairs(shop, job, scored.pairs);
    if (!err && job->state != JOB_FAILED)
        check_damage(shop, job, scored.warnings);
    if (err || job->state == JOB_FAILED) {
        scored_free(&scored);
        return err;
    }
    memcpy(job->series, scored.series, sizeof(job->series));
    job->metric = shop->metrics.names[0];
    job->score = series_pool(job->metric, &shop->pooling, &job->series[0]);
    job->place = scored.place;
    job->warnings = scored.warnings;
    job->models = scored.models;
    if (job->device)
        job->device->scored++;
    else
        devices_recall(shop->devices, shop->device_count, job->place, &shop->recalled);
    if (shop->cache && !job->whole && !job->kept_report)
        cache_keep_report(shop->cache, shop, job);
    end_step(shop, job);
    discard(&job->file, job->output != NULL);
    discard(&job->report, false);
    job->state = JOB_DONE;
    return 0;
}

static int step_failed(Workshop *shop, Job *job, const ChildEnd *end)
{
    char why[64];
    end_print(end, why, sizeof(why));
    if (job->state == JOB_SCORING)
        return scoring_failed(shop, job, why);
    if (job->state == JOB_FIRST_PASS || job->state == JOB_ENCODING)
        fail(shop, job, "encoding failed", why);
    else if (end->timed_out || end->signal)
        fail(shop, job, "measuring failed", why);
    else
        fail(shop, job, "encoding failed", "ffmpeg finds no video in the encoder's output");
    return 0;
}

static int finish_step(Workshop *shop, Job *job, const ChildEnd *end)
{
    if (end->code != 0 || end->timed_out)
        return step_failed(shop, job, end);
    switch (job->state) {
    case JOB_FIRST_PASS:
        job->encode_seconds = job_step_seconds(job);
        end_step(shop, job);
        return start_pass(shop, job, 2);
    case JOB_ENCODING:
        job->encode_seconds += job_step_seconds(job);
        end_step(shop, job);
        discard_log(job);
        return start_measure(shop, job);
    case JOB_MEASURING:
        return finish_measure(shop, job);
    case JOB_COUNTING:
        job->media.frames = job->count.frame;
        job->counted = true;
        end_step(shop, job);
        return check_encode(shop, job);
    default:
        job->score_seconds = job_step_seconds(job);
        return finish_score(shop, job);
    }
}

/* ---- scheduling ---- */

/* Take the report of a job from the cache, if it has it. The cache is asked once. */
static bool is_report_kept(Workshop *shop, Job *job)
{
    if (!shop->cache || job->whole || job->cache_asked)
        return false;
    job->cache_asked = true;
    job->report = temp_file(shop->temp, "json");
    job->kept_report = job->report && cache_take_report(shop->cache, shop, job, job->report);
    if (!job->kept_report)
        discard(&job->report, false);
    return job->kept_report;
}

/* Start every step that may start now. */
static int start_some(Workshop *shop, Job *jobs, size_t count, JobChanged *changed, void *arg)
{
    size_t encoding = 0, unscored = 0;
    for (size_t i = 0; i < count; i++) {
        encoding += jobs[i].state == JOB_FIRST_PASS || jobs[i].state == JOB_ENCODING;
        unscored += jobs[i].state > JOB_ENCODING && jobs[i].state < JOB_DONE;
    }
    for (size_t i = 0; i < count; i++) {
        Job *const job = &jobs[i];
        int err = 0;
        if (job->state == JOB_WAITING && job->encoder->failed) {
            job->state = JOB_LEFT_OUT;
        } else if (job->state == JOB_WAITING && encoding < shop->encodes &&
                   /* Limit unscored encodes, since they fill the disk. */
                   unscored < 2 * shop->device_count + shop->encodes) {
            err = start_encode(shop, job);
            encoding++;
        } else if (job->state == JOB_MEASURED && is_report_kept(shop, job)) {
            err = finish_score(shop, job);
        } else if (job->state == JOB_MEASURED) {
            ScoringDevice *const device =
                device_choose(shop->devices, shop->device_count, &shop->last_resort, job->refused);
            if (!device)
                continue;
            err = start_score(shop, job, device);
        } else {
            continue;
        }
        if (!err)
            err = changed(arg, job);
        if (err)
            return err;
    }
    return 0;
}

static int finish_some(Workshop *shop, Job *jobs, size_t count, JobChanged *changed, void *arg)
{
    int err = 0;
    for (size_t i = 0; !err && i < count; i++) {
        ChildEnd end;
        if (!jobs[i].child || !child_ended(jobs[i].child, &end))
            continue;
        err = finish_step(shop, &jobs[i], &end);
        if (!err)
            err = changed(arg, &jobs[i]);
    }
    return err;
}

static bool is_any_running(const Job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (jobs[i].child)
            return true;
    return false;
}

/* Jobs whose scores came from the cache make room for others without a child that ends. */
static bool is_any_ready(const Job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (jobs[i].state == JOB_WAITING || jobs[i].state == JOB_MEASURED)
            return true;
    return false;
}

int jobs_run(Workshop *shop, Job *jobs, size_t count, JobChanged *changed, void *arg)
{
    int err = 0;
    for (size_t i = 0; i < count; i++)
        jobs[i].encoder->failed = false;
    while (!err) {
        err = interrupt_signal() ? -EINTR : start_some(shop, jobs, count, changed, arg);
        if (!err && !is_any_running(jobs, count) && is_any_ready(jobs, count))
            continue;
        if (err || !is_any_running(jobs, count))
            break;
        err = children_wait(shop->children, NULL, 0, LOOK_TIME);
        if (!err)
            err = finish_some(shop, jobs, count, changed, arg);
        if (!err)
            err = changed(arg, NULL);
    }
    for (size_t i = 0; i < count; i++)
        end_step(shop, &jobs[i]);
    return err;
}

void job_free(Job *job)
{
    child_destroy(job->child);
    argv_free(&job->argv);
    discard(&job->file, true);
    discard(&job->report, true);
    free(job->pass_log);
    free(job->packets.at);
    for (size_t i = 0; i < METRIC_MAX; i++)
        free(job->series[i].scores);
    free(job->failure);
    json_decref(job->place);
    json_decref(job->warnings);
    json_decref(job->models);
    json_decref(job->stored);
    *job = (Job){ .source = NULL };
}
