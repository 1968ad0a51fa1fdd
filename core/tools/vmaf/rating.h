/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* One distorted video of a run, and what comes of it: a context of its own, scores, a report. */
#ifndef TOOLS_RATING_H
#define TOOLS_RATING_H

#include "extractors.h"
#include "gpu.h"
#include "input/video.h"
#include "libvmaf/libvmaf.h"
#include "models.h"
#include "options.h"
#include "report/stored.h"
#include "vmaf/part/shard.h"

/* How much of a video there is. */
typedef struct VideoSpan {
    uint64_t skipped; /* frames before the first one that is scored */
    uint64_t frames;  /* of the whole video; 0: not known */
} VideoSpan;

typedef struct Rating {
    size_t number; /* among the distorted videos, from 0 */
    Video *video, *ref;
    VideoSpan span[SIDES];
    char *output; /* where the report goes; NULL: nowhere */
    VmafContext *vmaf;
    StoredReport *report; /* for --html, once it is finished */
    unsigned pairs;       /* scored */
    bool cut;             /* this video or the reference ended within a frame */
    bool stopped;         /* a signal came before the last pair */
    bool below;           /* a score is lower than --fail_under wants */
    int err;              /* why there is no result */
    char pairing[160];    /* how frames found their partners */
    Shard *shard;         /* only some pairs, for a part file; NULL: all */
} Rating;

/* Its context, which has so many threads or, if `first` is another, the threads of that. Says what is wrong;
 * negative errno. */
int rating_create_context(Rating *rating, const Options *options, unsigned threads,
                          const Rating *first);

/* Waits for the last scores of what was read; an error also where nothing is to be made of them. Says what is wrong;
 * negative errno. */
int rating_end(const Rating *rating, const Options *options);

/* Then scores, prints and writes. Says what is wrong; negative errno. */
int rating_finish(Rating *rating, const Options *options, const Models *models);

void rating_destroy(Rating *rating);

#endif
