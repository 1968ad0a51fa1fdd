/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <sched.h>
#include <time.h>

#include "gpu/backend/cuda_hip/device.h"

/* A thread first polls without sleeping, which competes for the driver's lock, then sleeps between
 * polls. */
#define POLLS_WITHOUT_SLEEP 16
#define SHORTEST_SLEEP_NS 20000
#define LONGEST_SLEEP_NS 1000000
#define MAX_ERRORS 100

int cuda_hip_points_create(CudaHipDevice *dev, CudaHipPoints *points)
{
    int err = 0;
    for (unsigned i = 0; i < CUDA_HIP_POINTS && !err; i++)
        err = CUDA_HIP_TRY(dev, EventCreate, &points->ring[i].event, CUDA_HIP_EVENT_UNTIMED);
    return err;
}

void cuda_hip_points_destroy(CudaHipDevice *dev, CudaHipPoints *points)
{
    for (unsigned i = 0; i < CUDA_HIP_POINTS; i++)
        if (points->ring[i].event)
            dev->api->call.EventDestroy(points->ring[i].event);
}

CudaHipHandle cuda_hip_points_pin(CudaHipPoints *points, uint64_t value)
{
    CudaHipHandle event = NULL;
    pthread_mutex_lock(&points->lock);
    if (value > points->reached) {
        points->ring[value % CUDA_HIP_POINTS].pins++;
        event = points->ring[value % CUDA_HIP_POINTS].event;
    }
    pthread_mutex_unlock(&points->lock);
    return event;
}

void cuda_hip_points_unpin(CudaHipPoints *points, uint64_t value)
{
    pthread_mutex_lock(&points->lock);
    points->ring[value % CUDA_HIP_POINTS].pins--;
    pthread_mutex_unlock(&points->lock);
}

static void note_reached(CudaHipPoints *points, uint64_t value)
{
    pthread_mutex_lock(&points->lock);
    if (value > points->reached)
        points->reached = value;
    pthread_mutex_unlock(&points->lock);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void sleep_ns(uint64_t ns)
{
    nanosleep(&(struct timespec){ .tv_nsec = (long)ns }, NULL);
}

/* How long to sleep: an eighth of the time waited so far, which limits how late we notice the
 * event. */
static uint64_t sleep_after(uint64_t passed_ns)
{
    const uint64_t ns = passed_ns / 8;
    return ns < SHORTEST_SLEEP_NS  ? SHORTEST_SLEEP_NS
           : ns > LONGEST_SLEEP_NS ? LONGEST_SLEEP_NS
                                   : ns;
}

/* Polls, because the driver's own wait has no timeout and another thread may find the device lost
 * meanwhile. Returns 1 once the event is reached, 0 on a timeout, -EIO if the device is lost. */
static int wait_for_event(CudaHipDevice *dev, CudaHipHandle event, uint64_t timeout_ns)
{
    const uint64_t start = now_ns();
    unsigned errors = 0;
    for (unsigned polls = 0;; polls++) {
        const int result = dev->api->call.EventQuery(event);
        if (!result)
            return 1;
        /* After an error other than a loss, the work may still run and use memory that the caller
         * would free, so poll again, at most MAX_ERRORS times. */
        if (result != CUDA_HIP_NOT_READY) {
            cuda_hip_error(dev, CUDA_HIP_EventQuery, result);
            if (++errors == MAX_ERRORS)
                atomic_store(&dev->lost, true);
        }
        if (atomic_load(&dev->lost))
            return -EIO;
        const uint64_t passed = now_ns() - start;
        if (passed >= timeout_ns)
            return 0;
        if (polls < POLLS_WITHOUT_SLEEP) {
            sched_yield();
            continue;
        }
        const uint64_t ns = sleep_after(passed);
        sleep_ns(ns < timeout_ns - passed ? ns : timeout_ns - passed);
    }
}

int cuda_hip_points_wait(CudaHipDevice *dev, CudaHipPoints *points, uint64_t value,
                         uint64_t timeout_ns)
{
    const CudaHipHandle event = cuda_hip_points_pin(points, value);
    if (!event)
        return 1;
    int reached = cuda_hip_enter(dev);
    if (!reached) {
        reached = wait_for_event(dev, event, timeout_ns);
        cuda_hip_leave(dev);
    }
    cuda_hip_points_unpin(points, value);
    if (reached > 0)
        note_reached(points, value);
    return reached;
}

static bool is_pinned(CudaHipPoints *points, uint64_t value)
{
    pthread_mutex_lock(&points->lock);
    const bool pinned = points->ring[value % CUDA_HIP_POINTS].pins;
    pthread_mutex_unlock(&points->lock);
    return pinned;
}

int cuda_hip_points_take(CudaHipDevice *dev, CudaHipPoints *points, CudaHipHandle *event)
{
    /* Only the caller changes `submitted`, since it holds the queue's lock. */
    const uint64_t value = points->submitted + 1;
    if (value > CUDA_HIP_POINTS) {
        const int reached = cuda_hip_points_wait(dev, points, value - CUDA_HIP_POINTS, UINT64_MAX);
        if (reached < 0)
            return reached;
    }
    /* Threads that still use the event will find it reached and unpin it. */
    while (is_pinned(points, value))
        sleep_ns(SHORTEST_SLEEP_NS);
    *event = points->ring[value % CUDA_HIP_POINTS].event;
    return 0;
}

uint64_t cuda_hip_points_publish(CudaHipPoints *points)
{
    pthread_mutex_lock(&points->lock);
    const uint64_t value = ++points->submitted;
    pthread_mutex_unlock(&points->lock);
    return value;
}
