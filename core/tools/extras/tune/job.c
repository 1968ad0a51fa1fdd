/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "job.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "encoder.h"
#include "results.h"

#define LOOK_TIME 250 /* milliseconds between updates of the progress display */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
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

/* Read the frame number from ffmpeg's "frame=12" or the vmaf command's "progress frame=12 …". */
static void take_progress(Job *job, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != '\n') {
            if (job->line_used + 1 < sizeof(job->line))
                job->line[job->line_used++] = bytes[i];
            continue;
        }
        job->line[job->line_used] = 0;
        job->line_used = 0;
        const char *const word = strstr(job->line, "frame=");
        if (word && (word == job->line || word[-1] == ' '))
            job->frame = strtoull(word + strlen("frame="), NULL, 10);
    }
}

static void hear(void *arg, enum ChildStream stream, const char *bytes, size_t count)
{
    Job *const job = arg;
    if (stream == CHILD_ERR)
        tail_feed(&job->tail, bytes, count);
    if (job->state == JOB_MEASURING && stream == CHILD_OUT)
        media_feed(&job->reader, bytes, count);
    if ((job->state == JOB_ENCODING && stream == CHILD_OUT) ||
        (job->state == JOB_SCORING && stream == CHILD_ERR))
        take_progress(job, bytes, count);
}

