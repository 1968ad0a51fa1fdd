/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Signals that ask the command to stop: SIGINT, SIGTERM, SIGHUP; Ctrl-C and the like on Windows. The first one lets it end in order; the
 * second kills it at once. Signals that whoever started us ignores stay ignored. */
#ifndef TOOLS_INTERRUPT_H
#define TOOLS_INTERRUPT_H

/* From now on they are watched for, by a thread of its own. Before any other thread is started. */
void interrupt_watch(void);

/* The signal that came first; 0: none. From any thread. */
int interrupt_signal(void);
const char *interrupt_name(int signal); /* "SIGINT" */

/* One came: for those that watch, which differ between systems. */
void interrupt_note(int signal);

/* What is to be done when one comes, by the thread that watches; at once when one has come. It replaces
 * what was to be done before, which is not under way any more when this returns. NULL: nothing. */
void interrupt_call(void (*stop)(void *arg), void *arg);

#endif
