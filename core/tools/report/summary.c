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

void summary_spark(char text[SUMMARY_TEXT_SIZE], const double *scores, size_t count)
{
    static const char *const steps[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
    const size_t cells = count < SUMMARY_CELLS ? count : SUMMARY_CELLS;
    double cell[SUMMARY_CELLS], low = INFINITY, high = -INFINITY;
    *text = 0;
    for (size_t i = 0; i < cells; i++) {
        cell[i] = least(scores, i * count / cells, (i + 1) * count / cells);
        low = fmin(low, cell[i]);
        high = fmax(high, cell[i]);
    }
    for (size_t i = 0; i < cells; i++) {
        const double part = high > low ? (cell[i] - low) / (high - low) : 1.0;
        strcat(text, isfinite(cell[i]) ? steps[(unsigned)(part * 7.999)] : " ");
    }
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
