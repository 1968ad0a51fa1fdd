/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pooling: one figure for the scores of all frames, chosen by name (mean, harmonic_mean, min, max,
 * median, p0 to p100), and limits for pooled scores. Pure functions: any thread may call them. */
#ifndef TOOLS_REPORT_POOLING_H
#define TOOLS_REPORT_POOLING_H

#include <stdbool.h>
#include <stddef.h>

#include "libvmaf/report.h"

enum PoolingKind {
    POOLING_MEAN,
    POOLING_HARMONIC_MEAN,
    POOLING_MIN,
    POOLING_MAX,
    POOLING_PERCENTILE
};

typedef struct Pooling {
    enum PoolingKind kind;
    unsigned percent;
    char name[16]; /* as the user wrote it */
} Pooling;

/* All names, for messages. */
#define POOLING_NAMES "mean, harmonic_mean, min, max, median or p0 to p100"

/* Parses the first `length` characters of `text`. False: no pooling method has that name. */
bool pooling_parse(Pooling *pooling, const char *text, size_t length);

/* The chosen figure out of `figures`. */
double pooling_of(const Pooling *pooling, const VmafStatistics *figures);

/* The chosen figure of `count` scores; NaN if there are none. */
double pooling_scores(const Pooling *pooling, const double *scores, size_t count);

/* A score that must be reached: `93` for the mean, `93:p5` for the 5th percentile, `93:shot` for
 * the mean of each shot; `neg=93` and `neg:93` for the model of that name only, `xpsnr:40` for the
 * metrics of that extractor. */
typedef struct ScoreLimit {
    double score;
    Pooling pooling;
    bool pooled;    /* the pooling was named; otherwise it is the mean */
    bool each_shot; /* each shot must reach the score, with its mean */
    /* Its first `name_length` characters name the model, extractor or metric; NULL: all models. */
    const char *name;
    size_t name_length;
} ScoreLimit;

/* Parses SCORE or SCORE:POOL, with NAME= or NAME: before it or without. False: `text` is neither.
 * The limit points into `text`. */
bool score_limit_parse(ScoreLimit *limit, const char *text);

/* True if the limit is for all models, or for the score of this name. */
bool score_limit_names(const ScoreLimit *limit, const char *name);

/* True if the limit has this name, or a name that begins with it and an underscore, as those of
 * metrics with options do. */
bool score_limit_continues(const ScoreLimit *limit, const char *name);

/* True if the pooled score reaches the limit. If not, prints a line that names the score: `name`,
 * with "owner: " before it unless `owner` is empty. */
bool score_limit_passes(const ScoreLimit *limit, const char *owner, const char *name,
                        const VmafStatistics *figures);

/* The same for a figure about the whole clip. */
bool score_limit_passes_figure(const ScoreLimit *limit, const char *owner, const char *name,
                               double figure);

#endif
