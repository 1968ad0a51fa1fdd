/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/backend/host/device.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/mem.h"

#if !defined(__ELF__) || !(defined(__x86_64__) || defined(__aarch64__))
#define FIBER_UCONTEXT /* no switch.S */
#endif
#ifdef FIBER_UCONTEXT
#include <ucontext.h>
#endif
#ifndef __has_feature
#define __has_feature(feature) 0 /* gcc has macros instead */
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* ---- fibers: functions with a stack of their own that can be left and entered again ---- */

/* One side of a switch. */
typedef struct FiberSide {
#ifdef FIBER_UCONTEXT
    ucontext_t context;
#else
    void *sp;
#endif
    const void *stack;
    size_t stack_size;
    void *fake_stack; /* the address sanitizer's */
    void *thread;     /* the thread sanitizer's */
} FiberSide;

typedef struct Fiber {
    FiberSide inside, outside;
    void (*entry)(void *opaque);
    void *opaque;
} Fiber;

#ifdef FIBER_UCONTEXT

static void switch_stacks(FiberSide *from, FiberSide *to)
{
    swapcontext(&from->context, &to->context);
}

static void start(unsigned high, unsigned low);

static void prepare_stack(Fiber *fiber)
{
    const uint64_t address = (uintptr_t)fiber;
    getcontext(&fiber->inside.context);
    fiber->inside.context.uc_stack.ss_sp = (void *)fiber->inside.stack;
    fiber->inside.context.uc_stack.ss_size = fiber->inside.stack_size;
    makecontext(&fiber->inside.context, (void (*)(void))start, 2, (unsigned)(address >> 32),
                (unsigned)address);
}

#else

void host_switch(void **save, void *load);
void host_fiber_start(void);

static void switch_stacks(FiberSide *from, FiberSide *to)
{
    host_switch(&from->sp, to->sp);
}

static void start(void *opaque);

/* Puts on the new stack the registers that host_switch will restore from it. */
static void prepare_stack(Fiber *fiber)
{
    void **sp = (void **)((char *)fiber->inside.stack + fiber->inside.stack_size);
#ifdef __x86_64__
    *--sp = (void *)(uintptr_t)host_fiber_start;
    sp -= 6; /* r15 r14 r13 r12 rbx rbp */
    for (unsigned i = 0; i < 6; i++)
        sp[i] = NULL;
    sp[3] = fiber;
    sp[2] = (void *)(uintptr_t)start;
#else
    sp -= 20; /* x19 … x30, d8 … d15 */
    for (unsigned i = 0; i < 20; i++)
        sp[i] = NULL;
    sp[0] = fiber;
    sp[1] = (void *)(uintptr_t)start;
    sp[11] = (void *)(uintptr_t)host_fiber_start;
#endif
    fiber->inside.sp = sp;
}

#endif

/* Tell the sanitizers about each switch of stacks. */

/* Call on the stack that was switched to, which is `to`. */
static void arrive(FiberSide *from, FiberSide *to)
{
#ifdef FIBER_ASAN
    __sanitizer_finish_switch_fiber(to->fake_stack, &from->stack, &from->stack_size);
#endif
    (void)from;
    (void)to;
}

static void change(FiberSide *from, FiberSide *to)
{
#ifdef FIBER_ASAN
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->stack_size);
#endif
#ifdef FIBER_TSAN
    __tsan_switch_to_fiber(to->thread, 0);
#endif
    switch_stacks(from, to);
    arrive(to, from); /* another fiber switched back */
}

static void run(Fiber *fiber)
{
    arrive(&fiber->outside, &fiber->inside);
    fiber->entry(fiber->opaque);
    abort(); /* an entry function never returns */
}

#ifdef FIBER_UCONTEXT
static void start(unsigned high, unsigned low)
{
    run((Fiber *)(uintptr_t)((uint64_t)high << 32 | low));
}
#else
static void start(void *opaque)
{
    run(opaque);
}
#endif

/* The stack stays the caller's. */
static void fiber_release(Fiber *fiber)
{
#ifdef FIBER_TSAN
    if (fiber->inside.thread)
        __tsan_destroy_fiber(fiber->inside.thread);
    fiber->inside.thread = NULL;
#endif
    (void)fiber;
}

/* Prepares a fiber: entering it calls `entry`, which must never return. A fiber that was left for
 * good may be prepared again, and its stack is then used again. `fiber` is zeroed before the first
 * call. */
static void fiber_prepare(Fiber *fiber, void *stack, size_t stack_size, void (*entry)(void *opaque),
                          void *opaque)
{
    fiber_release(fiber);
    *fiber = (Fiber){ .inside = { .stack = stack, .stack_size = stack_size },
                      .entry = entry,
                      .opaque = opaque };
#ifdef FIBER_ASAN
    __asan_unpoison_memory_region(stack, stack_size);
#endif
#ifdef FIBER_TSAN
    fiber->inside.thread = __tsan_create_fiber(0);
#endif
    prepare_stack(fiber);
}

/* Runs the fiber; returns when it leaves. */
static void fiber_enter(Fiber *fiber)
{
#ifdef FIBER_TSAN
    fiber->outside.thread = __tsan_get_current_fiber();
#endif
    change(&fiber->outside, &fiber->inside);
}

/* Called inside the fiber; returns when it is entered again. */
static void fiber_leave(Fiber *fiber)
{
    change(&fiber->inside, &fiber->outside);
}

/* ---- workgroups ---- */

