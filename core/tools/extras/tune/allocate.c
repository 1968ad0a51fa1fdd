/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "allocate.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* A setting of a shot: between two tries, or one of them (share 0). */
typedef struct Option {
    double setting, bits, worth;
    size_t at;
    double share; /* weight of the next try, from 0 to below 1 */
} Option;

typedef struct Options {
    Option *at;
    size_t count;
} Options;

typedef struct Task {
    const ShotCurve *curves;
    Options *options; /* the options of each shot */
    size_t *chosen;   /* option of each shot */
    size_t count, frames;
    const Pooling *pooling;
    double target;
    double *scores; /* room for all frames */
} Task;

bool allocation_pools(const Pooling *pooling)
{
    return pooling->kind != POOLING_MAX;
}

static double score_of(const ShotCurve *curve, const Option *option, size_t frame)
{
    const ShotTry *const try = &curve->tries[option->at];
    const double here = try->scores[frame];
    return option->share > 0.0 ? here + option->share * (try[1].scores[frame] - here) : here;
}

/* How much the frames of a shot contribute to the target: a sum over frames, so that each shot can
 * be judged by itself. */
static double worth_of(const Task *task, const ShotCurve *curve, const Option *option)
{
    double sum = 0.0;
    for (size_t i = 0; i < curve->frames; i++) {
        const double score = score_of(curve, option, i);
        if (task->pooling->kind == POOLING_MEAN)
            sum += score;
        else if (task->pooling->kind == POOLING_HARMONIC_MEAN)
            sum -= 1.0 / (fmax(score, 0.0) + 1.0);
        else if (score < task->target) /* percentiles: count the frames below; how far they are
                                          below says which setting is better if all are */
            sum -= 1.0 + 0.02 * (task->target - score);
    }
    return sum;
}

/* List the settings of a shot. */
static int list_options(const Task *task, size_t shot, double step)
{
    const ShotCurve *const curve = &task->curves[shot];
    Options *const options = &task->options[shot];
    size_t room = curve->count;
    for (size_t i = 0; step > 0.0 && i + 1 < curve->count; i++)
        room += (size_t)(fabs(curve->tries[i + 1].setting - curve->tries[i].setting) / step) + 1;
    options->at = calloc(room, sizeof(*options->at));
    if (!options->at)
        return -ENOMEM;
    for (size_t i = 0; i < curve->count; i++) {
        const ShotTry *const try = &curve->tries[i];
        options->at[options->count++] = (Option){ try->setting, try->bits, 0.0, i, 0.0 };
        if (i + 1 == curve->count || step <= 0.0)
            continue;
        const double run = try[1].setting - try->setting;
        for (double k = 1.0; k * step < fabs(run) - step / 2; k++) {
            const double share = k * step / fabs(run);
            options->at[options->count++] =
                (Option){ try->setting + copysign(k * step, run),
                          exp(log(try->bits) + share * (log(try[1].bits) - log(try->bits))), 0.0, i,
                          share };
        }
    }
    for (size_t i = 0; i < options->count; i++)
        options->at[i].worth = worth_of(task, curve, &options->at[i]);
    return 0;
}

/* Choose for each shot the setting that is worth most after paying this price for each bit. */
static void choose(Task *task, double price)
{
    for (size_t s = 0; s < task->count; s++) {
        const Options *const options = &task->options[s];
        size_t best = 0;
        for (size_t i = 1; i < options->count; i++)
            if (options->at[i].worth - price * options->at[i].bits >=
                options->at[best].worth - price * options->at[best].bits)
                best = i;
        task->chosen[s] = best;
    }
}

static double pooled(const Task *task)
{
    size_t at = 0;
    for (size_t s = 0; s < task->count; s++) {
        const Option *const option = &task->options[s].at[task->chosen[s]];
        for (size_t i = 0; i < task->curves[s].frames; i++)
            task->scores[at++] = score_of(&task->curves[s], option, i);
    }
    return pooling_scores(task->pooling, task->scores, task->frames);
}

