/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which setting to try next. Settings are counted from the best, 0, to the worst; quality falls from one to the
 * next, or so it is taken. Wanted is the last one that still reaches the target. */
#ifndef TUNE_SEEK_H
#define TUNE_SEEK_H

#include <stdbool.h>

#define SEEK_MAX 64 /* tries; bisection alone would need 8 of 256 settings */

typedef struct SeekPoint {
    int step;
    double score;
} SeekPoint;

typedef struct Seek {
    int last; /* the worst setting */
    double target;
    SeekPoint tried[SEEK_MAX];
    int count;
    int reached, missed; /* the outermost ones known to; -1 and last + 1: none */
    int width[2]; /* of what lay between them before the last try but one, and before the last */
} Seek;

void seek_start(Seek *seek, int last, double target);
/* The next step to try; -1: it is settled, and `reached` is the answer, or -1 when nothing reaches the
 * target. */
int seek_next(const Seek *seek);
void seek_add(Seek *seek, int step, double score);

/* How much quality a step costs around there, from what was tried; more than 0. */
double seek_slope(const Seek *seek, int step);

#endif
