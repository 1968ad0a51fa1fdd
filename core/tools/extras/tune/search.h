/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The search for a setting: tries on samples of a source. */
#ifndef TUNE_SEARCH_H
#define TUNE_SEARCH_H

#include <jansson.h>

#include "job.h"
#include "journal.h"
#include "options.h"
#include "seek.h"

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
