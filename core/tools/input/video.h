/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A video as the command reads it, from a file or a pipe: frames are found one after another, then
 * read into pictures. The kinds of video are in input/reader.h.
 *
 * The function that opens a Video closes it. One thread at a time calls video_find and the
 * functions that change the video; video_read may run on several threads at once if the video is
 * `parallel`. */
#ifndef TOOLS_INPUT_VIDEO_H
#define TOOLS_INPUT_VIDEO_H

#include <stdbool.h>
#include <stdint.h>

#include "input/source.h"
#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_vulkan.h"
#include "libvmaf/picture.h"

/* The two videos of a pair. */
enum Side { SIDE_REF, SIDE_DIST, SIDES };

/* ---- kept frames: they stay on the device that decoded them, where they are scored ---- */

typedef struct KeptFrame KeptFrame;

/* The operations of one kind of kept frame. A reader embeds a KeptFrame at the start of its own
 * struct. */
typedef struct KeptOps {
    KeptFrame *(*copy)(const KeptFrame *frame);
    void (*release)(KeptFrame *frame);
    int (*read)(VmafContext *vmaf, KeptFrame *ref, KeptFrame *dist, unsigned index);
} KeptOps;

struct KeptFrame {
    const KeptOps *ops;
};

/* The context that will score kept frames. */
typedef struct KeptScorer {
    VmafContext *vmaf;
    /* The Vulkan state it uses; NULL if it does not use the Vulkan device that holds the frames. */
    const VmafVulkanState *vulkan;
} KeptScorer;

/* The most frames of a video that may wait to be scored, and the most pairs that the device may
 * work on at once. Decoders can hold few frames, so both are small. */
#define KEPT_AHEAD 2
#define KEPT_PAIRS 4
/* All frames of a video that may be held: one more is the caller's, and one is on its way to the
 * device. */
#define KEPT_FRAMES (KEPT_AHEAD + KEPT_PAIRS + 2)

/* Takes another reference to the frame; NULL if out of memory. */
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

/* Scores a pair, like vmaf_read_pictures. Both frames are on the same device. Always releases
 * both. 0 or negative errno. */
static inline int kept_read(VmafContext *vmaf, KeptFrame *ref, KeptFrame *dist, unsigned index)
{
    return ref->ops->read(vmaf, ref, dist, index);
}

/* ---- videos ---- */

typedef struct VideoReader VideoReader; /* input/reader.h */

typedef struct VideoFormat {
    unsigned width, height, bitdepth;
    enum VmafPixelFormat pix_fmt;
} VideoFormat;

enum VideoRange { RANGE_UNKNOWN, RANGE_LIMITED, RANGE_FULL };

/* Where samples of chroma lie between those of luma. */
enum VideoSiting {
    SITING_UNKNOWN, /* counts as SITING_LEFT */
    SITING_LEFT,    /* on the even columns, midway between two rows */
    SITING_CENTRE,
    SITING_TOP_LEFT,
    SITING_TOP,
    SITING_BOTTOM_LEFT,
    SITING_BOTTOM,
};

/* Properties of a video besides the format of its samples. Zero means unknown. Strings are FFmpeg's
 * names and live as long as the video. */
typedef struct VideoTraits {
    unsigned rate_num, rate_den; /* frames per second */
    uint64_t bit_rate;           /* bits per second of the video in the file */
    bool variable_rate;
    bool timeless; /* this file's frames have no times, although its reader knows times */
    const char *container, *codec, *pixel_format;
    const char *hwaccel; /* the device API that decodes; NULL: the CPU decodes */
    enum VideoRange range;
    enum VideoSiting siting; /* siting of subsampled chroma */
    const char *matrix, *primaries, *transfer;
    const char
        *usual_matrix; /* matrix to assume if the file names none; NULL: its format does not say */
    unsigned aspect_num, aspect_den; /* the aspect ratio of a sample */
    bool hdr;                        /* the transfer function is PQ or HLG */
    bool interlaced;
    int rotation; /* degrees clockwise that frames were rotated by */
} VideoTraits;

