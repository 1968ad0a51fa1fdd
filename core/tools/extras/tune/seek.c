/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "seek.h"

#include <math.h>
#include <stddef.h>

#include "curve.h"

/* Before anything is known: where good quality mostly lies, and what a step mostly costs, on a scale of 100. */
#define FIRST_GUESS 0.45
#define USUAL_SPAN 75.0
#define LEAST_SLOPE 0.01

void seek_start(Seek *seek, int last, double target)
{
    *seek = (Seek){ .last = last, .target = target, .reached = -1, .missed = last + 1 };
    seek->width[0] = seek->width[1] = 2 * (last + 2);
}

static const SeekPoint *find(const Seek *seek, int step)
{
    for (int i = 0; i < seek->count; i++)
        if (seek->tried[i].step == step)
            return &seek->tried[i];
    return NULL;
}

static double usual_slope(const Seek *seek)
{
    return USUAL_SPAN / (seek->last > 0 ? seek->last : 1);
}

double seek_slope(const Seek *seek, int step)
{
    const SeekPoint *before = NULL, *after = NULL;
    for (int i = 0; i < seek->count; i++) {
        const SeekPoint *const p = &seek->tried[i];
        if (p->step <= step && (!before || p->step > before->step))
            before = p;
        if (p->step > step && (!after || p->step < after->step))
            after = p;
    }
    if (!after) { /* the two last ones */
        after = before;
        before = NULL;
        for (int i = 0; after && i < seek->count; i++)
            if (seek->tried[i].step < after->step &&
                (!before || seek->tried[i].step > before->step))
                before = &seek->tried[i];
    }
    if (!before || !after)
        return usual_slope(seek);
    const double slope = (before->score - after->score) / (after->step - before->step);
    return slope > LEAST_SLOPE ? slope : LEAST_SLOPE; /* also if it is no number */
}

static int clamp(double value, int low, int high)
{
    return value < low ? low : value > high ? high : (int)value;
}

/* The curve through all that was tried. NULL: there is none. */
static Curve *draw_curve(const Seek *seek)
{
    double x[SEEK_MAX], y[SEEK_MAX];
    size_t count = 0;
    for (int i = 0; i < seek->count; i++) {
        size_t at = count++;
        for (; at && x[at - 1] > seek->tried[i].step; at--) {
            x[at] = x[at - 1];
            y[at] = y[at - 1];
        }
        x[at] = seek->tried[i].step;
        y[at] = seek->tried[i].score;
    }
    return curve_create(CURVE_PCHIP, x, y, count);
}

/* Both ends are known: where the curve crosses the target. */
static int between(const Seek *seek)
{
    const int low = seek->reached + 1, high = seek->missed - 1;
    Curve *const curve = draw_curve(seek);
    if (!curve || seek->missed - seek->reached > seek->width[0] / 2) { /* curves have not led far */
        curve_destroy(curve);
        return low + (high - low) / 2;
    }
    double from = seek->reached, to = seek->missed;
    for (unsigned i = 0; i < 40; i++) {
        const double middle = (from + to) / 2;
        *(curve_at(curve, middle) >= seek->target ? &from : &to) = middle;
    }
    curve_destroy(curve);
    return clamp(floor(from), low, high);
}

int seek_next(const Seek *seek)
{
    const int low = seek->reached + 1, high = seek->missed - 1;
    if (low > high || seek->count == SEEK_MAX)
        return -1;
    if (!seek->count)
        return clamp(round(seek->last * FIRST_GUESS), 0, seek->last);
    if (seek->reached >= 0 && seek->missed <= seek->last)
        return between(seek);
    /* One end is open: as far as the slope says; and to the end itself once that has not led far enough. */
    const bool good = seek->reached >= 0;
    const int from = good ? seek->reached : seek->missed;
    const SeekPoint *const point = find(seek, from);
    if (seek->count > 2 || !point || !isfinite(point->score))
        return good ? high : low;
    const double distance = fabs(point->score - seek->target) / seek_slope(seek, from);
    return good ? clamp(from + floor(distance), low, high)
                : clamp(from - ceil(distance), low, high);
}

void seek_add(Seek *seek, int step, double score)
{
    if (seek->count < SEEK_MAX)
        seek->tried[seek->count++] = (SeekPoint){ step, score };
    seek->width[0] = seek->width[1];
    seek->width[1] = seek->missed - seek->reached;
    if (score >= seek->target && step > seek->reached)
        seek->reached = step;
    if (!(score >= seek->target) && step < seek->missed)
        seek->missed = step;
    if (seek->reached >=
        seek->missed) /* quality that rises now and then: the better side is safe */
        seek->reached = seek->missed - 1;
}
