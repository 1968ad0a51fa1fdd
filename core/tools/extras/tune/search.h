/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The search for the setting that just reaches the targets, by trying settings on samples of a
 * source. Without targets it looks for the best setting within a limit of the bit rate. One thread
 * at a time. */
#ifndef TUNE_SEARCH_H
#define TUNE_SEARCH_H

#include <jansson.h>
#include <stdbool.h>

#include "job.h"
#include "journal.h"
#include "lines.h"
#include "options.h"
#include "samples.h"
#include "seek.h"

/* The result of trying one setting on all samples. */
typedef struct Try {
    double setting, bitrate;
    double scores[METRIC_MAX]; /* for each target, or one without targets */
    double encode_seconds, frames;
    json_t *places;   /* where it was scored: an array */
    json_t *models;   /* that scored it: an array */
    json_t *warnings; /* warnings of scoring: an array */
} Try;

enum SearchEnd {
    SEARCH_FOUND,
    SEARCH_MISSED, /* no setting reaches the targets */
    SEARCH_OVER,   /* settings that reach them need more than the limit */
};

typedef struct Search {
    Workshop *shop;
    Encoder *encoder;
    const char *path;
    const Targets *targets;
    double limit; /* limit of the bit rate in kbit/s; INFINITY: none */
    Original whole;
    Samples samples;
    double *grid; /* settings by step */
    Seek seek;
    Try tries[SEEK_MAX];
    size_t try_count;
    enum SearchEnd end;
    const Try *found; /* points into tries; NULL: none */
    bool talks;       /* print each try */
    const TuneOptions *options;
    Journal *journal; /* keeps the tries; NULL: no journal */
    Lines *lines;     /* NULL: none */
} Search;

typedef struct SearchParams {
    const char *path;
    Encoder *encoder;
    bool talks;
    const TuneOptions *options;
    Journal *journal; /* NULL: no journal */
    Lines *lines;     /* NULL: none */
} SearchParams;

/* Run the search. Prints errors and returns a negative errno; -EINTR after a signal. Targets out of
 * reach are no error: `found` is then NULL. Call search_close in any case. */
int search_run(Search *search, Workshop *shop, const SearchParams *params);
void search_close(Search *search);

double search_setting(const Search *search, int step);

/* The figures that a job is judged by: its pooled score for each target. */
void search_scores(const Search *search, const Job *job, double scores[METRIC_MAX]);
/* The same as seek.h wants them: without targets, the bit rate. */
void search_goals(const Search *search, const double *scores, double bitrate,
                  double goals[METRIC_MAX]);
/* Print a try's scores: "vmaf 95.1234, ssimulacra2 70.1234". */
void search_scores_print(const Search *search, const double *scores, char *text, size_t size);

/* The size and the time that the whole encode will need, judged by the samples. */
typedef struct Prediction {
    double bytes;   /* size of the video */
    double share;   /* share of the source's video */
    double seconds; /* time that encoding took */
} Prediction;

Prediction search_predict(const Search *search, const Try *try);

/* Describe a try; the tries and the result. The caller releases it. */
json_t *search_try_json(const Search *search, const Try *try);
json_t *search_json(const Search *search);
/* All warnings of the tries, each once. The caller releases the array. NULL: no memory. */
json_t *search_warnings(const Search *search);
/* Print the targets: "vmaf 95" or "vmaf 95 (p5), ssimulacra2 70"; or the limit. */
void search_target_name(const Search *search, char *text, size_t size);

#endif
