/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The programs that a call runs. Videos, models and drivers are touched in a process of its own: this
 * program again, as a worker. What hangs or crashes there ends there. */
#ifndef MCP_TASK_H
#define MCP_TASK_H

#include <stddef.h>

#include "call.h"

enum { TASK_FILES_MAX = 72 };

/* A program's words and the files that it may read. The first error sticks, and task_run tells it. */
typedef struct Task {
    const char *program; /* NULL: this one, as a worker */
    char **argv;
    size_t argc;
    int err;

    int fds[TASK_FILES_MAX];
    const char *paths[TASK_FILES_MAX]; /* as the client names them; its arguments must stay */
    unsigned file_count;
    int scratch[TASK_FILES_MAX]; /* some of these */
    unsigned scratch_count;

    double time_limit; /* seconds; 0: what is left to the call */
    /* A line on its standard error, and one of its output. True: it is understood, and neither a message
     * nor part of what is kept of the output. NULL: none is. */
    bool (*line)(void *arg, const char *text);
    bool (*out_line)(void *arg, const char *text);
    /* Now and then while it runs, if it is not NULL: the time to tell a progress. Right before the answer some
     * clients would take it for one of an unknown call. */
    void (*tick)(void *arg);
    void *arg;
    Call *call;

    /* How it went. */
    ChildEnd end;
    char *out; /* what it printed, for as long as the task; terminated */
    size_t out_size;
    char said[1024]; /* what it had to say, the last of it */
} Task;

/* A worker does what `kind` says: see worker.h. */
void task_init_worker(Task *task, Call *call, const char *kind);
void task_init_program(Task *task, Call *call, const char *program);
void task_free(Task *task);

void task_add(Task *task, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Opens a file for the program, if that is allowed, and gives the name to call it by there; NULL: `why` says
 * what is in the way. */
const char *task_file(Task *task, const char *path, char *why, size_t size);

/* A file without a name, for the program to write; likewise. */
const char *task_scratch(Task *task, char *why, size_t size);
/* What it holds, in the order in which they were made, from 0; for free(). NULL: nothing, or no memory. */
char *task_read_scratch(const Task *task, unsigned index, size_t *length);

/* The program of this name that belongs to this one: beside it, or else in PATH. */
const char *task_sibling(const char *name);

/* 0: the program ran and exited with 0. Otherwise a negative errno, and `why` has a word for the client:
 * -ECANCELED when the call was stopped, -ETIMEDOUT, -EIO when the program failed. */
int task_run(Task *task, char *why, size_t size);

#endif
