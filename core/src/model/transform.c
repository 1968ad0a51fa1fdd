/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "model/transform.h"

#include <assert.h>

static double polynomial(const Transform *t, double score)
{
    double out = 0.0;
    if (t->has_p[0])
        out += t->p[0];
    if (t->has_p[1])
        out += t->p[1] * score;
    if (t->has_p[2])
        out += t->p[2] * score * score;
    return out;
}

static double on_segment(const Knot *a, const Knot *b, double x)
{
    if (a->y == b->y)
        return a->y;
    /* A segment from 0 has its own form: the general one rounds differently. */
    if (a->x == 0.0)
        return ((b->y - a->y) / b->x) * x + a->y;
    const double slope = (b->y - a->y) / (b->x - a->x);
    return slope * x + (a->y - a->x * slope);
}

/* The first and last segments reach beyond their ends; at a shared knot the later one wins. Knots
 * out of order end the map with what was found so far. */
static double piecewise_linear(const Transform *t, double x)
{
    assert(t->knot_count <= TRANSFORM_KNOTS_MAX);
    if (t->knot_count < 2)
        return x;
    double out = 0.0;
    const unsigned last = t->knot_count - 2;
    for (unsigned i = 0; i <= last; i++) {
        const Knot *a = &t->knots[i], *b = &t->knots[i + 1];
        if (!(a->x < b->x && a->y <= b->y))
            break;
        if ((a->x <= x && x <= b->x) || (i == 0 && x < a->x) || (i == last && x > b->x))
            out = on_segment(a, b, x);
    }
    return out;
}

static bool has_polynomial(const Transform *t)
{
    return t->has_p[0] || t->has_p[1] || t->has_p[2];
}

bool transform_is_on(const Transform *t)
{
    return t->enabled && (has_polynomial(t) || t->has_knots);
}

double transform_apply(const Transform *t, double score)
{
    if (!t->enabled)
        return score;
    double out = score;
    if (has_polynomial(t))
        out = polynomial(t, score);
    if (t->has_knots)
        out = piecewise_linear(t, out);
    if (t->out_lte_in && out > score)
        out = score;
    if (t->out_gte_in && out < score)
        out = score;
    return out;
}
