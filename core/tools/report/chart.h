/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Drawings of scores, as SVG in HTML: readable without a script, which makes them move (page.js). */
#ifndef TOOLS_REPORT_CHART_H
#define TOOLS_REPORT_CHART_H

#include <stdio.h>

#include "report/stored.h"

/* Units of a drawing; browsers stretch it. */
#define CHART_WIDTH 1000
#define CHART_HEIGHT 100

/* A scale of round figures: from `low` to `high` by `step`. */
typedef struct Axis {
    double low, high, step;
} Axis;

/* Holds both figures, with about `marks` marks. */
Axis axis_make(double low, double high, unsigned marks);

/* A metric of several reports, in one drawing. */
typedef struct Chart {
    const char *name;
    StoredReport *const *reports;
    size_t report_count;
    double first, last; /* frames, of all drawings of the page */
    double rate;        /* frames a second; 0: not known */
    unsigned id;
    bool large;
} Chart;

/* The drawing of one metric over the frames. */
void chart_draw(FILE *file, const Chart *chart);

/* How many frames have which score. */
void chart_draw_histogram(FILE *file, const Chart *chart);

/* The range of a metric over all reports; false: none has it. */
bool chart_range(const Chart *chart, double *low, double *high);

/* A frame's name for readers on an axis: a time where there is a rate. */
void chart_put_place(FILE *file, double frame, double rate);

#endif
