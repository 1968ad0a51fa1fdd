/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The option --report: shows JSON reports of earlier runs. */
#ifndef TOOLS_REPORT_SHOW_H
#define TOOLS_REPORT_SHOW_H

#include "vmaf/options.h"

/* Prints the reports' scores, checks them against --fail_under, and writes the HTML page if one was
 * asked for. Returns 0, SCORE_BELOW (score.h), or negative errno after logging an error. */
int stored_show(const Options *options);

#endif
