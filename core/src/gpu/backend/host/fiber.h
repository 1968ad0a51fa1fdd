/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Fibers: functions with a stack of their own that can be left and entered again. Known to the address
 * and the thread sanitizer. */
#ifndef HOST_FIBER_H
#define HOST_FIBER_H

#include <stddef.h>

#if !defined(__ELF__) || !(defined(__x86_64__) || defined(__aarch64__))
#define FIBER_UCONTEXT /* no switch.S */
#endif
#ifdef FIBER_UCONTEXT
#include <ucontext.h>
#endif

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

/* Prepares a fiber: entering it calls `entry`, which never returns. Also for one that was left for
 * good, whose stack it takes over. `fiber` was zeroed before the first call. */
void fiber_prepare(Fiber *fiber, void *stack, size_t stack_size, void (*entry)(void *opaque),
                   void *opaque);
void fiber_release(Fiber *fiber); /* the stack stays the caller's */

void fiber_enter(Fiber *fiber); /* returns when the fiber leaves */
void fiber_leave(Fiber *fiber); /* from inside; returns when it is entered again */

#endif
