/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Signals that ask the program to stop: SIGINT, SIGTERM, SIGHUP; Ctrl-C and similar events on
 * Windows. The first one lets the program end in order, the second one kills it at once. Signals
 * that our parent ignores stay ignored. Any thread may call these functions, except
 * interrupt_watch. */
#ifndef TOOLS_INTERRUPT_H
#define TOOLS_INTERRUPT_H

#include <stdbool.h>

/* Starts to watch for signals, in a thread of its own. Call it before any other thread starts. */
void interrupt_watch(void);

/* The signal that came first; 0: none. */
int interrupt_signal(void);
const char *interrupt_name(int signal); /* "SIGINT" */

/* From now on a signal ends the process after a second at the latest, by the signal's default
 * action; false: the process ends when it is ready. For work that has nothing to lose and may wait
 * within other libraries. */
void interrupt_soon(bool soon);

/* Sets the function that the watching thread calls when a signal comes; it is called at once if one
 * has come already. It replaces the previous function, which is no longer running when this
 * returns. NULL: none. */
void interrupt_call(void (*stop)(void *arg), void *arg);

#endif
