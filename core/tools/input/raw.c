/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Raw video: nothing but samples. Only its user knows the format. */
#include "input/planar.h"
#include "input/reader.h"

static int raw_open(Video *video)
{
    return planar_open(video, false);
}

static enum FrameStatus raw_find(Video *video, uint64_t *offset)
{
    const uint8_t *data;
    size_t size;
    const int err = source_peek(video->source, 1, &data, &size);
    if (err) {
        video_read_error(video, err);
        return FRAME_ERROR;
    }
    return size ? planar_find(video, offset) : FRAME_NONE;
}

static uint64_t raw_frames_left(const Video *video)
{
    return planar_frames_left(video, 0);
}

static void raw_jump(Video *video, unsigned frames)
{
    source_skip(video->source, frames * planar_frame_size(video));
}

static enum FrameStatus raw_leap(Video *video, uint64_t frame, uint64_t *next)
{
    const uint64_t left = raw_frames_left(video);
    *next = frame < left ? frame : left;
    return source_skip(video->source, *next * planar_frame_size(video)) ? FRAME_ERROR : FRAME_WHOLE;
}

const VideoReader raw_reader = {
    .name = "raw",
    .title = "raw",
    .open = raw_open,
    .close = planar_close,
    .find = raw_find,
    .read = planar_read,
    .frames_left = raw_frames_left,
    .jump = raw_jump,
    .leap = raw_leap,
};
