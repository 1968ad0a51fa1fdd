/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "report/series.h"
#include "report/text.h"

static bool has_times(const StoredReport *report)
{
    const size_t last = report->frame_count - 1;
    return isfinite(stored_time(report, 0)) &&
           (!last || stored_time(report, last) > stored_time(report, 0));
}

Clock clock_make(StoredReport *const *reports, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const StoredReport *const report = reports[i];
        const double lasts = has_times(report) ? stored_duration(report) : (double)NAN;
        const unsigned frames = report->numbers[report->frame_count - 1] - report->numbers[0] + 1;
        if (lasts > 0.0)
            return (Clock){ report, frames / lasts };
    }
    return (Clock){ 0 };
}

/* The last frame, but for one, that is not after what is looked for. */
static size_t find(const Clock *clock, double wanted, bool by_time)
{
    const StoredReport *const report = clock->report;
    size_t low = 0, high = report->frame_count - 1;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        const double there = by_time ? stored_time(report, middle) : report->numbers[middle];
        if (there <= wanted)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double clock_time(const Clock *clock, double frame)
{
    const StoredReport *const report = clock->report;
    const size_t last = report->frame_count - 1;
    if (!last || frame <= report->numbers[0])
        return stored_time(report, 0) + (frame - report->numbers[0]) / clock->rate;
    if (frame >= report->numbers[last])
        return stored_time(report, last) + (frame - report->numbers[last]) / clock->rate;
    const size_t i = find(clock, frame, false);
    const double part =
        (frame - report->numbers[i]) / (report->numbers[i + 1] - report->numbers[i]);
    return stored_time(report, i) + part * (stored_time(report, i + 1) - stored_time(report, i));
}

double clock_frame(const Clock *clock, double time)
{
    const StoredReport *const report = clock->report;
    const size_t last = report->frame_count - 1;
    if (!last || time <= stored_time(report, 0))
        return report->numbers[0] + (time - stored_time(report, 0)) * clock->rate;
    if (time >= stored_time(report, last))
        return report->numbers[last] + (time - stored_time(report, last)) * clock->rate;
    const size_t i = find(clock, time, true);
    const double from = stored_time(report, i), to = stored_time(report, i + 1);
    const double part = to > from ? (time - from) / (to - from) : 0.0;
    return report->numbers[i] + part * (report->numbers[i + 1] - report->numbers[i]);
}

/* ---- for page.js ---- */

static double milliseconds(const Clock *clock, const Positions *at, size_t i)
{
    return floor(clock_time(clock, at->first + (double)i * at->step) * 1000.0 + 0.5);
}

/* True if even steps from the first time to the last give all times, to the millisecond. */
static bool is_even(const Clock *clock, const Positions *at, double start, double every)
{
    for (size_t i = 0; i < at->count; i++)
        if (floor((start + (double)i * every) * 1000.0 + 0.5) != milliseconds(clock, at, i))
            return false;
    return true;
}

/* Without this limit a forged report could make a page huge. */
#define DISTANCES_SPAN_MAX 1e7 /* seconds: months */

/* Writes the distances between times in milliseconds, 16 bits each; a larger distance
 * is written as several of the largest that fit, and a rest. */
static int put_distances(FILE *file, const Clock *clock, const Positions *at)
{
    enum { LARGEST = 65535 };
    const double span = milliseconds(clock, at, at->count - 1) - milliseconds(clock, at, 0);
    const size_t most = at->count + (size_t)fmin(span / LARGEST, 1e8) + 1;
    uint8_t *const bytes = malloc(2 * most);
    size_t used = 0;
    if (!bytes)
        return -ENOMEM;
    for (size_t i = 1; i < at->count; i++) {
        double left = milliseconds(clock, at, i) - milliseconds(clock, at, i - 1);
        for (bool more = true; more && used < most; used++) {
            const unsigned code = left >= LARGEST ? LARGEST : (unsigned)left;
            bytes[2 * used] = (uint8_t)code;
            bytes[2 * used + 1] = (uint8_t)(code >> 8);
            more = code == LARGEST;
            left -= code;
        }
    }
    put_base64(file, bytes, 2 * used);
    free(bytes);
    return 0;
}

int clock_write(FILE *file, const Clock *clock, size_t room)
{
    if (!clock->report) {
        fputs("null", file);
        return 0;
    }
    Positions at = series_positions(clock->report);
    const size_t wider = (at.count + room - 1) / room;
    at.step *= (unsigned)wider;
    at.count = (at.count + wider - 1) / wider;
    const double start = clock_time(clock, at.first);
    const double end = clock_time(clock, at.first + (double)(at.count - 1) * at.step);
    const double every =
        at.count > 1 ? (end - start) / (double)(at.count - 1) : at.step / clock->rate;
    int err = 0;
    fprintf(
        file,
        "{\"first\":%u,\"step\":%u,\"count\":%zu,\"rate\":%.17g,\"start\":%.17g,\"every\":%.17g",
        at.first, at.step, at.count, clock->rate, start, every);
    if (end - start < DISTANCES_SPAN_MAX && !is_even(clock, &at, start, every)) {
        fputs(",\"distances\":\"", file);
        err = put_distances(file, clock, &at);
        fputs("\"", file);
    }
    fputs("}", file);
    return err;
}
