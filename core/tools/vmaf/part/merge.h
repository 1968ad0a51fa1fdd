/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* One report from the parts of a video: what one run would have written. */
#ifndef TOOLS_SHARD_MERGE_H
#define TOOLS_SHARD_MERGE_H

#include "vmaf/options.h"

/* As score_videos, for --merge. */
int merge_parts(const Options *options);

#endif
