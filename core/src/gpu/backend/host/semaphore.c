/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <time.h>

#include "base/mem.h"
#include "gpu/backend/host/device.h"

struct HostSemaphore {
    uint64_t value;
};

/* Of all semaphores: they are few, and a device may wait for any of them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint64_t epoch;

int host_semaphore_create(HostSemaphore **out)
{
    *out = mem_zalloc(sizeof(**out));
    return *out ? 0 : -ENOMEM;
}

void host_semaphore_destroy(HostSemaphore *semaphore)
{
    mem_free(semaphore);
}

void host_semaphore_signal(HostSemaphore *semaphore, uint64_t value)
{
    pthread_mutex_lock(&lock);
    if (value > semaphore->value)
        semaphore->value = value;
    epoch++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

uint64_t host_semaphore_value(HostSemaphore *semaphore)
{
    pthread_mutex_lock(&lock);
    const uint64_t value = semaphore->value;
    pthread_mutex_unlock(&lock);
    return value;
}

void host_semaphore_wake(void)
{
    pthread_mutex_lock(&lock);
    epoch++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

uint64_t host_semaphore_epoch(void)
{
    pthread_mutex_lock(&lock);
    const uint64_t now = epoch;
    pthread_mutex_unlock(&lock);
    return now;
}

bool host_semaphore_wait(uint64_t seen, uint64_t deadline_ns)
{
    const struct timespec deadline = { .tv_sec = (time_t)(deadline_ns / 1000000000),
                                       .tv_nsec = (long)(deadline_ns % 1000000000) };
    int err = 0;
    pthread_mutex_lock(&lock);
    while (epoch == seen && err != ETIMEDOUT)
        err = deadline_ns == UINT64_MAX ? pthread_cond_wait(&changed, &lock)
                                        : pthread_cond_timedwait(&changed, &lock, &deadline);
    const bool is_changed = epoch != seen;
    pthread_mutex_unlock(&lock);
    return is_changed;
}
