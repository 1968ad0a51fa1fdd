/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Reads all videos of a run ahead of the scoring, on threads of its own, straight into a context's
 * pictures. */
#ifndef TOOLS_INPUT_PREFETCH_H
#define TOOLS_INPUT_PREFETCH_H

#include "input/video.h"
#include "libvmaf/libvmaf.h"

typedef struct Prefetch Prefetch;

/* A frame that was read. */
typedef struct Prefetched {
    VmafPicture pic;
    KeptFrame *kept; /* in place of the picture */
    uint64_t place;  /* in the file, as video_find tells it */
} Prefetched;
void prefetched_release(Prefetched *frame); /* an empty one is fine */

typedef struct PrefetchVideo {
    Video *video;
    uint64_t frame_limit; /* 0: none */
} PrefetchVideo;

typedef struct PrefetchConfig {
    VmafContext *vmaf; /* with a pool of pictures, see prefetch_pool_size, unless `kept` */
    bool kept;         /* frames stay where they are decoded */
    const PrefetchVideo *videos; /* the reference, then the distorted ones; copied */
    unsigned count;
    bool by_number;   /* frames are wanted in pairs: no need for one whose partner is no good */
    unsigned planes;  /* bit p: plane p is wanted; the others keep what they hold */
    unsigned ahead;   /* frames of each video that may wait, 1 at least */
    unsigned threads; /* for each video that several may read; others have one */
} PrefetchConfig;

/* Fewer pictures than this could leave one video waiting for those that another holds. `in_work`:
 * pairs a context works on at once; each distorted video has a context. */
unsigned prefetch_pool_size(unsigned videos, unsigned ahead, unsigned in_work);
/* The same for frames that are wanted in pairs by number, and not looked back at. With one frame ahead and one pair in
 * the making, the last frame of a pair is read when the pair before it is scored. */
unsigned prefetch_pool_least(unsigned videos, unsigned ahead, unsigned in_work);

int prefetch_create(Prefetch **prefetch, const PrefetchConfig *config);

/* A look at the next frame of a video, which it waits for: its status, and its time as video_time tells it.
 * `by_number`, it does not wait for the reference when all distorted videos that were not dropped are cut or
 * cannot be read next: FRAME_WHOLE then, and there is nothing to take. */
enum FrameStatus prefetch_look(Prefetch *prefetch, unsigned video, int64_t *time);
/* The frame that was looked at and is whole: it is the caller's. */
void prefetch_take(Prefetch *prefetch, unsigned video, Prefetched *frame);
/* Nobody wants more of this video. A pipe is read on, since its writer may have to get on with others. */
void prefetch_drop(Prefetch *prefetch, unsigned video);

/* From any thread: prefetch_look waits no longer, and gives FRAME_NONE. */
void prefetch_interrupt(Prefetch *prefetch);

/* The videos and the context stay the caller's; pipes are cancelled. NULL is fine. */
void prefetch_destroy(Prefetch *prefetch);

/* The same done with all videos at once. One program may write several of them, in any order, through pipes
 * that hold little: whoever waits for one video must go on reading the others. */

/* When a video has kept the others waiting for so long, they are read into memory: all may come from the
 * same writer. */
#define TOGETHER_PATIENCE_MS 300

/* 0, or negative errno after saying what is wrong. */
typedef int (*VideoJob)(Video *video, unsigned number, void *arg);

/* Files get their turns one after another, as long as all goes well. With a pipe all are at it at once; when
 * one fails, the others are cancelled. The error of the one that failed first. */
int videos_do(Video *const *videos, unsigned count, VideoJob job, void *arg);

#endif
