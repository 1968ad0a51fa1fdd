/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Reads all videos of a run ahead of the scoring, on its own threads, straight into pictures of a
 * VmafContext. Its caller owns it and uses it from one thread, except for prefetch_interrupt. */
#ifndef TOOLS_INPUT_PREFETCH_H
#define TOOLS_INPUT_PREFETCH_H

#include "input/video.h"
#include "libvmaf/libvmaf.h"

typedef struct Prefetch Prefetch;

/* A frame that was read. */
typedef struct Prefetched {
    VmafPicture pic;
    KeptFrame *kept;   /* used instead of `pic` when frames stay on their device */
    uint64_t position; /* in the file, as video_find reports it */
    int64_t time;      /* as video_time reports it */
} Prefetched;
void prefetched_release(Prefetched *frame); /* an empty one is fine */

typedef struct PrefetchVideo {
    Video *video;
    uint64_t frame_limit; /* 0: none */
} PrefetchVideo;

typedef struct PrefetchConfig {
    /* Provides the pictures; needs a pool of prefetch_pool_size pictures. Unused with `kept`. */
    VmafContext *vmaf;
    bool kept;                   /* frames stay on the device that decodes them */
    const PrefetchVideo *videos; /* the reference, then the distorted ones; copied */
    unsigned count;
    bool by_number;      /* frames pair up by number: a frame without a partner is not needed */
    unsigned planes;     /* bit p: read plane p; the others keep whatever they hold */
    unsigned ahead;      /* frames of each video that may wait to be taken; at least 1 */
    unsigned threads;    /* for each video whose frames several threads may read; others have one */
    unsigned converting; /* threads that copy or scale the frames of each decoded video */
} PrefetchConfig;

/* The number of pictures that the pool needs. With fewer, one video could wait forever for pictures
 * that another one holds. `in_work`: pairs that one context works on at once; each distorted video
 * has a context. */
unsigned prefetch_pool_size(unsigned videos, unsigned ahead, unsigned in_work);
/* The same for frames that pair up by number when no feature looks back at earlier pictures. With
 * ahead = in_work = 1, the last frame of a pair is read once the pair before it is scored. */
unsigned prefetch_pool_least(unsigned videos, unsigned ahead, unsigned in_work);

/* Starts reading. 0 or negative errno. */
int prefetch_create(Prefetch **prefetch, const PrefetchConfig *config);

/* Waits for the next frame of a video; returns its status and sets its time (as video_time does).
 * With `by_number` it stops waiting for the reference once every distorted video that was not
 * dropped is cut or unreadable: it then returns FRAME_WHOLE although no frame can be taken. */
enum FrameStatus prefetch_look(Prefetch *prefetch, unsigned video, int64_t *time);
/* Takes the frame that prefetch_look found whole. The caller owns it and releases it. */
void prefetch_take(Prefetch *prefetch, unsigned video, Prefetched *frame);
/* Takes and drops up to `most` further frames of a video. Returns how many there were. */
uint64_t prefetch_count(Prefetch *prefetch, unsigned video, uint64_t most);
/* Stops delivering frames of a video. If it is a pipe, the rest is read and thrown away, because
 * its writer may have to continue with other videos. */
void prefetch_drop(Prefetch *prefetch, unsigned video);

/* From any thread: makes prefetch_look return FRAME_NONE at once, now and later. */
void prefetch_interrupt(Prefetch *prefetch);

/* Stops the threads and cancels the pipes. The videos and the context stay the caller's. NULL is
 * fine. */
void prefetch_destroy(Prefetch *prefetch);

/* ---- one job for all videos at once (together.c) ---- */

/* One program may write several videos, in any order, through pipes that hold little. A reader that
 * waits for one video must therefore continue to read the others. Once a video has kept the others
 * waiting for this long, they are read into memory. */
#define TOGETHER_PATIENCE_MS 300

/* Does something with one video. 0, or negative errno after logging an error. */
typedef int (*VideoJob)(Video *video, unsigned number, void *arg);

/* Runs the job for every video. If all are files: one after another, until one fails. If there is a
 * pipe: all at the same time, each on its own thread; when one fails, the others are cancelled.
 * Returns the first error, else 0. */
int videos_do(Video *const *videos, unsigned count, VideoJob job, void *arg);

#endif
