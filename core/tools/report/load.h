/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* From the bytes of a report to what is in it. For report/stored.h, and for tests that have bytes. */
#ifndef TOOLS_REPORT_LOAD_H
#define TOOLS_REPORT_LOAD_H

#include "report/stored.h"

/* `report` is zeroed, but for its path. On an error, which is said, it may be filled in part. */
int stored_parse(StoredReport *report, const char *text, size_t size);

#endif
