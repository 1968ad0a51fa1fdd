/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "gpu/backend/host/device.h"

/* ---- running what is submitted ---- */

static bool is_ready(const HostDevice *dev, const HostSubmission *s)
{
    for (unsigned i = 0; i < s->wait_count; i++)
        if (dev->queues[s->waits[i].queue].done < s->waits[i].value)
            return false;
    for (unsigned i = 0; i < s->foreign_wait_count; i++) {
        HostSemaphore *semaphore = (HostSemaphore *)s->foreign_waits[i].handle;
        if (host_semaphore_value(semaphore) < s->foreign_waits[i].value)
            return false;
    }
    return !s->hangs;
}

/* On an error the device is lost, and the submission gone. */
static int run_commands(HostDevice *dev, const HostSubmission *s)
{
    for (unsigned c = 0; c < s->command_count; c++) {
        const GpuCommands *commands = s->commands[c];
        for (unsigned i = 0; i < commands->count; i++) {
            if (commands->list[i].kind != HOST_BARRIER) {
                dev->part[dev->part_count++] = &commands->list[i];
                continue;
            }
            const int err = host_run_part(dev);
            if (err)
                return err;
            host_buffers_show(dev);
        }
    }
    return 0;
}

static void finish(HostQueue *queue)
{
    HostSubmission *s = queue->first;
    for (unsigned i = 0; i < s->foreign_signal_count; i++)
        host_semaphore_signal((HostSemaphore *)s->foreign_signals[i].handle,
                              s->foreign_signals[i].value);
    for (unsigned i = 0; i < s->command_count; i++)
        s->commands[i]->in_flight = false;
    queue->done = s->value;
    queue->first = s->next;
    if (!queue->first)
        queue->last = NULL;
    mem_free(s);
}

/* Runs the queue's first submission if it need not wait: then true. When it does not end with a
 * barrier, what follows on the queue and need not wait either is mixed with its end. */
static bool run_first(HostDevice *dev, HostQueue *queue)
{
    const HostSubmission *s = queue->first;
    if (dev->lost || !s || !is_ready(dev, s))
        return false;
    uint64_t done;
    dev->part_count = 0;
    do {
        if (run_commands(dev, s))
            return false;
        done = s->value;
        s = s->next;
    } while (s && dev->part_count && is_ready(dev, s));
    if (host_run_part(dev))
        return false;
    while (queue->done < done)
        finish(queue);
    return true;
}

/* Runs no more than the point needs; false when that is not enough. */
static bool reach(HostDevice *dev, GpuPoint point)
{
    HostQueue *queue = &dev->queues[point.queue];
    while (queue->done < point.value) {
        const HostSubmission *s = queue->first;
        for (unsigned i = 0; i < s->wait_count; i++)
            if (!reach(dev, s->waits[i]))
                return false;
        if (!run_first(dev, queue))
            return false;
    }
    return true;
}

/* Runs the first submission of the transfer queue, or else of a lane: the last lane first, so that lanes run
 * in another order than they are submitted to. */
static bool run_any(HostDevice *dev)
{
    if (run_first(dev, &dev->queues[GPU_TRANSFER]))
        return true;
    for (unsigned i = GPU_MAX_COMPUTE_QUEUES; i--;)
        if (run_first(dev, &dev->queues[gpu_compute_queue(i)]))
            return true;
    return false;
}

/* What the device does by itself when something is submitted or waited for. */
static void go_on(HostDevice *dev)
{
    HostQueue *transfer = &dev->queues[GPU_TRANSFER];
    switch (dev->params.schedule) {
    case HOST_EAGER:
        while (run_any(dev))
            ;
        break;
    case HOST_TRANSFER_FIRST:
        while (run_first(dev, transfer))
            ;
        break;
    case HOST_COMPUTE_FIRST:
        for (unsigned i = GPU_MAX_COMPUTE_QUEUES; i--;)
            reach(dev,
                  (GpuPoint){ gpu_compute_queue(i), dev->queues[gpu_compute_queue(i)].submitted });
        break;
    case HOST_RANDOM:
        while (random_coin(&dev->random))
            run_first(dev, &dev->queues[random_below(&dev->random, GPU_QUEUES)]);
        break;
    default:
        break;
    }
}

/* ---- submitting ---- */

