/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Choosing the rungs of a ladder: sizes and settings, from the curves of all sizes. Pure functions:
 * any thread may call them on its own data. */
#ifndef TUNE_RUNGS_H
#define TUNE_RUNGS_H

#include <stdbool.h>
#include <stddef.h>

#include "curve.h"

/* The measurements of one size. Rates rise, and so do scores. */
typedef struct SizeCurve {
    const double *settings;
    const RatePoint *points;
    size_t count;
} SizeCurve;

typedef struct Rung {
    size_t size; /* index of its curve */
    double setting, rate, score;
} Rung;

/* Estimate what a size needs for a score, or gives at a rate (kbit/s). False: that lies outside of
 * its points. */
bool rung_at_score(const SizeCurve *curve, double score, Rung *rung);
bool rung_at_rate(const SizeCurve *curve, double rate, Rung *rung);

/* Choose `count` rungs whose scores lie evenly between two limits, each at the size that needs the
 * least rate for its score. Returns how many there are: without those that no size reaches. By
 * rising rate. */
size_t rungs_by_score(const SizeCurve *curves, size_t size_count, double low, double high,
                      size_t count, Rung *rungs);
/* Choose a rung for each rate, at the size with the best score there. */
size_t rungs_by_rate(const SizeCurve *curves, size_t size_count, const double *rates, size_t count,
                     Rung *rungs);

#endif
