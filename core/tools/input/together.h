/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The same done with both videos at once. One program may write both of them, in any order, through pipes
 * that hold little: whoever waits for one video must go on reading the other. */
#ifndef TOOLS_INPUT_TOGETHER_H
#define TOOLS_INPUT_TOGETHER_H

#include "input/video.h"

/* When a video has kept the other one waiting for so long, the other is read into memory: both may come
 * from the same writer. */
#define TOGETHER_PATIENCE_MS 300

/* 0, or negative errno after saying what is wrong. */
typedef int (*VideoJob)(Video *video, enum Side side, void *arg);

/* Files get their turns one after another, as long as all goes well. With a pipe both are at it at once; when
 * one fails, the other is cancelled. The error of the one that failed first. */
int videos_do(Video *const video[SIDES], VideoJob job, void *arg);

#endif
