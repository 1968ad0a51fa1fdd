/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A short summary of a run for people at a terminal: a bar, a sparkline of the frames, and the
 * worst frame. */
#ifndef TOOLS_REPORT_SUMMARY_H
#define TOOLS_REPORT_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

#include "libvmaf/report.h"

typedef struct Summary {
    const char *name;
    const double *scores; /* in frame order */
    size_t count;
    const VmafStatistics *figures;
    unsigned worst;         /* the number of the frame with the lowest score */
    double worst_time;      /* when it is shown, in seconds; NaN: unknown */
    const char *incomplete; /* why frames are missing; NULL or empty: none are */
} Summary;

/* The index of the lowest score. */
size_t summary_worst(const double *scores, size_t count);

/* Prints the summary. `coloured`: use terminal colours. */
void summary_say(const Summary *summary, bool coloured);

enum { SUMMARY_CELLS = 32 }; /* width of a bar and of a sparkline, at most */

/* One of several videos, which are shown together. */
typedef struct SummaryRow {
    const char *video; /* its path, which must outlive the row; NULL: there is no summary */
    char model[128];
    double mean, p5, lowest;
    unsigned worst;
    double worst_time;
    double cells[SUMMARY_CELLS]; /* the lowest score of each piece of the video */
    size_t cell_count;
    bool incomplete;
} SummaryRow;

/* Keeps what the row of a table needs. */
void summary_keep(SummaryRow *row, const Summary *summary, const char *video);

/* Prints a table of the rows that have a summary: the best score first, videos of which frames are
 * missing last. All sparklines have one scale. Sorts the rows. */
void summary_say_rows(SummaryRow *rows, size_t count, bool coloured);

/* False if the environment forbids colours (NO_COLOR, TERM=dumb). */
bool summary_may_colour(void);

/* The parts of a summary, for tests: a bar whose filled share is `part`, and a sparkline in
 * which each cell shows the lowest of its scores. Both have at most SUMMARY_CELLS cells. */
#define SUMMARY_TEXT_SIZE (SUMMARY_CELLS * 3 + 1)
void summary_bar(char text[SUMMARY_TEXT_SIZE], double part);
void summary_spark(char text[SUMMARY_TEXT_SIZE], const double *scores, size_t count);

#endif
