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
#include "scored.h"

#define TUNE_SCHEMA 2 /* version of our JSON; raised when a field changes its meaning */

/* The curve of one encoder: its points, and the same points as rate_points_rising leaves them. */
typedef struct Line {
    const Encoder *encoder;
    RatePoint *points, *rising;
    size_t count, rising_count;
} Line;

typedef struct Results {
    const Workshop *shop;
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
    void (*more)(const void *arg, FILE *file); /* writes more to the page; NULL: no more */
    const void *more_arg;
} Results;

/* Collect the results. They point into the arguments, which must outlive them. Returns 0 or
 * -ENOMEM. */
int results_create(Results *results, const Workshop *shop, const Original *source, const Job *jobs,
                   size_t job_count, const Encoder *encoders, size_t encoder_count,
                   const char *anchor);
void results_free(Results *results);

/* All warnings of the encodes, each once. The caller releases the array. NULL: no memory. */
json_t *results_warnings(const Results *results);
/* Describe the encodes that a warning is about: "all encodes" or "libx264 crf 20, …". */
void results_warned(const Results *results, const json_t *warning, char *text, size_t size);

/* Print the name of the score: "vmaf" or "vmaf (p5)". */
void results_score_name(const Results *results, char *text, size_t size);

void results_print_heading(FILE *file, const char *score_name);
void results_print_job(FILE *file, const Job *job);
/* Print each warning once, with the encodes that it is about. */
void results_print_warnings(const Results *results, FILE *file);
void results_print_deltas(const Results *results, FILE *file);

/* Why a job that is not done failed. */
const char *result_failure(const Job *job);
/* Describe one encode as JSON. The caller releases it. NULL: no memory. */
json_t *result_json(const Job *job);
json_t *results_json(const Results *results);
/* Describe the devices: how many scores each computed, and why it stopped working, or null. */
json_t *devices_json(const Workshop *shop);
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

#endif
