/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Reads the videos of a run to their ends, and gives the contexts their pairs. */
#ifndef TOOLS_FEED_H
#define TOOLS_FEED_H

#include "sync.h"
#include "rating.h"
#include "vmaf/part/shard.h"

typedef struct FeedConfig {
    const Options *options;
    const SyncPlan *plan;
    Video *const *videos; /* the reference, then those of the ratings */
    Rating **ratings;     /* the first one's context has the pool that pictures are read into */
    unsigned count;       /* of them */
    const Gpu *gpu;
    Models *models;
    bool kept;      /* frames stay on the device that decodes and scores them */
    unsigned ahead; /* frames read ahead of each video */
    Shard *shard;   /* the pairs that are wanted, of one rating; NULL: all */
} FeedConfig;

/* Sets what became of each rating. One that fails does not keep the others: its `err` is set. Negative errno
 * when nothing could be read. */
int feed_ratings(const FeedConfig *config);

#endif
