/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The worker threads of a context, or of several: tasks that run on their own, and loops over the
 * bands of a frame that idle workers may share. */
#ifndef ENGINE_TEAM_H
#define ENGINE_TEAM_H

typedef struct Team Team;

/* Calls fn(arg, job) once for each job in 0…jobs-1, on this thread and on idle workers, in any
 * order, and returns when all are done. `team` NULL runs them here, in order. The caller works
 * through the jobs itself, so a task may call it, and fn may call it again. */
void team_run(Team *team, unsigned jobs, void (*fn)(void *arg, unsigned job), void *arg);

/* How many threads could work at once (1 for NULL). */
unsigned team_size(const Team *team);

/* How many would share a loop now: the caller and those that are idle. It changes all the time: for
 * work that costs more in parts than as a whole. */
unsigned team_at_hand(Team *team);

/* A piece of work. It belongs to whoever submits it and may be reused once `run` was entered. */
typedef struct Task Task;
struct Task {
    void (*run)(Task *task);
    Task *next; /* the team's, while the task waits */
};

int team_create(Team **team, unsigned threads);
/* One more owner: as many calls of team_destroy as owners end it. */
void team_retain(Team *team);
/* Tasks start in the order in which they were submitted. */
void team_submit(Team *team, Task *task);
/* The last owner's call runs what was submitted to its end first; before it, an owner has waited
 * for its own tasks. */
void team_destroy(Team *team);

#endif
