/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The search for a setting: tries on samples of a source. */
#ifndef TUNE_SEARCH_H
#define TUNE_SEARCH_H

#include <jansson.h>
#include <stdbool.h>

#include "job.h"
#include "journal.h"
#include "options.h"

/* Which setting to try next. Settings are counted from the best, 0, to the worst; quality falls from one to the
 * next, or so it is taken. Wanted is the last one that still reaches the target. */

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

/* One setting, tried on all samples. */
typedef struct Try {
    double setting, score, bitrate;
} Try;

typedef struct Search {
    Workshop *shop;
    Encoder *encoder;
    const char *path;
    double target;
    Original whole;
    Original *samples; /* cut from it; none: the whole is tried */
    char **files;      /* of the samples */
    size_t sample_count;
    Seek seek;
    Try tries[SEEK_MAX];
    size_t try_count;
    const Try *found; /* NULL: the target is out of reach */
    bool talks;       /* prints each try */
    const TuneOptions *options;
    Journal *journal; /* of tries; NULL: none is kept */
} Search;

typedef struct SearchParams {
    const char *path;
    Encoder *encoder;
    double target;
    unsigned samples;
    double sample_seconds;
    bool talks;
    const TuneOptions *options; /* for the keys of tries */
    Journal *journal;           /* that keeps them; NULL: none */
} SearchParams;

/* Says what is wrong; negative errno, -EINTR when a signal came. A target out of reach is no error here. In any
 * case there is something to close. */
int search_run(Search *search, Workshop *shop, const SearchParams *params);
void search_close(Search *search);

/* Settings are counted from the best one: see seek.h. */
double search_setting(const Search *search, int step);
int search_step(const Search *search, double setting);

/* What was tried and found; the caller's to release. */
json_t *search_json(const Search *search);
/* "vmaf 95" or "vmaf 95 (p5)". */
void search_target_name(const Search *search, char *text, size_t size);

#endif
