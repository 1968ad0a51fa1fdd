/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The parts of the reader that stands on FFmpeg's libraries. */
#ifndef TOOLS_INPUT_LIBAV_H
#define TOOLS_INPUT_LIBAV_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "input/convert.h"
#include "input/video.h"
#include "input/libav_api.h"
#include "libvmaf/libvmaf_vulkan.h"

/* How a frame becomes planes; libav_frame.c. */
typedef struct FrameWay {
    enum { WAY_DIRECT, WAY_UNPACK, WAY_SWSCALE } way;
    int turn[2]
            [2]; /* a column and a row of the shown picture, in columns and rows of the coded one */
    enum AVPixelFormat coded; /* of decoded frames */
    enum AVPixelFormat plain; /* what swscale makes of them */
    int width, height;        /* of decoded frames */
    Planes shape;             /* of what is given */
    struct SwsContext *sws;
    AVFrame *made;     /* by swscale */
    uint8_t *gathered; /* planes of `shape` */
    ptrdiff_t gathered_stride[3];
} FrameWay;

/* A packet that the decoder was given. */
typedef struct SentPacket {
    int64_t time, place;
} SentPacket;

/* More than any decoder holds back. */
enum { LIBAV_SENT = 128 };

typedef struct Libav {
    Video *video;
    AVFormatContext *format;
    AVIOContext *io; /* over the video's source; NULL: libavformat opens files itself */
    AVStream *stream;
    AVCodecContext *codec;
    AVPacket *packet;
    AVFrame *frame;      /* the one that was found */
    AVFrame *host;       /* the same, if it was fetched from a device */
    bool fetched;        /* it was */
    bool keep;           /* frames are not to be: they are scored where they are */
    AVBufferRef *device; /* that decodes; NULL: the CPU */
    const char *device_name;
    bool device_named; /* by the user, who wants no other */
    enum AVPixelFormat device_format;
    atomic_bool
        device_refused; /* it does not decode this video, as came out with the first packet */
    AVPacket *opening;  /* that packet, while another decoder may have to begin with it */
    bool first;         /* `frame` was decoded when the video was opened, and nobody had it yet */
    bool draining;      /* there are no more packets */
    bool cut;           /* the file ends too early */
    bool last_packet_damaged;
    int64_t begin;  /* the first frame's time, in the stream's units */
    bool seeking;   /* frames on the way to a key frame: their damage is ours */
    uint64_t found; /* frames */
    uint64_t place; /* of `frame` in the file, or VIDEO_NO_PLACE */
    SentPacket sent[LIBAV_SENT];
    unsigned sent_next;
    uint64_t damaged; /* frames or packets */
    FrameWay way;

    pthread_mutex_t log_lock;
    char log_line[256]; /* the last error that the libraries logged about this video */
} Libav;

/* libav_log.c: the libraries' lines are kept with the video that they are about, not printed. */
void libav_log_capture(void);
/* The last line, else what the error code means. In `line`, which it returns. */
const char *libav_reason(Libav *libav, int err, char *line, size_t size);

/* libav_io.c: the video's source as the libraries read one. */
int libav_io_create(Libav *libav);
void libav_io_destroy(Libav *libav);

/* libav_open.c: the container, its stream and decoder. Says what is wrong; negative errno. */
int libav_open_stream(Libav *libav);
/* Where the device refused the video before there was a frame: the CPU's decoder takes over, unless the user named the
 * device. Says what is wrong; negative errno. */
int libav_open_on_cpu(Libav *libav);

/* libav_hw.c, for --hwaccel. All of them say what is wrong; negative errno. The first takes a device and its decoder,
 * if there is to be one; the second is for before that is opened, the third for each frame, the fourth for after the
 * first one. */
int libav_hw_choose(Libav *libav, const AVCodec **decoder);
int libav_hw_attach(Libav *libav);
int libav_hw_fetch(Libav *libav);
int libav_hw_tell(Libav *libav);
int libav_hw_refuse(const Libav *libav); /* the device that the user named */
void libav_hw_close(Libav *libav);
bool libav_on_device(const Libav *libav); /* is the frame that was found? */

/* libav_decode.c: decodes the next frame into `frame`. */
enum FrameStatus libav_decode(Libav *libav);
/* The same in memory of the host, where its samples can be read. */
static inline AVFrame *libav_shown(const Libav *libav)
{
    return libav->fetched ? libav->host : libav->frame;
}

/* libav_seek.c. Can frames be found by times? The one at hand, number `found`, must come at its time, else says so:
 * those that were not read would have been others. The rest is as in input/reader.h. */
bool libav_is_even(const Libav *libav);
bool libav_keeps_time(const Libav *libav);
enum FrameStatus libav_leap(Video *video, uint64_t frame, uint64_t *next);
int64_t libav_time_of(const Video *video, uint64_t frame);

/* libav_frame.c. The first one says what is wrong, sets the video's format and notes what has to be done. */
int frame_way_open(FrameWay *way, Video *video, const AVFrame *frame, const int32_t *matrix);
void frame_way_close(FrameWay *way);
/* Where the wanted planes lie; negative errno. */
int frame_way_planes(FrameWay *way, const Video *video, const AVFrame *frame, unsigned wanted,
                     Planes *planes);

/* Decoded frames that stay on their device. */

typedef struct LibavKept {
    KeptFrame kept;
    AVFrame *frame;
} LibavKept;

/* How the samples of frames on a device lie. */
typedef struct KeptLayout {
    enum VmafPixelFormat pix_fmt;
    unsigned bpc, shift; /* bits, and those below them in their word */
    bool paired;         /* Cb and Cr alternate in the second plane */
} KeptLayout;

/* False: nobody but FFmpeg knows such frames. */
bool libav_kept_layout(const AVFrame *frame, KeptLayout *layout);

/* Holds a frame of a device; NULL: no memory, or no kind that can be read there. */
KeptFrame *libav_kept_create(const AVFrame *frame);
/* 0 when the scorer can read such frames where they are; else the reason. */
int libav_kept_check(const AVFrame *frame, const KeptScorer *scorer, char *why, size_t size);

/* By the device's API. Reading gives the frames back itself. */
int libav_cuda_check(const AVFrame *frame, VmafContext *vmaf, char *why, size_t size);
int libav_cuda_read(VmafContext *vmaf, LibavKept *ref, LibavKept *dist, unsigned index);
int libav_vulkan_check(const AVFrame *frame, const VmafVulkanState *state, char *why, size_t size);
int libav_vulkan_read(VmafContext *vmaf, LibavKept *ref, LibavKept *dist, unsigned index);

/* The device of a frame of Vulkan's, for scoring; which must not outlive it. `pairs`, `required`: as
 * VmafVulkanExternalDevice has them. */
int libav_vulkan_open(const AVFrame *frame, unsigned pairs, bool required, VmafVulkanState **state);

#endif
