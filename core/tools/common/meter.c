/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "message.h"
#include "meter.h"

/* The terminal's line is drawn at most so often, in seconds. */
#define REDRAW_TIME 0.1
/* Lines for programs come so often. */
#define LINE_TIME 1.0
/* A speed is worth showing after so many seconds. */
#define RATE_TIME 0.25

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* What there is to show. */
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

/* ` 24%  120/500 frames  83.1 fps  0:05 left  score 93.41` */
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
    const unsigned columns = message_columns();
    if (text.used >= columns) /* what does not fit would be drawn on a line of its own every time */
        text.bytes[columns - 1] = '\0';
    say_in_line(text.bytes);
    meter->drawn = time;
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
    else if (meter->config.kind == METER_TERMINAL && say_is_within_line())
        draw(meter, now());
    say_end_line();
    meter->config.kind = METER_NONE;
}
