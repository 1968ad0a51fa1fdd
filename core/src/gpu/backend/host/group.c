/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/backend/host/group.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "gpu/backend/host/fiber.h"

/* Ample for kernels with the sanitizers' padding; only what is touched becomes memory. */
#define STACK_SIZE ((size_t)256 << 10)
#define STACK_GUARD ((size_t)64 << 10) /* out of reach; a page of any machine */

struct HostGroup {
    char *stacks;
    Fiber fibers[HOST_GROUP_MAX];
    bool prepared[HOST_GROUP_MAX];             /* when first needed */
    unsigned idle[HOST_GROUP_MAX], idle_count; /* fibers without a thread */

    const HostKernel *kernel;
    HostThread *object;
    unsigned thread_count;
    uint64_t order[HOST_GROUP_MAX];    /* of the threads until the next barrier */
    unsigned started;                  /* of them, in the first part of a group */
    unsigned fiber_of[HOST_GROUP_MAX]; /* threads at a barrier */
    unsigned thread, fiber;            /* that run */

    unsigned arrived; /* threads, at the barrier in this line */
    unsigned line;
    bool stopped;  /* the fiber left at a barrier, not for want of threads */
    char why[128]; /* "" while all is well */
};

/* The tops of stacks a multiple of 4 KiB apart would fight for the same lines of the cache. */
static size_t stack_colour(unsigned fiber)
{
    return (fiber % 61) * (size_t)64;
}

static void set_thread(HostGroup *runner, unsigned thread)
{
    runner->thread = thread;
    runner->object->local[0] = thread % runner->kernel->group[0];
    runner->object->local[1] = thread / runner->kernel->group[0];
}

/* A fiber takes threads that have not begun, until one of them comes to a barrier. Later parts of a
 * group begin no thread, so that the fiber is idle once its thread is done. */
static void fiber_work(void *opaque)
{
    HostGroup *runner = opaque;
    Fiber *fiber = &runner->fibers[runner->fiber];
    for (;;) {
        while (runner->started < runner->thread_count) {
            set_thread(runner, (unsigned)runner->order[runner->started++]);
            runner->kernel->run(runner->object);
        }
        fiber_leave(fiber);
    }
}

void host_barrier(HostGroup *runner, unsigned line)
{
    if (runner->arrived++ == 0)
        runner->line = line;
    else if (runner->line != line)
        snprintf(runner->why, sizeof(runner->why), "threads wait at barriers in lines %u and %u",
                 runner->line, line);
    runner->fiber_of[runner->thread] = runner->fiber;
    runner->stopped = true;
    fiber_leave(&runner->fibers[runner->fiber]);
}

void host_out_of_bounds(HostGroup *runner, unsigned slot, uint64_t index)
{
    snprintf(runner->why, sizeof(runner->why),
             "element %lld is out of the bounds of buffer %u, in thread %u", (long long)index, slot,
             runner->thread);
    fiber_leave(&runner->fibers[runner->fiber]);
    abort(); /* a group in error is not entered again */
}

/* All fibers begin anew. */
static void reset_fibers(HostGroup *runner)
{
    runner->idle_count = HOST_GROUP_MAX;
    for (unsigned i = 0; i < HOST_GROUP_MAX; i++) {
        runner->idle[i] = HOST_GROUP_MAX - 1 - i;
        runner->prepared[i] = false;
    }
}

int group_create(HostGroup **out)
{
    *out = NULL;
    HostGroup *runner = mem_zalloc(sizeof(*runner));
    if (!runner)
        return -ENOMEM;
    runner->stacks = mmap(NULL, HOST_GROUP_MAX * STACK_SIZE, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (runner->stacks == MAP_FAILED) {
        mem_free(runner);
        return -ENOMEM;
    }
    for (unsigned i = 0; i < HOST_GROUP_MAX; i++)
        mprotect(runner->stacks + i * STACK_SIZE, STACK_GUARD, PROT_NONE);
    reset_fibers(runner);
    *out = runner;
    return 0;
}

void group_destroy(HostGroup *runner)
{
    if (!runner)
        return;
    for (unsigned i = 0; i < HOST_GROUP_MAX; i++)
        fiber_release(&runner->fibers[i]);
    munmap(runner->stacks, HOST_GROUP_MAX * STACK_SIZE);
    mem_free(runner);
}

/* True when the fiber's thread came to a barrier. */
static bool enter(HostGroup *runner, unsigned fiber)
{
    if (!runner->prepared[fiber])
        fiber_prepare(&runner->fibers[fiber], runner->stacks + fiber * STACK_SIZE + STACK_GUARD,
                      STACK_SIZE - STACK_GUARD - stack_colour(fiber), fiber_work, runner);
    runner->prepared[fiber] = true;
    runner->fiber = fiber;
    runner->stopped = false;
    fiber_enter(&runner->fibers[fiber]);
    return runner->stopped;
}

static void run_first_part(HostGroup *runner)
{
    while (runner->started < runner->thread_count && !runner->why[0])
        if (enter(runner, runner->idle[runner->idle_count - 1]))
            runner->idle_count--;
}

static void run_next_part(HostGroup *runner)
{
    runner->arrived = 0;
    for (unsigned i = 0; i < runner->thread_count && !runner->why[0]; i++) {
        const unsigned thread = (unsigned)runner->order[i], fiber = runner->fiber_of[thread];
        set_thread(runner, thread);
        if (!enter(runner, fiber))
            runner->idle[runner->idle_count++] = fiber;
    }
}

int group_run(HostGroup *runner, const HostKernel *kernel, void *object, HostRandom *random,
              char *why, size_t why_size)
{
    runner->kernel = kernel;
    runner->object = object;
    runner->thread_count = kernel->group[0] * kernel->group[1];
    runner->started = runner->arrived = 0;
    runner->why[0] = '\0';
    for (unsigned i = 0; i < runner->thread_count; i++)
        runner->order[i] = i;
    random_shuffle(random, runner->order, runner->thread_count);
    run_first_part(runner);
    while (runner->arrived && !runner->why[0]) {
        if (runner->arrived != runner->thread_count) {
            snprintf(runner->why, sizeof(runner->why),
                     "%u of %u threads came to the barrier in line %u", runner->arrived,
                     runner->thread_count, runner->line);
            break;
        }
        random_shuffle(random, runner->order, runner->thread_count);
        run_next_part(runner);
    }
    if (!runner->why[0])
        return 0;
    reset_fibers(runner); /* some stopped half-way */
    snprintf(why, why_size, "%s", runner->why);
    return -EIO;
}
