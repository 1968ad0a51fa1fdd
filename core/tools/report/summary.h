/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How a run ended, in some lines for people at a terminal: a bar, the frames at a glance, the worst one. */
#ifndef TOOLS_REPORT_SUMMARY_H
#define TOOLS_REPORT_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

#include "libvmaf/report.h"

typedef struct Summary {
    const char *name;
    const double *scores; /* in the order of the frames */
    size_t count;
    const VmafStatistics *figures;
    unsigned step; /* frames from one score to the next */
    double rate;   /* frames a second of the video; 0: not known */
} Summary;

/* Says it. `coloured`: the terminal knows colours. */
void summary_say(const Summary *summary, bool coloured);

/* Does the environment let us? NO_COLOR and TERM=dumb do not. */
bool summary_may_colour(void);

/* The parts, for tests: a bar of `width` cells, and `width` cells for the scores, of which each shows the
 * least of its own. */
#define SUMMARY_CELLS 32
#define SUMMARY_TEXT_SIZE (SUMMARY_CELLS * 3 + 1)
void summary_bar(char text[SUMMARY_TEXT_SIZE], double part);
void summary_spark(char text[SUMMARY_TEXT_SIZE], const double *scores, size_t count);

#endif
