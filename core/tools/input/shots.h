/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Finds cuts: where one shot of a video ends and the next one begins. It compares each frame with
 * the one before by their thumbnails (motion) and by the histograms of their luma. For one thread
 * at a time. */
#ifndef TOOLS_INPUT_SHOTS_H
#define TOOLS_INPUT_SHOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "input/thumbs.h"
#include "libvmaf/picture.h"

enum { SHOT_BINS = 32, SHOT_MEMORY = 8 };

/* All that is looked at of a frame. */
typedef struct ShotFrame {
    Thumb thumb;
    float histogram[SHOT_BINS]; /* shares of the samples */
} ShotFrame;

/* How much a frame differs from the one before and from the one before that: in its thumbnail and
 * in its histogram. 0 where there is no such frame. */
typedef struct ShotChange {
    float cells[2], bins[2];
} ShotChange;

/* Compares frames. Zeroed, it has seen none. */
typedef struct ShotLooker {
    ShotFrame frames[2]; /* the last two */
    uint64_t count;      /* frames seen */
} ShotLooker;

/* Finds the cuts by the changes. A zeroed finder has seen nothing. */
typedef struct ShotFinder {
    uint64_t count;           /* frames seen */
    uint64_t shot;            /* the first frame of the current shot */
    float cells, bins;        /* change of the last frame, by thumbnails and by histograms */
    float usual[SHOT_MEMORY]; /* changes of the frames before that, a ring */
    unsigned usual_count;
} ShotFinder;

/* Looks at some rows of a picture, fewer of a high one. */
void shot_frame_of_picture(ShotFrame *frame, const VmafPicture *pic);

/* Compares the next frame with those before it. */
void shot_look(ShotLooker *looker, const ShotFrame *frame, ShotChange *change);

/* Takes the next frame. True: a shot begins at frame *first, which is the frame before this one:
 * only now it is known that it was no flash. The first shot of a video is not reported. */
bool shot_finder_add(ShotFinder *finder, const ShotChange *change, uint64_t *first);
/* Call after the last frame, which may be the first of a shot. */
bool shot_finder_end(ShotFinder *finder, uint64_t *first);

#endif
