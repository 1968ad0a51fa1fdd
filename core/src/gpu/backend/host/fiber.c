/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/backend/host/fiber.h"

#include <stdint.h>
#include <stdlib.h>

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

/* ---- the machine's part ---- */

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

/* What host_switch takes off the stack. */
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

/* ---- the sanitizers' part ---- */

/* To be called on the stack that was switched to, which is `to`. */
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
    arrive(to, from); /* somebody came back */
}

/* ---- ours ---- */

static void run(Fiber *fiber)
{
    arrive(&fiber->outside, &fiber->inside);
    fiber->entry(fiber->opaque);
    abort(); /* there is nothing to return to */
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

void fiber_prepare(Fiber *fiber, void *stack, size_t stack_size, void (*entry)(void *opaque),
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

void fiber_release(Fiber *fiber)
{
#ifdef FIBER_TSAN
    if (fiber->inside.thread)
        __tsan_destroy_fiber(fiber->inside.thread);
    fiber->inside.thread = NULL;
#endif
    (void)fiber;
}

void fiber_enter(Fiber *fiber)
{
#ifdef FIBER_TSAN
    fiber->outside.thread = __tsan_get_current_fiber();
#endif
    change(&fiber->outside, &fiber->inside);
}

void fiber_leave(Fiber *fiber)
{
    change(&fiber->inside, &fiber->outside);
}
