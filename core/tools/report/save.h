/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Writes a file completely or not at all. */
#ifndef TOOLS_REPORT_SAVE_H
#define TOOLS_REPORT_SAVE_H

#include <stddef.h>

/* Writes the data to a temporary file and renames it to `path` once all bytes are on the disk. A
 * path that is not a regular file (a pipe, a device) is written directly; "-" is standard
 * output. Logs errors; returns 0 or negative errno. */
int save_file(const char *path, const char *data, size_t size);

#endif
