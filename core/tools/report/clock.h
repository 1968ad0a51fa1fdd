/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* When the frames of a page are shown: its charts have one axis, whose marks are at round times. */
#ifndef TOOLS_REPORT_CLOCK_H
#define TOOLS_REPORT_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/stored.h"

typedef struct Clock {
    const StoredReport *report; /* report whose frames have times; NULL: none has */
    double rate;                /* its frames per second, on average */
} Clock;

/* Takes the first report that has times. The reports must stay where they are. */
Clock clock_make(StoredReport *const *reports, size_t count);

/* The time of a frame in seconds, and the frame at a time. Between frames, and before and after
 * them, time runs evenly. Only with a report. */
double clock_time(const Clock *clock, double frame);
double clock_frame(const Clock *clock, double time);

/* Writes the clock for page.js; at most `room` times, between which it then runs evenly. 0 or
 * -ENOMEM. */
int clock_write(FILE *file, const Clock *clock, size_t room);

#endif
