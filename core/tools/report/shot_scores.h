/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The shots of a run or a stored report, and the scores of each. Any thread may call these
 * functions; those that print are for the main thread. */
#ifndef TOOLS_REPORT_SHOT_SCORES_H
#define TOOLS_REPORT_SHOT_SCORES_H

#include <stdbool.h>
#include <stddef.h>

#include "report/pooling.h"

/* A shot, in a list of scores. */
typedef struct ShotSpan {
    size_t at, count;     /* its scores: scores[at], … */
    unsigned first, last; /* the numbers of its frames */
    double begin, end;    /* when these two are shown, in seconds; NaN: not known */
} ShotSpan;

/* Shots that have scores, in their order. Zeroed: there are none. */
typedef struct ShotSpans {
    ShotSpan *at;
    size_t count;
    size_t unscored; /* shots without a score, which are not among them */
} ShotSpans;

/* The frames that have scores. */
typedef struct ScoredFrames {
    const unsigned *numbers; /* increasing; NULL: 0, step, 2 * step, … */
    unsigned step;
    size_t count;
    unsigned last; /* the number of the last frame, whether it has a score or not */
} ScoredFrames;

/* Finds the scores of each shot. firsts: the number of the first frame of each shot, increasing.
 * The times are left open. Free the result with shot_spans_clear. 0 or -ENOMEM. */
int shot_spans_make(ShotSpans *spans, const unsigned *firsts, size_t count,
                    const ScoredFrames *frames);
void shot_spans_clear(ShotSpans *spans);

/* The figures of a shot; all are NaN if a score is NaN, or without memory. */
typedef struct ShotScore {
    const ShotSpan *shot;
    double mean, min, p5;
    size_t worst; /* the index of its lowest score */
} ShotScore;
ShotScore shot_score(const ShotSpan *shot, const double *scores);

/* Sets `worst` to the shots with the lowest means, lowest first, at most `most` of them. Returns
 * their number. */
size_t shots_worst(const ShotSpans *spans, const double *scores, ShotScore *worst, size_t most);

/* True if each shot has a mean that reaches the limit. If not, prints a line about the worst shot,
 * as score_limit_passes does, or about those without a score. */
bool shots_pass(const ShotSpans *spans, const double *scores, const ScoreLimit *limit,
                const char *owner, const char *name);

/* Prints the worst shots. `owner` empty: there is one video. */
void shots_say(const ShotSpans *spans, const double *scores, const char *owner);

#endif
