/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/chart.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/series.h"
#include "report/text.h"

enum { Y_MARKS = 4, X_MARKS = 8, BINS = 40 };

/* The smallest of 1, 2, 2.5 and 5 times a power of ten that is at least `least`. */
static double round_step(double least)
{
    const double power = pow(10.0, floor(log10(least)));
    const double digits = least / power;
    static const double rounds[] = { 1.0, 2.0, 2.5, 5.0 };
    for (size_t i = 0; i < sizeof(rounds) / sizeof(*rounds); i++)
        if (digits <= rounds[i])
            return rounds[i] * power;
    return 10.0 * power;
}

Axis axis_make(double low, double high, unsigned marks)
{
    const double width = fmax(fabs(low), fabs(high));
    if (!(high - low > width * 1e-9)) { /* all values are equal: add room around them */
        const double room = width > 1.0 ? width * 0.01 : width > 0.0 ? width * 0.1 : 1.0;
        low -= room;
        high += room;
    }
    const double step = round_step((high - low) / marks);
    return (Axis){ floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step, step };
}

/* The number of decimals that distinguish the marks. */
static int axis_digits(const Axis *axis)
{
    int digits = 0;
    for (double step = axis->step; digits < 12 && fabs(step - round(step)) > 1e-6 * step; digits++)
        step *= 10.0;
    return digits;
}

bool chart_range(const Chart *chart, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < chart->report_count; i++) {
        const StoredMetric *const metric = stored_find(chart->reports[i], chart->name);
        if (!metric || !metric->figures.size)
            continue;
        *low = fmin(*low, metric->figures.min);
        *high = fmax(*high, metric->figures.max);
    }
    return *low <= *high;
}

void chart_put_position(FILE *file, double frame, double rate)
{
    if (rate > 0.0) {
        const uint64_t seconds = (uint64_t)(frame / rate + 0.5);
        if (seconds >= 3600)
            fprintf(file, "%" PRIu64 ":", seconds / 3600);
        fprintf(file, seconds >= 3600 ? "%02u:%02u" : "%u:%02u", (unsigned)(seconds / 60 % 60),
                (unsigned)(seconds % 60));
    } else {
        fprintf(file, "%.0f", frame);
    }
}

/* Writes the marks of the score axis and the grid lines. */
static void put_scores(FILE *file, const Axis *axis)
{
    const int digits = axis_digits(axis);
    const unsigned count = (unsigned)((axis->high - axis->low) / axis->step + 0.5);
    fputs("<div class=ys>", file);
    for (unsigned i = 0; i <= count; i++)
        fprintf(file, "<span style=\"bottom:%.4g%%\">%.*f</span>", 100.0 * i / count, digits,
                axis->low + i * axis->step + 0.0);
    fprintf(file, "</div><svg viewBox=\"0 0 %d %d\" preserveAspectRatio=none>", CHART_WIDTH,
            CHART_HEIGHT);
    fputs("<path class=grid d=\"", file);
    for (unsigned i = 0; i <= count; i++)
        fprintf(file, "M0 %.5gH%d", CHART_HEIGHT * (1.0 - (double)i / count), CHART_WIDTH);
    fputs("\"/>", file);
}

static void put_frame_marks(FILE *file, const Chart *chart)
{
    fputs("<div class=xs>", file);
    for (unsigned i = 0; i <= X_MARKS; i++) {
        fprintf(file, "<span style=\"left:%.4g%%\">", 100.0 * i / X_MARKS);
        chart_put_position(file, chart->first + (chart->last - chart->first) * i / X_MARKS,
                           chart->rate);
        fputs("</span>", file);
    }
    fputs("</div>", file);
}

