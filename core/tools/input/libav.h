/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The reader of everything that FFmpeg's libraries decode. Only the libav*.c files include this,
 * and tests of frames on devices. A Libav belongs to its video and is used by the thread that
 * reads it; fields that other threads touch say so. */
#ifndef TOOLS_INPUT_LIBAV_H
#define TOOLS_INPUT_LIBAV_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "input/convert.h"
#include "input/libav_api.h"
#include "input/video.h"
#include "libvmaf/libvmaf_vulkan.h"

/* Turns decoded frames into planes of luma and chroma (libav_frame.c). */
typedef struct FrameUnpacker {
    /* DIRECT: the planes of the frame are used where they are. GATHER: samples are copied out of
     * packed or rotated frames. SWSCALE: swscale converts RGB and other formats without luma. */
    enum { UNPACK_DIRECT, UNPACK_GATHER, UNPACK_SWSCALE } method;
    /* One column and one row of the picture as shown, in columns and rows of the decoded frame. */
    int turn[2][2];
    enum AVPixelFormat coded; /* the format of decoded frames */
    enum AVPixelFormat plain; /* SWSCALE: the format that swscale converts to */
    enum AVPixelFormat rgb;   /* if RGB is kept: the format whose samples are gathered */
    int width, height;        /* the size of decoded frames */
    Planes shape;             /* the shape of the resulting planes */
    struct SwsContext *sws;
    AVFrame *made;     /* SWSCALE: the converted frame */
    uint8_t *gathered; /* GATHER: memory for planes of `shape` */
    ptrdiff_t gathered_stride[3];
} FrameUnpacker;

/* The time and file position of a packet that was sent to the decoder. */
typedef struct SentPacket {
    int64_t time, position;
} SentPacket;

/* The number of packets remembered: more than any decoder delays its frames by. */
enum { LIBAV_SENT = 128 };

/* The packets that were sent to a decoder last. */
typedef struct SentPackets {
    SentPacket packets[LIBAV_SENT];
    unsigned next;
} SentPackets;

/* Packets by which the last picture of a video is checked (libav_last.c). Each is NULL or a packet
 * of its own: the first one, the latest key frame and the latest one. */
typedef struct LastPackets {
    bool kept; /* this is a video whose last picture is checked */
    AVPacket *first, *key, *latest;
} LastPackets;

typedef struct Sections Sections;

typedef struct Libav {
    Video *video;
    AVFormatContext *format;
    AVIOContext *io; /* reads the video's source; NULL: libavformat opens the files itself */
    AVStream *stream;
    AVCodecContext *codec;
    AVPacket *packet;
    AVFrame *frame;      /* the latest decoded frame */
    AVFrame *host;       /* its copy in host memory, with `fetched` */
    bool fetched;        /* `frame` was copied from a device to `host` */
    bool keep;           /* frames are scored on their device and are never copied */
    AVBufferRef *device; /* decodes the video; NULL: the CPU does */
    const char *device_name;
    bool device_named; /* the user chose this device: there is no fallback to the CPU */
    char choice[160];  /* --hwaccel auto: the speeds by which it was decided; empty: not decided */
    enum AVPixelFormat device_format;
    /* The device turned out not to decode this video. Set by the decoder's threads. */
    atomic_bool device_refused;
    AVPacket *opening; /* the first packet, kept for the CPU decoder in case the device refuses */
    bool first;        /* `frame` was decoded ahead and was not returned by find yet */
    bool draining;     /* the last packet was sent */
    atomic_bool cut;   /* the file ends too early; the libraries' threads set it when they log so */
    bool last_packet_damaged;
    uint64_t packets;         /* packets of the stream, read since the beginning or the last seek */
    bool sought;              /* some packets were passed by seeking */
    int64_t last_packet_time; /* time of the packet sent last, or AV_NOPTS_VALUE */
    bool end_damaged;         /* the packet sent last could not be decoded as a whole */
    double packets_end;       /* the latest end of a packet of any stream, in seconds; 0: none */
    int64_t begin;            /* the first frame's time, in units of the stream */
    bool seeking;    /* decoding towards a key frame: damage is our doing and is not reported */
    uint64_t found;  /* frames found so far */
    unsigned opened; /* files that the file names and that were opened */
    bool refused;    /* it names a file that is not opened: its frames would not be all of them */
    int64_t shift, shift_before; /* added to the times of frames, now and before the last change */
    int64_t time;                /* time of the latest frame, settled; only if `timed` */
    bool timed;
    unsigned leapt;    /* how often times went back or jumped */
    uint64_t position; /* position of `frame` in the file, or VIDEO_NO_POSITION */
    SentPackets sent;
    LastPackets last;
    bool grain_noted; /* the video has film grain, and a note says so */
    uint64_t damaged; /* the number of damaged frames and packets */
    /* How often the decoder's threads said that they concealed errors. With several threads a
     * frame may be output before that, without any mark. */
    atomic_uint concealed;
    unsigned concealed_before; /* `concealed` before the last packet was sent */
    uint64_t concealed_at;     /* `found` when the first was noticed; 0: none was */
    uint64_t gap;              /* the first frame, from 1 on, before which a time has no frame */
    uint64_t steps;            /* how many times followed the one before without such a gap */
    unsigned untimed;          /* frames without a time since the latest that has one */
    Sections *sections;        /* decodes from the second frame on; NULL: `codec` does */
    bool not_cut;              /* the video was not cut into sections, or is not any more */
    FrameUnpacker unpacker;

    pthread_mutex_t log_lock; /* guards log_line, which any of the libraries' threads may write */
    char log_line[256];       /* the last error that the libraries logged about this video */
    atomic_bool complained;   /* they logged an error; a user of this clears it */
} Libav;

