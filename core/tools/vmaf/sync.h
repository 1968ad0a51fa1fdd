/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How the frames of a run are paired, decided from the options and from what the files say. For the
 * main thread. */
#ifndef TOOLS_SYNC_H
#define TOOLS_SYNC_H

#include <stdint.h>

#include "input/pairing.h"
#include "options.h"

/* The schedule of one video. */
typedef struct SyncVideo {
    PairingVideo pairing;
    uint64_t skip;  /* frames to drop at its beginning, for whatever reason */
    int64_t frames; /* the offset in frames; negative: the reference has frames before this video */
    bool found;     /* --sync auto found the offset */
} SyncVideo;

typedef struct SyncSchedule {
    enum PairBy by;
    unsigned rate_num, rate_den; /* rate of the ticks, for PAIR_AT_RATE */
    uint64_t limit;              /* pairs; 0: all */
    int64_t duration;            /* ns; 0: all */
    unsigned count;
    SyncVideo *videos; /* the reference first */
} SyncSchedule;

/* Makes the schedule. Prints decisions that were taken because files differ, and errors. 0 or a
 * negative errno; call sync_destroy in both cases. */
int sync_schedule(SyncSchedule *schedule, const Options *options, Video *const *videos,
                  unsigned count);
void sync_destroy(SyncSchedule *schedule);

/* --sync auto: finds the offset of each distorted video by comparing the beginnings of the files,
 * which it opens once more. Prints the offsets. Negative errno, after printing why, if the pictures
 * are not clear enough or a video is a pipe, whose beginning cannot be read twice. */
int sync_find_offsets(SyncSchedule *schedule, Video *const *videos);

/* True if two distorted videos would be paired with the reference in the same way, each alone. */
bool sync_alike(const Video *a, const Video *b);

/* The number of pairs each distorted video will have, at most; 0: unknown. An estimate where files
 * only state their duration, but always the same for the same files. Call it before frames are read
 * or skipped. */
uint64_t sync_expected_pairs(const SyncSchedule *schedule, Video *const *videos);

/* The pairs that a run measures: all `pairs` of each of `distorted` videos, or those of the chosen
 * part. 0: unknown. */
uint64_t sync_pairs_of_run(const PartChoice *part, uint64_t pairs, unsigned distorted);

/* Writes the option that moves a distorted video by this many frames from where its schedule has
 * it: `--offset=3`. */
void sync_offset_option(const SyncVideo *dist, const Video *ref, int frames, char *text,
                        size_t size);

/* Describes the pairing, for reports: "by time, offset 7 frames, 2 repeated". */
void sync_describe(const SyncSchedule *schedule, unsigned video, const PairingProgress *part,
                   char *text, size_t size);

#endif