/* A remark for reports: something that was done to a video or is unusual about it. It was also
 * logged. */
typedef struct VideoNote {
    const char *kind; /* "scaled", "widened", "interlaced", "hdr", …: the code of a warning, as in
                       * vmaf_report_warning() */
    bool done;        /* true: samples were changed; false: a warning */
    char *text;       /* one line without the video's path */
} VideoNote;

/* A rectangle of a picture, in samples of luma. */
typedef struct VideoCrop {
    unsigned width, height, x, y;
} VideoCrop;

/* How to read a video; zeros are the defaults. Set between video_create and video_begin. */
typedef struct VideoOptions {
    const char *hwaccel;  /* "vulkan", "cuda", "vaapi", "auto"; NULL, "none": decode on the CPU */
    const char *backend;  /* the backend that will score, or "auto"; NULL: the CPU */
    const char *device;   /* the backend's device, as in --device; NULL: the first */
    bool local;           /* no network, and no files that name other files, such as playlists */
    unsigned threads;     /* threads that decode; 0: a fair share of the cores */
    unsigned decoders;    /* the most that decode the video side by side; 0: one */
    bool decoders_auto;   /* only as many of these as help */
    size_t decoders_room; /* bytes of frames that they may decode ahead */
    unsigned videos; /* videos of the run, and the CPUs that it may use: for `hwaccel` "auto" */
    unsigned cpus;
    bool quiet; /* do not log notes: an earlier reading of the video logged them */
    bool even;  /* frames are found by their times, if they have times: the rate must be constant */
    VideoCrop crop;   /* score this rectangle of the frames; a width of 0: all of them */
    bool bars;        /* the rectangle is what black bars leave, by --crop auto */
    bool no_grain;    /* leave out the film grain that the decoder would add */
    bool deinterlace; /* interpolate the lines of the second field of interlaced frames */
} VideoOptions;

/* How to interpolate samples when a video is scaled. */
enum VideoScale { SCALE_BICUBIC, SCALE_BILINEAR, SCALE_LANCZOS, SCALE_NEAREST, SCALE_AREA };

typedef struct Video {
    const char *path;
    Source *source;
    const VideoReader *reader;
    VideoFormat format; /* format of the frames that video_read delivers */
    VideoFormat native; /* format of the frames in the file */
    VideoTraits traits;
    VideoOptions options;
    VideoNote *notes;
    unsigned note_count;
    bool notes_lost;       /* memory ran out: a note is missing */
    enum VideoRange range; /* the range to convert samples to; UNKNOWN: do not convert */
    enum VideoSiting
        raised; /* chroma is raised to 4:4:4 linearly, as it lies; UNKNOWN: it is scaled */
    struct Convert *convert; /* NULL: frames are delivered unchanged */
    bool rgb;         /* frames are converted from RGB with the matrix and range in `traits` */
    bool rgb_whole;   /* with `rgb`: the samples could be delivered as they are */
    bool rgb_kept;    /* … and are, as planes of G, B and R; `rgb` is then false */
    bool raw;         /* the user gave the format; the file does not hold it */
    bool parallel;    /* several threads may call video_read at once */
    bool held_enough; /* video_hold logged that enough of the pipe is held */
    char cut
        [96]; /* with FRAME_CUT: what is wrong, after "is cut off"; empty: a frame is not whole */
    void *state; /* the reader's */
} Video;

enum FrameStatus {
    FRAME_WHOLE,
    FRAME_NONE, /* the video has ended */
    FRAME_CUT,  /* the video ends or is malformed within this frame, or before its header says */
    FRAME_ERROR /* the frame could not be read; the reason was logged */
};

/* Opens a video. `raw`: the format of raw video; NULL: the file says what it holds. Logs errors;
 * returns 0 or negative errno. `path` must outlive the video. */
