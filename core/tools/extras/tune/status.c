/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The progress display of vmaf-tune; see job.h. */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/message.h"
#include "encoder.h"
#include "job.h"

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

/* The share of a step that is done, from 0 to 1. */
static double step_share(const Job *job)
{
    const double total = (double)job->source->media.frames, frame = (double)job->count.frame;
    return total > frame ? frame / total : frame > 0.0;
}

/* The share of a job that is done: encoding is one half, and scoring the other one. */
static double job_share(const Job *job)
{
    switch (job->state) {
    case JOB_WAITING:
        return 0.0;
    case JOB_FIRST_PASS:
        return step_share(job) / 4;
    case JOB_ENCODING:
        return job->encoder->two_pass ? 0.25 + step_share(job) / 4 : step_share(job) / 2;
    case JOB_MEASURING:
    case JOB_COUNTING:
    case JOB_MEASURED:
        return 0.5;
    case JOB_SCORING:
        return 0.5 + step_share(job) / 2;
    default:
        return 1.0;
    }
}

double status_share(const Job *jobs, size_t count)
{
    double share = 0.0;
    for (size_t i = 0; i < count; i++)
        share += job_share(&jobs[i]);
    return share / (count ? (double)count : 1.0);
}

static void print_heading(const Job *jobs, size_t count, char *text, size_t size)
{
    unsigned done = 0;
    for (size_t i = 0; i < count; i++)
        done += jobs[i].state >= JOB_DONE;
    snprintf(text, size, "%s: %3u%%  %u of %zu done", heading,
             (unsigned)(100 * status_share(jobs, count)), done, count);
}

static void print_job(const Job *job, char *text, size_t size)
{
    static const char *const what[] = {
        [JOB_FIRST_PASS] = "first pass", [JOB_ENCODING] = "encoding",
        [JOB_MEASURING] = "measuring",   [JOB_COUNTING] = "counting frames",
        [JOB_SCORING] = "scoring",
    };
    char setting[32], progress[96] = "";
    const double time = job_step_seconds(job);
    range_print(job->setting, setting, sizeof(setting));
    if (job->count.frame && time > 0.0)
        snprintf(progress, sizeof(progress), "  %3u%%  %.1f fps", (unsigned)(100 * step_share(job)),
                 (double)job->count.frame / time);
    snprintf(text, size, "  %-24s %s %-5s %s%s%s%s", job->encoder->label,
             encoder_setting_name(job->encoder), setting, what[job->state],
             job->device ? " on " : "", job->device ? job->device->label : "", progress);
}

void status_draw(const Job *jobs, size_t count)
{
    struct winsize window = { 0 };
    unsigned lines = 0;
    char text[512];
    if (!shown)
        return;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) || !window.ws_row)
        window.ws_row = 24;
    status_hide();
    print_heading(jobs, count, text, sizeof(text));
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

void status_finish(const Job *jobs, size_t count)
{
    unsigned lines = 0;
    char text[512];
    status_hide();
    if (!shown)
        return;
    print_heading(jobs, count, text, sizeof(text));
    put_line(text, 0, &lines);
    fflush(stderr);
}
