/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The subcommands. Each says what goes wrong and returns 0, -EINTR when a signal came, -ERANGE when a target cannot
 * be reached, or another negative errno. */
#ifndef TUNE_ACTIONS_H
#define TUNE_ACTIONS_H

#include "job.h"
#include "options.h"

int tune_compare(Workshop *shop, const TuneOptions *options);
int tune_search(Workshop *shop, const TuneOptions *options);
int tune_corpus(Workshop *shop, const TuneOptions *options);

#endif
