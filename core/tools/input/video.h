/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A video as the command reads it, from a file or a pipe: frames are found one after another, then
 * read into pictures. What kinds of video there are is said in input/reader.h. */
#ifndef TOOLS_INPUT_VIDEO_H
#define TOOLS_INPUT_VIDEO_H

#include <stdbool.h>
#include <stdint.h>

#include "input/source.h"
#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_vulkan.h"
#include "libvmaf/picture.h"

/* The two videos of a run. */
enum Side { SIDE_REF, SIDE_DIST, SIDES };

/* Frames that stay on the device that decoded them, where the scoring reads them. */

typedef struct KeptFrame KeptFrame;

/* A reader's kind of them: it embeds a KeptFrame at the head of its own. */
typedef struct KeptOps {
    KeptFrame *(*copy)(const KeptFrame *frame);
    void (*release)(KeptFrame *frame);
    int (*read)(VmafContext *vmaf, KeptFrame *ref, KeptFrame *dist, unsigned index);
} KeptOps;

struct KeptFrame {
    const KeptOps *ops;
};

/* What is to read them. */
typedef struct KeptScorer {
    VmafContext *vmaf;
    const VmafVulkanState
        *vulkan; /* that it uses, if that is on the device of the frames; NULL: it is not */
} KeptScorer;

/* Frames of a video that may wait to be scored, and pairs that the device may have at once: decoders have few places
 * for frames. */
#define KEPT_AHEAD 2
#define KEPT_PAIRS 4
/* One more is in hand, and one between there and the device. */
#define KEPT_FRAMES (KEPT_AHEAD + KEPT_PAIRS + 2)

/* The same frame once more; NULL: no memory. */
static inline KeptFrame *kept_copy(const KeptFrame *frame)
{
    return frame->ops->copy(frame);
}

/* NULL is fine. */
static inline void kept_release(KeptFrame *frame)
{
    if (frame)
        frame->ops->release(frame);
}

/* As vmaf_read_pictures. Takes both, which are of one device, whatever it returns; negative errno. */
static inline int kept_read(VmafContext *vmaf, KeptFrame *ref, KeptFrame *dist, unsigned index)
{
    return ref->ops->read(vmaf, ref, dist, index);
}

typedef struct VideoReader VideoReader; /* input/reader.h */

typedef struct VideoFormat {
    unsigned width, height, bitdepth;
    enum VmafPixelFormat pix_fmt;
} VideoFormat;

enum VideoRange { RANGE_UNKNOWN, RANGE_LIMITED, RANGE_FULL };

/* What a file says of its video besides the format of its samples. Zeros: nothing. Texts are FFmpeg's names,
 * and live as long as the video. */
typedef struct VideoTraits {
    unsigned rate_num, rate_den; /* frames a second */
    bool variable_rate;
    bool timeless; /* frames have numbers only, though its reader knows times */
    const char *container, *codec, *pixel_format;
    const char *hwaccel; /* what decodes; NULL: the CPU */
    enum VideoRange range;
    const char *matrix, *primaries, *transfer;
    unsigned aspect_num, aspect_den; /* of a sample */
    bool hdr;                        /* its transfer is PQ or HLG */
    bool interlaced;
    int rotation; /* degrees clockwise that frames were turned by */
} VideoTraits;

/* What was done to a video, or is odd about it: a line for reports. It was said, too. */
typedef struct VideoNote {
    const char *kind; /* one word: "scaled", "widened", "rotated", "interlaced", "hdr", … */
    bool done;        /* samples were changed by it; else a warning */
    char *text;       /* one line without the video's path */
} VideoNote;

/* How a video is to be read. Zeros are fine. Set between video_create and video_begin. */
typedef struct VideoOptions {
    const char *hwaccel; /* "vulkan", "cuda", "vaapi", "auto"; NULL, "none": decode on the CPU */
    const char *backend; /* that is to score, or "auto"; NULL: the CPU */
    const char *device;  /* of that, as --device has it; NULL: the first */
    bool local;          /* no network, and no file that names others, such as a playlist */
    unsigned threads;    /* that decode; 0: a fair share of the cores */
    bool quiet;          /* what is odd about it was said before */
    bool even; /* frames are found by their times where they have some: they must keep their rate */
} VideoOptions;

/* How samples are interpolated where sizes differ. */
enum VideoScale { SCALE_BICUBIC, SCALE_BILINEAR, SCALE_LANCZOS, SCALE_NEAREST, SCALE_AREA };

