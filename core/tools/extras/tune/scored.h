/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Reading the JSON report of the vmaf command: scores, where they were computed, and warnings. */
#ifndef TUNE_SCORED_H
#define TUNE_SCORED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/pooling.h"
#include "targets.h"

/* The scores of one metric. */
typedef struct Series {
    double *scores;  /* scores of the scored frames; one for each plane of each frame */
    size_t count;    /* number of all scores */
    unsigned planes; /* 1, or for the metric `xpsnr` the number of planes that it measured */
} Series;

typedef struct Scored {
    Series series[METRIC_MAX]; /* for each metric */
    uint64_t pairs;   /* pairs of frames that were compared; more than `count` with --subsample */
    json_t *place;    /* where the features were measured */
    json_t *warnings; /* an array of objects with "code", "input" and "text" */
    json_t *models;   /* an array of objects with "metric", "source" and perhaps "note" */
} Scored;

/* Read the scores of some metrics; for the metric `xpsnr` those of all planes. They were computed
 * on the device called `label`. Returns 0, -ENOMEM, or -EINVAL with the reason in `error`. Free the
 * result after success. */
int scored_read(Scored *scored, const char *path, const Metrics *metrics, const char *label,
                char *error, size_t error_size);
void scored_free(Scored *scored);

/* Pool scores. For XPSNR the mean is FFmpeg's average of a video: the level of the mean root of the
 * frames' errors, which is finite unless all frames equal the source. With several planes, the
 * figure of the worst one counts. NaN: there are no scores, or no memory. */
double scored_pool(const char *metric, const Pooling *pooling, const double *scores, size_t count,
                   unsigned planes);

double series_pool(const char *metric, const Pooling *pooling, const Series *series);

/* Read only where the features of a report were measured: a place, see below; NULL: not known. */
json_t *scored_place(const char *path, const char *label);

/* A place as reports name it: an object with "label" (as in --backends), "backend", "device" (null:
 * the CPU), "type" ("cpu", "discrete", …), "software" (true: a CPU that emulates a GPU) and
 * "on_cpu" (extractors that the CPU measured beside a GPU). Print it for people. */
void place_print(const json_t *place, char *text, size_t size);

/* Write the names of "on_cpu". False: there are none. */
bool place_beside(const json_t *place, char *text, size_t size);

/* Add the items of `more` that `list` does not have. Returns 0 or -ENOMEM. */
int list_join(json_t *list, const json_t *more);

/* The first warning with this code about this input (`reference` or `distorted`), or NULL. */
const json_t *warnings_find(const json_t *warnings, const char *code, const char *input);

/* Print the codes of warnings: "hdr, interlaced". Empty: there are none. */
void warnings_codes(const json_t *warnings, char *text, size_t size);
/* Print one warning for people: "the distorted video is cut". Its bytes may be anything. */
void warning_text(const json_t *warning, char *text, size_t size);

/* Make a JSON string, also from bytes that are not valid UTF-8. NULL: no memory. */
json_t *json_text(const char *text);

#endif
