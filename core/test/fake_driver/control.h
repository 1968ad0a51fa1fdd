/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How tests talk to the emulated driver: by these functions, which it exports beside the API's (a real
 * driver lacks them), or by the environment when it is loaded:
 *
 *   EMULATED_DEVICES   "NAME|UUID|PCI;…", UUID as 32 hex digits; the default is two of them
 *   EMULATED_ARCH      what kind of AMD device they are: gfx1030
 *   EMULATED_CUDA_VERSION  as cuDriverGetVersion tells it: 13000
 *   EMULATED_FLOATS_PER_DOUBLE  what the device adds in the time of a double: 2
 *   EMULATED_MEMORY    bytes of each device
 *   EMULATED_SCHEDULE  random, lazy, eager, copies_first, kernels_first, with :SEED if wanted
 *   EMULATED_FAULT     FUNCTION:N:WHAT, as emulated_fail has them
 *   EMULATED_CALLS     a file that is written at the end: each function that was called, and how often
 *   EMULATED_STRICT    set: the process ends with status 99 when something was complained about or left
 *                      behind, whatever it wanted to return */
#ifndef EMULATOR_CONTROL_H
#define EMULATOR_CONTROL_H

/* Let the n-th call of a function from now on (1: the next) fail: WHAT is the API's number of an error,
 * "lost" (and every later call on any device too, but for making a context
 * current), "gone" (that too) or "hang" (what the call enqueues never ends).
 * NULL: none. Starts all counts anew. */
int emulated_fail(const char *function, unsigned nth, const char *what);
int emulated_failed(void); /* has it? */
unsigned emulated_calls(unsigned i,
                        const char **function); /* since then; `function` NULL ends them */

void emulated_go_on(void);               /* a while passes: all that can run does */
int emulated_schedule(const char *text); /* as EMULATED_SCHEDULE; not 0: no such word */

unsigned emulated_complaints(void);
long emulated_leaks(void); /* objects, memory, contexts that somebody still holds */
/* As after a reset: everything lost and left behind is forgotten. No call may be under way,
 * and no other thread have a context. */
void emulated_reset(void);

#endif
