/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Frames that lie in a source as planes of samples, one after another: what raw video and Y4M
 * share. For their readers; the layout is the video's state. */
#ifndef TOOLS_INPUT_PLANAR_H
#define TOOLS_INPUT_PLANAR_H

#include "input/video.h"

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

#endif
