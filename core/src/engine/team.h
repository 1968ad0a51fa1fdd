/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The worker threads of one or several contexts. They run tasks, and idle ones share loops over the
 * bands of a frame. Any thread may call these functions. */
#ifndef ENGINE_TEAM_H
#define ENGINE_TEAM_H

typedef struct Team Team;

/* Calls fn(arg, job) once for each job in 0…jobs-1, on this thread and on idle workers, in any
 * order, and returns when all are done. `team` NULL runs them here, in order. The caller works
 * through the jobs itself, so a task may call it, and fn may call it again. */
void team_run(Team *team, unsigned jobs, void (*fn)(void *arg, unsigned job), void *arg);

/* The number of threads that could work at once (1 for NULL). */
unsigned team_size(const Team *team);

/* The number of threads that would share a loop now: the caller and the idle workers. It changes
 * all the time. For work that costs more when it is split. */
unsigned team_at_hand(Team *team);

/* A piece of work. The submitter owns it and may reuse it once `run` was entered. */
typedef struct Task Task;
struct Task {
    void (*run)(Task *task);
    Task *next; /* used by the team while the task waits */
};

int team_create(Team **team, unsigned threads);
/* Adds an owner: each owner calls team_destroy once. */
void team_retain(Team *team);
/* Tasks start in the order in which they were submitted. */
void team_submit(Team *team, Task *task);
/* An owner calls it after waiting for its own tasks. The last owner's call ends the threads, after
 * all submitted tasks have run. */
void team_destroy(Team *team);

#endif
