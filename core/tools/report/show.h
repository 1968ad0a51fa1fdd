/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the command does with reports of earlier runs: --report. */
#ifndef TOOLS_REPORT_SHOW_H
#define TOOLS_REPORT_SHOW_H

#include "vmaf/options.h"

/* Prints their scores, holds them against --fail_under, writes the page. 0, SCORE_BELOW (score.h), or negative
 * errno after saying what went wrong. */
int stored_show(const Options *options);

#endif
