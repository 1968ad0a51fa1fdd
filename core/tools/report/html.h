/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* HTML reports, from JSON reports. */
#ifndef TOOLS_REPORT_HTML_H
#define TOOLS_REPORT_HTML_H

#include <stddef.h>

#include "libvmaf/libvmaf.h"
#include "report/stored.h"

/* A page has no more of them. */
#define HTML_REPORTS_MAX 32

/* Writes the page of these reports to a file, which it replaces as a whole; "-" is standard output. Says what
 * is wrong; negative errno. */
int html_write(StoredReport *const *reports, size_t count, const char *path);

/* The report of a context that has all its scores. `name` is what the page calls it where no video has a name,
 * and must live as long as it. Says what is wrong; negative errno. */
int stored_from_context(StoredReport **report, VmafContext *vmaf, const char *name);

#endif
