/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Joining encoded parts of a video to one file, without encoding them again. One thread at a time.
 */
#ifndef TUNE_JOIN_H
#define TUNE_JOIN_H

#include "job.h"
#include "shot_list.h"

/* Join one encode for each shot, and the source's audio, to the file `output`. The shots say how
 * long each part is shown. Prints errors and returns a negative errno. */
int join_parts(Workshop *shop, const Original *source, const ShotList *shots, char *const *parts,
               const char *output);

#endif
