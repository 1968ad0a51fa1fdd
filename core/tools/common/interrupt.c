/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "interrupt.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int came;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* over what follows */
static void (*stop_function)(void *arg);
static void *stop_arg;

int interrupt_signal(void)
{
    return atomic_load(&came);
}

void interrupt_call(void (*stop)(void *arg), void *arg)
{
    pthread_mutex_lock(&lock);
    stop_function = stop;
    stop_arg = arg;
    if (stop && interrupt_signal())
        stop(arg);
    pthread_mutex_unlock(&lock);
}

void interrupt_note(int signal)
{
    pthread_mutex_lock(&lock);
    atomic_store(&came, signal);
    if (stop_function)
        stop_function(stop_arg);
    pthread_mutex_unlock(&lock);
}
