/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The video that search and shots write. One thread at a time. */
#ifndef TUNE_ENCODED_H
#define TUNE_ENCODED_H

#include "job.h"
#include "options.h"

/* The extension of a path, which names the file's format: "mkv" if it has none. */
const char *encoded_extension(const char *path);
/* Check, before long work, that the output may be written. Prints errors and returns a negative
 * errno. */
int encoded_check(const TuneOptions *options);
/* Find out whether the source has sound. Returns 0 or a negative errno. */
int encoded_has_sound(Workshop *shop, const char *path, bool *sound);
/* Check, before long work, whether the output's file format can hold the source's audio. */
int encoded_check_sound(Workshop *shop, const TuneOptions *options);

#endif
