/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Where reports go. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <stdbool.h>

#include "input/video.h"
#include "libvmaf/libvmaf.h"
#include "options.h"

/* Is it standard output? */
bool output_is_stdout(const char *path);

/* The path of the report on a distorted video, 0 and so on, to be freed; NULL: there is none. One name for
 * several videos gets their numbers, from 1 on, before its extension. -ENOMEM. */
int output_path(char **path, const Options *options, size_t video);

/* Finds out now, not after hours of scoring, that the report has nowhere to go. Says what is wrong; negative
 * errno. */
int output_check(const char *path, Video *const *videos, unsigned count);

/* Writes the report there, in the format that the options or the path name. Says what is wrong; negative
 * errno. */
int output_write(VmafContext *vmaf, const Options *options, const char *path);

#endif
