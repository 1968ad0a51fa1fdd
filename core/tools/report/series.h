/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The scores of a metric as a curve: to draw, and to embed in a page. Extremes are never lost. */
#ifndef TOOLS_REPORT_SERIES_H
#define TOOLS_REPORT_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/stored.h"

/* Frames stand at regular places, `step` apart from `first` on; where a report lacks some, there are gaps. */
typedef struct Places {
    unsigned first, step;
    size_t count;
} Places;

Places series_places(const StoredReport *report);

/* Scores as 16-bit codes from `low` (0) to `high` (SERIES_TOP). */
#define SERIES_TOP 65534
#define SERIES_GAP 65535
typedef struct Series {
    Places places;
    unsigned
        per; /* 1: a code for each place; else two for each so many: the least and the largest of them */
    double low, high;
    uint16_t *codes;
    size_t code_count;
} Series;

/* At most `room` codes, 4 at least. -ENOMEM. */
int series_make(Series *series, const StoredReport *report, const StoredMetric *metric,
                size_t room);
void series_clear(Series *series);

/* The area that a curve is drawn in: frames from left to right, scores from the bottom up. */
typedef struct Area {
    double first, last; /* frames */
    double low, high;   /* scores */
    unsigned width, height;
} Area;

/* Writes the curve as an SVG path. Of frames that fall on the same column, the least and the largest score
 * are drawn. */
void series_draw(FILE *file, const StoredReport *report, const StoredMetric *metric,
                 const Area *area);

#endif
