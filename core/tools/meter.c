/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "message.h"
#include "meter.h"

/* The rate is worth showing after, and renewed every, so many pairs. */
#define RATE_PAIRS 10
/* From then on the line is drawn at most so often, in seconds. */
#define REDRAW_TIME 0.05
/* Lines for programs come so often. */
#define LINE_TIME 1.0

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A dot that walks around two braille cells. */
static const char *spinner(uint64_t step)
{
    static const char *const cells[] = { "⢀⠀", "⡀⠀", "⠄⠀", "⠂⠀", "⠁⠀", "⠈⠀",
                                         "⠀⠁", "⠀⠈", "⠀⠐", "⠀⠠", "⠀⢀", "⠀⡀" };
    return cells[step % (sizeof(cells) / sizeof(*cells))];
}

/* Is it known how far it is? If so, seconds left. */
static bool outlook(const Meter *meter, uint64_t *left)
{
    const uint64_t total = meter->config.total;
    if (!total || !(meter->rate > 0.0) || meter->done > total)
        return false;
    *left = (uint64_t)((double)(total - meter->done) / meter->rate + 0.5);
    return true;
}

static bool running_score(const Meter *meter, double *score)
{
    return meter->config.score && meter->config.score(meter->config.arg, score);
}

/* `, 45%, 1:23 left`, or nothing while it is not known. */
static void print_outlook(char *text, size_t size, const Meter *meter)
{
    uint64_t left;
    *text = 0;
    if (!outlook(meter, &left))
        return;
    const unsigned percent = (unsigned)(meter->done * 100 / meter->config.total);
    if (left >= 3600)
        snprintf(text, size, ", %u%%, %" PRIu64 ":%02u:%02u left", percent, left / 3600,
                 (unsigned)(left / 60 % 60), (unsigned)(left % 60));
    else
        snprintf(text, size, ", %u%%, %u:%02u left", percent, (unsigned)(left / 60),
                 (unsigned)(left % 60));
}

static void draw(const Meter *meter)
{
    char ahead[64], score[48] = "", line[256];
    double mean;
    print_outlook(ahead, sizeof(ahead), meter);
    if (running_score(meter, &mean))
        snprintf(score, sizeof(score), ", score %.2f", mean);
    snprintf(line, sizeof(line), "\r%" PRIu64 " %s %s %.2f FPS%s%s\033[K", meter->done,
             meter->done == 1 ? "frame " : "frames", spinner(meter->done - 1), meter->rate, ahead,
             score);
    say_in_line(line);
}

static void say_progress(const Meter *meter)
{
    char text[256];
    double score;
    uint64_t left;
    const bool ahead = outlook(meter, &left);
    int n = snprintf(text, sizeof(text), "progress frame=%" PRIu64, meter->done);
    if (meter->config.total)
        n += snprintf(text + n, sizeof(text) - (size_t)n, " total=%" PRIu64, meter->config.total);
    if (meter->rate > 0.0)
        n += snprintf(text + n, sizeof(text) - (size_t)n, " fps=%.2f", meter->rate);
    if (running_score(meter, &score))
        n += snprintf(text + n, sizeof(text) - (size_t)n, " score=%.6f", score);
    if (ahead)
        snprintf(text + n, sizeof(text) - (size_t)n, " left=%" PRIu64, left);
    say("%s", text);
}

void meter_start(Meter *meter, const MeterConfig *config)
{
    const double time = now();
    *meter = (Meter){ .config = *config, .start = time, .drawn = time };
}

static void step_terminal(Meter *meter, double time)
{
    if (meter->done % RATE_PAIRS == 0 && time > meter->start)
        meter->rate = (double)meter->done / (time - meter->start);
    if (meter->done > RATE_PAIRS && time - meter->drawn < REDRAW_TIME)
        return;
    draw(meter);
    meter->drawn = time;
}

static void step_lines(Meter *meter, double time)
{
    if (time - meter->drawn < LINE_TIME)
        return;
    meter->rate = (double)meter->done / (time - meter->start);
    say_progress(meter);
    meter->drawn = time;
}

void meter_step(Meter *meter)
{
    meter->done++;
    if (meter->config.kind == METER_TERMINAL)
        step_terminal(meter, now());
    else if (meter->config.kind == METER_LINES)
        step_lines(meter, now());
}

void meter_finish(Meter *meter)
{
    const double time = now();
    if (meter->config.kind == METER_TERMINAL) {
        if (meter->done > RATE_PAIRS)
            draw(meter);
        say_end_line();
    } else if (meter->config.kind == METER_LINES) {
        if (time > meter->start)
            meter->rate = (double)meter->done / (time - meter->start);
        say_progress(meter);
    }
    meter->config.kind = METER_NONE;
}
