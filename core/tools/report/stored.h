/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A JSON report, read back: one of ours, or any that has libvmaf's layout. */
#ifndef TOOLS_REPORT_STORED_H
#define TOOLS_REPORT_STORED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/video.h"
#include "libvmaf/report.h"

typedef struct StoredMetric {
    char *name;
    double *values;         /* one a frame; NaN: that frame has none */
    size_t count;           /* of values that are finite */
    VmafStatistics figures; /* of these; `size` 0: there are none */
} StoredMetric;

typedef struct StoredInput {
    char *path;                /* NULL: the report does not say */
    char *kind, *pixel_format; /* these, too */
    char *filters, *warnings;
    char *pairing; /* of the distorted video */
    unsigned width, height, bitdepth;
    unsigned rate_num, rate_den; /* 0: not known */
    uint64_t frames, skipped;
} StoredInput;

typedef struct StoredModel {
    char *metric, *source;
    unsigned members; /* of a collection; 0: a model on its own */
} StoredModel;

typedef struct StoredFeature {
    char *extractor, *options, *backend;
    char *instruction_set, *device; /* NULL: not told */
} StoredFeature;

typedef struct StoredOption {
    char *name, *value; /* NULL: it takes none */
} StoredOption;

typedef struct StoredReport {
    const char *path; /* the caller's */
    char *version, *partial;
    double fps, elapsed; /* NaN: not told */
    unsigned threads;
    unsigned width, height; /* as scored; 0: not told */
    bool detailed;          /* it has the object vmaf_turbo */

    unsigned *numbers; /* of the frames, increasing */
    size_t frame_count;
    StoredMetric *metrics;
    size_t metric_count;

    StoredInput input[SIDES];
    StoredModel *models;
    size_t model_count;
    StoredFeature *features;
    size_t feature_count;
    StoredOption *options;
    size_t option_count;
} StoredReport;

/* Says in one line what is wrong with the file; negative errno. `path` must live as long as the report. */
int stored_load(StoredReport **report, const char *path);
void stored_destroy(StoredReport *report);

/* The metric of this name, or NULL. */
const StoredMetric *stored_find(const StoredReport *report, const char *name);

/* The score to speak of first: the first model's, else the metric that comes closest. A report has one. */
const StoredMetric *stored_headline(const StoredReport *report);

/* The score of a model: of a collection, that of all its members. NULL when the report lacks it. */
const StoredMetric *stored_model_metric(const StoredReport *report, const StoredModel *model);

/* The ends of the interval that holds the score with 95 percent, where a collection of models tells it. */
bool stored_interval(const StoredReport *report, const StoredMetric *metric, double *low,
                     double *high);

/* A collection's member: it is part of another score. */
bool stored_is_member(const StoredReport *report, const StoredMetric *metric);

/* What to call the distorted video: the name of its file, else of the report's. */
const char *stored_title(const StoredReport *report);

/* Frames a second, or 0. */
double stored_rate(const StoredReport *report);

/* From the bytes of a report to what is in it. For report/stored.h, and for tests that have bytes. */

/* `report` is zeroed, but for its path. On an error, which is said, it may be filled in part. */
int stored_parse(StoredReport *report, const char *text, size_t size);

/* The object `vmaf_turbo` of a JSON report (docs/report.schema.json), read back. */

/* What is not as the schema has it is left out: scores can be shown without. -ENOMEM. */
int stored_take_details(StoredReport *report, const json_t *details);

#endif
