/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <assert.h>
#include <errno.h>

#include "base/log.h"
#include "gpu/backend/cuda_hip/device.h"

/* Builds a graph when recorded commands are submitted the second time. Commands that are recorded
 * again for each frame never get one, since building it takes longer than it saves. Commands with
 * stamps are enqueued one by one, so that each time is that of one command. */
static void make_graph(GpuCommands *commands)
{
    const bool wanted = commands->queue == GPU_COMPUTE && commands->submitted &&
                        commands->launches > 1 && !commands->stamped;
    commands->submitted = true;
    if (!wanted || commands->graph || commands->no_graph)
        return;
    if (cuda_hip_capture_graph(commands)) {
        log_warning("%s: cannot build a graph on %s; launching kernels one by one",
                    commands->dev->api->name, commands->dev->gpu.name);
        commands->no_graph = true;
    }
}

/* ---- waits of a submission ---- */

typedef struct Waits {
    CudaHipHandle events[GPU_MAX_WAITS]; /* pinned; NULL: none */
} Waits;

/* Skips waits of a queue for itself, since it runs in order. */
static void pin_waits(CudaHipDevice *dev, const GpuSubmit *submit, Waits *waits)
{
    for (unsigned i = 0; i < submit->wait_count; i++) {
        const GpuPoint *point = &submit->waits[i];
        waits->events[i] =
            point->queue == submit->queue || !point->value
                ? NULL
                : cuda_hip_points_pin(&dev->queues[point->queue].points, point->value);
    }
}

static void unpin_waits(CudaHipDevice *dev, const GpuSubmit *submit, const Waits *waits)
{
    for (unsigned i = 0; i < submit->wait_count; i++)
        if (waits->events[i])
            cuda_hip_points_unpin(&dev->queues[submit->waits[i].queue].points,
                                  submit->waits[i].value);
}

/* ---- enqueueing: the caller holds the queue's lock ---- */

static int wait_for_foreign(CudaHipDevice *dev, CudaHipQueue *queue, const GpuForeign *foreign)
{
    const CudaHipHandle handle = (CudaHipHandle)foreign->handle;
    if (foreign->value) {
        const CudaHipSemaphoreValue value = { .value = foreign->value };
        return CUDA_HIP_TRY(dev, WaitExternalSemaphoresAsync, &handle, &value, 1, queue->stream);
    }
    const int err = CUDA_HIP_TRY(dev, EventRecord, queue->mark, handle);
    return err ? err : CUDA_HIP_TRY(dev, StreamWaitEvent, queue->stream, queue->mark, 0);
}

/* Signals a semaphore from our stream, before the point. For a foreign stream, see hold_foreign. */
static int signal_foreign(CudaHipDevice *dev, CudaHipQueue *queue, const GpuForeign *foreign)
{
    const CudaHipHandle handle = (CudaHipHandle)foreign->handle;
    const CudaHipSemaphoreValue value = { .value = foreign->value };
    if (!foreign->value)
        return 0;
    return CUDA_HIP_TRY(dev, SignalExternalSemaphoresAsync, &handle, &value, 1, queue->stream);
}

/* Makes a foreign stream wait for the point. */
static int hold_foreign(CudaHipDevice *dev, const GpuForeign *foreign, CudaHipHandle done)
{
    if (foreign->value)
        return 0;
    return CUDA_HIP_TRY(dev, StreamWaitEvent, (CudaHipHandle)foreign->handle, done, 0);
}

static int enqueue_commands(CudaHipDevice *dev, const GpuCommands *commands, CudaHipHandle stream)
{
    if (commands->graph)
        return CUDA_HIP_TRY(dev, GraphLaunch, commands->graph, stream);
    int err = 0;
    for (size_t i = 0; i < commands->count && !err; i++)
        err = cuda_hip_command_issue(dev, &commands->list[i], stream);
    return err;
}

static int enqueue(CudaHipDevice *dev, CudaHipQueue *queue, const GpuSubmit *submit,
                   const Waits *waits, CudaHipHandle done)
{
    int err = 0;
    for (unsigned i = 0; i < submit->wait_count && !err; i++)
        if (waits->events[i])
            err = CUDA_HIP_TRY(dev, StreamWaitEvent, queue->stream, waits->events[i], 0);
    for (unsigned i = 0; i < submit->foreign_wait_count && !err; i++)
        err = wait_for_foreign(dev, queue, &submit->foreign_waits[i]);
    for (unsigned i = 0; i < submit->command_count && !err; i++)
        err = enqueue_commands(dev, submit->commands[i], queue->stream);
    for (unsigned i = 0; i < submit->foreign_signal_count && !err; i++)
        err = signal_foreign(dev, queue, &submit->foreign_signals[i]);
    if (!err)
        err = CUDA_HIP_TRY(dev, EventRecord, done, queue->stream);
    for (unsigned i = 0; i < submit->foreign_signal_count && !err; i++)
        err = hold_foreign(dev, &submit->foreign_signals[i], done);
    return err;
}

int cuda_hip_submit(GpuDevice *gpu, const GpuSubmit *submit, GpuPoint *done)
{
    CudaHipDevice *dev = (CudaHipDevice *)gpu;
    CudaHipQueue *queue = &dev->queues[submit->queue];
    assert(submit->command_count <= GPU_MAX_COMMANDS && submit->wait_count <= GPU_MAX_WAITS &&
           submit->foreign_wait_count <= GPU_MAX_WAITS &&
           submit->foreign_signal_count <= GPU_MAX_WAITS);
    int err = cuda_hip_enter(dev);
    if (err)
        return err;
    for (unsigned i = 0; i < submit->command_count; i++)
        make_graph(submit->commands[i]);

    Waits waits;
    CudaHipHandle event;
    uint64_t value = 0;
    pin_waits(dev, submit, &waits);
    pthread_mutex_lock(&queue->lock);
    err = cuda_hip_points_take(dev, &queue->points, &event);
    if (!err)
        err = enqueue(dev, queue, submit, &waits, event);
    if (!err)
        value = cuda_hip_points_publish(&queue->points);
    pthread_mutex_unlock(&queue->lock);
    unpin_waits(dev, submit, &waits);
    /* A part of the submission may run already. Wait for it, since the caller may free its buffers
     * now. */
    if (err)
        dev->api->call.StreamSynchronize(queue->stream);
    cuda_hip_leave(dev);
    if (!err && done)
        *done = (GpuPoint){ submit->queue, value };
    return err;
}