/* ---- libav_open.c: opens the container, its stream and a decoder ---- */

/* Makes the libraries' error messages go to the Libav they are about instead of the terminal. */
void libav_log_capture(void);
/* Writes the last logged error, else the meaning of `err`, into `line`. Returns `line`. */
const char *libav_reason(Libav *libav, int err, char *line, size_t size);
/* Called when no frame could be decoded: if that is because a pipe holds an mp4 whose index comes
 * last, says so and returns true. */
bool libav_say_late_index(Libav *libav);

/* Creates `io`, through which libavformat reads the video's source. 0 or -ENOMEM. */
int libav_io_create(Libav *libav);
void libav_io_destroy(Libav *libav);

/* Opens the container, the stream and the decoder. Logs errors; returns 0 or negative errno. */
int libav_open_stream(Libav *libav);
/* Makes and opens one more decoder like `codec`, with this many threads. It logs to `libav`, and
 * the caller frees it first. Returns 0 or a negative error. */
int libav_decoder_create(Libav *libav, const AVCodec *decoder, int threads, AVCodecContext **codec);
/* Decoder threads that the options allow for a video. */
int libav_thread_count(const VideoOptions *options);
/* Replaces the decoder by one on the CPU after the device refused the video and before the first
 * frame; fails if the user named the device. Logs errors; returns 0 or negative errno. */
int libav_open_on_cpu(Libav *libav);

/* ---- libav_playlist.c: files that name other files ---- */

/* 0, or a negative errno after logging why, if a local file of this format is not read: a playlist
 * whose name does not say so, or one that names something else than videos. */
int libav_playlist_check(const Libav *libav, const AVInputFormat *format);
/* Adds the option that keeps the libraries from opening playlists within a file of this format. 0
 * or -ENOMEM. */
int libav_playlist_allow(const AVInputFormat *format, AVDictionary **options);
/* Watches which files the libraries open. Call it before the container is opened. */
void libav_playlist_guard(Libav *libav);

/* ---- libav_deinterlace.c ---- */

/* Interpolates the lines of the second field of a frame in host memory, if it is interlaced, from
 * those of the first. Logs errors; returns 0 or negative errno. */
int libav_deinterlace(const Video *video, AVFrame *frame);

/* ---- libav_last.c: whether the last picture is whole, where its decoder does not say so ---- */

/* Decides whether the video is one of these; call it once, when its stream was chosen. */
void libav_last_open(Libav *libav);
/* Keeps the packet that was read, if it may be needed. 0 or -ENOMEM. */
int libav_last_keep(Libav *libav);
/* At the end: FRAME_CUT if the last picture is cut off, else FRAME_NONE. Logs errors. */
enum FrameStatus libav_last_status(const Libav *libav);
void libav_last_close(Libav *libav);

/* ---- libav_hw.c: decoding on a device (--hwaccel). Functions that return int log errors and
 * return 0 or negative errno. ---- */

/* Opens a device if the options ask for one, and chooses a decoder that can use it. */
int libav_hw_choose(Libav *libav, const AVCodec **decoder);
/* libav_nvdec.c: the decoding engines of a CUDA device for videos of this codec and depth; 1 if
 * they are not known. */
unsigned libav_nvdec_engines(const AVBufferRef *device, enum AVCodecID codec, unsigned depth);
/* Gives the device to a decoder; call before that is opened. */
int libav_hw_attach(Libav *libav, AVCodecContext *codec);
/* Copies the latest frame to `host` if it is on a device. */
int libav_hw_fetch(Libav *libav);
/* Logs what decodes the video; call after the first frame. */
int libav_hw_tell(Libav *libav);
/* Logs that the device the user named does not decode this video. Returns -ENODEV. */
int libav_hw_refuse(const Libav *libav);
void libav_hw_close(Libav *libav);
/* True if the latest frame is on a device. */
bool libav_on_device(const Libav *libav);

/* ---- libav.c ---- */

/* Sets up `state` of a video and opens its container, stream and decoder, as the first step of
 * opening it; the reader's close undoes it. Logs errors; returns 0 or negative errno. */
int libav_begin(Video *video);
bool libav_is_interlaced(const AVFrame *frame);
/* True if the stream says that decoders add film grain. */
bool libav_has_grain(const AVFrame *frame, const AVCodecContext *codec);

/* ---- libav_sections.c: several decoders for one video (docs/adr/0041) ---- */