static int check_commands(HostDevice *dev, enum GpuQueue queue, const GpuCommands *commands)
{
    const enum GpuQueue kind = queue == GPU_TRANSFER ? GPU_TRANSFER : GPU_COMPUTE;
    if (commands->state != HOST_RECORDED || commands->err || commands->queue != kind)
        return host_lose(dev, "commands are submitted that were not recorded for this queue");
    if (commands->in_flight)
        return host_lose(dev, "commands are submitted that are still in flight");
    for (unsigned i = 0; i < commands->count; i++) {
        HostObject *named[HOST_MAX_NAMED];
        const unsigned count = host_command_names(&commands->list[i], named);
        for (unsigned n = 0; n < count; n++)
            if (named[n]->destroyed)
                return host_lose(dev, "commands are submitted whose %s was destroyed",
                                 named[n]->kind);
    }
    return 0;
}

static int check(HostDevice *dev, const GpuSubmit *submit)
{
    if (dev->lost)
        return -EIO;
    if (submit->command_count > GPU_MAX_COMMANDS || submit->wait_count > GPU_MAX_WAITS ||
        submit->foreign_wait_count > GPU_MAX_WAITS || submit->foreign_signal_count > GPU_MAX_WAITS)
        return host_lose(dev, "a submission has too many parts");
    for (unsigned i = 0; i < submit->wait_count; i++)
        if (submit->waits[i].value > dev->queues[submit->waits[i].queue].submitted)
            return host_lose(dev, "a submission waits for what was not submitted");
    for (unsigned i = 0; i < submit->command_count; i++) {
        const int err = check_commands(dev, submit->queue, submit->commands[i]);
        if (err)
            return err;
    }
    return 0;
}

/* Room to run the queue as if it had no barrier at all. */
static int make_room(HostDevice *dev, const HostQueue *queue)
{
    uint64_t commands = 0, units = 0;
    for (const HostSubmission *s = queue->first; s; s = s->next)
        for (unsigned c = 0; c < s->command_count; c++) {
            commands += s->commands[c]->count;
            for (unsigned i = 0; i < s->commands[c]->count; i++)
                units += host_command_units(&s->commands[c]->list[i]);
        }
    if (commands > dev->part_capacity) {
        const HostCommand **part = mem_realloc(dev->part, commands * sizeof(const HostCommand *));
        if (!part)
            return -ENOMEM;
        dev->part = part;
        dev->part_capacity = (unsigned)commands;
    }
    if (units > dev->unit_capacity) {
        uint64_t *list = mem_realloc(dev->units, units * sizeof(*list));
        if (!list)
            return -ENOMEM;
        dev->units = list;
        dev->unit_capacity = units;
    }
    return 0;
}

static int enqueue(HostDevice *dev, const GpuSubmit *submit, bool hangs)
{
    HostQueue *queue = &dev->queues[submit->queue];
    HostSubmission *s = mem_zalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    s->value = queue->submitted + 1;
    s->hangs = hangs;
    s->command_count = submit->command_count;
    s->wait_count = submit->wait_count;
    s->foreign_wait_count = submit->foreign_wait_count;
    s->foreign_signal_count = submit->foreign_signal_count;
    for (unsigned i = 0; i < s->command_count; i++)
        s->commands[i] = submit->commands[i];
    for (unsigned i = 0; i < s->wait_count; i++)
        s->waits[i] = submit->waits[i];
    for (unsigned i = 0; i < s->foreign_wait_count; i++)
        s->foreign_waits[i] = submit->foreign_waits[i];
    for (unsigned i = 0; i < s->foreign_signal_count; i++)
        s->foreign_signals[i] = submit->foreign_signals[i];
    HostSubmission *before = queue->last;
    *(before ? &before->next : &queue->first) = s;
    const int err = make_room(dev, queue);
    if (err) {
        *(before ? &before->next : &queue->first) = NULL;
        mem_free(s);
        return err;
    }
    queue->last = s;
    queue->submitted = s->value;
    for (unsigned i = 0; i < s->command_count; i++)
        s->commands[i]->in_flight = true;
    return 0;
}

int host_submit(GpuDevice *gpu, const GpuSubmit *submit, GpuPoint *done)
{
    HostDevice *dev = (HostDevice *)gpu;
    pthread_mutex_lock(&dev->lock);
    const int fault = host_fault(dev, HOST_SUBMIT);
    int err = fault < 0 ? fault : check(dev, submit);
    if (!err)
        err = enqueue(dev, submit, fault == HOST_HANG);
    if (!err) {
        *done = (GpuPoint){ submit->queue, dev->queues[submit->queue].submitted };
        go_on(dev);
    }
    pthread_mutex_unlock(&dev->lock);
    return err;
}

