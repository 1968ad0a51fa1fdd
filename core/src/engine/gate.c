/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/gate.h"

#include <assert.h>

void gate_init(Gate *gate)
{
    *gate = (Gate){ 0 };
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->left, NULL);
}

void gate_destroy(Gate *gate)
{
    pthread_cond_destroy(&gate->left);
    pthread_mutex_destroy(&gate->lock);
}

bool gate_enter(Gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    const bool open = !gate->closed;
    gate->inside += open;
    pthread_mutex_unlock(&gate->lock);
    return open;
}

void gate_leave(Gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    assert(gate->inside > 0);
    if (--gate->inside == 0)
        pthread_cond_broadcast(&gate->left);
    pthread_mutex_unlock(&gate->lock);
}

void gate_close(Gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->closed = true;
    pthread_mutex_unlock(&gate->lock);
}

void gate_wait(Gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    while (gate->inside)
        pthread_cond_wait(&gate->left, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}
