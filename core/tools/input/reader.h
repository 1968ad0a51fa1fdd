/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The kinds of video that the command reads. A new kind is a VideoReader of its own and a row of the
 * table in reader.c; nothing else has to know of it. */
#ifndef TOOLS_INPUT_READER_H
#define TOOLS_INPUT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/convert.h"
#include "input/video.h"
#include "libvmaf/picture.h"

struct VideoReader {
    const char *name;  /* what reports call it: lower case */
    const char *title; /* what messages call it */

    /* Does a file that begins with these bytes belong to it? At most READER_PROBE_SIZE are shown,
     * fewer when the file is shorter. NULL: its files cannot be told by their beginning. */
    bool (*probe)(const uint8_t *start, size_t size);

    /* Path and source are set, and for raw video the format, too. Sets `format`, `parallel` and
     * `state`, and `traits` as far as they are known. Says what is wrong; negative errno. */
    int (*open)(Video *video);
    void (*close)(Video *video); /* after a failed open, too */

    /* As the functions of their names in input/video.h. */
    enum FrameStatus (*find)(Video *video, uint64_t *offset);
    enum FrameStatus (*read)(const Video *video, uint64_t offset, unsigned planes,
                             const VmafPicture *pic);
    /* Instead of `read`, with `convert` set by open: where the wanted planes of a frame lie, until the next
     * is looked for. */
    enum FrameStatus (*planes)(const Video *video, uint64_t offset, unsigned wanted,
                               Planes *planes);
    int64_t (*time)(const Video *video, uint64_t offset); /* NULL: frames have no times */
    uint64_t (*frames_left)(const Video *video);
    /* As video_kept_by, video_can_keep, video_share, video_start_keeping and video_keep. NULL: frames are in memory of the host. */
    const char *(*kept_by)(const Video *video);
    int (*can_keep)(const Video *video, const KeptScorer *scorer, char *why, size_t size);
    int (*share)(const Video *video, unsigned pairs, bool required, VmafVulkanState **state);
    void (*start_keeping)(Video *video);
    enum FrameStatus (*keep)(const Video *video, uint64_t offset, KeptFrame **frame);
    /* Skips frames that are there, of a file, without a look at them. NULL: they have to be found. */
    void (*jump)(Video *video, unsigned frames);
    /* As near to a frame, counted from the beginning, as it can get without reading those before: moves to it, or
     * to one before it, and says which one is next. The video stands at its beginning. NULL: no nearer. */
    enum FrameStatus (*leap)(Video *video, uint64_t frame, uint64_t *next);
    /* When a frame that nobody has found will be shown, as `time`. NULL: frames have no times. */
    int64_t (*time_of)(const Video *video, uint64_t frame);
};

#define READER_PROBE_SIZE 16

extern const VideoReader raw_reader, y4m_reader, libav_reader; /* the last: with HAVE_LIBAV */

/* The reader whose file begins so; NULL when none says that it is its own. */
const VideoReader *reader_probe(const uint8_t *start, size_t size);

/* Files that are no raw video, told by how they begin. */

/* How much of a file is looked at. */
#define MAGIC_SIZE 4096

/* What kind of file begins with these bytes; NULL when they may be samples. Sure rather than complete: samples are
 * practically never taken for a file. */
const char *magic_of(const uint8_t *start, size_t size);

/* Frames that lie in a source as planes of samples, one after another: what raw video and Y4M
 * share. For their readers; the layout is the video's state. */

/* Lays the planes out by the video's format. `alpha`: a fourth plane, as large as the first, follows
 * the others; it is never read. Says what is wrong; negative errno. */
int planar_open(Video *video, bool alpha);
void planar_close(Video *video);

/* The samples of a frame begin where the source stands. */
enum FrameStatus planar_find(Video *video, uint64_t *offset);
enum FrameStatus planar_read(const Video *video, uint64_t offset, unsigned planes,
                             const VmafPicture *pic);

uint64_t planar_frame_size(const Video *video); /* in bytes */
/* `header`: bytes before the samples of each frame. */
uint64_t planar_frames_left(const Video *video, unsigned header);

/* Sizes of the planes in a video file. Raw and Y4M files round the halves of odd sides up. The
 * library's pictures round them down (engine/picture.h), so what a file has beyond that is skipped
 * when a frame is read. */

static inline unsigned half_rounded_up(unsigned side)
{
    return side / 2 + side % 2;
}

/* Plane 0 is luma, 1 and 2 are chroma, 3 is alpha. */
static inline unsigned file_plane_width(enum VmafPixelFormat pix_fmt, unsigned width,
                                        unsigned plane)
{
    const bool halved = pix_fmt == VMAF_PIX_FMT_YUV420P || pix_fmt == VMAF_PIX_FMT_YUV422P;
    return halved && (plane == 1 || plane == 2) ? half_rounded_up(width) : width;
}

static inline unsigned file_plane_height(enum VmafPixelFormat pix_fmt, unsigned height,
                                         unsigned plane)
{
    const bool halved = pix_fmt == VMAF_PIX_FMT_YUV420P;
    return halved && (plane == 1 || plane == 2) ? half_rounded_up(height) : height;
}

#endif
