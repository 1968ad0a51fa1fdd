/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A smooth curve through points: what lies between encodes. */
#ifndef TUNE_CURVE_H
#define TUNE_CURVE_H

#include <stdbool.h>
#include <stddef.h>

enum CurveKind {
    CURVE_CUBIC, /* one polynomial of degree three, as VCEG-M33 has it; from four points on the nearest one */
    CURVE_PCHIP, /* piecewise, never beyond its points: as in the JCT-VC and JVET sheets */
    CURVE_AKIMA, /* piecewise, by Akima's rule of 1970 */
    CURVE_KINDS
};

const char *curve_name(enum CurveKind kind); /* "cubic" */

typedef struct Curve Curve;

/* Through points whose x rise. NULL: too few (four for CURVE_CUBIC, else two), x that do not rise, values that
 * are no numbers, or no memory. */
Curve *curve_create(enum CurveKind kind, const double *x, const double *y, size_t count);
void curve_destroy(Curve *curve);

/* Within the points; beyond them the outermost piece goes on. */
double curve_at(const Curve *curve, double x);
double curve_integral(const Curve *curve, double from, double to);

/* Rate-quality curves against each other: Bjøntegaard's deltas, and the hull of them all. */

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
