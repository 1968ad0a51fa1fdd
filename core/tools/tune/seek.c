/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "seek.h"

#include <math.h>
#include <stddef.h>

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
    return slope > LEAST_SLOPE ? slope : LEAST_SLOPE;
}

static int clamp(double value, int low, int high)
{
    return value < low ? low : value > high ? high : (int)value;
}

/* Both ends are known: where a straight line between them meets the target. */
static int between(const Seek *seek)
{
    const SeekPoint *const good = find(seek, seek->reached), *const bad = find(seek, seek->missed);
    const int middle = seek->reached + (seek->missed - seek->reached) / 2;
    if (!good || !bad || good->score <= bad->score ||
        seek->missed - seek->reached > seek->width[0] / 2) /* lines have not led far */
        return middle;
    const double at = seek->reached + (good->score - seek->target) / (good->score - bad->score) *
                                          (seek->missed - seek->reached);
    return clamp(floor(at), seek->reached + 1, seek->missed - 1);
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
    /* One end is open: as far as the slope says, a little more to get a bracket, and at least to the half
     * once that has failed. */
    const int from = seek->reached >= 0 ? seek->reached : seek->missed;
    const SeekPoint *const point = find(seek, from);
    double distance = point ? fabs(point->score - seek->target) / seek_slope(seek, from) : 1.0;
    const double half = seek->reached >= 0 ? (seek->last - from + 1) / 2.0 : (from + 1) / 2.0;
    if (seek->count > 2 && distance < half)
        distance = half;
    if (distance < 1.0)
        distance = 1.0;
    return seek->reached >= 0 ? clamp(from + floor(distance), low, high)
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