int video_open(Video **video, const char *path, const VideoFormat *raw);
/* The same in two steps. video_create never waits; video_begin reads the beginning of the file
 * and may wait for the writer of a pipe. Close the video even if one of them failed; video_close
 * accepts NULL. */
int video_create(Video **video, const char *path, const VideoFormat *raw);
int video_begin(Video *video);
void video_close(Video *video);

/* Opens a file once more, with the same options but silently; the range, the crop and so on are
 * those that `video` has now. */
int video_reopen(Video **copy, const Video *video);

/* Finds the next frame and moves past it. `*offset` identifies the frame for video_read: its
 * position in the file, or VIDEO_NO_POSITION. Unless the video is `parallel`, read each frame
 * before you look for the next one. */
#define VIDEO_NO_POSITION UINT64_MAX
enum FrameStatus video_find(Video *video, uint64_t *offset);

/* The time at which a frame that was found is shown, in ns on the file's own clock;
 * VIDEO_NO_TIME if frames have no times and are counted instead. */
#define VIDEO_NO_TIME INT64_MIN
int64_t video_time(const Video *video, uint64_t offset);

/* Reads a frame into a picture of the same size and of the same or a larger bit depth. `planes`:
 * bit p asks for plane p; with 0 the picture may be NULL. */
enum FrameStatus video_read(const Video *video, uint64_t offset, unsigned planes,
                            const VmafPicture *pic);

/* True if frames can be held in memory, to be read on any thread while the next ones are found.
 * Each such thread has a Convert of its own: a copy of the video's (convert_copy). */
bool video_can_hold(const Video *video);
/* Holds the frame that was found; NULL: out of memory. Give it back with video_let_go. */
void *video_hold_frame(const Video *video);
void video_let_go(const Video *video, void *held);
/* As video_read. */
enum FrameStatus video_read_held(const Video *video, const void *held, struct Convert *convert,
                                 unsigned planes, const VmafPicture *pic);

/* The name of the backend whose device decodes the frames, which may then score them in place;
 * NULL: the CPU decodes. */
const char *video_kept_by(const Video *video);
/* 0 if frames, in the format that is wanted now, can be scored on the device that decodes them;
 * otherwise negative errno and the reason in `why`. Only if video_kept_by is not NULL. */
int video_can_keep(const Video *video, const KeptScorer *scorer, char *why, size_t size);
/* Makes a state for scoring on the Vulkan device that decodes this video; all videos of a run are
 * decoded on one. `pairs`: the most pairs in progress at once. Returns 0 or negative errno; the log
 * says what the device lacks. */
int video_share(const Video *video, unsigned pairs, bool required, VmafVulkanState **state);
/* From now on frames stay on their device: call video_keep instead of video_read. */
void video_start_keeping(Video *video);
/* Gives the caller a reference to the frame that was found. */
enum FrameStatus video_keep(const Video *video, uint64_t offset, KeptFrame **frame);

/* From now on video_read delivers only this rectangle of the frames, also after later calls of
 * video_convert. Call it before that, and after video_begin, which crops if the options say so.
 * Logs errors; returns 0 or negative errno. */
int video_crop(Video *video, const VideoCrop *crop);

/* Sets the options by which the pictures of a report were read, from its line of notes on what was
 * done to a video: to read the same pictures again. */
void video_options_of_notes(VideoOptions *options, const char *notes);

/* Skips frames. FRAME_NONE or FRAME_CUT if there are fewer. */
enum FrameStatus video_skip(Video *video, unsigned frames);

/* Moves from the beginning of a file to a frame: directly or from the nearest key frame, or, with
 * `from_start`, by reading all frames before it. FRAME_NONE or FRAME_CUT if there are fewer. */
enum FrameStatus video_go_to(Video *video, uint64_t frame, bool from_start);
/* Moves a file that is read only to look at a few frames forwards from frame `from` to about frame
 * `to`, to where that is quick. FRAME_NONE or FRAME_CUT if there are fewer. */
