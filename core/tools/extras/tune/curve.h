/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Smooth curves through rate-quality points, and comparisons between such curves. Functions here
 * keep no state: any thread may call them on its own data. A curve or a figure that memory lacks
 * for looks like one that cannot be drawn; json_memory_failed() is true then. */
#ifndef TUNE_CURVE_H
#define TUNE_CURVE_H

#include <stdbool.h>
#include <stddef.h>

enum CurveKind {
    CURVE_CUBIC, /* one cubic polynomial, as in VCEG-M33; least squares from five points on */
    CURVE_PCHIP, /* piecewise cubic without overshoot, as in the JCT-VC and JVET sheets */
    CURVE_AKIMA, /* piecewise cubic by Akima's method (1970) */
    CURVE_KINDS
};

const char *curve_name(enum CurveKind kind); /* for example "cubic"; static text */

typedef struct Curve Curve;

/* Create a curve through points whose x values increase. The caller destroys it. Returns NULL with
 * fewer points than needed (four for CURVE_CUBIC, two otherwise), when x does not increase, when a
 * value is not finite, or without memory. */
Curve *curve_create(enum CurveKind kind, const double *x, const double *y, size_t count);
void curve_destroy(Curve *curve);

/* Evaluate the curve, or integrate it. Outside the points, the outermost piece is extended. */
double curve_at(const Curve *curve, double x);
double curve_integral(const Curve *curve, double from, double to);

/* Comparing rate-quality curves: Bjøntegaard deltas (BD-rate, BD-quality) and the convex hull. */

typedef struct RatePoint {
    double rate, quality;
} RatePoint;

/* Sort the points by rate and remove points that cost more than another without better quality,
 * since only rising curves can be compared. Also removes points that are not finite. Works in place
 * and returns how many points are left. */
size_t rate_points_rising(RatePoint *points, size_t count);

/* BD-rate: how many percent more rate `test` needs than `anchor` for the same quality, averaged
 * over the qualities that both curves reach. BD-quality: how much more quality `test` has at the
 * same rate, averaged over the rates that both cover. Pass points as rate_points_rising leaves
 * them. NAN: too few points, or the curves do not overlap. */
double bd_rate(enum CurveKind kind, const RatePoint *anchor, size_t anchor_count,
               const RatePoint *test, size_t test_count);
double bd_quality(enum CurveKind kind, const RatePoint *anchor, size_t anchor_count,
                  const RatePoint *test, size_t test_count);

/* Find the points on the upper convex hull: no mixture of other points reaches their quality at a
 * lower rate. Writes their indices to `hull`, which has room for `count`, by increasing rate, and
 * returns how many there are (0 also without memory). */
size_t rate_hull(const RatePoint *points, size_t count, size_t *hull);

#endif
