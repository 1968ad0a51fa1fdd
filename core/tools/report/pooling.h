/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* One figure of many scores, by name: mean, harmonic_mean, min, max, median, p0 … p100. */
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
    char name[16]; /* as it was given */
} Pooling;

/* What there is, for messages. */
#define POOLING_NAMES "mean, harmonic_mean, min, max, median or p0 to p100"

/* False: nothing is called so. The text need not end after `length`. */
bool pooling_parse(Pooling *pooling, const char *text, size_t length);

double pooling_of(const Pooling *pooling, const VmafStatistics *figures);

/* A score that must be reached: `93`, the mean; `93:p5`. */
typedef struct ScoreGate {
    double limit;
    Pooling pooling;
} ScoreGate;

bool gate_parse(ScoreGate *gate, const char *text);

/* Are the scores good enough? If not, says so in a line, with what is before their name. */
bool gate_passes(const ScoreGate *gate, const char *owner, const char *name,
                 const VmafStatistics *figures);

#endif
