/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "seek.h"

#include <math.h>
#include <string.h>

#include "curve.h"

/* ---- scales ---- */

enum SeekScale seek_scale(const char *metric)
{
    if (!strncmp(metric, "vmaf", strlen("vmaf")) || !strcmp(metric, "ssimulacra2"))
        return SEEK_OF_100;
    return strstr(metric, "ssim") ? SEEK_OF_1 : SEEK_LINEAR;
}

/* Assumptions from encodes of x264, x265, SVT-AV1 and VP9: the fall over all settings, and where a
 * VMAF score of 95 lies. */
#define FALL_OF_100 7.0
#define FALL_OF_1 6.0
#define FALL_LINEAR 30.0 /* decibels */
#define USUAL_PLACE 0.45
#define USUAL_SCORE 95.0

static double scaled(enum SeekScale scale, double score)
{
    switch (scale) {
    case SEEK_OF_100:
        return -log(fmax(100.5 - score, 0.5));
    case SEEK_OF_1:
        return -log(fmax(1.001 - score, 0.001));
    default:
        return score;
    }
}

static double unscaled(enum SeekScale scale, double value)
{
    switch (scale) {
    case SEEK_OF_100:
        return 100.5 - exp(-value);
    case SEEK_OF_1:
        return 1.001 - exp(-value);
    default:
        return value;
    }
}

double seek_usual_fall(enum SeekScale scale)
{
    return scale == SEEK_OF_100 ? FALL_OF_100 : scale == SEEK_OF_1 ? FALL_OF_1 : FALL_LINEAR;
}

double seek_usual_place(enum SeekScale scale, double score)
{
    if (scale != SEEK_OF_100)
        return USUAL_PLACE;
    const double distance = scaled(scale, USUAL_SCORE) - scaled(scale, score);
    return fmin(fmax(USUAL_PLACE + distance / FALL_OF_100, 0.0), 1.0);
}

/* ---- curves ---- */

/* The tries of one goal by rising step, on its scale. */
typedef struct Course {
    double x[SEEK_MAX], y[SEEK_MAX];
    size_t count;
    double slope; /* assumed fall per step */
} Course;

static void draw(const Seek *seek, size_t goal, Course *course)
{
    *course = (Course){ .slope = seek->goals[goal].slope };
    for (int i = 0; i < seek->count; i++) {
        const double y = scaled(seek->goals[goal].scale, seek->tried[i].scores[goal]);
        if (!isfinite(y))
            continue;
        size_t at = course->count++;
        for (; at && course->x[at - 1] > seek->tried[i].step; at--) {
            course->x[at] = course->x[at - 1];
            course->y[at] = course->y[at - 1];
        }
        course->x[at] = seek->tried[i].step;
        course->y[at] = y;
    }
}

/* The fall per step between two neighbouring tries: at least a quarter of the assumed one, because
 * scores that hardly fall would predict steps that are much too far. */
static double slope_after(const Course *course, size_t at)
{
    const double run = course->x[at + 1] - course->x[at];
    return fmax((course->y[at] - course->y[at + 1]) / run, course->slope / 4.0);
}

/* The curve's value at a step; beyond its ends it continues as a straight line. */
static double course_at(const Course *course, const Curve *curve, double x)
{
    const size_t last = course->count - 1;
    if (course->count == 1)
        return course->y[0] - (x - course->x[0]) * course->slope;
    if (x <= course->x[0])
        return course->y[0] + (course->x[0] - x) * slope_after(course, 0);
    if (x >= course->x[last])
        return course->y[last] - (x - course->x[last]) * slope_after(course, last - 1);
    return curve_at(curve, x);
}

/* The step, with a fraction, where the curve falls below a level. */
static double crossing(const Course *course, double level)
{
    const size_t last = course->count - 1;
    Curve *const curve = curve_create(CURVE_PCHIP, course->x, course->y, course->count);
    double from = course->x[0], to = course->x[last], result;
    if (course->count == 1 || !curve)
        result = course->x[0] + (course->y[0] - level) / course->slope;
    else if (course->y[0] < level)
        result = from - (level - course->y[0]) / slope_after(course, 0);
    else if (course->y[last] >= level)
        result = to + (course->y[last] - level) / slope_after(course, last - 1);
    else {
        /* The first pair of neighbours between which the level is crossed. */
        for (size_t i = 0; i < last; i++)
            if (course->y[i] >= level && course->y[i + 1] < level) {
                from = course->x[i];
                to = course->x[i + 1];
                break;
            }
        for (unsigned i = 0; i < 40; i++) {
            const double middle = (from + to) / 2;
            *(curve_at(curve, middle) >= level ? &from : &to) = middle;
        }
        result = from;
    }
    curve_destroy(curve);
    return result;
}

/* ---- the search ---- */

void seek_start(Seek *seek, int last, int first)
{
    seek->last = last;
    seek->first = first;
    seek->count = 0;
    seek->reached = -1;
    seek->missed = last + 1;
    seek->width[0] = seek->width[1] = 2 * (last + 2);
}

static const SeekPoint *find(const Seek *seek, int step)
{
    for (int i = 0; i < seek->count; i++)
        if (seek->tried[i].step == step)
            return &seek->tried[i];
    return NULL;
}

