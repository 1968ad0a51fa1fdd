/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Reads both videos ahead of the scoring, on threads of its own, straight into the context's
 * pictures. */
#ifndef TOOLS_READER_H
#define TOOLS_READER_H

#include "libvmaf/libvmaf.h"
#include "options.h"
#include "video.h"

typedef struct Reader Reader;

typedef struct ReaderConfig {
    VmafContext *vmaf; /* with a pool of pictures, see reader_pool_size */
    Video *video[SIDES];
    uint64_t frame_limit; /* 0: none */
    unsigned planes;      /* bit p: plane p is wanted; the others keep what they hold */
    unsigned ahead;       /* frames of each video that may wait, 1 at least */
    unsigned threads;     /* for each video that is a file; a pipe has one */
} ReaderConfig;

/* Fewer pictures than this could leave one video waiting for those that the other holds. `in_work`:
 * pairs the context works on at once. */
unsigned reader_pool_size(unsigned ahead, unsigned in_work);

int reader_create(Reader **reader, const ReaderConfig *config);

/* Waits for the next frame of each video. Where the status is FRAME_WHOLE, the picture is the
 * caller's. After any other status there is nothing more to ask for. */
void reader_next(Reader *reader, VmafPicture pic[SIDES], enum FrameStatus status[SIDES]);

/* The videos and the context stay the caller's. NULL is fine. */
void reader_destroy(Reader *reader);

#endif
