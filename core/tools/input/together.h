/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The same done with all videos at once. One program may write several of them, in any order, through pipes
 * that hold little: whoever waits for one video must go on reading the others. */
#ifndef TOOLS_INPUT_TOGETHER_H
#define TOOLS_INPUT_TOGETHER_H

#include "input/video.h"

/* When a video has kept the others waiting for so long, they are read into memory: all may come from the
 * same writer. */
#define TOGETHER_PATIENCE_MS 300

/* 0, or negative errno after saying what is wrong. */
typedef int (*VideoJob)(Video *video, unsigned number, void *arg);

/* Files get their turns one after another, as long as all goes well. With a pipe all are at it at once; when
 * one fails, the others are cancelled. The error of the one that failed first. */
int videos_do(Video *const *videos, unsigned count, VideoJob job, void *arg);

#endif
