/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Controls the fake driver: functions that it exports beside those of the API (a real driver lacks
 * them), and environment variables that it reads when it is loaded:
 *
 *   EMULATED_DEVICES   "NAME|UUID|PCI;…", UUID as 32 hex digits; default: two devices
 *   EMULATED_ARCH      the architecture of AMD devices; default: gfx1030
 *   EMULATED_CUDA_VERSION  the result of cuDriverGetVersion; default: 13000
 *   EMULATED_FLOATS_PER_DOUBLE  ratio of the speeds of floats and doubles; default: 2
 *   EMULATED_MEMORY    bytes of memory of each device
 *   EMULATED_SCHEDULE  random, lazy, eager, copies_first, kernels_first, optionally with :SEED
 *   EMULATED_FAULT     FUNCTION:N:WHAT, the arguments of emulated_fail
 *   EMULATED_CALLS     a file to write at exit: each function called, and how often
 *   EMULATED_START_MS  how long the driver takes to start
 *   EMULATED_STRICT    if set, the process exits with status 99 after a complaint or a leak */
#ifndef FAKE_DRIVER_CONTROL_H
#define FAKE_DRIVER_CONTROL_H

/* Makes the n-th call of a function from now on (1: the next) fail. WHAT is the number of an error,
 * or "lost" (so does every later call on any device, except making a context current), "gone"
 * (including those) or "hang" (the work that the call enqueues never ends). `function` NULL
 * requests no fault. Resets all counts. */
int emulated_fail(const char *function, unsigned nth, const char *what);
int emulated_failed(void); /* true if the requested fault occurred */
unsigned emulated_calls(
    unsigned i,
    const char **function); /* calls since then, by function; *function is NULL after the last */

void emulated_go_on(void);               /* runs all work that can run */
int emulated_schedule(const char *text); /* see EMULATED_SCHEDULE; not 0: unknown schedule */

unsigned emulated_complaints(void);
long emulated_leaks(void); /* number of objects, allocations and contexts not yet released */
/* Resets the driver: forgets leaks and the loss of devices. Call while no other thread has a
 * context or makes a call. */
void emulated_reset(void);

#endif
