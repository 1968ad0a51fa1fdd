/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Decides which frames of the distorted videos are compared with which frames of the reference.
 *
 *   PAIR_BY_NUMBER  first with first, second with second, and so on.
 *   PAIR_BY_TIME    each frame of the reference with the distorted frame shown nearest to its time.
 *                   Every frame of the reference is used at most once; a distorted frame may be
 *                   used again or left out.
 *   PAIR_AT_RATE    at each tick of a given rate, the nearest frame of every video.
 *
 * Frames are never blended. Times are counted from the first frame of each video.
 *
 * A Pairing belongs to its creator and is used by one thread at a time. It sees times only,
 * never pictures. */
#ifndef TOOLS_INPUT_PAIRING_H
#define TOOLS_INPUT_PAIRING_H

#include "input/video.h"

enum PairBy { PAIR_BY_NUMBER, PAIR_BY_TIME, PAIR_AT_RATE };

typedef struct PairingVideo {
    /* The frame rate, used where frames have no times; 0: unknown. */
    unsigned rate_num, rate_den;
    /* For a distorted video: */
    int64_t offset;   /* ns: the reference's time t matches this video's time t + offset */
    uint64_t skipped; /* frames of the reference before the first one it is paired with */
} PairingVideo;

typedef struct PairingConfig {
    enum PairBy by;
    unsigned count;              /* all videos: the reference first, then the distorted ones */
    const PairingVideo *videos;  /* copied by pairing_create */
    unsigned rate_num, rate_den; /* PAIR_AT_RATE: the rate of the ticks */
    uint64_t limit;              /* the largest number of pairs; 0: no limit */
    int64_t duration; /* ns of the reference to score, from its first paired frame; 0: all of it */

    /* Peeks at the next frame of a video: returns its status and sets its time (VIDEO_NO_TIME if it
     * has none). */
    enum FrameStatus (*look)(void *arg, unsigned video, int64_t *time);
    /* Makes the next frame of a video its current one, in place of the one before. */
    void (*take)(void *arg, unsigned video);
    void *arg;
} PairingConfig;

/* The state of a distorted video after a step. */
enum PairState {
    PAIR_READY,   /* its current frame and the reference's form a pair */
    PAIR_NOT_YET, /* no pair: its frames, or the matching ones of the reference, begin later */
    PAIR_OVER     /* it has had its last pair */
};

/* The progress of one distorted video. */
typedef struct PairingProgress {
    enum PairState state;
    /* With PAIR_OVER: the status of the next frame of each. Both FRAME_NONE: nothing is missing. */
    enum FrameStatus ref, dist;
    bool enough; /* with PAIR_OVER: it had all pairs that the limit or the duration allows */
    uint64_t pairs, repeated, left_out; /* since its first pair */
    /* The frame numbers of its first pair: the reference's, then its own. */
    uint64_t first[SIDES];
    int64_t begins[2]; /* PAIR_BY_TIME: when the two videos begin on their own clocks, in ns */
} PairingProgress;

typedef struct Pairing Pairing;

/* 0 or -ENOMEM. */
int pairing_create(Pairing **pairing, const PairingConfig *config);
void pairing_destroy(Pairing *pairing); /* NULL is fine */

/* Advances by one frame of the reference, or by one tick. False: all videos are PAIR_OVER, and
 * nothing was done. */
bool pairing_step(Pairing *pairing);
/* The progress of distorted video 1, 2, ... It belongs to the pairing and changes with each
 * step. */
const PairingProgress *pairing_progress(const Pairing *pairing, unsigned video);
/* The number of frames of a video that were taken so far. */
uint64_t pairing_taken(const Pairing *pairing, unsigned video);
/* The time of a video's current frame on the video's own clock, in ns; VIDEO_NO_TIME if its frames
 * have no times. */
int64_t pairing_time(const Pairing *pairing, unsigned video);
/* Ends one distorted video; the others continue. */
void pairing_drop(Pairing *pairing, unsigned video);

/* The duration of one frame at a rate, in ns; 0 if the rate is unknown. */
int64_t frame_duration(unsigned rate_num, unsigned rate_den);
/* The time at which frame n of a rate begins, in ns. */
int64_t frame_time(uint64_t n, unsigned rate_num, unsigned rate_den);

#endif
