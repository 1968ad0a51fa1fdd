/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The object `vmaf_turbo` of a JSON report (docs/report.schema.json), read back. */
#ifndef TOOLS_REPORT_DETAILS_H
#define TOOLS_REPORT_DETAILS_H

#include <jansson.h>

#include "report/stored.h"

/* What is not as the schema has it is left out: scores can be shown without. -ENOMEM. */
int stored_take_details(StoredReport *report, const json_t *details);

#endif
