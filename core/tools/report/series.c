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

/* Computes the figures of some scores. 0 or -ENOMEM. */
static int take_figures(double figures[SERIES_FIGURES], const double *scores, size_t count)
{
    VmafStatistics all = { .size = sizeof(all) };
    const int err = vmaf_statistics(scores, count, &all);
    if (err)
        return err;
    figures[FIGURE_MIN] = all.min;
    figures[FIGURE_P5] = all.percentile[5];
    figures[FIGURE_MEAN] = all.mean;
    figures[FIGURE_P95] = all.percentile[95];
    figures[FIGURE_MAX] = all.max;
    return 0;
}

static size_t position_of(const Series *series, const StoredReport *report, size_t i)
{
    return (report->numbers[i] - series->positions.first) / series->positions.step;
}

static void put_each(Series *series, const StoredReport *report, const StoredMetric *metric)
{
    for (size_t i = 0; i < report->frame_count; i++)
        if (isfinite(metric->values[i]))
            series->codes[position_of(series, report, i)] = encode(series, metric->values[i]);
}

/* Stores the figures of each group of neighbouring frames. */
static int put_groups(Series *series, const StoredReport *report, const StoredMetric *metric)
{
    double *const scores = malloc(series->per * sizeof(*scores)), figures[SERIES_FIGURES];
    int err = scores ? 0 : -ENOMEM;
    for (size_t i = 0; !err && i < report->frame_count;) {
        const size_t group = position_of(series, report, i) / series->per;
        size_t count = 0;
        for (; i < report->frame_count && position_of(series, report, i) / series->per == group;
             i++)
            if (isfinite(metric->values[i]))
                scores[count++] = metric->values[i];
        if (count)
            err = take_figures(figures, scores, count);
        for (unsigned f = 0; !err && count && f < SERIES_FIGURES; f++)
            series->codes[group * SERIES_FIGURES + f] = encode(series, figures[f]);
    }
    free(scores);
    return err;
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
        const size_t groups = room / SERIES_FIGURES;
        series->per = (unsigned)((positions.count + groups - 1) / groups);
        series->code_count = (positions.count + series->per - 1) / series->per * SERIES_FIGURES;
    }
    series->codes = malloc(series->code_count * sizeof(*series->codes));
    if (!series->codes)
        return -ENOMEM;
    for (size_t i = 0; i < series->code_count; i++)
        series->codes[i] = SERIES_GAP;
    if (series->per > 1)
        return put_groups(series, report, metric);
    put_each(series, report, metric);
    return 0;
}

void series_clear(Series *series)
{
    free(series->codes);
    *series = (Series){ 0 };
}

/* ---- drawings ---- */

bool series_is_dense(const StoredReport *report, const Area *area)
{
    const double frames = (area->last - area->first + 1) / series_positions(report).step;
    return frames >= COLUMNS * DENSE;
}

/* The column of a frame. */
static size_t column_of(const StoredReport *report, const Area *area, size_t i)
{
    const double part = (report->numbers[i] - area->first) / (area->last - area->first);
    return part < 1.0 ? (size_t)(part * COLUMNS) : COLUMNS - 1;
}

int series_columns(const StoredReport *report, const StoredMetric *metric, const Area *area,
                   Column columns[COLUMNS])
{
    double *const scores = malloc(report->frame_count * sizeof(*scores));
    int err = scores ? 0 : -ENOMEM;
    for (size_t c = 0; c < COLUMNS; c++)
        columns[c] = (Column){ 0 };
    for (size_t i = 0; !err && i < report->frame_count;) {
        Column *const column = &columns[column_of(report, area, i)];
        size_t count = 0;
        for (; i < report->frame_count && &columns[column_of(report, area, i)] == column; i++)
            if (isfinite(metric->values[i]))
                scores[count++] = metric->values[i];
        column->filled = count;
        if (count)
            err = take_figures(column->figures, scores, count);
    }
    free(scores);
    return err;
}

static double height_of(const Column *column, enum SeriesFigure figure, const Area *area)
{
    return (area->high - column->figures[figure]) / (area->high - area->low) * area->height;
}

/* The number of columns from `from` on up to the next gap. */
static size_t run_of(const Column columns[COLUMNS], size_t from)
{
    size_t end = from;
    while (end < COLUMNS && columns[end].filled)
        end++;
    return end - from;
}

static void put_edge(FILE *file, const Column *column, size_t at, enum SeriesFigure figure,
                     const Area *area, char letter)
{
    fprintf(file, "%c%.5g %.5g", letter, (at + 0.5) / COLUMNS * area->width,
            height_of(column, figure, area));
}

void series_draw_line(FILE *file, const Column columns[COLUMNS], enum SeriesFigure figure,
                      const Area *area)
{
    for (size_t c = 0; c < COLUMNS; c++)
        if (columns[c].filled)
            put_edge(file, &columns[c], c, figure, area, c && columns[c - 1].filled ? 'L' : 'M');
}

void series_draw_band(FILE *file, const Column columns[COLUMNS], enum SeriesFigure low,
                      enum SeriesFigure high, const Area *area)
{
    for (size_t from = 0; from < COLUMNS; from++) {
        const size_t count = run_of(columns, from);
        for (size_t c = from; c < from + count; c++)
            put_edge(file, &columns[c], c, high, area, c > from ? 'L' : 'M');
        for (size_t c = from + count; c-- > from;)
            put_edge(file, &columns[c], c, low, area, 'L');
        if (count)
            fputc('Z', file);
        from += count;
    }
}

void series_draw(FILE *file, const StoredReport *report, const StoredMetric *metric,
                 const Area *area)
{
    const double span = area->last - area->first, range = area->high - area->low;
    bool begun = false;
    for (size_t i = 0; i < report->frame_count; i++) {
        const double value = metric->values[i];
        if (isfinite(value))
            fprintf(file, "%c%.6g %.5g", begun ? 'L' : 'M',
                    span > 0.0 ? (report->numbers[i] - area->first) / span * area->width : 0.0,
                    (area->high - value) / range * area->height);
        begun = isfinite(value); /* a value that is not finite leaves a gap */
    }
}