static int clamp(double value, int low, int high)
{
    return value < low ? low : value > high ? high : (int)value;
}

/* The last step that all curves predict to reach their goals. `above`: aim above them by half the
 * tolerance, so that a score which is close enough is hit. */
static double predict(const Seek *seek, bool above)
{
    double least = INFINITY;
    for (size_t g = 0; g < seek->goal_count; g++) {
        const SeekGoal *const goal = &seek->goals[g];
        const double target = goal->target + (above ? goal->tolerance / 2 : 0.0);
        Course course;
        draw(seek, g, &course);
        if (course.count)
            least = fmin(least, crossing(&course, scaled(goal->scale, target)));
    }
    return floor(least + 1e-9);
}

/* Do the curves show clearly that the step after the last good one misses a goal? */
static bool next_misses(const Seek *seek)
{
    bool misses = false;
    for (size_t g = 0; g < seek->goal_count && !misses; g++) {
        const SeekGoal *const goal = &seek->goals[g];
        Course course;
        draw(seek, g, &course);
        Curve *const curve = curve_create(CURVE_PCHIP, course.x, course.y, course.count);
        misses = curve && unscaled(goal->scale, course_at(&course, curve, seek->reached + 1)) <
                              goal->target - goal->tolerance;
        curve_destroy(curve);
    }
    return misses;
}

static bool is_close(const Seek *seek)
{
    const SeekPoint *const point = find(seek, seek->reached);
    if (!point)
        return false;
    for (size_t g = 0; g < seek->goal_count; g++) {
        const SeekGoal *const goal = &seek->goals[g];
        if (goal->tolerance > 0.0 && point->scores[g] - goal->target <= goal->tolerance)
            return true;
    }
    return seek->missed <= seek->last && seek->goals[0].tolerance > 0.0 && next_misses(seek);
}

#define PATIENCE 5 /* after this many tries on one side of the answer, the last setting is tried */

/* Only one side of the answer is known. Go where the curve leads, and farther each time that it was
 * wrong. */
static int look_beyond(const Seek *seek, double step)
{
    const bool good = seek->reached >= 0;
    const int from = good ? seek->reached : seek->missed;
    const int low = seek->reached + 1, high = seek->missed - 1;
    if (!isfinite(step) || seek->count >= PATIENCE)
        return good ? high : low;
    const int misled = seek->count > 2 ? seek->count - 2 : 0;
    const double distance = fmax(fabs(step - from) * (1.0 + 0.25 * misled), ldexp(1.0, misled));
    return clamp(good ? floor(from + distance) : ceil(from - distance), low, high);
}

int seek_next(const Seek *seek)
{
    const int low = seek->reached + 1, high = seek->missed - 1;
    const bool both = seek->reached >= 0 && seek->missed <= seek->last;
    if (low > high || seek->count == SEEK_MAX || is_close(seek))
        return -1;
    if (!seek->count)
        return clamp(seek->first, 0, seek->last);
    /* Bisect if the last two tries did not even halve the interval. */
    if (both && seek->missed - seek->reached > seek->width[0] / 2)
        return low + (high - low) / 2;
    const double step = predict(seek, true);
    if (both)
        return isfinite(step) ? clamp(step, low, high) : low + (high - low) / 2;
    return look_beyond(seek, step);
}

bool seek_reaches(const Seek *seek, const double *scores)
{
    for (size_t g = 0; g < seek->goal_count; g++)
        if (!(scores[g] >= seek->goals[g].target))
            return false;
    return true;
}

void seek_add(Seek *seek, int step, const double *scores)
{
    const bool reaches = seek_reaches(seek, scores);
    if (seek->count < SEEK_MAX) {
        seek->tried[seek->count].step = step;
        memcpy(seek->tried[seek->count++].scores, scores, seek->goal_count * sizeof(*scores));
    }
    seek->width[0] = seek->width[1];
    seek->width[1] = seek->missed - seek->reached;
    if (reaches && step > seek->reached)
        seek->reached = step;
    if (!reaches && step < seek->missed)
        seek->missed = step;
    if (seek->reached < seek->missed)
        return;
    /* The quality is not monotonic: trust the misses, which is the safe side. */
    seek->reached = -1;
    for (int i = 0; i < seek->count; i++)
        if (seek->tried[i].step < seek->missed && seek->tried[i].step > seek->reached)
            seek->reached = seek->tried[i].step;
}

int seek_shifted(const Seek *seek, int step, const double *scores)
{
    double least = seek->last + 1;
    for (size_t g = 0; g < seek->goal_count; g++) {
        const SeekGoal *const goal = &seek->goals[g];
        const double now = scaled(goal->scale, scores[g]);
        Course course;
        draw(seek, g, &course);
        if (!course.count || !isfinite(now))
            continue;
        Curve *const curve = curve_create(CURVE_PCHIP, course.x, course.y, course.count);
        const double shift = now - course_at(&course, curve, step);
        curve_destroy(curve);
        least = fmin(least, floor(crossing(&course, scaled(goal->scale, goal->target) - shift)));
    }
    return clamp(least, -1, seek->last + 1);
}
