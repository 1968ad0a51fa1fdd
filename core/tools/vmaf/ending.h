/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Decides whether a rating is complete: it has all pairs that were asked for, and no frame of
 * either video is left over at the end. Pure functions: any thread may call them. */
#ifndef TOOLS_ENDING_H
#define TOOLS_ENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/pairing.h"

/* How one of the two videos ended. */
typedef struct SideEnd {
    enum FrameStatus status; /* status of its next frame when the pairs ended */
    const char *cut; /* with FRAME_CUT: what is wrong, after "is cut off"; NULL: nothing known */
    double duration; /* duration of a frame, in seconds; 0: unknown */
    uint64_t before; /* frames before the first pair: the user asked to pass them */
    uint64_t taken;  /* frames passed when the pairs ended, with those before */
    uint64_t found;  /* `taken`, and the frames that were counted afterwards */
    uint64_t stated; /* frames that the file states; 0: unknown */
} SideEnd;

/* How the pairs of a rating ended. */
typedef struct Ending {
    SideEnd side[SIDES];
    bool noted; /* the pairs have ended, and the rest is filled in */
    uint64_t pairs;
    bool enough;    /* the limit that the user gave was reached */
    bool resampled; /* pairs are at a rate of their own (PAIR_AT_RATE) */
    bool by_number; /* frame by frame, whatever the rates are */
} Ending;

/* How many frames of the video may be left over at the end although nothing is missing: those that
 * an offset moved behind the end of the other video, or, if the rates differ, those that share the
 * time of one frame of the other video. */
uint64_t ending_allows(const Ending *ending, enum Side side);

/* How many frames of the video have to be found until it is certain whether too many are left over.
 * Frames beyond that need not be counted. */
uint64_t ending_wanted(const Ending *ending, enum Side side);

/* The frames of the video that are left over, as far as they were counted. */
uint64_t ending_left(const Ending *ending, enum Side side);

/* False if pairs are missing; `why` then gets the reason, without the paths of the videos. */
bool ending_is_complete(const Ending *ending, char *why, size_t size);

#endif
