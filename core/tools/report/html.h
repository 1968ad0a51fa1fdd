/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Writes HTML reports from JSON reports. */
#ifndef TOOLS_REPORT_HTML_H
#define TOOLS_REPORT_HTML_H

#include <stddef.h>

#include "libvmaf/libvmaf.h"
#include "report/stored.h"

/* The most reports that one page shows. */
#define HTML_REPORTS_MAX 32

/* Writes a page about these reports to a file, as save_file does. Logs errors; returns 0 or
 * negative errno. */
int html_write(StoredReport *const *reports, size_t count, const char *path);

/* Makes a report from a context that has all its scores. The caller frees it with stored_destroy.
 * `name` replaces the report's path: the page shows it if the distorted video has no name. It must
 * outlive the report. Logs errors; returns 0 or negative errno. */
int stored_from_context(StoredReport **report, VmafContext *vmaf, const char *name);

#endif
