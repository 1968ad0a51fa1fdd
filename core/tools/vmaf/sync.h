/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How the frames of a run find their partners: decided from the options and from what the files say. */
#ifndef TOOLS_SYNC_H
#define TOOLS_SYNC_H

#include "input/pairing.h"
#include "options.h"

/* One video of the run. */
typedef struct SyncVideo {
    PairingVideo pairing;
    uint64_t skip;  /* frames to drop at its beginning, all reasons together */
    int64_t frames; /* of these and of those that the reference has before, those of the offset */
    bool found;     /* the offset, by itself */
} SyncVideo;

typedef struct SyncPlan {
    enum PairBy by;
    unsigned rate_num, rate_den; /* of the ticks */
    uint64_t limit;              /* pairs; 0: all */
    int64_t duration;            /* ns; 0: all */
    unsigned count;
    SyncVideo *videos; /* the reference's first */
} SyncPlan;

/* Says what is done where files differ, and what cannot be done; negative errno. In any case there is
 * something to destroy. */
int sync_plan(SyncPlan *plan, const Options *options, Video *const *videos, unsigned count);
void sync_destroy(SyncPlan *plan);

/* Would two distorted videos be paired alike, each alone with the reference? */
bool sync_alike(const Video *a, const Video *b);

/* An offset of a distorted video that was found: as --offset of so many frames. */
void sync_shift(SyncPlan *plan, unsigned video, int64_t frames);

/* In words, for reports: "by time, offset 7 frames, 2 repeated". */
void sync_describe(const SyncPlan *plan, unsigned video, const PairingPart *part, char *text,
                   size_t size);

#endif
