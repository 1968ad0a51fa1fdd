/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How far a run is: on a terminal one line that is drawn again and again, for programs a line a second. */
#ifndef TOOLS_METER_H
#define TOOLS_METER_H

#include <stdbool.h>
#include <stdint.h>

enum MeterKind {
    METER_NONE,
    METER_TERMINAL, /* percent, pairs done, speed, time left, score; what is not known is left out */
    METER_LINES,    /* progress frame=N total=N fps=X score=X left=SECONDS; likewise */
};

typedef struct MeterConfig {
    enum MeterKind kind;
    uint64_t total; /* pairs to come; 0: unknown */
    /* The mean score of the pairs that are done by now, asked for when it is shown; false: not known.
     * NULL: never known. */
    bool (*score)(void *arg, double *mean);
    void *arg;
} MeterConfig;

typedef struct Meter {
    MeterConfig config;
    uint64_t done;
    double start, drawn; /* seconds */
} Meter;

void meter_start(Meter *meter, const MeterConfig *config);
void meter_step(Meter *meter);   /* another pair is done */
void meter_finish(Meter *meter); /* shows the last state */

#endif
