/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Deciding which setting a search tries next. Steps count settings from the best (0) to the worst;
 * each step is expected to lower every score. The answer is the last step that reaches all goals.
 * One thread at a time. */
#ifndef TUNE_SEEK_H
#define TUNE_SEEK_H

#include <stdbool.h>
#include <stddef.h>

#include "targets.h"

#define SEEK_MAX 64 /* limit on tries; bisection of 1024 settings takes 10 */

/* How scores are transformed so that they fall evenly with the setting. */
enum SeekScale {
    SEEK_LINEAR,
    SEEK_OF_100, /* the distance to 100 changes by an equal factor in each step */
    SEEK_OF_1,   /* the same for the distance to 1 */
};

typedef struct SeekGoal {
    double target;
    double tolerance; /* distance of a score that is close enough; 0: find the very last step */
    enum SeekScale scale;
    double slope; /* fall per step on that scale, assumed until two scores are known */
} SeekGoal;

typedef struct SeekPoint {
    int step;
    double scores[METRIC_MAX]; /* one for each goal */
} SeekPoint;

typedef struct Seek {
    int last;  /* step of the worst setting */
    int first; /* step to try first */
    SeekGoal goals[METRIC_MAX];
    size_t goal_count;
    SeekPoint tried[SEEK_MAX];
    int count;
    /* The worst step known to reach all goals (-1: none), and the best step known to miss one
     * (last + 1: none). */
    int reached, missed;
    int width[2]; /* steps between reached and missed, before the last two tries */
} Seek;

enum SeekScale seek_scale(const char *metric);
/* The fall of a score from the best to the worst setting of an encoder, on its scale. */
double seek_usual_fall(enum SeekScale scale);
/* Where a score usually lies between the best setting (0) and the worst one (1). */
double seek_usual_place(enum SeekScale scale, double score);

/* Set `goals` and `goal_count` before. */
void seek_start(Seek *seek, int last, int first);
/* The next step to try. -1: done, and `reached` is the answer (-1 if no setting reaches all goals).
 */
int seek_next(const Seek *seek);
void seek_add(Seek *seek, int step, const double *scores);
bool seek_reaches(const Seek *seek, const double *scores);

/* The last step that would reach all goals if the curves passed through these scores at `step`
 * instead: for the whole video, after its samples. May lie outside of the steps. */
int seek_shifted(const Seek *seek, int step, const double *scores);

#endif
