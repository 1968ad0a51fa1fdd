/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Dividing bits among shots: the settings that reach a pooled score of the whole with the fewest
 * bits. Each shot has tries; between them its frames' scores and the logarithm of its bits are
 * interpolated. One price of a bit holds for all shots, which is the tangent to all their convex
 * hulls. Pure functions: any thread may call them on its own data. */
#ifndef TUNE_ALLOCATE_H
#define TUNE_ALLOCATE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/pooling.h"

/* One encode of a shot. */
typedef struct ShotTry {
    double setting, bits;
    double *scores; /* scores of its frames */
} ShotTry;

typedef struct ShotCurve {
    ShotTry *tries; /* from the best setting to the worst */
    size_t count, frames;
} ShotCurve;

typedef struct Allocation {
    double *settings; /* for each shot; the caller's */
    double bits;      /* bits of all shots, estimated where a setting was not tried */
    double score;     /* score of all frames; estimated likewise */
} Allocation;

/* The pooled scores that bits can be divided for: mean, harmonic_mean, min and percentiles. */
bool allocation_pools(const Pooling *pooling);

/* Choose a setting for each shot. `step`: the distance between settings; 0: only those that were
 * tried. Returns 0; -ERANGE if the best settings do not reach the target; or -ENOMEM. */
int allocate(const ShotCurve *curves, size_t count, const Pooling *pooling, double target,
             double step, Allocation *allocation);

/* Choose one setting for all shots: for comparison. Returns as allocate does. */
int allocate_one(const ShotCurve *curves, size_t count, const Pooling *pooling, double target,
                 double step, Allocation *allocation);

#endif
