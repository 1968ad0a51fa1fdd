/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "report/text.h"

/* The highest score of a model. */
#define TOP_SCORE 100.0

bool summary_may_colour(void)
{
    const char *const no = getenv("NO_COLOR"), *const term = getenv("TERM");
    return !(no && *no) && !(term && !strcmp(term, "dumb"));
}

void summary_bar(char text[SUMMARY_TEXT_SIZE], double part)
{
    static const char *const eighths[] = { "░", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█" };
    const double held = part > 0.0 ? fmin(part, 1.0) : 0.0;
    const int filled = (int)(held * SUMMARY_CELLS * 8 + 0.5);
    *text = 0;
    for (int i = 0; i < SUMMARY_CELLS; i++) {
        const int left = filled - i * 8;
        strcat(text, eighths[left <= 0 ? 0 : left >= 8 ? 8 : left]);
    }
}

/* The lowest of the scores that fall on a cell. */
static double least(const double *scores, size_t from, size_t to)
{
    double found = INFINITY;
    for (size_t i = from; i < to; i++)
        found = fmin(found, scores[i]);
    return found;
}

/* The lowest score of each piece of the video; returns their number. */
static size_t pieces(double cells[SUMMARY_CELLS], const double *scores, size_t count)
{
    const size_t used = count < SUMMARY_CELLS ? count : SUMMARY_CELLS;
    for (size_t i = 0; i < used; i++)
        cells[i] = least(scores, i * count / used, (i + 1) * count / used);
    return used;
}

typedef struct Scale {
    double low, high;
} Scale;

static void widen(Scale *scale, const double *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        scale->low = fmin(scale->low, cells[i]);
        scale->high = fmax(scale->high, cells[i]);
    }
}

static void draw(char text[SUMMARY_TEXT_SIZE], const double *cells, size_t count,
                 const Scale *scale)
{
    static const char *const steps[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
    const double range = scale->high - scale->low;
    *text = 0;
    for (size_t i = 0; i < count; i++) {
        const double part = range > 0.0 ? (cells[i] - scale->low) / range : 1.0;
        strcat(text, isfinite(cells[i]) ? steps[(unsigned)(part * 7.999)] : " ");
    }
}

void summary_spark(char text[SUMMARY_TEXT_SIZE], const double *scores, size_t count)
{
    double cells[SUMMARY_CELLS];
    Scale scale = { INFINITY, -INFINITY };
    const size_t used = pieces(cells, scores, count);
    widen(&scale, cells, used);
    draw(text, cells, used, &scale);
}

size_t summary_worst(const double *scores, size_t count)
{
    size_t worst = 0;
    for (size_t i = 1; i < count; i++)
        if (scores[i] < scores[worst])
            worst = i;
    return worst;
}

void summary_say(const Summary *summary, bool coloured)
{
    const VmafStatistics *const figures = summary->figures;
    const char *const colour = coloured ? "\033[32m" : "", *const plain = coloured ? "\033[0m" : "";
    char bar[SUMMARY_TEXT_SIZE], spark[SUMMARY_TEXT_SIZE], at[TIME_TEXT_SIZE];
    summary_bar(bar, figures->mean / TOP_SCORE);
    summary_spark(spark, summary->scores, summary->count);
    char name[256];
    snprintf(name, sizeof(name), "%s", summary->name);
    say_drawing("  score   %s%s%s %6.2f   %s", colour, bar, plain, figures->mean,
                mask_controls(name));
    say_drawing("  frames  %s%s%s   from %.2f to %.2f, p5 %.2f", colour, spark, plain, figures->min,
                figures->max, figures->percentile[5]);
    if (isfinite(summary->worst_time))
        say("  worst   frame %u at %s: %.2f", summary->worst, time_text(at, summary->worst_time),
            figures->min);
    else
        say("  worst   frame %u: %.2f", summary->worst, figures->min);
    if (summary->incomplete && *summary->incomplete)
        say("  missing %s", summary->incomplete);
}

/* ---- several videos ---- */

void summary_keep(SummaryRow *row, const Summary *summary, const char *video)
{
    const VmafStatistics *const figures = summary->figures;
    *row = (SummaryRow){ .video = video,
                         .mean = figures->mean,
                         .p5 = figures->percentile[5],
                         .lowest = figures->min,
                         .worst = summary->worst,
                         .worst_time = summary->worst_time,
                         .incomplete = summary->incomplete && *summary->incomplete };
    snprintf(row->model, sizeof(row->model), "%s", summary->name);
    row->cell_count = pieces(row->cells, summary->scores, summary->count);
}

static int compare_rows(const void *a, const void *b)
{
    const SummaryRow *const x = a, *const y = b;
    if (!x->video || !y->video)
        return !x->video - !y->video;
    if (x->incomplete != y->incomplete)
        return x->incomplete - y->incomplete;
    return (x->mean < y->mean) - (x->mean > y->mean);
}

static void say_row(const SummaryRow *row, size_t rank, const Scale *scale, bool coloured)
{
    char spark[SUMMARY_TEXT_SIZE], at[TIME_TEXT_SIZE + 16], name[512];
    if (isfinite(row->worst_time))
        time_text(at, row->worst_time);
    else
        snprintf(at, sizeof(at), "frame %u", row->worst);
    snprintf(name, sizeof(name), "%s%s", row->video, row->incomplete ? " (incomplete)" : "");
    draw(spark, row->cells, row->cell_count, scale);
    say_drawing("  %3zu %7.2f %7.2f %7.2f at %-12s %s%s%s%*s  %s", rank, row->mean, row->p5,
                row->lowest, at, coloured ? "\033[32m" : "", spark, coloured ? "\033[0m" : "",
                (int)(SUMMARY_CELLS - row->cell_count), "", mask_controls(name));
}

void summary_say_rows(SummaryRow *rows, size_t count, bool coloured)
{
    Scale scale = { INFINITY, -INFINITY };
    char title[sizeof(rows->model) + 16], range[48];
    qsort(rows, count, sizeof(*rows), compare_rows);
    while (count && !rows[count - 1].video)
        count--;
    if (!count)
        return;
    for (size_t i = 0; i < count; i++)
        widen(&scale, rows[i].cells, rows[i].cell_count);
    snprintf(title, sizeof(title), "video (%s)", rows->model);
    snprintf(range, sizeof(range), "frames, %.2f to %.2f", scale.low, scale.high);
    say_drawing("      score      p5  lowest                 %-*s  %s", SUMMARY_CELLS, range,
                mask_controls(title));
    for (size_t i = 0; i < count; i++)
        say_row(&rows[i], i + 1, &scale, coloured);
}
