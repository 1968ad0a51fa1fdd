/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "rungs.h"

#include <math.h>
#include <stdlib.h>

/* Interpolate `b` where `a`, which rises, has the value `place`. False: that lies outside, or no
 * memory. */
static bool look_up(const double *a, const double *b, size_t count, double place, double *value)
{
    if (!count || place < a[0] || place > a[count - 1])
        return false;
    if (count == 1) {
        *value = b[0];
        return true;
    }
    Curve *const curve = curve_create(CURVE_PCHIP, a, b, count);
    if (curve)
        *value = curve_at(curve, place);
    curve_destroy(curve);
    return curve != NULL;
}

typedef struct Columns {
    double *scores, *rates; /* rates as logarithms */
} Columns;

static bool fill(const SizeCurve *curve, Columns *columns)
{
    columns->scores = malloc((2 * curve->count + 1) * sizeof(double));
    columns->rates = columns->scores + curve->count;
    for (size_t i = 0; columns->scores && i < curve->count; i++) {
        columns->scores[i] = curve->points[i].quality;
        columns->rates[i] = log(curve->points[i].rate);
    }
    return columns->scores != NULL;
}

bool rung_at_score(const SizeCurve *curve, double score, Rung *rung)
{
    Columns c;
    double rate = 0.0;
    rung->score = score;
    const bool found = fill(curve, &c) && look_up(c.scores, c.rates, curve->count, score, &rate) &&
                       look_up(c.scores, curve->settings, curve->count, score, &rung->setting);
    rung->rate = exp(rate);
    free(c.scores);
    return found;
}

bool rung_at_rate(const SizeCurve *curve, double rate, Rung *rung)
{
    Columns c;
    rung->rate = rate;
    const bool found = fill(curve, &c) &&
                       look_up(c.rates, c.scores, curve->count, log(rate), &rung->score) &&
                       look_up(c.rates, curve->settings, curve->count, log(rate), &rung->setting);
    free(c.scores);
    return found;
}

static int by_rate(const void *a, const void *b)
{
    const double p = ((const Rung *)a)->rate, q = ((const Rung *)b)->rate;
    return (p > q) - (p < q);
}

size_t rungs_by_score(const SizeCurve *curves, size_t size_count, double low, double high,
                      size_t count, Rung *rungs)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const double score =
            count > 1 ? low + (high - low) * (double)i / (double)(count - 1) : high;
        Rung best = { .rate = INFINITY }, rung;
        for (size_t s = 0; s < size_count; s++)
            if (rung_at_score(&curves[s], score, &rung) && rung.rate < best.rate) {
                best = rung;
                best.size = s;
            }
        if (isfinite(best.rate))
            rungs[found++] = best;
    }
    qsort(rungs, found, sizeof(*rungs), by_rate);
    return found;
}

size_t rungs_by_rate(const SizeCurve *curves, size_t size_count, const double *rates, size_t count,
                     Rung *rungs)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        Rung best = { .score = -INFINITY }, rung;
        for (size_t s = 0; s < size_count; s++)
            if (rung_at_rate(&curves[s], rates[i], &rung) && rung.score > best.score) {
                best = rung;
                best.size = s;
            }
        if (isfinite(best.score))
            rungs[found++] = best;
    }
    qsort(rungs, found, sizeof(*rungs), by_rate);
    return found;
}
