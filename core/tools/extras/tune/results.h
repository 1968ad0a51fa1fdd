/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The results of a comparison, and their output as text, JSON, HTML and SVG. */
#ifndef TUNE_RESULTS_H
#define TUNE_RESULTS_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include "curve.h"
#include "job.h"
#include "journal.h"

/* The curve of one encoder: its points, and the same points as rate_points_rising leaves them. */
typedef struct Line {
    const Encoder *encoder;
    RatePoint *points, *rising;
    size_t count, rising_count;
} Line;

typedef struct Results {
    const Original *source;
    const Job *jobs; /* including failed ones */
    size_t job_count;
    Line *lines;
    size_t line_count;
    const Line *anchor;
    size_t *hull; /* indices of jobs, by increasing rate */
    size_t hull_count;
    const char *metric;
    Pooling pooling;
} Results;

/* Collect the results. They point into the arguments, which must outlive them. Returns 0 or
 * -ENOMEM. */
int results_create(Results *results, const Workshop *shop, const Original *source, const Job *jobs,
                   size_t job_count, const Encoder *encoders, size_t encoder_count,
                   const char *anchor);
void results_free(Results *results);

/* Print the name of the score: "vmaf" or "vmaf (p5)". */
void results_score_name(const Results *results, char *text, size_t size);

void results_print_heading(FILE *file, const char *score_name);
void results_print_job(FILE *file, const Job *job);
void results_print_deltas(const Results *results, FILE *file);

/* Make a JSON string, also from bytes that are not valid UTF-8. NULL: no memory. */
json_t *json_text(const char *text);
/* Describe one encode as JSON. The caller releases it. NULL: no memory. */
json_t *result_json(const Job *job);
json_t *results_json(const Results *results);
/* Add a result to the journal, with its source's path. Takes ownership of the object. Returns a
 * negative errno on failure. */
int result_note(Journal *journal, const char *key, json_t *object, const char *path);
/* Mark a job as done with a result that result_json made in an earlier run. False: the result is
 * incomplete. */
bool result_restore(Job *job, json_t *stored);

void results_write_svg(const Results *results, FILE *file);
void results_write_html(const Results *results, FILE *file);

/* Write the chart as an SVG element for a page, or as a file of its own if `alone`. */
void results_write_chart(const Results *results, bool alone, FILE *file);

/* Reading scores from the JSON report of the vmaf command. */

typedef struct Scored {
    double *scores; /* one per scored frame; free() it */
    size_t count;
    double fps; /* speed of scoring */
} Scored;

/* Read the scores of one metric. Returns 0, -ENOMEM, or -EINVAL with the reason in `error`. */
int scored_read(Scored *scored, const char *path, const char *metric, char *error,
                size_t error_size);

#endif