static void task_end(Task *task)
{
    for (size_t s = 0; task->options && s < task->count; s++)
        free(task->options[s].at);
    free(task->options);
    free(task->chosen);
    free(task->scores);
}

static int task_start(Task *task, double step)
{
    for (size_t s = 0; s < task->count; s++)
        task->frames += task->curves[s].frames;
    task->options = calloc(task->count, sizeof(*task->options));
    task->chosen = calloc(task->count, sizeof(*task->chosen));
    task->scores = malloc((task->frames + 1) * sizeof(*task->scores));
    int err = task->options && task->chosen && task->scores ? 0 : -ENOMEM;
    for (size_t s = 0; !err && s < task->count; s++)
        err = list_options(task, s, step);
    return err;
}

static void tell(const Task *task, Allocation *allocation)
{
    allocation->bits = 0.0;
    for (size_t s = 0; s < task->count; s++) {
        const Option *const option = &task->options[s].at[task->chosen[s]];
        allocation->settings[s] = option->setting;
        allocation->bits += option->bits;
    }
    allocation->score = pooled(task);
}

#define SAVING_SHOTS 300 /* with more shots, the saving is too small to matter */

/* With one price the score ends a little above the target: give single shots worse settings as long
 * as the target is reached, first where that saves most. */
static void save(Task *task)
{
    for (bool again = task->count <= SAVING_SHOTS; again;) {
        size_t best = SIZE_MAX;
        double most = 0.0;
        again = false;
        for (size_t s = 0; s < task->count; s++) {
            const Options *const options = &task->options[s];
            const size_t now = task->chosen[s];
            if (now + 1 >= options->count)
                continue;
            const double saved = options->at[now].bits - options->at[now + 1].bits;
            if (saved <= most)
                continue;
            task->chosen[s] = now + 1;
            if (pooled(task) >= task->target) {
                best = s;
                most = saved;
            }
            task->chosen[s] = now;
        }
        if (best != SIZE_MAX) {
            task->chosen[best]++;
            again = true;
        }
    }
}

int allocate(const ShotCurve *curves, size_t count, const Pooling *pooling, double target,
             double step, Allocation *allocation)
{
    Task task = { .curves = curves, .count = count, .pooling = pooling, .target = target };
    int err = task_start(&task, step);
    if (!err) { /* can the best settings reach the target? */
        for (size_t s = 0; s < count; s++)
            task.chosen[s] = 0;
        err = pooled(&task) >= target ? 0 : -ERANGE;
    }
    double low = -60.0, high = 20.0; /* logarithms of the price: from cheap to expensive bits */
    for (unsigned i = 0; !err && i < 50; i++) {
        const double middle = (low + high) / 2;
        choose(&task, exp(middle));
        *(pooled(&task) >= target ? &low : &high) = middle;
    }
    if (!err) {
        choose(&task, exp(low));
        if (!(pooled(&task) >=
              target)) /* no price reaches the target, although the best settings do */
            for (size_t s = 0; s < count; s++)
                task.chosen[s] = 0;
        save(&task);
        tell(&task, allocation);
    }
    task_end(&task);
    return err;
}

/* The option of a shot that is nearest to a setting. */
static size_t nearest(const Options *options, double setting)
{
    size_t best = 0;
    for (size_t i = 1; i < options->count; i++)
        if (fabs(options->at[i].setting - setting) < fabs(options->at[best].setting - setting))
            best = i;
    return best;
}

int allocate_one(const ShotCurve *curves, size_t count, const Pooling *pooling, double target,
                 double step, Allocation *allocation)
{
    Task task = { .curves = curves, .count = count, .pooling = pooling, .target = target };
    int err = task_start(&task, step);
    bool reached = false;
    for (size_t i = 0; !err && i < task.options[0].count; i++) {
        for (size_t s = 0; s < count; s++)
            task.chosen[s] = nearest(&task.options[s], task.options[0].at[i].setting);
        if (!(pooled(&task) >= target))
            break;
        reached = true;
        tell(&task, allocation);
    }
    task_end(&task);
    return err ? err : reached ? 0 : -ERANGE;
}
