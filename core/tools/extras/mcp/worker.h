/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What this program does when it runs itself again: one job, its result on standard output, messages on
 * standard error. */
#ifndef MCP_WORKER_H
#define MCP_WORKER_H

/* The first word of a worker's command line; the second says what it is to do. */
#define WORKER_WORD "--worker"
#define WORKER_VMAF "vmaf"       /* the vmaf command, with the words that follow */
#define WORKER_BACKEND "backend" /* NAME: what this backend has, as JSON */
#define WORKER_MODEL "model"     /* SPEC: a model as --model names it, as JSON */
#define WORKER_FRAMES                                                                              \
    "frames" /* COUNT, then as `vmaf`: the report after pictures of the worst frames */

int worker_main(int argc, char **argv);

/* Each takes the words after its name and gives the exit code. */
int worker_backend(int argc, char **argv);
int worker_model(int argc, char **argv);
int worker_frames(int argc, char **argv);

/* This program's own file, to run it again. */
void worker_set_program(const char *argv0);
const char *worker_program(void);

#endif
