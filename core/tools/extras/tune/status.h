/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What is under way, drawn below everything else when stderr is a terminal: a line for each job that runs. */
#ifndef TUNE_STATUS_H
#define TUNE_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#include "job.h"

/* `what` heads the lines: "film.mkv". */
void status_start(bool quiet, const char *what);
void status_draw(const Job *jobs, size_t count);
/* Before anything else is printed; and at the end. */
void status_hide(void);

#endif
