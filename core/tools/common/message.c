/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "message.h"
#include "../../src/base/mask.h" /* the library masks its messages in the same way */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* Guarded by stderr's own lock. */
static bool within_line; /* the progress line is on the screen, without its newline */
static bool hushed;
static _Thread_local bool hushed_here;

/* Opens standard streams that our parent closed, in the direction that makes their use fail. */
static void open_closed_streams(void)
{
#ifdef F_GETFD
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
#endif
}

void streams_prepare(void)
{
    open_closed_streams();
#ifdef SIGPIPE
    signal(SIGPIPE, SIG_IGN);
#endif
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN);
#endif
}

void message_hush(bool hush)
{
    flockfile(stderr);
    hushed = hush;
    funlockfile(stderr);
}

void message_hush_thread(bool hush)
{
    hushed_here = hush;
}

char *mask_controls(char *text)
{
    return text_mask_controls(text);
}

/* Writes a text; `masked`: without its control characters. False: it could not be written. */
static bool put(FILE *file, const char *format, va_list list, bool masked)
{
    char brief[1024], *text = brief;
    va_list again;
    va_copy(again, list);
    const int size = vsnprintf(brief, sizeof(brief), format, list);
    if (size >= (int)sizeof(brief)) {
        text = malloc((size_t)size + 1);
        if (text)
            vsnprintf(text, (size_t)size + 1, format, again);
        else /* a part of it is better than nothing */
            text = brief;
    }
    va_end(again);
    if (size >= 0 && masked)
        text_mask_controls(text);
    const bool done = size >= 0 && fputs(text, file) != EOF;
    if (text != brief)
        free(text);
    return done;
}

static void end_line(void);

static bool say_line(const char *format, va_list list, bool masked)
{
    flockfile(stderr);
    if (hushed || hushed_here) {
        funlockfile(stderr);
        return true;
    }
    if (within_line)
        fputc('\n', stderr);
    within_line = false;
    const bool said = put(stderr, format, list, masked) && fputc('\n', stderr) != EOF;
    funlockfile(stderr);
    return said;
}

void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say_line(format, list, true);
    va_end(list);
}

void say_drawing(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say_line(format, list, false);
    va_end(list);
}

bool say_result(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const bool said = say_line(format, list, true);
    va_end(list);
    return said;
}

bool print_result(const char *format, ...)
{
    va_list list;
    end_line();
    va_start(list, format);
    errno = 0;
    const bool printed =
        put(stdout, format, list, true) && fputc('\n', stdout) != EOF && !fflush(stdout);
    const int reason = errno;
    va_end(list);
    if (!printed)
        say("could not write to standard output: %s", strerror(reason ? reason : EIO));
    return printed;
}

int finish_stdout(void)
{
    errno = 0;
    const bool lost = fflush(stdout) || ferror(stdout);
    const int reason = errno;
    if (!fclose(stdout) && !lost)
        return 0;
    say("could not write to standard output: %s", strerror(reason ? reason : EIO));
    return -EIO;
}

bool message_on_terminal(void)
{
    return isatty(STDERR_FILENO);
}

void names_add(Names *names, const char *name)
{
    const int n = snprintf(names->text + names->used, sizeof(names->text) - names->used, "%s%s",
                           names->count++ ? ", " : "", name);
    names->used += n > 0 ? (size_t)n : 0;
    if (names->used >= sizeof(names->text))
        names->used = sizeof(names->text) - 1;
}

/* ---- progress ---- */

/* Shows text in the terminal's current line, in place of its present content. */
static void draw_line(const char *text)
{
    flockfile(stderr);
    fprintf(stderr, "\r%s\033[K", text);
    fflush(stderr);
    within_line = true;
    funlockfile(stderr);
}

/* Ends the progress line, unless a message has done so. */
static void end_line(void)
{
    flockfile(stderr);
    if (within_line)
        fputc('\n', stderr);
    within_line = false;
    funlockfile(stderr);
}

/* True if the progress line is shown and no message has followed it. */
static bool is_within_line(void)
{
    flockfile(stderr);
    const bool within = within_line;
    funlockfile(stderr);
    return within;
}

static unsigned terminal_columns(void)
{
#ifdef TIOCGWINSZ
    struct winsize size;
    if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col)
        return size.ws_col;
#endif
    return 80;
}

