/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/chart.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/page.h"
#include "report/series.h"
#include "report/text.h"

enum { Y_MARKS = 4, X_MARKS = 8, X_MARKS_SMALL = 4, BINS = 40 };

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

/* Steps of a time axis in seconds: parts of a second, then those of a clock. */
static const double clock_steps[] = { 0.1,  0.2,  0.5,  1,     2,     5,     10,
                                      15,   30,   60,   120,   300,   600,   900,
                                      1800, 3600, 7200, 10800, 21600, 43200, 86400 };

double chart_frame_step(double frames, unsigned marks)
{
    const double step = round_step(fmax(frames / marks, 1.0));
    return step == 2.5 ? 5.0 : step; /* frames have whole numbers */
}

double chart_time_step(double seconds, unsigned marks)
{
    const size_t count = sizeof(clock_steps) / sizeof(*clock_steps);
    const double least = seconds / marks;
    for (size_t i = 0; i < count; i++)
        if (clock_steps[i] >= least)
            return clock_steps[i];
    return ceil(least / clock_steps[count - 1]) * clock_steps[count - 1];
}

/* Writes the label of a round time. */
static void put_time(FILE *file, double time, bool tenths)
{
    const uint64_t all = (uint64_t)(fabs(time) * 10.0 + 0.5), seconds = all / 10;
    fputs(time < 0.0 && all ? "-" : "", file);
    if (seconds >= 3600)
        fprintf(file, "%" PRIu64 ":%02u", seconds / 3600, (unsigned)(seconds / 60 % 60));
    else
        fprintf(file, "%u", (unsigned)(seconds / 60));
    fprintf(file, ":%02u", (unsigned)(seconds % 60));
    if (tenths)
        fprintf(file, ".%u", (unsigned)(all % 10));
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
    fprintf(file, "</div><svg viewBox=\"0 0 %d %d\" preserveAspectRatio=none aria-hidden=true>",
            CHART_WIDTH, CHART_HEIGHT);
    fputs("<path class=grid d=\"", file);
    for (unsigned i = 0; i <= count; i++)
        fprintf(file, "M0 %.5gH%d", CHART_HEIGHT * (1.0 - (double)i / count), CHART_WIDTH);
    fputs("\"/>", file);
}

/* Writes marks at round times or frame numbers. */
static void put_frame_marks(FILE *file, const Chart *chart)
{
    const Clock *const clock = chart->clock;
    const double span = chart->last - chart->first;
    const unsigned marks = chart->large ? X_MARKS : X_MARKS_SMALL;
    const double from = clock->report ? clock_time(clock, chart->first) : chart->first;
    const double to = clock->report ? clock_time(clock, chart->last) : chart->last;
    const double step =
        clock->report ? chart_time_step(to - from, marks) : chart_frame_step(span, marks);
    const double first = ceil(from / step - 1e-9);
    fputs("<div class=xs>", file);
    for (double n = first; span > 0.0 && n * step <= to + 1e-9 * step; n++) {
        const double at = clock->report ? clock_frame(clock, n * step) : n * step;
        fprintf(file, "<span style=\"left:%.4g%%\">", 100.0 * (at - chart->first) / span);
        if (clock->report)
            put_time(file, n * step, step < 1.0);
        else
            fprintf(file, "%.0f", at);
        fputs("</span>", file);
    }
    fputs("</div>", file);
}

/* The curves of a chart: of the reports that have the metric. */
typedef struct Curve {
    size_t report;
    const StoredMetric *metric;
    Column *columns; /* NULL: drawn frame by frame */
} Curve;

static int make_curves(Curve *curves, size_t *count, const Chart *chart, const Area *area)
{
    int err = 0;
    for (size_t i = 0; !err && i < chart->report_count; i++) {
        const StoredReport *const report = chart->reports[i];
        const StoredMetric *const metric = stored_find(report, chart->name);
        if (!metric || !metric->figures.size)
            continue;
        Curve *const curve = &curves[(*count)++];
        *curve = (Curve){ .report = i, .metric = metric };
        if (!series_is_dense(report, area))
            continue;
        curve->columns = malloc(COLUMNS * sizeof(*curve->columns));
        err = curve->columns ? series_columns(report, metric, area, curve->columns) : -ENOMEM;
    }
    return err;
}

/* Writes the outer areas of all curves, then the inner ones, then the lines: no area covers a line.
 * Areas are empty unless the curve has columns. */
