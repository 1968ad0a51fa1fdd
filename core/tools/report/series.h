/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The scores of a metric as a curve, to draw it and to embed it in a page. Reducing a curve
 * keeps its extremes. */
#ifndef TOOLS_REPORT_SERIES_H
#define TOOLS_REPORT_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/stored.h"

/* Evenly spaced frame numbers: `first`, `first` + `step`, ... Positions that the report has no
 * frame for are gaps. */
typedef struct Positions {
    unsigned first, step;
    size_t count;
} Positions;

Positions series_positions(const StoredReport *report);

/* Scores as 16-bit codes: 0 is `low`, SERIES_TOP is `high`. */
#define SERIES_TOP 65534
#define SERIES_GAP 65535
typedef struct Series {
    Positions positions;
    /* 1: one code for each position. More: two codes, the smallest and the largest score, for each
     * `per` positions. */
    unsigned per;
    double low, high;
    uint16_t *codes;
    size_t code_count;
} Series;

/* Makes a series of at most `room` codes (at least 4). Free it with series_clear. 0 or -ENOMEM. */
int series_make(Series *series, const StoredReport *report, const StoredMetric *metric,
                size_t room);
void series_clear(Series *series);

/* The area of a drawing: frames from left to right, scores from bottom to top. */
typedef struct Area {
    double first, last; /* frames */
    double low, high;   /* scores */
    unsigned width, height;
} Area;

/* Writes the curve as an SVG path. Where several frames fall on one column, it draws the
 * smallest and the largest of their scores. */
void series_draw(FILE *file, const StoredReport *report, const StoredMetric *metric,
                 const Area *area);

#endif
