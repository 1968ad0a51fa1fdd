/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <assert.h>
#include <errno.h>

#include "base/log.h"
#include "gpu/backend/cuda_hip/device.h"

/* What is recorded once and submitted often becomes a graph the second time; what is recorded anew for
 * each frame never does, since making one takes longer than it saves. Commands that note the time are
 * enqueued one by one, so that the times are those of each of them alone. */
static void make_graph(GpuCommands *commands)
{
    const bool wanted = commands->queue == GPU_COMPUTE && commands->submitted &&
                        commands->launches > 1 && !commands->stamped;
    commands->submitted = true;
    if (!wanted || commands->graph || commands->no_graph)
        return;
    if (driver_capture(commands)) {
        log_warning("%s: no graph can be made on %s: kernels are launched one by one",
                    commands->dev->api->name, commands->dev->gpu.name);
        commands->no_graph = true;
    }
}

/* ---- around a submission ---- */

typedef struct Waits {
    DriverHandle events[GPU_MAX_WAITS]; /* pinned; NULL: none */
} Waits;

/* A queue runs in order, so that it never waits for itself. */
static void pin_waits(DriverDevice *dev, const GpuSubmit *submit, Waits *waits)
{
    for (unsigned i = 0; i < submit->wait_count; i++) {
        const GpuPoint *point = &submit->waits[i];
        waits->events[i] = point->queue == submit->queue || !point->value
                               ? NULL
                               : driver_points_pin(&dev->queues[point->queue].points, point->value);
    }
}

static void unpin_waits(DriverDevice *dev, const GpuSubmit *submit, const Waits *waits)
{
    for (unsigned i = 0; i < submit->wait_count; i++)
        if (waits->events[i])
            driver_points_unpin(&dev->queues[submit->waits[i].queue].points,
                                submit->waits[i].value);
}

/* ---- what is enqueued, under the queue's lock ---- */

static int wait_for_foreign(DriverDevice *dev, DriverQueue *queue, const GpuForeign *foreign)
{
    const DriverHandle handle = (DriverHandle)foreign->handle;
    if (foreign->value) {
        const DriverSemaphoreValue value = { .value = foreign->value };
        return DRIVER_TRY(dev, WaitExternalSemaphoresAsync, &handle, &value, 1, queue->stream);
    }
    const int err = DRIVER_TRY(dev, EventRecord, queue->mark, handle);
    return err ? err : DRIVER_TRY(dev, StreamWaitEvent, queue->stream, queue->mark, 0);
}

/* Semaphores are signalled by our stream, before the point; streams of others wait for the point. */
static int signal_foreign(DriverDevice *dev, DriverQueue *queue, const GpuForeign *foreign)
{
    const DriverHandle handle = (DriverHandle)foreign->handle;
    const DriverSemaphoreValue value = { .value = foreign->value };
    if (!foreign->value)
        return 0;
    return DRIVER_TRY(dev, SignalExternalSemaphoresAsync, &handle, &value, 1, queue->stream);
}

static int hold_foreign(DriverDevice *dev, const GpuForeign *foreign, DriverHandle done)
{
    if (foreign->value)
        return 0;
    return DRIVER_TRY(dev, StreamWaitEvent, (DriverHandle)foreign->handle, done, 0);
}

static int enqueue_commands(DriverDevice *dev, const GpuCommands *commands, DriverHandle stream)
{
    if (commands->graph)
        return DRIVER_TRY(dev, GraphLaunch, commands->graph, stream);
    int err = 0;
    for (size_t i = 0; i < commands->count && !err; i++)
        err = driver_command_issue(dev, &commands->list[i], stream);
    return err;
}

static int enqueue(DriverDevice *dev, DriverQueue *queue, const GpuSubmit *submit,
                   const Waits *waits, DriverHandle done)
{
    int err = 0;
    for (unsigned i = 0; i < submit->wait_count && !err; i++)
        if (waits->events[i])
            err = DRIVER_TRY(dev, StreamWaitEvent, queue->stream, waits->events[i], 0);
    for (unsigned i = 0; i < submit->foreign_wait_count && !err; i++)
        err = wait_for_foreign(dev, queue, &submit->foreign_waits[i]);
    for (unsigned i = 0; i < submit->command_count && !err; i++)
        err = enqueue_commands(dev, submit->commands[i], queue->stream);
    for (unsigned i = 0; i < submit->foreign_signal_count && !err; i++)
        err = signal_foreign(dev, queue, &submit->foreign_signals[i]);
    if (!err)
        err = DRIVER_TRY(dev, EventRecord, done, queue->stream);
    for (unsigned i = 0; i < submit->foreign_signal_count && !err; i++)
        err = hold_foreign(dev, &submit->foreign_signals[i], done);
    return err;
}

int driver_submit(GpuDevice *gpu, const GpuSubmit *submit, GpuPoint *done)
{
    DriverDevice *dev = (DriverDevice *)gpu;
    DriverQueue *queue = &dev->queues[submit->queue];
    assert(submit->command_count <= GPU_MAX_COMMANDS && submit->wait_count <= GPU_MAX_WAITS &&
           submit->foreign_wait_count <= GPU_MAX_WAITS &&
           submit->foreign_signal_count <= GPU_MAX_WAITS);
    int err = driver_enter(dev);
    if (err)
        return err;
    for (unsigned i = 0; i < submit->command_count; i++)
        make_graph(submit->commands[i]);

    Waits waits;
    DriverHandle event;
    uint64_t value = 0;
    pin_waits(dev, submit, &waits);
    pthread_mutex_lock(&queue->lock);
    err = driver_points_take(dev, &queue->points, &event);
    if (!err)
        err = enqueue(dev, queue, submit, &waits, event);
    if (!err)
        value = driver_points_publish(&queue->points);
    pthread_mutex_unlock(&queue->lock);
    unpin_waits(dev, submit, &waits);
    /* Part of it may run: the caller may let go of its buffers only when that is over. */
    if (err)
        dev->api->call.StreamSynchronize(queue->stream);
    driver_leave(dev);
    if (!err && done)
        *done = (GpuPoint){ submit->queue, value };
    return err;
}

/* ---- waiting ---- */

int driver_wait(GpuDevice *gpu, GpuPoint point, uint64_t timeout_ns)
{
    DriverDevice *dev = (DriverDevice *)gpu;
    if (!point.value)
        return 1;
    if (atomic_load(&dev->lost))
        return -EIO;
    return driver_points_wait(dev, &dev->queues[point.queue].points, point.value, timeout_ns);
}

int driver_drain(GpuDevice *gpu)
{
    DriverDevice *dev = (DriverDevice *)gpu;
    int err = 0;
    for (unsigned q = 0; q < GPU_QUEUES; q++) {
        DriverPoints *points = &dev->queues[q].points;
        pthread_mutex_lock(&points->lock);
        const uint64_t last = points->submitted;
        pthread_mutex_unlock(&points->lock);
        const int reached = driver_wait(gpu, (GpuPoint){ q, last }, UINT64_MAX);
        if (reached < 0)
            err = reached;
    }
    return err;
}
