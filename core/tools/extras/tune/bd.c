/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "bd.h"

#include <math.h>
#include <stdlib.h>

static int by_rate(const void *a, const void *b)
{
    const RatePoint *const p = a, *const q = b;
    if (p->rate != q->rate)
        return p->rate < q->rate ? -1 : 1;
    return p->quality > q->quality ? -1 : p->quality < q->quality; /* the best of one rate first */
}

size_t rate_points_rising(RatePoint *points, size_t count)
{
    size_t usable = 0, kept = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(points[i].quality) && isfinite(points[i].rate) && points[i].rate > 0.0)
            points[usable++] = points[i];
    if (usable)
        qsort(points, usable, sizeof(*points), by_rate);
    for (size_t i = 0; i < usable; i++)
        if (!kept || points[i].quality > points[kept - 1].quality)
            points[kept++] = points[i];
    return kept;
}

typedef struct Line {
    double *x, *y;
    size_t count;
} Line;

/* One of the two against the other: rates as their logarithms. */
static bool make_line(Line *line, const RatePoint *points, size_t count, bool rate_over_quality)
{
    *line = (Line){ .count = count };
    line->x = malloc((count ? 2 * count : 1) * sizeof(*line->x));
    if (!line->x)
        return false;
    line->y = line->x + count;
    for (size_t i = 0; i < count; i++) {
        const double rate = log(points[i].rate), quality = points[i].quality;
        line->x[i] = rate_over_quality ? quality : rate;
        line->y[i] = rate_over_quality ? rate : quality;
    }
    return true;
}

/* The mean distance from the first curve up to the second where they share x. */
static double mean_gap(enum CurveKind kind, const Line *a, const Line *b)
{
    double gap = NAN;
    Curve *const first = curve_create(kind, a->x, a->y, a->count);
    Curve *const second = curve_create(kind, b->x, b->y, b->count);
    if (first && second) {
        const double from = fmax(a->x[0], b->x[0]);
        const double to = fmin(a->x[a->count - 1], b->x[b->count - 1]);
        if (from < to)
            gap =
                (curve_integral(second, from, to) - curve_integral(first, from, to)) / (to - from);
    }
    curve_destroy(first);
    curve_destroy(second);
    return gap;
}

static double compare(enum CurveKind kind, const RatePoint *anchor, size_t anchor_count,
                      const RatePoint *test, size_t test_count, bool rate_over_quality)
{
    Line a = { 0 }, b = { 0 };
    double gap = NAN;
    if (make_line(&a, anchor, anchor_count, rate_over_quality) &&
        make_line(&b, test, test_count, rate_over_quality))
        gap = mean_gap(kind, &a, &b);
    free(a.x);
    free(b.x);
    return gap;
}

double bd_rate(enum CurveKind kind, const RatePoint *anchor, size_t anchor_count,
               const RatePoint *test, size_t test_count)
{
    return expm1(compare(kind, anchor, anchor_count, test, test_count, true)) * 100.0;
}

double bd_quality(enum CurveKind kind, const RatePoint *anchor, size_t anchor_count,
                  const RatePoint *test, size_t test_count)
{
    return compare(kind, anchor, anchor_count, test, test_count, false);
}

typedef struct Indexed {
    RatePoint point;
    size_t index;
} Indexed;

static int by_rate_indexed(const void *a, const void *b)
{
    return by_rate(&((const Indexed *)a)->point, &((const Indexed *)b)->point);
}

/* Does b lie below, or on, the straight line from a to c? */
static bool is_under(const RatePoint *a, const RatePoint *b, const RatePoint *c)
{
    return (b->quality - a->quality) * (c->rate - a->rate) <=
           (c->quality - a->quality) * (b->rate - a->rate);
}

size_t rate_hull(const RatePoint *points, size_t count, size_t *hull)
{
    Indexed *const sorted = malloc((count ? count : 1) * sizeof(*sorted));
    size_t usable = 0, kept = 0;
    if (!sorted)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(points[i].quality) && isfinite(points[i].rate))
            sorted[usable++] = (Indexed){ points[i], i };
    qsort(sorted, usable, sizeof(*sorted), by_rate_indexed);
    for (size_t i = 0; i < usable; i++) {
        if (kept && sorted[i].point.quality <= sorted[kept - 1].point.quality)
            continue;
        while (kept > 1 &&
               is_under(&sorted[kept - 2].point, &sorted[kept - 1].point, &sorted[i].point))
            kept--;
        sorted[kept++] = sorted[i];
    }
    for (size_t i = 0; i < kept; i++)
        hull[i] = sorted[i].index;
    free(sorted);
    return kept;
}
