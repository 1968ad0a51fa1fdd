/* Helpers for one task: a loop over bands of a frame that idle workers may share. */
#ifndef ENGINE_TEAM_H
#define ENGINE_TEAM_H

typedef struct Team Team;

/* Calls fn(arg, job) once for each job in 0…jobs-1, on this thread and on idle workers, in any
 * order, and returns when all are done. `team` NULL runs them here, in order. */
void team_run(Team *team, unsigned jobs, void (*fn)(void *arg, unsigned job), void *arg);

/* How many threads could work at once (1 for NULL). */
unsigned team_size(const Team *team);

#endif
