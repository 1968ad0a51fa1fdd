/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A run that measures some of the pairs only and leaves a part file, from which --merge makes the report of
 * all. docs/shards.md says how it is used, and what the file has in it. */
#ifndef TOOLS_SHARD_SHARD_H
#define TOOLS_SHARD_SHARD_H

#include <jansson.h>
#include <time.h>

#include "input/prefetch.h"
#include "input/video.h"
#include "libvmaf/libvmaf.h"
#include "vmaf/options.h"
#include "digest.h"
#include "vmaf/sync.h"

/* What the two frames of a pair were, and where: frames in different places may look the same. */
typedef struct PairDigest {
    char text[SIDES][DIGEST_TEXT];
    uint64_t place[SIDES]; /* in the files, or VIDEO_NO_PLACE */
} PairDigest;

typedef struct Shard {
    uint64_t first, end;   /* its pairs; `end` is not one of them, and may lie behind the last */
    uint64_t lead;         /* pairs before the first that have to be read, too */
    uint64_t start[SIDES]; /* the frame of each video, behind those skipped, that is read first */
    bool seen[SIDES];      /* all frames before have to be seen, too: their times decide */
    unsigned planes;       /* that are read */
    uint64_t count;        /* of its own pairs, measured by now */
    bool ended;            /* there is none behind the last of them */
    uint64_t size[SIDES];  /* of the files; 0: not known */
    char ends[SIDES][DIGEST_TEXT]; /* of their first and last bytes, which are the same for all */
    Digest content[SIDES];         /* of the frames of its own pairs */
    PairDigest *pairs;             /* from `first - lead` on, and one behind the last */
    size_t pair_count, pair_capacity;
    json_t *models; /* as they were when the run began */
    unsigned threads;
    struct timespec started;
} Shard;

/* Which pairs are this run's, and where its videos have to be. `pairs_back`: how far features look back. Says
 * what cannot be done; negative errno. */
int shard_plan(Shard *shard, const Options *options, const SyncPlan *plan, Video *const *videos,
               unsigned pairs_back);
void shard_destroy(Shard *shard); /* NULL is fine */

/* Has this run any pairs? Else nothing has to be read. */
bool shard_is_empty(const Shard *shard);

/* Brings a video to the frame that is read first. Says what is wrong; negative errno. */
int shard_position(const Shard *shard, Video *video, enum Side side, uint64_t skip,
                   bool from_start);

/* Remembers what the frames of a pair were: those of its own, `lead` before them and one behind. -ENOMEM. */
int shard_note_pair(Shard *shard, uint64_t pair, const Prefetched *ref, const Prefetched *dist);

#endif
