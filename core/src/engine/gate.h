/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Who is inside an object that another thread may close: whoever got in gets out before it goes. */
#ifndef ENGINE_GATE_H
#define ENGINE_GATE_H

#include <pthread.h>
#include <stdbool.h>

typedef struct Gate {
    pthread_mutex_t lock;
    pthread_cond_t left;
    unsigned inside;
    bool closed;
} Gate;

void gate_init(Gate *gate);
void gate_destroy(Gate *gate);

bool gate_enter(Gate *gate); /* false: it is closed */
void gate_leave(Gate *gate);

/* From now on nobody enters. */
void gate_close(Gate *gate);
/* Until nobody is inside. */
void gate_wait(Gate *gate);

#endif
