/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "status.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "common/message.h"
#include "range.h"

static bool shown, drawn;
static const char *heading;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

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
             job->place ? " on " : "", job->place ? job->place->label : "", progress);
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
