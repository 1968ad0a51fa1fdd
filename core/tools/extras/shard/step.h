/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A command of an engine: shown to the user first, then run, unless it is only to be shown. */
#ifndef SUBMIT_STEP_H
#define SUBMIT_STEP_H

#include <stdbool.h>

#include "common/child.h"
#include "common/argv.h"

/* The words as a shell would take them, for reading and for pasting. free() it; NULL: no memory. */
char *step_text(const Argv *argv);

/* Prints the command and runs it. *answer is the first line that it writes, without its end; free() it; it may be
 * NULL if nobody wants it. With dry_run it is only printed, and the answer is a word in capitals that stands
 * for it. Says what is wrong; negative errno. */
int step_run(Children *children, const Argv *argv, bool dry_run, const char *stands_for,
             char **answer);

#endif
