/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Where reports go. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <stdbool.h>

#include "libvmaf/libvmaf.h"
#include "options.h"

/* Is it standard output? */
bool output_is_stdout(const char *path);

/* Writes the report there, in the format that the options or the path name. Says what is wrong; negative
 * errno. */
int output_write(VmafContext *vmaf, const Options *options, const char *path);

#endif