/* ---- waiting ---- */

static uint64_t deadline_after(uint64_t timeout_ns)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    return timeout_ns < UINT64_MAX - time ? time + timeout_ns : UINT64_MAX;
}

static bool hangs(const HostDevice *dev)
{
    for (unsigned q = 0; q < GPU_QUEUES; q++)
        for (const HostSubmission *s = dev->queues[q].first; s; s = s->next)
            if (s->hangs)
                return true;
    return false;
}

/* As GpuOps.wait, with the lock, which it gives away while it waits for work of others. */
static int wait_for(HostDevice *dev, GpuPoint point, uint64_t timeout_ns)
{
    const uint64_t deadline = deadline_after(timeout_ns);
    for (;;) {
        const uint64_t epoch = host_semaphore_epoch();
        const bool open = dev->queues[point.queue].done < point.value;
        if (open && !dev->lost)
            go_on(dev);
        const bool too_early =
            open && !timeout_ns && dev->params.schedule == HOST_RANDOM && random_coin(&dev->random);
        if (!dev->lost && !too_early && reach(dev, point))
            return 1;
        if (dev->lost)
            return -EIO;
        if (hangs(dev) && timeout_ns == UINT64_MAX)
            return host_lose(dev, "work hangs that is waited for without a limit");
        if (hangs(dev) || too_early)
            return 0;
        pthread_mutex_unlock(&dev->lock);
        const bool changed = host_semaphore_wait(epoch, deadline);
        pthread_mutex_lock(&dev->lock);
        if (!changed)
            return dev->lost ? -EIO : 0;
    }
}

int host_wait(GpuDevice *gpu, GpuPoint point, uint64_t timeout_ns)
{
    HostDevice *dev = (HostDevice *)gpu;
    pthread_mutex_lock(&dev->lock);
    const int fault = host_fault(dev, HOST_WAIT);
    int reached;
    if (fault)
        reached = fault == HOST_HANG ? 0 : fault;
    else if (point.value > dev->queues[point.queue].submitted)
        reached = host_lose(dev, "a point is waited for that was not submitted");
    else
        reached = wait_for(dev, point, timeout_ns);
    pthread_mutex_unlock(&dev->lock);
    return reached;
}

int host_drain(GpuDevice *gpu)
{
    HostDevice *dev = (HostDevice *)gpu;
    pthread_mutex_lock(&dev->lock);
    GpuPoint ends[GPU_QUEUES];
    for (unsigned q = 0; q < GPU_QUEUES; q++)
        ends[q] = (GpuPoint){ q, dev->queues[q].submitted };
    int err = host_fault(dev, HOST_DRAIN);
    for (unsigned q = 0; q < GPU_QUEUES && err >= 0; q++)
        err = wait_for(dev, ends[q], UINT64_MAX);
    pthread_mutex_unlock(&dev->lock);
    return err < 0 ? err : 0;
}

int host_resume(GpuDevice *gpu)
{
    HostDevice *dev = (HostDevice *)gpu;
    pthread_mutex_lock(&dev->lock);
    for (unsigned q = 0; q < GPU_QUEUES; q++)
        for (HostSubmission *s = dev->queues[q].first; s; s = s->next)
            s->hangs = false;
    while (run_any(dev))
        ;
    const int err = dev->lost ? -EIO : 0;
    pthread_mutex_unlock(&dev->lock);
    return err;
}

/* ---- what is in flight ---- */

bool host_in_flight(const HostDevice *dev, const HostObject *object)
{
    for (unsigned q = 0; q < GPU_QUEUES; q++)
        for (const HostSubmission *s = dev->queues[q].first; s; s = s->next)
            for (unsigned c = 0; c < s->command_count; c++)
                for (unsigned i = 0; i < s->commands[c]->count; i++) {
                    HostObject *named[HOST_MAX_NAMED];
                    const unsigned count = host_command_names(&s->commands[c]->list[i], named);
                    for (unsigned n = 0; n < count; n++)
                        if (named[n] == object)
                            return true;
                }
    return false;
}

void host_queues_clear(HostDevice *dev)
{
    for (unsigned q = 0; q < GPU_QUEUES; q++) {
        HostQueue *queue = &dev->queues[q];
        for (HostSubmission *s = queue->first, *next; s; s = next) {
            next = s->next;
            for (unsigned i = 0; i < s->command_count; i++)
                s->commands[i]->in_flight = false;
            mem_free(s);
        }
        queue->first = queue->last = NULL;
    }
}
