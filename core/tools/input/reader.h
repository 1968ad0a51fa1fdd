/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The kinds of video that the command reads. A new kind is a VideoReader and a row of the table in
 * reader.c; no other code changes. */
#ifndef TOOLS_INPUT_READER_H
#define TOOLS_INPUT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/convert.h"
#include "input/video.h"
#include "libvmaf/picture.h"

/* All functions are called by the thread that reads the video; `read` of a `parallel` video by
 * several threads. */
struct VideoReader {
    const char *name;  /* in reports: lower case */
    const char *title; /* in messages */

    /* True if a file that begins with these bytes is of this kind. `size` is READER_PROBE_SIZE at
     * most, and less if the file is shorter. NULL: the beginning does not identify this kind. */
    bool (*probe)(const uint8_t *start, size_t size);

    /* Called with path and source set, and with the format set for raw video. Sets `format`,
     * `parallel`, `state`, and the `traits` it knows. Logs errors; returns 0 or negative errno. */
    int (*open)(Video *video);
    void (*close)(Video *video); /* also called after a failed open */

    /* See the functions of the same names in input/video.h. */
    enum FrameStatus (*find)(Video *video, uint64_t *offset);
    enum FrameStatus (*read)(const Video *video, uint64_t offset, unsigned planes,
                             const VmafPicture *pic);
    /* Replaces `read` in a reader whose open sets `convert`: reports where the wanted planes of a
     * frame lie. They stay valid until the next frame is searched for. */
    enum FrameStatus (*planes)(const Video *video, uint64_t offset, unsigned wanted,
                               Planes *planes);
    int64_t (*time)(const Video *video, uint64_t offset); /* NULL: frames have no times */
    /* See video_can_hold, video_hold_frame and video_read_held; `held_planes` reports where the
     * planes of a held frame lie, on any thread. NULL: frames are not held. */
    bool (*can_hold)(const Video *video);
    void *(*hold)(const Video *video);
    void (*held_planes)(const Video *video, const void *held, Planes *planes);
    void (*let_go)(void *held);
    uint64_t (*frames_left)(const Video *video);
    /* See video_kept_by, video_can_keep, video_share, video_start_keeping and video_keep. NULL:
     * frames are always in host memory. */
    const char *(*kept_by)(const Video *video);
    int (*can_keep)(const Video *video, const KeptScorer *scorer, char *why, size_t size);
    int (*share)(const Video *video, unsigned pairs, bool required, VmafVulkanState **state);
    void (*start_keeping)(Video *video);
    enum FrameStatus (*keep)(const Video *video, uint64_t offset, KeptFrame **frame);
    /* Skips frames of a file without reading them; the caller knows that they exist. NULL: frames
     * have to be found one by one. */
    void (*jump)(Video *video, unsigned frames);
    /* Called at the beginning of a file. Moves to a frame, counted from the beginning, or to the
     * nearest frame before it that can be reached without reading all frames before, and sets *next
     * to the number of that frame. NULL: frames have to be found one by one. */
    enum FrameStatus (*leap)(Video *video, uint64_t frame, uint64_t *next);
    /* See video_approach. NULL: skipping frames is quick. */
    enum FrameStatus (*approach)(Video *video, uint64_t frame);
    /* The time, as `time` reports it, of a frame that was not found yet. NULL: frames have no
     * times. */
    int64_t (*time_of)(const Video *video, uint64_t frame);
};

#define READER_PROBE_SIZE 16

extern const VideoReader raw_reader, y4m_reader, libav_reader; /* the last one: with HAVE_LIBAV */

/* The reader whose files begin like this; NULL: none. */
const VideoReader *reader_probe(const uint8_t *start, size_t size);

/* ---- files that are not raw video, identified by their first bytes ---- */

/* How many bytes of a file magic_of looks at. */
#define MAGIC_SIZE 4096

/* The kind of file that begins with these bytes; NULL if they may be samples of raw video. It would
 * rather miss a file than take samples for one. */
const char *magic_of(const uint8_t *start, size_t size);

/* ---- planar.c: uncompressed frames in a file, plane after plane, as raw video and Y4M have them.
 * The layout of the planes is the video's `state`. ---- */

/* Computes the layout for the video's format. `alpha`: a fourth plane, as large as the first,
 * follows the others and is never read. Logs errors; returns 0 or negative errno. */
int planar_open(Video *video, bool alpha);
void planar_close(Video *video);

/* As VideoReader's find and read. The samples of the next frame begin at the source's offset. */
enum FrameStatus planar_find(Video *video, uint64_t *offset);
enum FrameStatus planar_read(const Video *video, uint64_t offset, unsigned planes,
                             const VmafPicture *pic);

uint64_t planar_frame_size(const Video *video); /* in bytes */
/* `header`: the number of bytes before the samples of each frame. */
uint64_t planar_frames_left(const Video *video, unsigned header);

/* Sizes of the planes in a file. Raw and Y4M files round the halves of odd sides up. The library's
 * pictures round them down (engine/picture.h), so the surplus of a file is skipped when a frame is
 * read. */
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