/* Enough for kernels with the sanitizers' padding. Pages that are never touched cost no memory. */
#define STACK_SIZE ((size_t)256 << 10)
#define STACK_GUARD ((size_t)64 << 10) /* inaccessible; a multiple of every machine's page size */

struct HostWorkgroup {
    char *stacks;
    Fiber fibers[HOST_WORKGROUP_MAX];
    bool prepared[HOST_WORKGROUP_MAX];             /* lazily, on first use */
    unsigned idle[HOST_WORKGROUP_MAX], idle_count; /* fibers that run no thread */

    const HostKernel *kernel;
    HostThread *object;
    unsigned thread_count;
    uint64_t order[HOST_WORKGROUP_MAX];    /* in which threads run until the next barrier */
    unsigned started;                      /* threads, before the first barrier */
    unsigned fiber_of[HOST_WORKGROUP_MAX]; /* indexed by thread waiting at a barrier */
    unsigned thread, fiber;                /* running now */

    unsigned arrived; /* threads at the barrier in line `line` */
    unsigned line;
    bool stopped;  /* the fiber left at a barrier; false: it ran out of threads */
    char why[128]; /* "" while no error occurred */
};

/* Offset of a stack's top. Stacks that start a multiple of 4 KiB apart would compete for the same
 * cache lines. */
static size_t stack_colour(unsigned fiber)
{
    return (fiber % 61) * (size_t)64;
}

static void set_thread(HostWorkgroup *runner, unsigned thread)
{
    runner->thread = thread;
    runner->object->local[0] = thread % runner->kernel->group[0];
    runner->object->local[1] = thread / runner->kernel->group[0];
}

/* Entry of every fiber. It starts threads until one of them stops at a barrier. After the first
 * barrier no thread is left to start, so the fiber is idle once its thread ends. */
static void fiber_work(void *opaque)
{
    HostWorkgroup *runner = opaque;
    Fiber *fiber = &runner->fibers[runner->fiber];
    for (;;) {
        while (runner->started < runner->thread_count) {
            set_thread(runner, (unsigned)runner->order[runner->started++]);
            runner->kernel->run(runner->object);
        }
        fiber_leave(fiber);
    }
}

void host_barrier(HostWorkgroup *runner, unsigned line)
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

void host_out_of_bounds(HostWorkgroup *runner, unsigned slot, uint64_t index)
{
    snprintf(runner->why, sizeof(runner->why), "element %lld is outside buffer %u, in thread %u",
             (long long)index, slot, runner->thread);
    fiber_leave(&runner->fibers[runner->fiber]);
    abort(); /* after an error this fiber is never entered again */
}

/* Marks all fibers idle and unprepared. */
static void reset_fibers(HostWorkgroup *runner)
{
    runner->idle_count = HOST_WORKGROUP_MAX;
    for (unsigned i = 0; i < HOST_WORKGROUP_MAX; i++) {
        runner->idle[i] = HOST_WORKGROUP_MAX - 1 - i;
        runner->prepared[i] = false;
    }
}

int workgroup_create(HostWorkgroup **out)
{
    *out = NULL;
    HostWorkgroup *runner = mem_zalloc(sizeof(*runner));
    if (!runner)
        return -ENOMEM;
    runner->stacks = mmap(NULL, HOST_WORKGROUP_MAX * STACK_SIZE, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (runner->stacks == MAP_FAILED) {
        mem_free(runner);
        return -ENOMEM;
    }
    for (unsigned i = 0; i < HOST_WORKGROUP_MAX; i++)
        mprotect(runner->stacks + i * STACK_SIZE, STACK_GUARD, PROT_NONE);
    reset_fibers(runner);
    *out = runner;
    return 0;
}

void workgroup_destroy(HostWorkgroup *runner)
{
    if (!runner)
        return;
    for (unsigned i = 0; i < HOST_WORKGROUP_MAX; i++)
        fiber_release(&runner->fibers[i]);
    munmap(runner->stacks, HOST_WORKGROUP_MAX * STACK_SIZE);
    mem_free(runner);
}

/* Runs a fiber. Returns true if its thread stopped at a barrier. */
static bool enter(HostWorkgroup *runner, unsigned fiber)
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

static void run_to_first_barrier(HostWorkgroup *runner)
{
    while (runner->started < runner->thread_count && !runner->why[0])
        if (enter(runner, runner->idle[runner->idle_count - 1]))
            runner->idle_count--;
}

static void run_to_next_barrier(HostWorkgroup *runner)
{
    runner->arrived = 0;
    for (unsigned i = 0; i < runner->thread_count && !runner->why[0]; i++) {
        const unsigned thread = (unsigned)runner->order[i], fiber = runner->fiber_of[thread];
        set_thread(runner, thread);
        if (!enter(runner, fiber))
            runner->idle[runner->idle_count++] = fiber;
    }
}

int workgroup_run(HostWorkgroup *runner, const HostKernel *kernel, void *object, HostRandom *random,
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
    run_to_first_barrier(runner);
    while (runner->arrived && !runner->why[0]) {
        if (runner->arrived != runner->thread_count) {
            snprintf(runner->why, sizeof(runner->why),
                     "%u of %u threads reached the barrier in line %u", runner->arrived,
                     runner->thread_count, runner->line);
            break;
        }
        random_shuffle(random, runner->order, runner->thread_count);
        run_to_next_barrier(runner);
    }
    if (!runner->why[0])
        return 0;
    reset_fibers(runner); /* some stopped in the middle of a thread */
    snprintf(why, why_size, "%s", runner->why);
    return -EIO;
}