void chart_draw(FILE *file, const Chart *chart)
{
    double low, high;
    if (!chart_range(chart, &low, &high))
        return;
    const Axis axis = axis_make(low, high, Y_MARKS);
    const Area area = { chart->first, chart->last, axis.low, axis.high, CHART_WIDTH, CHART_HEIGHT };
    fprintf(file, "<section class=\"chart%s\" data-metric=%u data-low=%.17g data-high=%.17g><h3>",
            chart->large ? " large" : "", chart->id, axis.low, axis.high);
    put_html(file, chart->name);
    fputs("<output></output></h3><div class=plot tabindex=0>", file);
    put_scores(file, &axis);
    for (size_t i = 0; i < chart->report_count; i++) {
        const StoredMetric *const metric = stored_find(chart->reports[i], chart->name);
        if (!metric || !metric->figures.size)
            continue;
        fprintf(file, "<path class=\"curve c%zu\" data-video=%zu d=\"", i % 8, i);
        series_draw(file, chart->reports[i], metric, &area);
        fputs("\"/>", file);
    }
    fputs("<path class=cursor d=\"\"/></svg><div class=brush hidden></div>", file);
    put_frame_marks(file, chart);
    fputs("</div></section>\n", file);
}

static void count_bins(const StoredReport *report, const StoredMetric *metric, const Axis *axis,
                       size_t bins[BINS])
{
    memset(bins, 0, BINS * sizeof(*bins));
    for (size_t i = 0; i < report->frame_count; i++) {
        if (!isfinite(metric->values[i]))
            continue;
        const double at = (metric->values[i] - axis->low) / (axis->high - axis->low) * BINS;
        bins[at < 0.0 ? 0 : at >= BINS ? BINS - 1 : (unsigned)at]++;
    }
}

static double largest_share(const Chart *chart, const Axis *axis)
{
    double most = 0.0;
    for (size_t i = 0; i < chart->report_count; i++) {
        const StoredMetric *const metric = stored_find(chart->reports[i], chart->name);
        size_t bins[BINS];
        if (!metric || !metric->count)
            continue;
        count_bins(chart->reports[i], metric, axis, bins);
        for (unsigned b = 0; b < BINS; b++)
            most = fmax(most, 100.0 * (double)bins[b] / (double)metric->count);
    }
    return most;
}

static void put_steps(FILE *file, const size_t bins[BINS], size_t frames, double most)
{
    fprintf(file, "M0 %d", CHART_HEIGHT);
    for (unsigned b = 0; b < BINS; b++) {
        const double share = 100.0 * (double)bins[b] / (double)frames;
        fprintf(file, "V%.5gH%u", CHART_HEIGHT * (1.0 - share / most),
                (b + 1) * (CHART_WIDTH / BINS));
    }
    fprintf(file, "V%dZ", CHART_HEIGHT);
}

void chart_draw_histogram(FILE *file, const Chart *chart)
{
    double low, high;
    if (!chart_range(chart, &low, &high))
        return;
    const Axis axis = axis_make(low, high, Y_MARKS);
    const Axis shares = axis_make(0.0, largest_share(chart, &axis), Y_MARKS);
    const unsigned marks = (unsigned)((axis.high - axis.low) / axis.step + 0.5);
    const int digits = axis_digits(&axis);
    fputs("<section class=\"histogram\"><h3>", file);
    put_html(file, chart->name);
    fputs(" <small>percent of frames with this score</small></h3><div class=plot>", file);
    put_scores(file, &shares);
    for (size_t i = 0; i < chart->report_count; i++) {
        const StoredMetric *const metric = stored_find(chart->reports[i], chart->name);
        size_t bins[BINS];
        if (!metric || !metric->count)
            continue;
        count_bins(chart->reports[i], metric, &axis, bins);
        fprintf(file, "<path class=\"bars c%zu\" data-video=%zu d=\"", i % 8, i);
        put_steps(file, bins, metric->count, shares.high);
        fputs("\"/>", file);
    }
    fputs("</svg><div class=xs>", file);
    for (unsigned i = 0; i <= marks; i++)
        fprintf(file, "<span style=\"left:%.4g%%\">%.*f</span>", 100.0 * i / marks, digits,
                axis.low + i * axis.step);
    fputs("</div></div></section>\n", file);
}
