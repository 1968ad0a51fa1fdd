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

/* Runs the submission, except that the commands after its last barrier stay in dev->stage. On an
 * error the device is lost and the submission freed. */
static int run_commands(HostDevice *dev, const HostSubmission *s)
{
    for (unsigned c = 0; c < s->command_count; c++) {
        const GpuCommands *commands = s->commands[c];
        for (unsigned i = 0; i < commands->count; i++) {
            if (commands->list[i].kind != HOST_BARRIER) {
                dev->stage[dev->stage_count++] = &commands->list[i];
                continue;
            }
            const int err = host_run_stage(dev);
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

/* Runs the queue's first submission and returns true, or returns false if it must still wait. If it
 * does not end with a barrier, the following submissions that need not wait are mixed with its last
 * commands. */
static bool run_first(HostDevice *dev, HostQueue *queue)
{
    const HostSubmission *s = queue->first;
    if (dev->lost || !s || !is_ready(dev, s))
        return false;
    uint64_t done;
    dev->stage_count = 0;
    do {
        if (run_commands(dev, s))
            return false;
        done = s->value;
        s = s->next;
    } while (s && dev->stage_count && is_ready(dev, s));
    if (host_run_stage(dev))
        return false;
    while (queue->done < done)
        finish(queue);
    return true;
}

/* Runs only the work that the point needs. Returns false if the point is still not reached. */
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

/* Runs the first submission of the transfer queue, or else of a compute queue: the last queue
 * first, so that they run in another order than they were submitted to. */
static bool run_any(HostDevice *dev)
{
    if (run_first(dev, &dev->queues[GPU_TRANSFER]))
        return true;
    for (unsigned i = GPU_MAX_COMPUTE_QUEUES; i--;)
        if (run_first(dev, &dev->queues[gpu_compute_queue(i)]))
            return true;
    return false;
}

/* Runs the work that the schedule allows to run at each submission and each wait. */
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
        return host_lose_locked(dev, "submitted commands were not recorded for this queue");
    if (commands->in_flight)
        return host_lose_locked(dev, "submitted commands are still in flight");
    for (unsigned i = 0; i < commands->count; i++) {
        HostObject *named[HOST_MAX_NAMED];
        const unsigned count = host_command_names(&commands->list[i], named);
        for (unsigned n = 0; n < count; n++)
            if (named[n]->destroyed)
                return host_lose_locked(dev,
                                        "submitted commands use an object that was destroyed (%s)",
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
        return host_lose_locked(dev, "too many commands, waits or signals in a submission");
    for (unsigned i = 0; i < submit->wait_count; i++)
        if (submit->waits[i].value > dev->queues[submit->waits[i].queue].submitted)
            return host_lose_locked(dev, "a submission waits for a point that was not submitted");
    for (unsigned i = 0; i < submit->command_count; i++) {
        const int err = check_commands(dev, submit->queue, submit->commands[i]);
        if (err)
            return err;
    }
    return 0;
}

/* Allocates memory to run all submissions of the queue as if none had a barrier. */
static int make_room(HostDevice *dev, const HostQueue *queue)
{
    uint64_t commands = 0, units = 0;
    for (const HostSubmission *s = queue->first; s; s = s->next)
        for (unsigned c = 0; c < s->command_count; c++) {
            commands += s->commands[c]->count;
            for (unsigned i = 0; i < s->commands[c]->count; i++)
                units += host_command_units(&s->commands[c]->list[i]);
        }
    if (commands > dev->stage_capacity) {
        const HostCommand **stage = mem_realloc(dev->stage, commands * sizeof(const HostCommand *));
        if (!stage)
            return -ENOMEM;
        dev->stage = stage;
        dev->stage_capacity = (unsigned)commands;
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
    const int fault = host_fault_locked(dev, HOST_SUBMIT);
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

/* GpuOps.wait for a caller that holds the lock. Releases the lock while it waits for foreign
 * semaphores. */
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
            return host_lose_locked(dev, "waiting without a timeout for work that hangs");
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
    const int fault = host_fault_locked(dev, HOST_WAIT);
    int reached;
    if (fault)
        reached = fault == HOST_HANG ? 0 : fault;
    else if (point.value > dev->queues[point.queue].submitted)
        reached = host_lose_locked(dev, "waiting for a point that was not submitted");
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
    int err = host_fault_locked(dev, HOST_DRAIN);
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

/* ---- running a stage ---- */

uint64_t host_command_units(const HostCommand *command)
{
    if (command->kind == HOST_STAMP || command->kind == HOST_BARRIER)
        return 0;
    if (command->kind != HOST_DISPATCH)
        return 1;
    return (uint64_t)command->groups[0] * command->groups[1] * command->groups[2];
}

static void overwrite(HostDevice *dev, const HostCommand *command)
{
    const GpuRows *rows = &command->rows;
    HostBuffer *to = host_buffer(rows->to);
    char *at = to->data + rows->to_offset;
    if (command->kind == HOST_UNDEFINE) {
        random_fill(&dev->random, at, rows->row);
    } else if (command->kind == HOST_FILL) {
        for (size_t i = 0; i < rows->row; i += 4)
            memcpy(at + i, &command->word, 4);
    } else {
        const char *from = host_buffer(rows->from)->data + rows->from_offset;
        for (unsigned y = 0; y < rows->rows; y++)
            memmove(at + y * rows->to_stride, from + y * rows->from_stride, rows->row);
    }
    if (rows->rows)
        host_buffer_wrote(dev, to, rows->to_offset,
                          rows->to_offset + (rows->rows - 1) * rows->to_stride + rows->row);
}

static int run_workgroup(HostDevice *dev, const HostCommand *command, unsigned number)
{
    const GpuBindings *bindings = command->bindings;
    const HostKernel *kernel = bindings->kernel;
    const unsigned *groups = command->groups;
    char *object = dev->object, *at = object + sizeof(HostThread);
    const HostThread thread = {
        .runner = dev->runner,
        .group = { number % groups[0], number / groups[0] % groups[1],
                   number / groups[0] / groups[1] },
    };
    memcpy(object, &thread, sizeof(thread));
    for (unsigned i = 0; i < kernel->buffer_count; i++, at += sizeof(HostArgument)) {
        const GpuRange *range = &bindings->ranges[i];
        const HostArgument argument = { host_buffer(range->buffer)->data + range->offset,
                                        range->size, dev->runner };
        memcpy(at, &argument, sizeof(argument));
    }
    memcpy(at, command->params, kernel->params_size);
    at += kernel->params_size;
    /* Shared arrays hold noise, or the data of an earlier workgroup, which is more like real
     * data. */
    if (random_coin(&dev->random))
        random_fill(&dev->random, at, kernel->object_size - (size_t)(at - object));
    char why[128];
    const int err = workgroup_run(dev->runner, kernel, object, &dev->random, why, sizeof(why));
    return err ? host_lose_locked(dev, "kernel %s, workgroup %u %u %u: %s", kernel->name,
                                  thread.group[0], thread.group[1], thread.group[2], why)
               : 0;
}

/* Sets the stamps of the stage after all its commands. A stamp only promises that the commands
 * before it are done and orders nothing. Two stamps differ by at least a microsecond, so that no
 * kernel seems to take no time. */
static void set_stamps(HostDevice *dev)
{
    for (unsigned i = 0; i < dev->stage_count; i++) {
        const HostCommand *command = dev->stage[i];
        if (command->kind != HOST_STAMP)
            continue;
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        const uint64_t time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
        dev->last_stamp = time > dev->last_stamp + 1000 ? time : dev->last_stamp + 1000;
        GpuStamps *stamps = command->stamps;
        if (command->stamp == 0)
            memset(stamps->times, 0, stamps->count * sizeof(*stamps->times));
        stamps->times[command->stamp] = dev->last_stamp;
    }
}

int host_run_stage(HostDevice *dev)
{
    size_t unit_count = 0;
    for (unsigned i = 0; i < dev->stage_count; i++) {
        const uint64_t units = host_command_units(dev->stage[i]);
        for (uint64_t number = 0; number < units; number++)
            dev->units[unit_count++] = (uint64_t)i << 32 | number;
    }
    random_shuffle(&dev->random, dev->units, unit_count);
    int err = 0;
    for (size_t i = 0; i < unit_count && !err; i++) {
        const HostCommand *command = dev->stage[dev->units[i] >> 32];
        if (command->kind == HOST_DISPATCH)
            err = run_workgroup(dev, command, (unsigned)dev->units[i]);
        else
            overwrite(dev, command);
    }
    if (!err)
        set_stamps(dev);
    dev->stage_count = 0;
    return err;
}
