/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A progress display on stderr when it is a terminal: a heading and one line for each running job,
 * drawn below all other output. */
#ifndef TUNE_STATUS_H
#define TUNE_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#include "job.h"

/* `what` is the heading, such as "film.mkv". It must stay valid. */
void status_start(bool quiet, const char *what);
void status_draw(const Job *jobs, size_t count);
/* Erase the display. Call it before printing anything else, and at the end. */
void status_hide(void);

#endif