static int start(Workshop *shop, Job *job, enum JobState state, Argv argv, const char *program)
{
    argv_free(&job->argv);
    job->argv = argv;
    if (argv.failed)
        return -ENOMEM;
    job->tail = (Tail){ .next = 0 };
    job->frame = 0;
    job->line_used = 0;
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

static int start_encode(Workshop *shop, Job *job)
{
    char extension[16];
    encoder_extension(job->encoder, extension, sizeof(extension));
    job->file = job->output ? strdup(job->output) : temp_file(shop->temp, extension);
    if (!job->file)
        return -ENOMEM;
    if (encoder_wants_y4m(job->encoder)) {
        const int err = original_decode(job->source, shop);
        if (err == -EIO) /* original_decode printed why; other sources may still work */
            fail(shop, job, "encoding failed", "cannot decode the source");
        if (err)
            return err == -EIO ? 0 : err;
    }
    const Encode encode = { .ffmpeg = shop->ffmpeg,
                            .input = job->source->argument,
                            .y4m = job->source->y4m,
                            .output = job->file,
                            .setting = job->setting,
                            .whole = job->whole };
    return start(shop, job, JOB_ENCODING, encoder_command(job->encoder, &encode), NULL);
}

static int start_measure(Workshop *shop, Job *job)
{
    job->reader = (MediaReader){ .used = 0 };
    return start(shop, job, JOB_MEASURING, media_command(shop->ffmpeg, job->file), NULL);
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
    shop->devices[device->lock].busy = true;
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

static void end_step(Workshop *shop, Job *job)
{
    child_destroy(job->child);
    job->child = NULL;
    if (job->device)
        shop->devices[job->device->lock].busy = false;
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
    end_step(shop, job);
    discard(&job->file, false);
    discard(&job->report, false);
    job->state = JOB_FAILED;
    job->encoder->failed = true;
}

static void finish_measure(Workshop *shop, Job *job)
{
    if (!media_finish(&job->reader, &job->media)) {
        fail(shop, job, "measuring failed", "the encoder's output has no video");
        return;
    }
    /* Use the source's duration for all its encodes, because containers store times with different
     * precision. */
    job->bitrate = (double)job->media.bytes * 8.0 / job->source->media.seconds / 1000.0;
    end_step(shop, job);
    job->state = JOB_MEASURED;
}

static void finish_score(Workshop *shop, Job *job)
{
    char error[640];
    Scored scored;
    const int err = scored_read(&scored, job->report, shop->metric, error, sizeof(error));
    if (err) {
        fail(shop, job, "scoring failed", err == -ENOMEM ? "out of memory" : error);
        return;
    }
    job->scores = scored.scores;
    job->score_count = scored.count;
    job->score = pooling_scores(&shop->pooling, scored.scores, scored.count);
    job->scored_on = job->device->label;
    end_step(shop, job);
    discard(&job->file, job->output != NULL);
    discard(&job->report, false);
    job->state = JOB_DONE;
}

static int finish_step(Workshop *shop, Job *job, const ChildEnd *end)
{
    static const char *const what[] = { [JOB_ENCODING] = "encoding failed",
                                        [JOB_MEASURING] = "measuring failed",
                                        [JOB_SCORING] = "scoring failed" };
    if (end->code != 0 || end->timed_out) {
        char why[64];
        end_print(end, why, sizeof(why));
        fail(shop, job, what[job->state], why);
        return 0;
    }
    if (job->state == JOB_ENCODING) {
        job->encode_seconds = now() - job->since;
        end_step(shop, job);
        return start_measure(shop, job);
    }
    if (job->state == JOB_MEASURING) {
        finish_measure(shop, job);
    } else {
        job->score_seconds = now() - job->since;
        finish_score(shop, job);
    }
    return 0;
}

/* ---- scheduling ---- */

static ScoringDevice *free_device(Workshop *shop)
{
    for (size_t i = 0; i < shop->device_count; i++)
        if (!shop->devices[shop->devices[i].lock].busy)
            return &shop->devices[i];
    return NULL;
}

/* Start every step that may start now. */
static int start_some(Workshop *shop, Job *jobs, size_t count, JobChanged *changed, void *arg)
{
    size_t encoding = 0, unscored = 0;
    for (size_t i = 0; i < count; i++) {
        encoding += jobs[i].state == JOB_ENCODING;
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
        } else if (job->state == JOB_MEASURED) {
            ScoringDevice *const device = free_device(shop);
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

int jobs_run(Workshop *shop, Job *jobs, size_t count, JobChanged *changed, void *arg)
{
    int err = 0;
    for (size_t i = 0; i < count; i++)
        jobs[i].encoder->failed = false;
    while (!err) {
        err = interrupt_signal() ? -EINTR : start_some(shop, jobs, count, changed, arg);
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
    free(job->scores);
    json_decref(job->stored);
    *job = (Job){ .source = NULL };
}

static bool shown, drawn;
static const char *heading;

void status_start(bool quiet, const char *what)
{
    shown = !quiet && message_on_terminal();
    heading = what;
}

/* status_draw leaves the cursor at the top of the display, so clearing to the end of the screen
 * erases it. */
void status_hide(void)
{
    if (drawn)
        fputs("\r\033[J", stderr);
    fflush(stderr);
    drawn = false;
}

/* Print one line, cut to the terminal's width. Replaces control characters, since names may contain
 * anything. */
static void put_line(char *text, unsigned columns, unsigned *lines)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    if (columns && strlen(text) >= columns)
        text[columns - 1] = 0;
    fprintf(stderr, "%s\033[K\n", text);
    ++*lines;
}

static void print_job(const Job *job, char *text, size_t size)
{
    static const char *const what[] = {
        [JOB_ENCODING] = "encoding", [JOB_MEASURING] = "measuring", [JOB_SCORING] = "scoring"
    };
    char setting[32], progress[96] = "";
    const double time = now() - job->since;
    const uint64_t total = job->source->media.frames;
    range_print(job->setting, setting, sizeof(setting));
    if (job->frame && time > 0.0)
        snprintf(progress, sizeof(progress), "  %3u%%  %.1f fps",
                 (unsigned)(total ? job->frame * 100 / total : 0), (double)job->frame / time);
    snprintf(text, size, "  %-24s %s %-5s %s%s%s%s", job->encoder->label,
             encoder_setting_name(job->encoder), setting, what[job->state],
             job->device ? " on " : "", job->device ? job->device->label : "", progress);
}

void status_draw(const Job *jobs, size_t count)
{
    struct winsize window = { 0 };
    unsigned lines = 0, done = 0;
    char text[512];
    if (!shown)
        return;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) || !window.ws_row)
        window.ws_row = 24;
    for (size_t i = 0; i < count; i++)
        done += jobs[i].state >= JOB_DONE;
    status_hide();
    snprintf(text, sizeof(text), "%s: %u of %zu done", heading, done, count);
    put_line(text, window.ws_col, &lines);
    for (size_t i = 0; i < count && lines + 2 < window.ws_row; i++) {
        if (!jobs[i].child)
            continue;
        print_job(&jobs[i], text, sizeof(text));
        put_line(text, window.ws_col, &lines);
    }
    fprintf(stderr, "\033[%uA\r", lines);
    fflush(stderr);
    drawn = true;
}
