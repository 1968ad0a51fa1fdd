/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A video as the command reads it, from a file or a pipe: frames are found one after another, then
 * read into pictures. What kinds of video there are is said in input/reader.h. */
#ifndef TOOLS_INPUT_VIDEO_H
#define TOOLS_INPUT_VIDEO_H

#include <stdbool.h>
#include <stdint.h>

#include "input/source.h"
#include "libvmaf/picture.h"

/* The two videos of a run. */
enum Side { SIDE_REF, SIDE_DIST, SIDES };

typedef struct VideoReader VideoReader; /* input/reader.h */

typedef struct VideoFormat {
    unsigned width, height, bitdepth;
    enum VmafPixelFormat pix_fmt;
} VideoFormat;

/* What a file says of its video besides the format of its samples. Zeros: nothing. */
typedef struct VideoTraits {
    unsigned rate_num, rate_den; /* frames a second */
} VideoTraits;

typedef struct Video {
    const char *path;
    Source *source;
    const VideoReader *reader;
    VideoFormat format;
    VideoTraits traits;
    bool raw;         /* its format was told, not read */
    bool parallel;    /* several threads may read frames at once */
    bool held_enough; /* and that was said */
    void *state;      /* the reader's */
} Video;

enum FrameStatus {
    FRAME_WHOLE,
    FRAME_NONE, /* the video has ended */
    FRAME_CUT,  /* it ends, or loses its form, within this frame */
    FRAME_ERROR /* it could not be read; the reason was said */
};

/* `raw` is the format of raw video; NULL: the file says itself what it holds. Says what is wrong;
 * negative errno. */
int video_open(Video **video, const char *path, const VideoFormat *raw);
/* The same in two steps. The first one waits for nobody; the second reads the beginning, for which a pipe
 * may keep one waiting. After both, failed or not, there is a video to close. */
int video_create(Video **video, const char *path, const VideoFormat *raw);
int video_begin(Video *video);
void video_close(Video *video);

/* Finds the next frame and moves past it; `offset` tells video_read which one it is. Unless the
 * video is `parallel`, a frame must be read before the next one is looked for. */
enum FrameStatus video_find(Video *video, uint64_t *offset);

/* When a frame that was found is shown, in nanoseconds on the file's own clock; VIDEO_NO_TIME where frames
 * have no times and are counted. */
#define VIDEO_NO_TIME INT64_MIN
int64_t video_time(const Video *video, uint64_t offset);

/* Reads the samples of a frame into a picture of the same size and of the same or a larger depth;
 * only the planes whose bits are set, and without any the picture may be NULL. */
enum FrameStatus video_read(const Video *video, uint64_t offset, unsigned planes,
                            const VmafPicture *pic);

/* Drops frames. FRAME_NONE or FRAME_CUT when there are fewer. */
enum FrameStatus video_skip(Video *video, unsigned frames);

/* How many frames are still to come, or 0 when that cannot be told. */
uint64_t video_frames_left(const Video *video);

/* Do the two fit? Says every difference and returns -EINVAL. With `common_bitdepth` their depths
 * may differ. */
int video_compare(const Video *ref, const Video *dist, bool common_bitdepth);

/* As source_hold. Says so, once, when enough of the pipe is held. */
int video_hold(Video *video);

/* Says that reading failed, and why, unless it was cancelled. Returns `err`. */
int video_read_error(const Video *video, int err);

#endif
