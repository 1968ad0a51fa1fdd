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

/* `, 45%, 1:23 left`, or nothing while it is not known. */
static void print_outlook(char *text, size_t size, const Meter *meter)
{
    *text = 0;
    if (!meter->total || !(meter->rate > 0.0) || meter->done > meter->total)
        return;
    const uint64_t left = (uint64_t)((double)(meter->total - meter->done) / meter->rate + 0.5);
    const unsigned percent = (unsigned)(meter->done * 100 / meter->total);
    if (left >= 3600)
        snprintf(text, size, ", %u%%, %" PRIu64 ":%02u:%02u left", percent, left / 3600,
                 (unsigned)(left / 60 % 60), (unsigned)(left % 60));
    else
        snprintf(text, size, ", %u%%, %u:%02u left", percent, (unsigned)(left / 60),
                 (unsigned)(left % 60));
}

static void draw(Meter *meter, double time)
{
    char outlook[64], line[192];
    print_outlook(outlook, sizeof(outlook), meter);
    snprintf(line, sizeof(line), "\r%" PRIu64 " %s %s %.2f FPS%s\033[K", meter->done,
             meter->done == 1 ? "frame " : "frames", spinner(meter->done - 1), meter->rate,
             outlook);
    say_in_line(line);
    meter->drawn = time;
}

void meter_start(Meter *meter, bool shown, uint64_t total)
{
    *meter = (Meter){ .shown = shown, .total = total, .start = now() };
}

void meter_step(Meter *meter)
{
    if (!meter->shown)
        return;
    const double time = now();
    meter->done++;
    if (meter->done % RATE_PAIRS == 0 && time > meter->start)
        meter->rate = (double)meter->done / (time - meter->start);
    if (meter->done <= RATE_PAIRS || time - meter->drawn >= REDRAW_TIME)
        draw(meter, time);
}

void meter_finish(Meter *meter)
{
    if (!meter->shown)
        return;
    if (meter->done > RATE_PAIRS)
        draw(meter, now());
    say_end_line();
    meter->shown = false;
}
