/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The search for the setting that just reaches a target score, by trying settings on samples of a
 * source. */
#ifndef TUNE_SEARCH_H
#define TUNE_SEARCH_H

#include <jansson.h>
#include <stdbool.h>

#include "job.h"
#include "journal.h"
#include "options.h"

/* Deciding which setting to try next. Steps count settings from the best (0) to the worst; each
 * step is expected to lower the quality. The answer is the last step that still reaches the target.
 */

#define SEEK_MAX 64 /* limit on tries; bisection of 256 settings takes 8 */

typedef struct SeekPoint {
    int step;
    double score;
} SeekPoint;

typedef struct Seek {
    int last; /* step of the worst setting */
    double target;
    SeekPoint tried[SEEK_MAX];
    int count;
    /* The worst step known to reach the target (-1: none), and the best step known to miss it
     * (last + 1: none). */
    int reached, missed;
    int width[2]; /* steps between reached and missed, before the last two tries */
} Seek;

void seek_start(Seek *seek, int last, double target);
/* The next step to try. -1: done, and `reached` is the answer (-1 if no setting reaches the
 * target). */
int seek_next(const Seek *seek);
void seek_add(Seek *seek, int step, double score);

/* Estimate from the tries how much quality one step costs near `step`. Always more than 0. */
double seek_slope(const Seek *seek, int step);

/* The result of trying one setting on all samples. */
typedef struct Try {
    double setting, score, bitrate;
    json_t *places;   /* where it was scored: an array */
    json_t *models;   /* that scored it: an array */
    json_t *warnings; /* of scoring: an array */
} Try;

typedef struct Search {
    Workshop *shop;
    Encoder *encoder;
    const char *path;
    double target;
    Original whole;
    Original *samples; /* cut from the source; none: each try uses the whole source */
    char **files;      /* paths of the samples */
    size_t sample_count;
    Seek seek;
    Try tries[SEEK_MAX];
    size_t try_count;
    const Try *found; /* points into tries; NULL: no setting reaches the target */
    bool talks;       /* print each try */
    const TuneOptions *options;
    Journal *journal; /* keeps the tries; NULL: no journal */
} Search;

typedef struct SearchParams {
    const char *path;
    Encoder *encoder;
    double target;
    unsigned samples;
    double sample_seconds;
    bool talks;
    const TuneOptions *options; /* used in the journal's keys */
    Journal *journal;           /* NULL: no journal */
} SearchParams;

/* Run the search. Prints errors and returns a negative errno; -EINTR after a signal. An unreachable
 * target is not an error: `found` is then NULL. Call search_close in any case. */
int search_run(Search *search, Workshop *shop, const SearchParams *params);
void search_close(Search *search);

/* Convert between steps and settings. Step 0 is the best setting. */
double search_setting(const Search *search, int step);
int search_step(const Search *search, double setting);

/* Describe the tries and the result as JSON. The caller releases it. */
json_t *search_json(const Search *search);
/* All warnings of the tries, each once. The caller releases the array. NULL: no memory. */
json_t *search_warnings(const Search *search);
/* Print the target: "vmaf 95" or "vmaf 95 (p5)". */
void search_target_name(const Search *search, char *text, size_t size);

#endif
