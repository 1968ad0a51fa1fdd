/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The process between us and a child. It leads no other work, so it can see to the end of the child's whole
 * process group: when we ask for it, when the child itself has ended, and when we are gone without a
 * word (where the system tells: Linux). Runs in a fork of a program with threads, so it calls only what
 * a signal's handler may call. */
#ifndef TOOLS_CHILD_GUARD_H
#define TOOLS_CHILD_GUARD_H

#include <signal.h>
#include <sys/types.h>

/* Signals that the guard takes for orders. */
#define GUARD_ASK SIGTERM  /* pass it on to the group */
#define GUARD_KILL SIGUSR2 /* kill the group */

typedef struct GuardOrder {
    const char *program; /* with a '/' in it, or looked up in PATH */
    char *const *argv;
    const char *folder; /* NULL: as it is */
    int stream[2];      /* what become the child's stdout and stderr */
    int ready;          /* gets the errno of what failed, or its end when the program runs */
    int channel;        /* gets the status as waitpid has it, and its end when all is over */
    pid_t parent;
} GuardOrder;

/* To be called in a fork, with all signals blocked. */
_Noreturn void guard_main(const GuardOrder *order);

#endif
