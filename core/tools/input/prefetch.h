/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Reads both videos ahead of the scoring, on threads of its own, straight into the context's
 * pictures. */
#ifndef TOOLS_INPUT_PREFETCH_H
#define TOOLS_INPUT_PREFETCH_H

#include "input/video.h"
#include "libvmaf/libvmaf.h"

typedef struct Prefetch Prefetch;

typedef struct PrefetchConfig {
    VmafContext *vmaf; /* with a pool of pictures, see prefetch_pool_size */
    Video *video[SIDES];
    uint64_t frame_limit; /* 0: none */
    unsigned planes;      /* bit p: plane p is wanted; the others keep what they hold */
    unsigned ahead;       /* frames of each video that may wait, 1 at least */
    unsigned threads;     /* for each video that several may read; others have one */
} PrefetchConfig;

/* Fewer pictures than this could leave one video waiting for those that the other holds. `in_work`:
 * pairs the context works on at once. */
unsigned prefetch_pool_size(unsigned ahead, unsigned in_work);

int prefetch_create(Prefetch **prefetch, const PrefetchConfig *config);

/* Waits for the next frame of each video, but for neither once the other is cut or cannot be read. Where
 * the status is FRAME_WHOLE, the picture is the caller's, if there is one. After any other status there is
 * nothing more to ask for. */
void prefetch_next(Prefetch *prefetch, VmafPicture pic[SIDES], enum FrameStatus status[SIDES]);

/* From any thread: prefetch_next waits no longer, and gives FRAME_NONE for both videos. */
void prefetch_interrupt(Prefetch *prefetch);

/* The videos and the context stay the caller's; pipes are cancelled. NULL is fine. */
void prefetch_destroy(Prefetch *prefetch);

#endif
