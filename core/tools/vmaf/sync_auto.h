/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* --sync auto: the offset of each distorted video, found by comparing the beginnings. */
#ifndef TOOLS_SYNC_AUTO_H
#define TOOLS_SYNC_AUTO_H

#include "sync.h"

/* Opens the files once more, and says what was found. Negative errno, and why, when the pictures do not tell, or
 * a video is a pipe, of which the beginning cannot be read twice. */
int sync_find_offsets(SyncPlan *plan, Video *const *videos);

#endif
