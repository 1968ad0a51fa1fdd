/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "curve.h"

#include <math.h>
#include <stdlib.h>

#include "common/json_memory.h"

/* One piece between two points: c[0] + c[1] t + c[2] t² + c[3] t³, with t = (x - origin) / scale.
 */
typedef struct Piece {
    double origin, scale, c[4];
} Piece;

struct Curve {
    size_t pieces;
    double *knots; /* pieces + 1 values of x where pieces begin and end */
    Piece *piece;
};

const char *curve_name(enum CurveKind kind)
{
    static const char *const names[CURVE_KINDS] = { "cubic", "pchip", "akima" };
    return names[kind];
}

static bool points_are_usable(const double *x, const double *y, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]) || !isfinite(y[i]) || (i && x[i] <= x[i - 1]))
            return false;
    return true;
}

/* Solve four linear equations in place by Gaussian elimination; `a` is [matrix | right side].
 * False: singular. */
static bool solve(long double a[4][5], double c[4])
{
    for (unsigned k = 0; k < 4; k++) {
        unsigned best = k;
        for (unsigned i = k + 1; i < 4; i++)
            if (fabsl(a[i][k]) > fabsl(a[best][k]))
                best = i;
        if (a[best][k] == 0.0L)
            return false;
        for (unsigned j = 0; j < 5; j++) {
            const long double swapped = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = swapped;
        }
        for (unsigned i = 0; i < 4; i++) {
            if (i == k)
                continue;
            const long double factor = a[i][k] / a[k][k];
            for (unsigned j = k; j < 5; j++)
                a[i][j] -= factor * a[k][j];
        }
    }
    for (unsigned k = 0; k < 4; k++)
        c[k] = (double)(a[k][4] / a[k][k]);
    return true;
}

/* Fit the cubic polynomial with the least sum of squared errors; it passes through exactly four
 * points. */
static bool fit_cubic(Curve *curve, const double *x, const double *y, size_t count)
{
    long double a[4][5] = { { 0.0L } };
    Piece *const piece = curve->piece;
    /* Scale x so that t runs from -1 to 1, which keeps the powers of t at similar sizes. */
    piece->origin = (x[0] + x[count - 1]) / 2;
    piece->scale = (x[count - 1] - x[0]) / 2;
    for (size_t n = 0; n < count; n++) {
        const long double t = ((long double)x[n] - piece->origin) / piece->scale;
        const long double power[4] = { 1.0L, t, t * t, t * t * t };
        for (unsigned i = 0; i < 4; i++) {
            for (unsigned j = 0; j < 4; j++)
                a[i][j] += power[i] * power[j];
            a[i][4] += power[i] * y[n];
        }
    }
    curve->knots[0] = x[0];
    curve->knots[1] = x[count - 1];
    return solve(a, piece->c);
}

/* The slope at an end point from the two nearest intervals, limited so that the curve stays
 * monotonic there. */
static double pchip_end(double h0, double h1, double d0, double d1)
{
    const double slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    if (slope * d0 <= 0.0)
        return 0.0;
    if (d0 * d1 <= 0.0 && fabs(slope) > 3 * fabs(d0))
        return 3 * d0;
    return slope;
}

/* Fritsch and Butland: the slope at a point is a weighted harmonic mean of the slopes on both
 * sides. */
static void pchip_slopes(const double *h, const double *d, double *slope, size_t count)
{
    if (count == 2) {
        slope[0] = slope[1] = d[0];
        return;
    }
    for (size_t i = 1; i + 1 < count; i++) {
        const double w0 = 2 * h[i] + h[i - 1], w1 = h[i] + 2 * h[i - 1];
        slope[i] = d[i - 1] * d[i] <= 0.0 ? 0.0 : (w0 + w1) / (w0 / d[i - 1] + w1 / d[i]);
    }
    slope[0] = pchip_end(h[0], h[1], d[0], d[1]);
    slope[count - 1] = pchip_end(h[count - 2], h[count - 3], d[count - 2], d[count - 3]);
}

/* The slope of interval i. Two more intervals on each side are extrapolated linearly from the
 * outermost two. */
static double akima_interval(const double *d, size_t intervals, ptrdiff_t i)
{
    const ptrdiff_t last = (ptrdiff_t)intervals - 1;
    if (last == 0)
        return d[0];
    if (i < 0)
        return d[0] - (double)-i * (d[1] - d[0]);
    if (i > last)
        return d[last] + (double)(i - last) * (d[last] - d[last - 1]);
    return d[i];
}

