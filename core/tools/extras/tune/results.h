/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a comparison found, and the forms it is given in. */
#ifndef TUNE_RESULTS_H
#define TUNE_RESULTS_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include "curve.h"
#include "job.h"
#include "journal.h"

/* One encoder's curve: its points by rising rate, and the same less what does not rise. */
typedef struct Line {
    const Encoder *encoder;
    RatePoint *points, *rising;
    size_t count, rising_count;
} Line;

typedef struct Results {
    const Original *source;
    const Job *jobs; /* those that failed, too */
    size_t job_count;
    Line *lines;
    size_t line_count;
    const Line *anchor;
    size_t *hull; /* numbers of jobs, by rising rate */
    size_t hull_count;
    const char *metric;
    Pooling pooling;
} Results;

/* 0 or -ENOMEM. */
int results_create(Results *results, const Workshop *shop, const Original *source, const Job *jobs,
                   size_t job_count, const Encoder *encoders, size_t encoder_count,
                   const char *anchor);
void results_free(Results *results);

/* "vmaf" or "vmaf (p5)". */
void results_score_name(const Results *results, char *text, size_t size);

void results_print_heading(FILE *file, const char *score_name);
void results_print_job(FILE *file, const Job *job);
void results_print_deltas(const Results *results, FILE *file);

/* A string, also of bytes that are no UTF-8. NULL: no memory. */
json_t *json_text(const char *text);
/* What is known of one encode; the caller's to release. NULL: no memory. */
json_t *result_json(const Job *job);
json_t *results_json(const Results *results);
/* Puts it into the journal, with what it is of. Takes the object. Negative errno. */
int result_note(Journal *journal, const char *key, json_t *object, const char *path);
/* Makes a job one that is done, from what result_json gave. False: that is not all there. */
bool result_restore(Job *job, json_t *stored);

void results_write_svg(const Results *results, FILE *file);
void results_write_html(const Results *results, FILE *file);

/* The curves as an element; alone it is a file of its own. */
void results_write_chart(const Results *results, bool alone, FILE *file);

/* Scores out of the JSON report of the vmaf command. */

typedef struct Scored {
    double *scores; /* one a frame; free() it */
    size_t count;
    double fps; /* of the scoring */
} Scored;

/* 0, -ENOMEM, or -EINVAL with the reason in `error`. */
int scored_read(Scored *scored, const char *path, const char *metric, char *error,
                size_t error_size);

#endif
