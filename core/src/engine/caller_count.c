/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/caller_count.h"

#include <assert.h>

void caller_count_init(CallerCount *count)
{
    *count = (CallerCount){ 0 };
    pthread_mutex_init(&count->lock, NULL);
    pthread_cond_init(&count->left, NULL);
}

void caller_count_destroy(CallerCount *count)
{
    pthread_cond_destroy(&count->left);
    pthread_mutex_destroy(&count->lock);
}

bool caller_count_enter(CallerCount *count)
{
    pthread_mutex_lock(&count->lock);
    const bool open = !count->closed;
    count->inside += open;
    pthread_mutex_unlock(&count->lock);
    return open;
}

void caller_count_leave(CallerCount *count)
{
    pthread_mutex_lock(&count->lock);
    assert(count->inside > 0);
    if (--count->inside == 0)
        pthread_cond_broadcast(&count->left);
    pthread_mutex_unlock(&count->lock);
}

void caller_count_close(CallerCount *count)
{
    pthread_mutex_lock(&count->lock);
    count->closed = true;
    pthread_mutex_unlock(&count->lock);
}

void caller_count_wait(CallerCount *count)
{
    pthread_mutex_lock(&count->lock);
    while (count->inside)
        pthread_cond_wait(&count->left, &count->lock);
    pthread_mutex_unlock(&count->lock);
}
