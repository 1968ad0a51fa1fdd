/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Draws scores as SVG inside HTML. The charts can be read without a script; page.js makes them
 * interactive. Write errors stay in the stream. */
#ifndef TOOLS_REPORT_CHART_H
#define TOOLS_REPORT_CHART_H

#include <stdio.h>

#include "report/clock.h"
#include "report/stored.h"

/* The size of a chart in SVG units; browsers stretch it. */
#define CHART_WIDTH 1000
#define CHART_HEIGHT 100

/* A scale of round values: from `low` to `high` in steps of `step`. */
typedef struct Axis {
    double low, high, step;
} Axis;

/* An axis that contains both values and has about `marks` marks. */
Axis axis_make(double low, double high, unsigned marks);

/* One metric of several reports, in one chart. */
typedef struct Chart {
    const char *name;
    StoredReport *const *reports;
    size_t report_count;
    double first, last; /* the first and last frame of all charts of the page */
    const Clock *clock;
    const ShotSpans *shots; /* every second one is shaded */
    unsigned id;
    bool large;
} Chart;

/* Draws the metric over the frames. 0 or -ENOMEM. */
int chart_draw(FILE *file, const Chart *chart);

/* Draws how many frames have which score. */
void chart_draw_histogram(FILE *file, const Chart *chart);

/* The range of the metric over all reports; false: no report has it. */
bool chart_range(const Chart *chart, double *low, double *high);

/* The distance of about `marks` marks on an axis of so many frames: a round number of frames. */
double chart_frame_step(double frames, unsigned marks);
/* The same on an axis of so many seconds: a round time. */
double chart_time_step(double seconds, unsigned marks);

#endif
