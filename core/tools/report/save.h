/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A file written as a whole, or not at all. */
#ifndef TOOLS_REPORT_SAVE_H
#define TOOLS_REPORT_SAVE_H

#include <stddef.h>

/* Replaces the file once all bytes are on the disk; what is no plain file is written through; "-" is standard
 * output. Says what is wrong; negative errno. */
int save_file(const char *path, const char *data, size_t size);

#endif
