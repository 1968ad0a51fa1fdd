/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static unsigned common_divisor(unsigned a, unsigned b)
{
    while (b) {
        const unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

Positions series_positions(const StoredReport *report)
{
    const unsigned *const numbers = report->numbers;
    unsigned step = 0;
    for (size_t i = 1; i < report->frame_count && step != 1; i++)
        step = common_divisor(numbers[i] - numbers[i - 1], step);
    if (!step)
        step = 1;
    const unsigned last = numbers[report->frame_count - 1];
    return (Positions){ numbers[0], step, (last - numbers[0]) / step + 1 };
}

static uint16_t encode(const Series *series, double value)
{
    const double range = series->high - series->low;
    return range > 0.0 ? (uint16_t)((value - series->low) / range * SERIES_TOP + 0.5) : 0;
}

/* Stores a code at its position. In a reduced series a pair of codes keeps the extremes. */
static void put(Series *series, size_t position, uint16_t code)
{
    if (series->per == 1) {
        series->codes[position] = code;
        return;
    }
    uint16_t *const pair = &series->codes[position / series->per * 2];
    if (pair[0] == SERIES_GAP || code < pair[0])
        pair[0] = code;
    if (pair[1] == SERIES_GAP || code > pair[1])
        pair[1] = code;
}

int series_make(Series *series, const StoredReport *report, const StoredMetric *metric, size_t room)
{
    const Positions positions = series_positions(report);
    *series = (Series){ .positions = positions,
                        .per = 1,
                        .low = metric->figures.min,
                        .high = metric->figures.max,
                        .code_count = positions.count };
    if (positions.count > room) {
        const size_t pairs = room / 2;
        series->per = (unsigned)((positions.count + pairs - 1) / pairs);
        series->code_count = (positions.count + series->per - 1) / series->per * 2;
    }
    series->codes = malloc(series->code_count * sizeof(*series->codes));
    if (!series->codes)
        return -ENOMEM;
    for (size_t i = 0; i < series->code_count; i++)
        series->codes[i] = SERIES_GAP;
    for (size_t i = 0; i < report->frame_count; i++)
        if (isfinite(metric->values[i]))
            put(series, (report->numbers[i] - positions.first) / positions.step,
                encode(series, metric->values[i]));
    return 0;
}

void series_clear(Series *series)
{
    free(series->codes);
    *series = (Series){ 0 };
}

/* The frames that fall on one column of the drawing. */
typedef struct Column {
    size_t least, largest; /* indices of frames; equal if there is only one */
    unsigned x;
    bool filled;
} Column;

static void put_point(FILE *file, const StoredReport *report, const StoredMetric *metric,
                      const Area *area, size_t i, bool *begun)
{
    const double span = area->last - area->first, range = area->high - area->low;
    const double x = span > 0.0 ? (report->numbers[i] - area->first) / span * area->width : 0.0;
    const double y = (area->high - metric->values[i]) / range * area->height;
    fprintf(file, "%s%.6g %.5g", *begun ? "L" : "M", x, y);
    *begun = true;
}

static void end_column(FILE *file, const StoredReport *report, const StoredMetric *metric,
                       const Area *area, Column *column, bool *begun)
{
    if (!column->filled)
        return;
    const bool falls = column->largest < column->least;
    put_point(file, report, metric, area, falls ? column->largest : column->least, begun);
    if (column->least != column->largest)
        put_point(file, report, metric, area, falls ? column->least : column->largest, begun);
    column->filled = false;
}

void series_draw(FILE *file, const StoredReport *report, const StoredMetric *metric,
                 const Area *area)
{
    const double span = area->last - area->first;
    Column column = { 0 };
    bool begun = false;
    for (size_t i = 0; i < report->frame_count; i++) {
        const double value = metric->values[i];
        if (!isfinite(value)) { /* a gap */
            end_column(file, report, metric, area, &column, &begun);
            begun = false;
            continue;
        }
        const unsigned x =
            span > 0.0 ? (unsigned)((report->numbers[i] - area->first) / span * area->width) : 0;
        if (column.filled && x != column.x)
            end_column(file, report, metric, area, &column, &begun);
        if (!column.filled)
            column = (Column){ i, i, x, true };
        if (value < metric->values[column.least])
            column.least = i;
        if (value > metric->values[column.largest])
            column.largest = i;
    }
    end_column(file, report, metric, area, &column, &begun);
}
