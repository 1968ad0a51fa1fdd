/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A video as the command reads it: raw planes or Y4M, from a file or a pipe. */
#ifndef TOOLS_VIDEO_H
#define TOOLS_VIDEO_H

#include <stdbool.h>
#include <stdint.h>

#include "libvmaf/picture.h"
#include "source.h"

#define VIDEO_PLANES 4 /* the fourth is alpha, and never read */

typedef struct VideoFormat {
    unsigned width, height, bitdepth;
    enum VmafPixelFormat pix_fmt;
} VideoFormat;

typedef struct Video {
    const char *path;
    Source *source;
    VideoFormat format;
    bool y4m;
    unsigned plane_count; /* in the file */
    unsigned plane_width[VIDEO_PLANES], plane_height[VIDEO_PLANES];
    uint64_t frame_size; /* in the file, without a frame's header */
    uint64_t next;       /* number of the frame that is next, skipped ones counted */
} Video;

enum FrameStatus {
    FRAME_WHOLE,
    FRAME_NONE, /* the video has ended */
    FRAME_CUT,  /* it ends, or loses its form, within this frame */
    FRAME_ERROR /* it could not be read */
};

/* `raw` NULL: Y4M. Says what is wrong; negative errno. */
int video_open(Video **video, const char *path, const VideoFormat *raw);
void video_close(Video *video);

/* Finds the next frame and moves past it; its samples are then read with video_read. In a pipe they
 * must be read, or skipped, before the next one is looked for. */
enum FrameStatus video_find(Video *video, uint64_t *offset);

/* Reads the samples of a frame into a picture of the same size and of the same or a larger depth;
 * only the planes whose bits are set. May be called by several threads unless it is a pipe. */
enum FrameStatus video_read(const Video *video, uint64_t offset, unsigned planes,
                            const VmafPicture *pic);

/* Drops frames. FRAME_NONE or FRAME_CUT when there are fewer: video->next tells how many. */
enum FrameStatus video_skip(Video *video, unsigned frames);

/* How many frames are still to come, or 0 when that cannot be told. */
uint64_t video_frames_left(const Video *video);

/* Do the two fit? Says every difference and returns -EINVAL. With `common_bitdepth` their depths
 * may differ. */
int video_compare(const Video *ref, const Video *dist, bool common_bitdepth);

#endif
