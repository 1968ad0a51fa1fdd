/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Rate-quality curves against each other: Bjøntegaard's deltas, and the hull of them all. */
#ifndef TUNE_BD_H
#define TUNE_BD_H

#include <stddef.h>

#include "curve.h"

typedef struct RatePoint {
    double rate, quality;
} RatePoint;

/* The points in the order of their rates, less those that cost more than another for no more quality: only a
 * curve that rises can be compared. Works in place; how many are left. */
size_t rate_points_rising(RatePoint *points, size_t count);

/* How much more rate `test` takes than `anchor` for the same quality, in percent, on average over the
 * qualities that both reach; and how much more quality it has at the same rate, over the rates of both. The
 * points are as rate_points_rising leaves them. NAN: too few points, or nothing in common. */
double bd_rate(enum CurveKind kind, const RatePoint *anchor, size_t anchor_count,
               const RatePoint *test, size_t test_count);
double bd_quality(enum CurveKind kind, const RatePoint *anchor, size_t anchor_count,
                  const RatePoint *test, size_t test_count);

/* Which points are on the upper hull of all: no mixture of others gives their quality for less rate. Their
 * indices go to `hull`, which has room for `count`, by rising rate; how many. */
size_t rate_hull(const RatePoint *points, size_t count, size_t *hull);

#endif
