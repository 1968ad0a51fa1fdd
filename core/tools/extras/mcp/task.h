/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Running programs for a call. Only worker processes (this program again) open videos, models and
 * drivers, so crashes and hangs stay there. A task belongs to the thread that runs the call. */
#ifndef MCP_TASK_H
#define MCP_TASK_H

#include <stdbool.h>
#include <stddef.h>

#include "call.h"

enum { TASK_FILES_MAX = 72 };

/* The command line of a program and the files it may read. The first error is kept until task_run
 * reports it. */
typedef struct Task {
    const char *program; /* NULL: run this program as a worker */
    char **argv;
    size_t argc;
    int err;

    struct {
        int fd;           /* -1: none */
        char *name;       /* name by which the program opens it */
        const char *path; /* for messages; must stay valid */
        bool scratch;
    } files[TASK_FILES_MAX];
    unsigned file_count;

    double time_limit; /* seconds; 0: all that is left to the call */
    /* Called for each line on standard error (`line`) and standard output (`out_line`). Return true
     * if the line was understood: it is then neither a message nor kept as output. NULL: no line
     * is. */
    bool (*line)(void *arg, const char *text);
    bool (*out_line)(void *arg, const char *text);
    /* Called regularly while the program runs, to send progress; may be NULL. Not called after the
     * program has ended: some clients mistake progress just before the answer for that of an
     * unknown call. */
    void (*tick)(void *arg);
    void *arg;
    Call *call;

    /* Results. */
    ChildEnd end;
    char *out; /* its standard output, terminated; valid until task_free */
    size_t out_size;
    char said[1024]; /* the last lines of its messages */
} Task;

/* Prepare running a worker or another program. tool.h lists the kinds of workers. Call task_free in
 * any case. */
void task_init_worker(Task *task, Call *call, const char *kind);
void task_init_program(Task *task, Call *call, const char *program);
void task_free(Task *task);

void task_add(Task *task, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Open a file for the program, if the client may read it. Returns the name by which the program can
 * open it, valid until task_replace or task_free. NULL: refused, with a message in `why`. */
const char *task_file(Task *task, const char *path, char *why, size_t size);

/* Create a file without a name for the program to write. Returns its name as task_file does. */
const char *task_scratch(Task *task, char *why, size_t size);
/* Read a scratch file; `index` counts them from 0 in the order of creation. free() the text. NULL:
 * empty, or no memory. */
char *task_read_scratch(const Task *task, unsigned index, size_t *length);

/* Let the program read these bytes in place of the file that task_file opened last. Returns the
 * name to use for it. NULL: failed, with a message in `why`. */
const char *task_replace(Task *task, const char *bytes, size_t length, char *why, size_t size);

/* The name that the client used for a file of the task, by the program's name for it. NULL: it is
 * not one of them. */
const char *task_client_name(const Task *task, const char *name);

/* Write the text with the program's names of files replaced by those that the client used. */
void task_name_files(const Task *task, const char *text, char *named, size_t size);

/* Find a program of this project: beside this program, else its bare name, to be searched in PATH.
 */
const char *task_sibling(const char *name);

/* Run the program. Returns 0 if it exited with 0, else a negative errno with a message for the
 * client in `why`: -ECANCELED if the call was stopped, -ETIMEDOUT, -EIO if the program failed. */
int task_run(Task *task, char *why, size_t size);

#endif