static void put_curves(FILE *file, const Curve *curves, size_t count, const Chart *chart,
                       const Area *area)
{
    static const char *const layers[] = { "range", "band", "curve" };
    for (unsigned layer = 0; layer < 3; layer++)
        for (size_t i = 0; i < count; i++) {
            const Curve *const curve = &curves[i];
            fprintf(file, "<path class=\"%s %s\" data-video=%zu d=\"", layers[layer],
                    page_colour(curve->report), curve->report);
            if (layer < 2 && curve->columns)
                series_draw_band(file, curve->columns, layer ? FIGURE_P5 : FIGURE_MIN,
                                 layer ? FIGURE_P95 : FIGURE_MAX, area);
            else if (layer == 2 && curve->columns)
                series_draw_line(file, curve->columns, FIGURE_MEAN, area);
            else if (layer == 2)
                series_draw(file, chart->reports[curve->report], curve->metric, area);
            fputs("\"/>", file);
        }
}

static int draw_curves(FILE *file, const Chart *chart, const Area *area)
{
    Curve *const curves = calloc(chart->report_count, sizeof(*curves));
    size_t count = 0;
    const int err = curves ? make_curves(curves, &count, chart, area) : -ENOMEM;
    if (!err)
        put_curves(file, curves, count, chart, area);
    for (size_t i = 0; i < count; i++)
        free(curves[i].columns);
    free(curves);
    return err;
}

/* A description for readers who hear the page. */
static void put_description(FILE *file, const Chart *chart)
{
    char mean[FIGURE_TEXT_SIZE], low[FIGURE_TEXT_SIZE];
    put_html(file, chart->name);
    fputs(" of the frames.", file);
    for (size_t i = 0; i < chart->report_count; i++) {
        const StoredMetric *const metric = stored_find(chart->reports[i], chart->name);
        if (!metric || !metric->figures.size)
            continue;
        fputc(' ', file);
        put_html(file, stored_title(chart->reports[i]));
        fprintf(file, ": mean %s, lowest %s.", figure_text(mean, metric->figures.mean),
                figure_text(low, metric->figures.min));
    }
}

/* Shades every second shot. */
static void put_shots(FILE *file, const Chart *chart)
{
    const double width = CHART_WIDTH / fmax(chart->last - chart->first, 1.0);
    if (chart->shots->count < 2)
        return;
    fputs("<path class=shots d=\"", file);
    for (size_t i = 1; i < chart->shots->count; i += 2) {
        const ShotSpan *const shot = &chart->shots->at[i];
        fprintf(file, "M%.6g 0H%.6gV%dH%.6gZ", (shot->first - 0.5 - chart->first) * width,
                fmin((shot->last + 0.5 - chart->first) * width, CHART_WIDTH), CHART_HEIGHT,
                (shot->first - 0.5 - chart->first) * width);
    }
    fputs("\"/>", file);
}

int chart_draw(FILE *file, const Chart *chart)
{
    double low, high;
    if (!chart_range(chart, &low, &high))
        return 0;
    const Axis axis = axis_make(low, high, Y_MARKS);
    const Area area = { chart->first, chart->last, axis.low, axis.high, CHART_WIDTH, CHART_HEIGHT };
    fprintf(file, "<section class=\"chart%s\" data-metric=%u data-low=%.17g data-high=%.17g><h3>",
            chart->large ? " large" : "", chart->id, axis.low, axis.high);
    put_metric(file, chart->name);
    fputs("<output></output></h3><div class=plot tabindex=0 role=group aria-roledescription=chart "
          "aria-label=\"",
          file);
    put_description(file, chart);
    fputs(" Arrow keys select a frame, plus and minus zoom.\">", file);
    put_scores(file, &axis);
    put_shots(file, chart);
    const int err = draw_curves(file, chart, &area);
    fputs("<path class=cursor d=\"\"/></svg><div class=brush hidden></div>", file);
    put_frame_marks(file, chart);
    fputs("</div></section>\n", file);
    return err;
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
    fputs(
        " <small>percent of frames with this score</small></h3><div class=plot role=img aria-label=\"",
        file);
    fputs("How many frames have which ", file);
    put_description(file, chart);
    fputs("\">", file);
    put_scores(file, &shares);
    for (size_t i = 0; i < chart->report_count; i++) {
        const StoredMetric *const metric = stored_find(chart->reports[i], chart->name);
        size_t bins[BINS];
        if (!metric || !metric->count)
            continue;
        count_bins(chart->reports[i], metric, &axis, bins);
        fprintf(file, "<path class=\"bars %s\" data-video=%zu d=\"", page_colour(i), i);
        put_steps(file, bins, metric->count, shares.high);
        fputs("\"/>", file);
    }
    fputs("</svg><div class=xs>", file);
    for (unsigned i = 0; i <= marks; i++)
        fprintf(file, "<span style=\"left:%.4g%%\">%.*f</span>", 100.0 * i / marks, digits,
                axis.low + i * axis.step);
    fputs("</div></div></section>\n", file);
}