enum FrameStatus video_approach(Video *video, uint64_t from, uint64_t to);
/* The time, as video_time reports it, that a frame not found yet has at a constant rate. */
int64_t video_time_of(const Video *video, uint64_t frame);

/* The number of frames still to come; 0 if unknown. */
uint64_t video_frames_left(const Video *video);

/* The range that later calls of video_convert convert samples to. The file's own range is in
 * `traits`. */
void video_convert_range(Video *video, enum VideoRange range);

/* Later calls of video_convert to 4:4:4 raise chroma linearly, whose samples lie so, where luma is
 * not scaled. */
void video_raise_chroma(Video *video, enum VideoSiting siting);

/* From now on video_read delivers frames in the format `target`: scaled, widened, chroma
 * resampled, as far as they differ. The bit depth may only grow. Each sample is resampled at
 * most once. Logs errors; returns 0 or negative errno. */
int video_convert(Video *video, const VideoFormat *target, enum VideoScale scale);

/* How videos of different formats are made equal. */
typedef struct VideoAlign {
    bool asked;   /* --scale was given, so Y4M and raw video are scaled, too */
    bool stretch; /* --scale stretch: the videos may be of different shapes */
    bool refuse;  /* --scale none: sizes must be equal */
    enum VideoScale scale;
    /* --scale model: scale all videos to fit this box; 0: to the reference's size. */
    unsigned box_width, box_height;
    bool common_bitdepth;   /* Y4M and raw videos may differ in bit depth */
    bool match_range;       /* convert distorted videos to the reference's range */
    bool sdr_model;         /* warn about PQ and HLG */
    bool colours_converted; /* the model has colours converted: do not warn about them */
    /* The extractors are told what the samples of each video are: RGB need not be converted, and
     * matrix and range may differ. */
    bool by_tags;
    unsigned least_depth; /* widen samples of fewer bits, wherever videos are converted; 0: no */
    bool deepen;          /* widen them also where nothing else is to be converted */
} VideoAlign;

/* After video_create: true if FFmpeg's libraries will decode the video, or if a pipe does not tell
 * yet. */
bool video_may_be_decoded(Video *video);

/* True if FFmpeg's libraries decode the video, so that its file tells how it was coded. */
bool video_is_decoded(const Video *video);

/* Before videos_align: the format in which it will have the two compared. */
VideoFormat videos_scored_format(const Video *ref, const Video *dist, const VideoAlign *how);

/* Brings the reference (the first video) and the distorted videos to one format: the reference's
 * size, the largest bit depth, the finest chroma, so that no bit is lost. If all are Y4M or raw
 * and --scale was not given, they must be equal already, as video_compare checks. Warns about
 * other differences. Logs errors; returns 0 or negative errno. */
int videos_align(Video *const *videos, unsigned count, const VideoAlign *how);

/* Before videos_align: true if each of two distorted videos, alone with the reference, would be
 * aligned as both together are. */
bool videos_align_alike(const Video *ref, const Video *a, const Video *b, const VideoAlign *how);

const char *video_scale_name(enum VideoScale scale); /* NULL for values after the last */
const char *video_format_name(enum VmafPixelFormat pix_fmt);

/* Adds a note to the video and logs it with the video's path (as a warning unless `done`). If
 * memory runs out, the note is only logged, and the video's `notes_lost` is set. */
void video_note(Video *video, const char *kind, bool done, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* 0 if the two videos have the same format. Otherwise logs every difference and returns -EINVAL.
 * With `common_bitdepth` the bit depths may differ. */
int video_compare(const Video *ref, const Video *dist, bool common_bitdepth);

/* Like source_hold. Logs once when enough of the pipe is held. */
int video_hold(Video *video);

/* Logs that reading failed and why, unless it was cancelled. Returns `err`. */
int video_read_error(const Video *video, int err);

#endif
