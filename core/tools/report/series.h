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

/* The figures that stand for the scores of neighbouring frames. */
enum SeriesFigure { FIGURE_MIN, FIGURE_P5, FIGURE_MEAN, FIGURE_P95, FIGURE_MAX, SERIES_FIGURES };

typedef struct Series {
    Positions positions;
    /* 1: one code for each position. More: SERIES_FIGURES codes for each `per` positions, in the
     * order of enum SeriesFigure. */
    unsigned per;
    double low, high;
    uint16_t *codes;
    size_t code_count;
} Series;

/* Makes a series of at most `room` codes (at least SERIES_FIGURES). Free it with series_clear. 0 or
 * -ENOMEM. */
int series_make(Series *series, const StoredReport *report, const StoredMetric *metric,
                size_t room);
void series_clear(Series *series);

/* The area of a drawing: frames from left to right, scores from bottom to top. */
typedef struct Area {
    double first, last; /* frames */
    double low, high;   /* scores */
    unsigned width, height;
} Area;

/* A drawing is divided into so many columns. If one of them holds DENSE frames or more, a line
 * through all scores would be a blot that hides other videos. */
enum { COLUMNS = 250, DENSE = 4 };

/* True if the curve is to be drawn as a line of means in a band, and not frame by frame. */
bool series_is_dense(const StoredReport *report, const Area *area);

/* A curve in columns. */
typedef struct Column {
    bool filled;
    double figures[SERIES_FIGURES];
} Column;

/* Computes the columns of a dense curve. 0 or -ENOMEM. */
int series_columns(const StoredReport *report, const StoredMetric *metric, const Area *area,
                   Column columns[COLUMNS]);

/* Writes an SVG path: the line of one figure, or the area between two of them. */
void series_draw_line(FILE *file, const Column columns[COLUMNS], enum SeriesFigure figure,
                      const Area *area);
void series_draw_band(FILE *file, const Column columns[COLUMNS], enum SeriesFigure low,
                      enum SeriesFigure high, const Area *area);

/* Writes the curve frame by frame as an SVG path. */
void series_draw(FILE *file, const StoredReport *report, const StoredMetric *metric,
                 const Area *area);

#endif
