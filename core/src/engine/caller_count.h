/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Counts callers inside an object, so that closing it can wait until all have left. Any thread may
 * call these functions, except init and destroy. */
#ifndef ENGINE_CALLER_COUNT_H
#define ENGINE_CALLER_COUNT_H

#include <pthread.h>
#include <stdbool.h>

typedef struct CallerCount {
    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t left;  /* the last caller left */
    unsigned inside;
    bool closed;
} CallerCount;

void caller_count_init(CallerCount *count);
void caller_count_destroy(CallerCount *count);

/* False: the object is closed, and the caller is not counted. */
bool caller_count_enter(CallerCount *count);
void caller_count_leave(CallerCount *count);

/* Refuses new callers from now on. */
void caller_count_close(CallerCount *count);
/* Waits until all callers have left. */
void caller_count_wait(CallerCount *count);

#endif
