/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/team.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

/* A team_run under way, on the stack of its caller. */
typedef struct Loop Loop;
struct Loop {
    void (*fn)(void *arg, unsigned job);
    void *arg;
    unsigned jobs;
    atomic_uint next;
    unsigned helpers; /* workers inside; the team's lock guards it */
    Loop *below;
};

struct Team {
    pthread_mutex_t lock; /* guards all but count and threads */
    pthread_cond_t work;  /* a task, a loop or the end */
    pthread_cond_t left;  /* a loop lost its last helper */
    Task *first, *last;
    Loop *loops;
    unsigned idle;
    unsigned owners;
    bool closing;
    unsigned count;
    pthread_t *threads;
};

static void work_through(Loop *loop)
{
    unsigned job;
    while ((job = atomic_fetch_add(&loop->next, 1)) < loop->jobs)
        loop->fn(loop->arg, job);
}

/* The innermost loop with jobs left; NULL: none. */
static Loop *open_loop_locked(Team *team)
{
    Loop *loop = team->loops;
    while (loop && atomic_load(&loop->next) >= loop->jobs)
        loop = loop->below;
    return loop;
}

/* Unlocks while the task runs. */
static void run_first_task_locked(Team *team)
{
    Task *task = team->first;
    team->first = task->next;
    if (!team->first)
        team->last = NULL;
    pthread_mutex_unlock(&team->lock);
    task->run(task);
    pthread_mutex_lock(&team->lock);
}

/* Unlocks while it works on the loop. */
static void help_locked(Team *team, Loop *loop)
{
    loop->helpers++;
    pthread_mutex_unlock(&team->lock);
    work_through(loop);
    pthread_mutex_lock(&team->lock);
    assert(loop->helpers > 0);
    if (--loop->helpers == 0)
        pthread_cond_broadcast(&team->left);
}

static void *worker(void *arg)
{
    Team *team = arg;
    pthread_mutex_lock(&team->lock);
    for (;;) {
        Loop *loop;
        if (team->first) {
            run_first_task_locked(team);
        } else if ((loop = open_loop_locked(team))) {
            help_locked(team, loop);
        } else if (team->closing) {
            break;
        } else {
            team->idle++;
            pthread_cond_wait(&team->work, &team->lock);
            team->idle--;
        }
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

int team_create(Team **out, unsigned threads)
{
    assert(threads > 0);
    Team *team = mem_zalloc(sizeof(*team));
    if (!team)
        return -ENOMEM;
    team->owners = 1;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->work, NULL);
    pthread_cond_init(&team->left, NULL);
    team->threads = mem_array(threads, sizeof(*team->threads));
    if (!team->threads) {
        team_destroy(team);
        return -ENOMEM;
    }
    for (; team->count < threads; team->count++) {
        if (pthread_create(&team->threads[team->count], NULL, worker, team)) {
            team_destroy(team);
            return -ENOMEM;
        }
    }
    *out = team;
    return 0;
}

void team_retain(Team *team)
{
    pthread_mutex_lock(&team->lock);
    team->owners++;
    pthread_mutex_unlock(&team->lock);
}

void team_destroy(Team *team)
{
    if (!team)
        return;
    pthread_mutex_lock(&team->lock);
    const bool last = --team->owners == 0;
    if (last) {
        team->closing = true;
        pthread_cond_broadcast(&team->work);
    }
    pthread_mutex_unlock(&team->lock);
    if (!last)
        return;
    for (unsigned i = 0; i < team->count; i++)
        pthread_join(team->threads[i], NULL);
    assert(!team->first && !team->loops && !team->idle);
    mem_free(team->threads);
    pthread_cond_destroy(&team->left);
    pthread_cond_destroy(&team->work);
    pthread_mutex_destroy(&team->lock);
    mem_free(team);
}

void team_submit(Team *team, Task *task)
{
    assert(task->run);
    task->next = NULL;
    pthread_mutex_lock(&team->lock);
    if (team->last)
        team->last->next = task;
    else
        team->first = task;
    team->last = task;
    if (team->idle)
        pthread_cond_signal(&team->work);
    pthread_mutex_unlock(&team->lock);
}

unsigned team_size(const Team *team)
{
    return team && team->count ? team->count : 1;
}

unsigned team_at_hand(Team *team)
{
    if (!team)
        return 1;
    pthread_mutex_lock(&team->lock);
    const unsigned idle = team->idle;
    pthread_mutex_unlock(&team->lock);
    return 1 + idle;
}

static void publish(Team *team, Loop *loop)
{
    pthread_mutex_lock(&team->lock);
    loop->below = team->loops;
    team->loops = loop;
    if (team->idle)
        pthread_cond_broadcast(&team->work);
    pthread_mutex_unlock(&team->lock);
}

static void withdraw(Team *team, Loop *loop)
{
    pthread_mutex_lock(&team->lock);
    Loop **at = &team->loops;
    while (*at != loop) {
        assert(*at);
        at = &(*at)->below;
    }
    *at = loop->below;
    while (loop->helpers)
        pthread_cond_wait(&team->left, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

void team_run(Team *team, unsigned jobs, void (*fn)(void *arg, unsigned job), void *arg)
{
    if (team_size(team) == 1 || jobs < 2) {
        for (unsigned job = 0; job < jobs; job++)
            fn(arg, job);
        return;
    }
    Loop loop = { .fn = fn, .arg = arg, .jobs = jobs };
    publish(team, &loop);
    work_through(&loop);
    withdraw(team, &loop);
}
