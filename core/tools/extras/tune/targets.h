/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The scores that a search has to reach: a metric, how its frames are pooled, and a figure. All of
 * them hold at once. Plain data; one thread at a time. */
#ifndef TUNE_TARGETS_H
#define TUNE_TARGETS_H

#include <stddef.h>

#include "report/pooling.h"

#define METRIC_MAX 8 /* limit on targets, and so on metrics */

typedef struct Target {
    char *metric; /* NULL while parsing: the one of --metric */
    Pooling pooling;
    double score;
} Target;

typedef struct Targets {
    Target at[METRIC_MAX];
    size_t count;
} Targets;

/* The metrics that are scored. The first one is shown in tables. The names belong to the caller. */
typedef struct Metrics {
    const char *names[METRIC_MAX];
    size_t count;
} Metrics;

/* Add a target: "95", "93:p5", "ssimulacra2:70" or "vmaf:90:p5". Returns 0, -ENOMEM, or -EINVAL
 * with the reason in `error`. */
int targets_add(Targets *targets, const char *text, char *error, size_t error_size);
void targets_free(Targets *targets);

/* Name the metric of all targets that have none, and list the metrics, each once. Returns 0 or
 * -ENOMEM. */
int targets_finish(Targets *targets, const char *metric, Metrics *metrics);

/* The metric's place in the list. */
size_t metrics_find(const Metrics *metrics, const char *name);

/* Print a target: "vmaf 95" or "vmaf 95 (p5)"; and all of them: "vmaf 95, ssimulacra2 70". */
void target_print(const Target *target, char *text, size_t size);
void targets_print(const Targets *targets, char *text, size_t size);

/* Set a pooling by its name, such that each percentile has one name: p050 becomes p50, which
 * becomes "median". Returns 0, or -EINVAL with the reason in `error`. */
int pooling_set(Pooling *pooling, const char *name, char *error, size_t error_size);

#endif
