/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which frames of the distorted videos belong to which frames of the reference. By number: the first to the
 * first and so on. By time: to each frame of the reference the one that is shown nearest to its time; no frame
 * of the reference is paired twice, and of a distorted video one may be repeated or left out. At a rate: for
 * each tick the nearest of all videos. Frames are never blended.
 *
 * Times are counted from the first frame of each video. */
#ifndef TOOLS_INPUT_PAIRING_H
#define TOOLS_INPUT_PAIRING_H

#include "input/video.h"

enum PairBy { PAIR_BY_NUMBER, PAIR_BY_TIME, PAIR_AT_RATE };

typedef struct PairingVideo {
    unsigned rate_num, rate_den; /* what its frames last where times do not tell; 0: not known */
    /* Of a distorted video: */
    int64_t offset;   /* ns: time t of the reference belongs to its time t + offset */
    uint64_t skipped; /* frames of the reference before the first that it is paired with */
} PairingVideo;

typedef struct PairingConfig {
    enum PairBy by;
    unsigned count;              /* videos: the reference, and the distorted ones */
    const PairingVideo *videos;  /* copied */
    unsigned rate_num, rate_den; /* of the ticks */
    uint64_t limit;              /* pairs; 0: all */
    int64_t duration; /* ns of the reference from its first frame that is paired; 0: all */

    /* A look at the next frame of a video, and its time or VIDEO_NO_TIME. */
    enum FrameStatus (*look)(void *arg, unsigned video, int64_t *time);
    /* Makes the next frame the one in hand, in place of the one before. */
    void (*take)(void *arg, unsigned video);
    void *arg;
} PairingConfig;

/* What there is for a distorted video at a step. */
enum PairState {
    PAIR_READY,   /* its frame and the reference's in hand are a pair */
    PAIR_NOT_YET, /* its frames, or those of the reference for it, begin later */
    PAIR_OVER     /* it has had its last pair */
};

/* One distorted video, for the caller to read. */
typedef struct PairingPart {
    enum PairState state;
    enum FrameStatus ref,
        dist; /* PAIR_OVER: what the two had next; both FRAME_NONE: nothing missing */
    uint64_t pairs, repeated, left_out; /* since its first pair */
    uint64_t
        first[SIDES];  /* the numbers of its first pair's frames, the reference's before its own */
    int64_t begins[2]; /* by time: when the two videos begin on their own clocks, in ns */
} PairingPart;

typedef struct Pairing Pairing;

int pairing_create(Pairing **pairing, const PairingConfig *config);
void pairing_destroy(Pairing *pairing); /* NULL is fine */

/* Goes one frame of the reference, or one tick, further. False: all parts are over, and nothing was done. */
bool pairing_step(Pairing *pairing);
/* Of a distorted video, 1 and so on. */
const PairingPart *pairing_part(const Pairing *pairing, unsigned video);
/* Ends it; the others go on. */
void pairing_drop(Pairing *pairing, unsigned video);

/* What a frame lasts at a rate, in ns; 0 for no rate. */
int64_t frame_duration(unsigned rate_num, unsigned rate_den);
/* When the n-th frame of a rate begins, in ns. */
int64_t frame_time(uint64_t n, unsigned rate_num, unsigned rate_den);

#endif