#define REDRAW_TIME 0.1 /* seconds between two redraws on a terminal, at least */
#define LINE_TIME 1.0   /* seconds between two lines for programs */
#define RATE_TIME 0.25  /* seconds until the speed is worth showing */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The values to show. */
typedef struct State {
    double rate;   /* pairs a second; 0: not known yet */
    bool has_left; /* `left` is known */
    uint64_t left; /* seconds */
    bool has_score;
    double score;
} State;

static State look(const Meter *meter, double time)
{
    const uint64_t total = meter->config.total, done = meter->done;
    const double spent = time - meter->start;
    State state = { 0 };
    if (done && spent > 0.0 && (spent >= RATE_TIME || done == total))
        state.rate = (double)done / spent;
    state.has_left = state.rate > 0.0 && total && done <= total;
    if (state.has_left)
        state.left = (uint64_t)((double)(total - done) / state.rate + 0.5);
    state.has_score = meter->config.score && meter->config.score(meter->config.arg, &state.score);
    return state;
}

typedef struct Text {
    char bytes[256];
    size_t used;
} Text;

static void add(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(Text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int n =
        vsnprintf(text->bytes + text->used, sizeof(text->bytes) - text->used, format, list);
    va_end(list);
    text->used += n > 0 ? (size_t)n : 0;
    if (text->used >= sizeof(text->bytes))
        text->used = sizeof(text->bytes) - 1;
}

static void add_time(Text *text, uint64_t seconds)
{
    if (seconds >= 3600)
        add(text, "%" PRIu64 ":%02u:%02u", seconds / 3600, (unsigned)(seconds / 60 % 60),
            (unsigned)(seconds % 60));
    else
        add(text, "%u:%02u", (unsigned)(seconds / 60), (unsigned)(seconds % 60));
}

/* Draws ` 24%  120/500 frames  83.1 fps  0:05 left  score 93.41` */
static void draw(Meter *meter, double time)
{
    const uint64_t total = meter->config.total, done = meter->done;
    const State state = look(meter, time);
    Text text = { 0 };
    if (total && done <= total)
        add(&text, "%3u%%  %" PRIu64 "/%" PRIu64 " frames", (unsigned)(done * 100 / total), done,
            total);
    else
        add(&text, "%" PRIu64 " frame%s", done, done == 1 ? "" : "s");
    if (state.rate > 0.0)
        add(&text, "  %.1f fps", state.rate);
    if (state.has_left && state.left) {
        add(&text, "  ");
        add_time(&text, state.left);
        add(&text, " left");
    }
    if (state.has_score)
        add(&text, "  score %.2f", state.score);
    const unsigned columns = terminal_columns();
    if (text.used >= columns) /* a line that wraps would leave a copy behind at each redraw */
        text.bytes[columns - 1] = '\0';
    draw_line(text.bytes);
    meter->drawn = time;
    meter->shown = done;
}

static void say_progress(Meter *meter, double time)
{
    const State state = look(meter, time);
    Text text = { 0 };
    add(&text, "progress frame=%" PRIu64, meter->done);
    if (meter->config.total)
        add(&text, " total=%" PRIu64, meter->config.total);
    if (state.rate > 0.0)
        add(&text, " fps=%.2f", state.rate);
    if (state.has_score)
        add(&text, " score=%.6f", state.score);
    if (state.has_left)
        add(&text, " left=%" PRIu64, state.left);
    say("%s", text.bytes);
    meter->drawn = time;
}

void meter_start(Meter *meter, const MeterConfig *config)
{
    const double time = now();
    *meter = (Meter){ .config = *config, .start = time, .drawn = time };
}

void meter_step(Meter *meter)
{
    meter->done++;
    if (meter->config.kind == METER_NONE)
        return;
    const double time = now();
    const bool terminal = meter->config.kind == METER_TERMINAL;
    if (terminal && (meter->done == 1 || time - meter->drawn >= REDRAW_TIME))
        draw(meter, time);
    else if (!terminal && time - meter->drawn >= LINE_TIME)
        say_progress(meter, time);
}

void meter_finish(Meter *meter)
{
    if (meter->config.kind == METER_LINES)
        say_progress(meter, now());
    else if (meter->config.kind == METER_TERMINAL &&
             (is_within_line() || meter->shown != meter->done))
        draw(meter, now());
    end_line();
    meter->config.kind = METER_NONE;
}