/* Cuts the video into sections for several decoders, if it can be cut and they help; the first
 * frame was found already. Otherwise nothing changes. */
void sections_start(Libav *libav);
/* Puts the next frame into `frame` of the Libav. Sets *gave_up if the decoder of the Libav has to
 * continue: something is unusual, and that one handles it as if nothing had ever been cut. */
enum FrameStatus sections_next(Sections *sections, Libav *libav, bool *gave_up);
/* The Libav that reads the packets. */
const Libav *sections_reader(const Sections *sections);
void sections_destroy(Sections *sections); /* NULL is fine */

/* ---- libav_decode.c: decodes frames, and seeks by time ---- */

/* Reads the next packet of the stream. AVERROR_EOF at the end and when the rest cannot be read. */
int libav_read_packet(Libav *libav);
/* Remembers a packet that is sent to a decoder. */
void libav_note_sent(SentPackets *sent, const AVPacket *packet);
/* The position in the file of the packet with the frame's time, or VIDEO_NO_POSITION. */
uint64_t libav_position(SentPackets *sent, const AVFrame *frame);
/* Stops using sections, before the video is read from elsewhere. */
void libav_drop_sections(Libav *libav);

/* Decodes the next frame into `frame`. */
enum FrameStatus libav_decode(Libav *libav);
/* At the end: true if the header says that there is more; `video->cut` then says so. */
bool libav_ends_early(const Libav *libav);
/* The latest frame in host memory, where its samples can be read. */
static inline AVFrame *libav_host_frame(const Libav *libav)
{
    return libav->fetched ? libav->host : libav->frame;
}

/* True if frames can be found by their times: the video has times and a constant rate. */
bool libav_is_even(const Libav *libav);
/* True if the latest frame, number `found`, has the time that its number predicts. Otherwise
 * logs an error: a seek would have led to different frames. */
bool libav_keeps_time(const Libav *libav);
/* VideoReader's leap and time_of. */
enum FrameStatus libav_leap(Video *video, uint64_t frame, uint64_t *next);
int64_t libav_time_of(const Video *video, uint64_t frame);
/* VideoReader's approach: to the key frame before the frame's time. */
enum FrameStatus libav_approach(Video *video, uint64_t frame);

/* ---- libav_frame.c ---- */

/* Chooses how to unpack frames like this one and sets the video's format. `matrix`: the display
 * matrix, or NULL. Logs errors and notes on the video; returns 0 or negative errno. */
int frame_unpacker_open(FrameUnpacker *unpacker, Video *video, const AVFrame *frame,
                        const int32_t *matrix);
void frame_unpacker_close(FrameUnpacker *unpacker);
/* Reports where the wanted planes of a frame lie. They stay valid as long as the frame, and
 * until the next call. 0 or negative errno. */
int frame_unpacker_planes(FrameUnpacker *unpacker, const Video *video, const AVFrame *frame,
                          unsigned wanted, Planes *planes);

/* True if the planes of a frame can be used where they are, by any thread. */
bool frame_unpacker_is_direct(const FrameUnpacker *unpacker);
/* Reports where they lie. */
void frame_unpacker_direct_planes(const FrameUnpacker *unpacker, const AVFrame *frame,
                                  Planes *planes);

/* ---- libav_kept.c: decoded frames that stay on their device ---- */

typedef struct LibavKept {
    KeptFrame kept;
    AVFrame *frame;
} LibavKept;

/* How the samples of a frame on a device are stored. */
typedef struct KeptLayout {
    enum VmafPixelFormat pix_fmt;
    unsigned bpc, shift; /* bits of a sample, and unused bits below them in its word */
    bool paired;         /* Cb and Cr alternate in the second plane */
} KeptLayout;

/* False: the frame is not on a device, or its samples are stored in another way. */
bool libav_kept_layout(const AVFrame *frame, KeptLayout *layout);

/* Takes a reference to a frame on a device. NULL: out of memory, or this kind of frame cannot be
 * scored there. */
KeptFrame *libav_kept_create(const AVFrame *frame);
/* 0 if the scorer can read frames like this one where they are; else negative errno and the reason
 * in `why`. */
int libav_kept_check(const AVFrame *frame, const KeptScorer *scorer, char *why, size_t size);

/* The same for each device API. The read functions always release both frames. */
int libav_cuda_check(const AVFrame *frame, VmafContext *vmaf, char *why, size_t size);
int libav_cuda_read(VmafContext *vmaf, LibavKept *ref, LibavKept *dist, unsigned index);
/* libav_vulkan.c; without HAVE_LIBAV_VULKAN they return -ENOSYS. */
int libav_vulkan_check(const AVFrame *frame, const VmafVulkanState *state, char *why, size_t size);
int libav_vulkan_read(VmafContext *vmaf, LibavKept *ref, LibavKept *dist, unsigned index);

/* Makes a state for scoring on the Vulkan device that holds the frame. The state must not outlive
 * that device. `pairs`, `required`: see VmafVulkanExternalDevice. */
int libav_vulkan_open(const AVFrame *frame, unsigned pairs, bool required, VmafVulkanState **state);

#endif
