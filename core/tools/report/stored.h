/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A JSON report read back: one of ours, or any report with libvmaf's layout. The code that loads a
 * report frees it; a loaded report is only read, so any thread may use it. */
#ifndef TOOLS_REPORT_STORED_H
#define TOOLS_REPORT_STORED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/video.h"
#include "libvmaf/report.h"
#include "report/shot_scores.h"

typedef struct StoredMetric {
    char *name;
    double *values;         /* one for each frame; NaN: the frame has no score */
    size_t count;           /* the number of finite values */
    VmafStatistics figures; /* figures of the finite values; `size` is 0 if there are none */
} StoredMetric;

/* A figure about the whole clip. */
typedef struct StoredClip {
    char *name;
    double value; /* NaN: the report has no number there */
} StoredClip;

typedef struct StoredInput {
    char *path; /* strings are NULL if the report does not have them */
    char *kind, *codec, *pixel_format;
    char *filters, *warnings;
    char *pairing; /* how the distorted video's frames were paired */
    unsigned width, height, bitdepth;
    unsigned rate_num, rate_den; /* 0: unknown */
    uint64_t frames, skipped;
    uint64_t found; /* all frames that the file has, where it does not say so itself; 0: unknown */
    uint64_t bytes, bit_rate; /* size of the file; bit rate of the video in it; 0: unknown */
} StoredInput;

typedef struct StoredWarning {
    char *code, *text;
    unsigned side; /* the enum Side that it is about; SIDES: the run as a whole */
} StoredWarning;

typedef struct StoredModel {
    char *metric, *source;
    unsigned members; /* the number of models in a collection; 0: a single model */
    char *note;       /* why it was chosen and what the run passed to it; NULL: not said */
} StoredModel;

typedef struct StoredFeature {
    char *extractor, *options, *backend;
    char *instruction_set, *device; /* NULL: not in the report */
} StoredFeature;

typedef struct StoredOption {
    char *name, *value; /* value NULL: the option takes none */
} StoredOption;

typedef struct StoredReport {
    const char *path; /* the caller's string */
    char *version, *partial;
    char *incomplete;    /* why frames are missing; NULL: none are, or the report does not say */
    double fps, elapsed; /* NaN: unknown */
    unsigned threads;
    unsigned width, height; /* the size that was scored; 0: unknown */
    bool detailed;          /* the report has the object vmaf_turbo */
    size_t scored; /* the frames that it says to have scored, without those left out on purpose;
                    * 0: it does not say */

    unsigned *numbers; /* numbers of the frames, increasing */
    size_t frame_count;
    double
        *times; /* times of the frames, never decreasing, in seconds; NULL: the report has none */
    size_t time_count;
    /* The frames' numbers in their files; NULL: consecutive numbers from `skipped` on. */
    uint64_t *in_file[SIDES];
    size_t in_file_count[SIDES];
    unsigned *shots; /* the numbers of the frames with which shots begin, increasing */
    size_t shot_count;
    StoredMetric *metrics;
    size_t metric_count;
    StoredClip *clip;
    size_t clip_count;

    StoredInput input[SIDES];
    StoredWarning *warnings;
    size_t warning_count;
    StoredModel *models;
    size_t model_count;
    StoredFeature *features;
    size_t feature_count;
    StoredOption *options;
    size_t option_count;
} StoredReport;

/* Reads a report from a file. `path` must outlive the report. Logs errors; returns 0 or negative
 * errno. */
int stored_load(StoredReport **report, const char *path);
void stored_destroy(StoredReport *report); /* NULL is fine */

/* Parses the text of a report. All of `report` except its path must be zero. After an error,
 * which is logged, the report may be filled in partly. For stored_load and tests. */
int stored_parse(StoredReport *report, const char *text, size_t size);

/* Reads the object `vmaf_turbo` of a report (docs/report.schema.json). Ignores what does not
 * match the schema, because scores are worth showing without details. 0 or -ENOMEM. */
int stored_take_details(StoredReport *report, const json_t *details);

/* Why frames are missing; NULL: none are, or the report does not say. */
const char *stored_incomplete(const StoredReport *report);

/* The metric of this name, or NULL. */
const StoredMetric *stored_find(const StoredReport *report, const char *name);

/* The figure about the whole clip that goes with a metric: axpsnr_y with xpsnr_y; or NULL. */
const StoredClip *stored_clip_figure(const StoredReport *report, const StoredMetric *metric);

/* True if a frame of the metric without a number is one without any error: JSON has no infinity. */
bool stored_is_infinite(const char *metric);

/* Finds the shots of the report, with their times; none if the report has none. Free them with
 * shot_spans_clear. 0 or -ENOMEM. */
int stored_shots(const StoredReport *report, ShotSpans *spans);

/* The scores of all frames, with infinite ones; the caller frees them. NULL: no memory. */
double *stored_scores(const StoredReport *report, const StoredMetric *metric);

/* Sets the figures over all frames, with infinite ones; `size` is 0 if there are none. 0 or
 * -ENOMEM. */
int stored_figures(const StoredReport *report, const StoredMetric *metric, VmafStatistics *figures);

/* True if any frame has a score, even an infinite one. */
bool stored_has_scores(const StoredMetric *metric);

/* The score of the whole video: the mean, but for XPSNR, whose frames may have infinite scores,
 * the figure that goes with the metric. NaN: none. */
double stored_score(const StoredReport *report, const StoredMetric *metric);

/* The main score: the first model's, else the most similar metric. Never NULL. */
const StoredMetric *stored_headline(const StoredReport *report);

/* The score of a model; for a collection, the combined score of its members. NULL if the report
 * does not have it. */
const StoredMetric *stored_model_metric(const StoredReport *report, const StoredModel *model);

/* True if the metric is the score of a model. */
bool stored_is_model(const StoredReport *report, const StoredMetric *metric);

/* The 95% confidence interval of a score. False: the report has none (only collections of models
 * do). */
bool stored_interval(const StoredReport *report, const StoredMetric *metric, double *low,
                     double *high);

/* True if the metric is the score of one member of a collection. */
bool stored_is_member(const StoredReport *report, const StoredMetric *metric);

/* A title for the distorted video: the name of its file, else of the report's file. */
const char *stored_title(const StoredReport *report);

/* When the i-th frame is shown, in seconds; NaN if unknown. In a report without times, which an
 * earlier version wrote, frames are counted at the reference's rate. */
double stored_time(const StoredReport *report, size_t i);

/* How long the frames are shown together, in seconds; NaN if unknown. */
double stored_duration(const StoredReport *report);

/* Bits a second: of the video stream if the file says so, else of the whole file. 0: unknown. */
double stored_bit_rate(const StoredInput *input);

/* The number of the i-th frame in its file. */
uint64_t stored_frame(const StoredReport *report, enum Side side, size_t i);

#endif
