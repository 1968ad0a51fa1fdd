/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The progress line: pairs done, speed and, when the length is known, how far and how long. */
#ifndef TOOLS_METER_H
#define TOOLS_METER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Meter {
    bool shown;     /* false: everything below is idle */
    uint64_t total; /* 0: unknown */
    uint64_t done;
    double start, drawn; /* seconds */
    double rate;         /* pairs a second; 0 until it is known */
} Meter;

void meter_start(Meter *meter, bool shown, uint64_t total);
void meter_step(Meter *meter);   /* another pair is done */
void meter_finish(Meter *meter); /* draws the last state and ends the line */

#endif
