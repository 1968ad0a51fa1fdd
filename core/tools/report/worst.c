/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/worst.h"

#include <math.h>

/* A second of a video whose rate nobody knows. */
#define USUAL_RATE 25.0

static bool is_taken(const StoredReport *report, const size_t *frames, unsigned count, size_t i,
                     unsigned apart)
{
    for (unsigned n = 0; n < count; n++) {
        const unsigned a = report->numbers[frames[n]], b = report->numbers[i];
        if ((a < b ? b - a : a - b) < apart)
            return true;
    }
    return false;
}

/* The lowest of those that are so far from all that are taken; false: there is none. */
static bool find_next(const StoredReport *report, const StoredMetric *metric, const size_t *frames,
                      unsigned count, unsigned apart, size_t *next)
{
    double lowest = INFINITY;
    for (size_t i = 0; i < report->frame_count; i++) {
        if (!(metric->values[i] < lowest) || is_taken(report, frames, count, i, apart))
            continue;
        lowest = metric->values[i];
        *next = i;
    }
    return lowest < INFINITY;
}

unsigned worst_frames(const StoredReport *report, const StoredMetric *metric,
                      size_t frames[WORST_MAX])
{
    const double rate = stored_rate(report);
    const double second = rate > 0.0 ? rate : USUAL_RATE;
    unsigned apart = second < 1e6 ? (unsigned)(second + 0.5) : 1000000, count = 0;
    if (!apart)
        apart = 1;
    while (count < WORST_MAX) {
        if (find_next(report, metric, frames, count, apart, &frames[count]))
            count++;
        else if (apart > 1) /* not enough seconds: anything else that is bad */
            apart = 1;
        else
            break;
    }
    /* Lowest first, also where the second pass found lower ones. */
    for (unsigned i = 1; i < count; i++) {
        for (unsigned j = i; j && metric->values[frames[j]] < metric->values[frames[j - 1]]; j--) {
            const size_t swap = frames[j];
            frames[j] = frames[j - 1];
            frames[j - 1] = swap;
        }
    }
    return count;
}