static void akima_slopes(const double *d, double *slope, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        const ptrdiff_t i = (ptrdiff_t)n;
        double m[4]; /* slopes of the two intervals before the point and the two after it */
        for (ptrdiff_t k = 0; k < 4; k++)
            m[k] = akima_interval(d, count - 1, i - 2 + k);
        const double before = fabs(m[1] - m[0]), after = fabs(m[3] - m[2]);
        slope[n] = before + after > 0.0 ? (after * m[1] + before * m[2]) / (before + after)
                                        : (m[1] + m[2]) / 2;
    }
}

static bool fit_pieces(Curve *curve, enum CurveKind kind, const double *x, const double *y,
                       size_t count)
{
    double *const h = watched_room(3 * count, sizeof(*h));
    if (!h)
        return false;
    double *const d = h + count, *const slope = d + count;
    for (size_t i = 0; i + 1 < count; i++) {
        h[i] = x[i + 1] - x[i];
        d[i] = (y[i + 1] - y[i]) / h[i];
    }
    if (kind == CURVE_PCHIP)
        pchip_slopes(h, d, slope, count);
    else
        akima_slopes(d, slope, count);
    for (size_t i = 0; i < count; i++)
        curve->knots[i] = x[i];
    for (size_t i = 0; i + 1 < count; i++)
        curve->piece[i] =
            (Piece){ x[i],
                     h[i],
                     { y[i], slope[i] * h[i], (3 * d[i] - 2 * slope[i] - slope[i + 1]) * h[i],
                       (slope[i] + slope[i + 1] - 2 * d[i]) * h[i] } };
    free(h);
    return true;
}

Curve *curve_create(enum CurveKind kind, const double *x, const double *y, size_t count)
{
    if (count < (kind == CURVE_CUBIC ? 4 : 2) || !points_are_usable(x, y, count))
        return NULL;
    Curve *const curve = watched_room(1, sizeof(*curve));
    if (!curve)
        return NULL;
    curve->pieces = kind == CURVE_CUBIC ? 1 : count - 1;
    curve->knots = watched_room(curve->pieces + 1, sizeof(*curve->knots));
    curve->piece = watched_room(curve->pieces, sizeof(*curve->piece));
    const bool made = curve->knots && curve->piece &&
                      (kind == CURVE_CUBIC ? fit_cubic(curve, x, y, count)
                                           : fit_pieces(curve, kind, x, y, count));
    if (made)
        return curve;
    curve_destroy(curve);
    return NULL;
}

void curve_destroy(Curve *curve)
{
    if (!curve)
        return;
    free(curve->knots);
    free(curve->piece);
    free(curve);
}

static size_t piece_at(const Curve *curve, double x)
{
    size_t i = 0;
    while (i + 1 < curve->pieces && x >= curve->knots[i + 1])
        i++;
    return i;
}

double curve_at(const Curve *curve, double x)
{
    const Piece *const p = &curve->piece[piece_at(curve, x)];
    const double t = (x - p->origin) / p->scale;
    return p->c[0] + t * (p->c[1] + t * (p->c[2] + t * p->c[3]));
}

static double antiderivative(const Piece *p, double x)
{
    const double t = (x - p->origin) / p->scale;
    return p->scale * t * (p->c[0] + t * (p->c[1] / 2 + t * (p->c[2] / 3 + t * p->c[3] / 4)));
}

double curve_integral(const Curve *curve, double from, double to)
{
    double sum = 0.0;
    if (from > to)
        return -curve_integral(curve, to, from);
    for (size_t i = piece_at(curve, from); from < to; i++) {
        const bool last = i + 1 >= curve->pieces;
        const double end = last || curve->knots[i + 1] > to ? to : curve->knots[i + 1];
        sum += antiderivative(&curve->piece[i], end) - antiderivative(&curve->piece[i], from);
        from = end;
    }
    return sum;
}

static int by_rate(const void *a, const void *b)
{
    const RatePoint *const p = a, *const q = b;
    if (p->rate != q->rate)
        return p->rate < q->rate ? -1 : 1;
    /* At equal rates, the best quality comes first. */
    return p->quality > q->quality ? -1 : p->quality < q->quality;
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

/* Put quality over log(rate) or log(rate) over quality. */
static bool make_line(Line *line, const RatePoint *points, size_t count, bool rate_over_quality)
{
    *line = (Line){ .count = count };
    line->x = watched_room(2 * count, sizeof(*line->x));
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

/* The mean height of the second curve above the first, over the x that both cover. NAN: none. */
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

/* Does b lie on or below the straight line from a to c? */
static bool is_under(const RatePoint *a, const RatePoint *b, const RatePoint *c)
{
    return (b->quality - a->quality) * (c->rate - a->rate) <=
           (c->quality - a->quality) * (b->rate - a->rate);
}

size_t rate_hull(const RatePoint *points, size_t count, size_t *hull)
{
    Indexed *const sorted = watched_room(count, sizeof(*sorted));
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