/* ---- waiting ---- */

int cuda_hip_wait(GpuDevice *gpu, GpuPoint point, uint64_t timeout_ns)
{
    CudaHipDevice *dev = (CudaHipDevice *)gpu;
    if (!point.value)
        return 1;
    if (atomic_load(&dev->lost))
        return -EIO;
    return cuda_hip_points_wait(dev, &dev->queues[point.queue].points, point.value, timeout_ns);
}

int cuda_hip_drain(GpuDevice *gpu)
{
    CudaHipDevice *dev = (CudaHipDevice *)gpu;
    int err = 0;
    for (unsigned q = 0; q < GPU_QUEUES; q++) {
        CudaHipPoints *points = &dev->queues[q].points;
        pthread_mutex_lock(&points->lock);
        const uint64_t last = points->submitted;
        pthread_mutex_unlock(&points->lock);
        const int reached = cuda_hip_wait(gpu, (GpuPoint){ q, last }, UINT64_MAX);
        if (reached < 0)
            err = reached;
    }
    return err;
}

/* ---- graphs ---- */

/* A graph holds a list of commands that one call launches; the commands of a stage (those between
 * two barriers) run side by side. We capture it from streams on which no work ever runs. At a
 * barrier all streams join the first one, and after the barrier they fork from it again. */

int cuda_hip_capture_create(CudaHipDevice *dev)
{
    int err = 0;
    for (unsigned i = 0; i < CUDA_HIP_CAPTURE_STREAMS && !err; i++) {
        err =
            CUDA_HIP_TRY(dev, StreamCreate, &dev->capture.streams[i], CUDA_HIP_STREAM_NON_BLOCKING);
        if (!err)
            err = CUDA_HIP_TRY(dev, EventCreate, &dev->capture.events[i], CUDA_HIP_EVENT_UNTIMED);
    }
    return err;
}

void cuda_hip_capture_destroy(CudaHipDevice *dev)
{
    for (unsigned i = 0; i < CUDA_HIP_CAPTURE_STREAMS; i++) {
        if (dev->capture.events[i])
            dev->api->call.EventDestroy(dev->capture.events[i]);
        if (dev->capture.streams[i])
            dev->api->call.StreamDestroy(dev->capture.streams[i]);
    }
}

/* Makes later work on stream `to` wait for the work captured so far on stream `from`. */
static int follow(CudaHipDevice *dev, unsigned from, unsigned to)
{
    const CudaHipCapture *use = &dev->capture;
    const int err = CUDA_HIP_TRY(dev, EventRecord, use->events[from], use->streams[from]);
    return err ? err : CUDA_HIP_TRY(dev, StreamWaitEvent, use->streams[to], use->events[from], 0);
}

static int capture_stage(CudaHipDevice *dev, const CudaHipCommand *commands, size_t count)
{
    const unsigned width =
        count < CUDA_HIP_CAPTURE_STREAMS ? (unsigned)count : CUDA_HIP_CAPTURE_STREAMS;
    int err = 0;
    for (unsigned s = 1; s < width && !err; s++)
        err = follow(dev, 0, s);
    for (size_t i = 0; i < count && !err; i++)
        err = cuda_hip_command_issue(dev, &commands[i], dev->capture.streams[i % width]);
    for (unsigned s = 1; s < width && !err; s++)
        err = follow(dev, s, 0);
    return err;
}

static int capture_stages(const GpuCommands *commands)
{
    int err = 0;
    for (size_t first = 0, count; first < commands->count && !err; first += count + 1) {
        count = 0;
        while (first + count < commands->count &&
               commands->list[first + count].kind != COMMAND_BARRIER)
            count++;
        err = capture_stage(commands->dev, &commands->list[first], count);
    }
    return err;
}

static int capture_locked(const GpuCommands *commands, CudaHipHandle *graph)
{
    CudaHipDevice *dev = commands->dev;
    const CudaHipHandle first = dev->capture.streams[0];
    int err = CUDA_HIP_TRY(dev, StreamBeginCapture, first, CUDA_HIP_CAPTURE_THREAD_LOCAL);
    if (err)
        return err;
    err = capture_stages(commands);
    if (!err)
        return CUDA_HIP_TRY(dev, StreamEndCapture, first, graph);
    /* Capturing must end so that the streams are free again. It returns an error, but we report the
     * first one. */
    if (!dev->api->call.StreamEndCapture(first, graph) && *graph)
        dev->api->call.GraphDestroy(*graph);
    return err;
}

int cuda_hip_capture_graph(GpuCommands *commands)
{
    CudaHipDevice *dev = commands->dev;
    CudaHipHandle graph = NULL;
    pthread_mutex_lock(&dev->capture.lock);
    int err = capture_locked(commands, &graph);
    pthread_mutex_unlock(&dev->capture.lock);
    if (err)
        return err;
    err = CUDA_HIP_TRY(dev, GraphInstantiate, &commands->graph, graph, 0);
    if (err)
        commands->graph = NULL;
    dev->api->call.GraphDestroy(graph);
    return err;
}
