/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Child processes, started from argument vectors and never through a shell, or to run a function
 * that may crash or hang. A small guard process stands between this process and each child, or on
 * Windows a job object around it: stopping a child stops whatever it has started itself, and no
 * child outlives this process, however it ends. Several children may run at once. All functions but
 * children_wake belong to one thread. */
#ifndef TOOLS_CHILD_H
#define TOOLS_CHILD_H

#ifndef _WIN32
#include <poll.h>
#endif
#include <stdbool.h>
#include <stddef.h>

struct pollfd;

typedef struct Children Children;
typedef struct Child Child;

enum ChildStream { CHILD_OUT, CHILD_ERR, CHILD_STREAMS };

/* The destination of one of the child's two output streams. Its standard input is empty. */
enum ChildSink { CHILD_NOWHERE, CHILD_TO_US, CHILD_INHERITED };

typedef struct ChildParams {
    const char *const *argv; /* ends with NULL */
    const char *program;     /* the file to run; NULL: argv[0], looked up in PATH */
    const char *folder;      /* its working directory; NULL: ours */
    /* Called in the child instead of running a program; the child exits with its result, without
     * exit handlers. NULL: run the program. Windows has no fork: it must be NULL there. */
    int (*work)(void *arg);
    enum ChildSink sink[CHILD_STREAMS];
    double time_limit; /* seconds until the child is stopped; 0: no limit */
    /* Called with the output of the streams that are CHILD_TO_US, within children_wait and
     * child_start. */
    void (*heard)(void *arg, enum ChildStream stream, const char *bytes, size_t count);
    void *arg; /* for `work` and `heard` */
} ChildParams;

/* How a child ended. */
typedef struct ChildEnd {
    bool timed_out;
    int code;   /* exit code; -1: it did not exit by itself */
    int signal; /* the signal that killed it (Windows: that others would report); 0: none */
} ChildEnd;

/* 0 or a negative errno. */
int children_create(Children **out);
/* Kills all children that still run, and frees everything. NULL is fine. */
void children_destroy(Children *children);

/* Waits until a child ends, one of `others` (as for poll; may be none) is ready, children_wake is
 * called, or `timeout` milliseconds pass (-1: no timeout). Calls `heard` meanwhile, and stops
 * children that exceed their time limit. 0 or a negative errno. On Windows there are no others. */
int children_wait(Children *children, struct pollfd *others, size_t count, int timeout);

/* How often children_wait has returned because of children_wake. */
unsigned children_wakes(const Children *children);

/* Makes children_wait return. Any thread and any signal handler may call it. */
void children_wake(Children *children);

/* 0, or a negative errno: -ENOENT when the program does not exist. */
int child_start(Children *children, const ChildParams *params, Child **out);

/* True, with *end set, once the child and everything it started have ended. `heard` has received
 * all its output by then. */
bool child_ended(const Child *child, ChildEnd *end);

/* Asks the child to end (SIGTERM; Ctrl-Break on Windows); children_wait kills it if it has not
 * ended two seconds later. */
void child_stop(Child *child);

/* Kills the child if it still runs, waits for its end, and frees it. NULL is fine. */
void child_destroy(Child *child);

/* Starts a child and waits for its end. -EINTR: children_wake was called, and the child was
 * killed. */
int child_run(Children *children, const ChildParams *params, ChildEnd *end);

/* The path of this program, to run it again; `called` is its argv[0]. The caller frees it. NULL: no
 * memory, or not found. */
char *own_program_path(const char *called);

/* ---- the last lines that a child wrote ---- */

#define TAIL_LINES 6
#define TAIL_WIDTH 512

/* Keeps the last lines of a child's output, to show them if it fails. A zeroed tail is empty. */
typedef struct Tail {
    char lines[TAIL_LINES][TAIL_WIDTH];
    size_t next; /* number of the line being written; its slot is next % TAIL_LINES */
    size_t used; /* bytes of that line */
} Tail;

/* Adds output. Control characters become '?', since they could change the terminal. */
void tail_feed(Tail *tail, const char *bytes, size_t count);

/* Prints the lines, indented. */
void tail_say(const Tail *tail);

#endif
