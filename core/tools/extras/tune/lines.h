/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Events of a run as lines of JSON, written while it works (--lines). One thread at a time. */
#ifndef TUNE_LINES_H
#define TUNE_LINES_H

#include <jansson.h>

#include "job.h"

typedef struct Lines Lines;

/* "-" is standard output. Prints an error and returns a negative errno. `path` must stay valid. */
int lines_open(Lines **out, const char *path);
/* Close the file. NULL is fine. Returns 0, or -EIO after a message if a line was lost. */
int lines_close(Lines *lines);

/* Write an event and take ownership of the object. NULL lines are fine: nothing is written. A line
 * that cannot be written is reported once, and by lines_close. */
void lines_event(Lines *lines, const char *event, json_t *object);
/* Write how far some jobs are, once a second at most. */
void lines_progress(Lines *lines, const Job *jobs, size_t count);

#endif
