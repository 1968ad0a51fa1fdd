/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Child processes: argument vectors, never a shell. Each is guarded by a small process of its own
 * (child_guard.h), so that stopping one stops whatever it has started itself, and so that none outlives
 * this process, however that ends. Several run at once; one thread starts them and waits for them. */
#ifndef TOOLS_CHILD_H
#define TOOLS_CHILD_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Children Children;
typedef struct Child Child;

enum ChildStream { CHILD_OUT, CHILD_ERR, CHILD_STREAMS };

/* Where one of the child's two output streams goes. Its standard input is empty. */
enum ChildSink { CHILD_NOWHERE, CHILD_TO_US, CHILD_INHERITED };

typedef struct ChildParams {
    const char *const *argv; /* ends with NULL */
    const char *program;     /* the file that is run; NULL: argv[0], looked up in PATH */
    const char *folder;      /* it runs in; NULL: where we are */
    enum ChildSink sink[CHILD_STREAMS];
    double time_limit; /* seconds, then it is stopped; 0: none */
    /* What it writes to CHILD_TO_US, as it comes; from within children_wait and child_start. */
    void (*heard)(void *arg, enum ChildStream stream, const char *bytes, size_t count);
    void *arg;
} ChildParams;

/* How a child ended. */
typedef struct ChildEnd {
    bool timed_out;
    int code;   /* it exited with; -1: it did not */
    int signal; /* it was killed by; 0: none */
} ChildEnd;

/* 0 or a negative errno. */
int children_create(Children **out);
/* Kills all that still run, and frees them. NULL is fine. */
void children_destroy(Children *children);

/* Waits until a child ends, one of `others` (as poll takes them; may be none) is ready, children_wake was
 * called or the time is over (milliseconds; -1: never). Meanwhile `heard` is called, and children past
 * their time are stopped. 0 or a negative errno. */
int children_wait(Children *children, struct pollfd *others, size_t count, int timeout);

/* Makes children_wait return: from any thread, and from a signal's handler. */
void children_wake(Children *children);

/* 0, or a negative errno: -ENOENT when there is no such program. */
int child_start(Children *children, const ChildParams *params, Child **out);

/* Has it ended, and all it started with it? All that it wrote was heard before. */
bool child_ended(const Child *child, ChildEnd *end);

/* Asks it to end (SIGTERM), and kills it when it has not in two seconds: see children_wait. */
void child_stop(Child *child);

/* Kills it if it still runs, waits for that, and frees it. NULL is fine. */
void child_destroy(Child *child);

/* Starts a program and waits for its end. -EINTR: children_wake was called meanwhile, and it was killed. */
int child_run(Children *children, const ChildParams *params, ChildEnd *end);

#endif
