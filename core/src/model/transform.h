/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The score transform: an optional polynomial, then an optional piecewise linear map. */
#ifndef MODEL_TRANSFORM_H
#define MODEL_TRANSFORM_H

#include <stdbool.h>

#define TRANSFORM_TERMS 3
#define TRANSFORM_KNOTS_MAX 10

typedef struct Knot {
    double x, y;
} Knot;

typedef struct Transform {
    bool enabled;
    bool has_p[TRANSFORM_TERMS];
    double p[TRANSFORM_TERMS]; /* constant, linear, quadratic */
    bool has_knots;
    unsigned knot_count;
    Knot knots[TRANSFORM_KNOTS_MAX];
    bool out_lte_in, out_gte_in;
} Transform;

/* Does it change scores? One that is enabled may have no terms. */
bool transform_is_on(const Transform *transform);

/* Returns `score` itself when the transform is not enabled. */
double transform_apply(const Transform *transform, double score);

#endif
