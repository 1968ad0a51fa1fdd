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

#endif