typedef struct Video {
    const char *path;
    Source *source;
    const VideoReader *reader;
    VideoFormat format; /* of the frames that video_read gives */
    VideoFormat native; /* of the file's own */
    VideoTraits traits;
    VideoOptions options;
    VideoNote *notes;
    unsigned note_count;
    enum VideoRange range;   /* to give samples in; UNKNOWN: as they are */
    struct Convert *convert; /* NULL: frames are given as they are */
    bool rgb;                /* frames are computed from RGB, by the matrix and range in `traits` */
    bool raw;                /* its format was told, not read */
    bool parallel;           /* several threads may read frames at once */
    bool held_enough;        /* and that was said */
    void *state;             /* the reader's */
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

/* Finds the next frame and moves past it; `offset` tells video_read which one it is: its place in the file, or
 * VIDEO_NO_PLACE. Unless the video is `parallel`, a frame must be read before the next one is looked for. */
#define VIDEO_NO_PLACE UINT64_MAX
enum FrameStatus video_find(Video *video, uint64_t *offset);

/* When a frame that was found is shown, in nanoseconds on the file's own clock; VIDEO_NO_TIME where frames
 * have no times and are counted. */
#define VIDEO_NO_TIME INT64_MIN
int64_t video_time(const Video *video, uint64_t offset);

/* Reads the samples of a frame into a picture of the same size and of the same or a larger depth;
 * only the planes whose bits are set, and without any the picture may be NULL. */
enum FrameStatus video_read(const Video *video, uint64_t offset, unsigned planes,
                            const VmafPicture *pic);

/* The backend on whose device frames are decoded, so that it may be able to read them there; NULL: they come from
 * the CPU. */
const char *video_kept_by(const Video *video);
/* Whether the frames can be scored, in the format in which they are wanted now, where they are decoded. 0, or
 * negative errno and the reason. */
int video_can_keep(const Video *video, const KeptScorer *scorer, char *why, size_t size);
/* Of Vulkan's devices a program has as many as it makes: the one that decodes, for scoring. All videos have the same.
 * `pairs` may be under way at once. The log says what it lacks; negative errno. */
int video_share(const Video *video, unsigned pairs, bool required, VmafVulkanState **state);
/* From now on frames stay there: video_keep, in place of video_read, gives one that was found. */
void video_start_keeping(Video *video);
enum FrameStatus video_keep(const Video *video, uint64_t offset, KeptFrame **frame);

/* Drops frames. FRAME_NONE or FRAME_CUT when there are fewer. */
enum FrameStatus video_skip(Video *video, unsigned frames);

/* From the beginning of a file to a frame: by its place in the file or by the nearest key frame, or with
 * `from_start` by all frames before it. FRAME_NONE or FRAME_CUT when there are fewer. */
enum FrameStatus video_go_to(Video *video, uint64_t frame, bool from_start);
/* When a frame of this number, which nobody has found yet, is shown if frames keep their rate; as video_time. */
int64_t video_time_of(const Video *video, uint64_t frame);

/* How many frames are still to come, or 0 when that cannot be told. */
uint64_t video_frames_left(const Video *video);

/* From now on, and from the next video_convert on, samples are given in this range; what the video has is in
 * its traits. */
void video_convert_range(Video *video, enum VideoRange range);

/* From now on frames are given in `target`'s format: scaled, widened, with the chroma resampled where that
 * differs. Nothing that differs is touched twice, what does not differ not at all. A depth may only grow.
 * Notes what will be done. Says what is wrong; negative errno. */
int video_convert(Video *video, const VideoFormat *target, enum VideoScale scale);

/* How videos are brought together. */
typedef struct VideoAlign {
    bool asked;  /* --scale was given: also for Y4M and raw video */
    bool refuse; /* --scale none: sizes must be the same */
    enum VideoScale scale;
    unsigned box_width,
        box_height;       /* --scale model: all are scaled to fit it; 0: to the reference's size */
    bool common_bitdepth; /* depths of Y4M and raw video may differ, too */
    bool match_range;     /* the distorted videos' samples are brought to the reference's range */
    bool sdr_model;       /* warn of PQ and HLG */
} VideoAlign;

/* Brings a reference, the first, and the distorted videos to one format: the reference's size, the largest
 * depth, the finest chroma: no bit is lost. When all of them are Y4M or raw, and --scale was not given, they must
 * fit as they are, as video_compare says. Warns of what else is different. Says what is wrong; negative errno. */
int videos_align(Video *const *videos, unsigned count, const VideoAlign *how);

/* Would each of two distorted videos, alone with the reference, be aligned as both are together? Before
 * they are. */
bool videos_align_alike(const Video *ref, const Video *a, const Video *b, const VideoAlign *how);

const char *video_scale_name(enum VideoScale scale); /* NULL behind the last */
const char *video_format_name(enum VmafPixelFormat pix_fmt);

/* Notes something, and says it with the video's path before it. */
void video_note(Video *video, const char *kind, bool done, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Do the two fit? Says every difference and returns -EINVAL. With `common_bitdepth` their depths
 * may differ. */
int video_compare(const Video *ref, const Video *dist, bool common_bitdepth);

/* As source_hold. Says so, once, when enough of the pipe is held. */
int video_hold(Video *video);

/* Says that reading failed, and why, unless it was cancelled. Returns `err`. */
int video_read_error(const Video *video, int err);

#endif
