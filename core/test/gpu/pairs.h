/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A clip, features over it, and the results of their scalar code for each frame, which are compared
 * with the results of a device's ring. */
#ifndef TEST_GPU_PAIRS_H
#define TEST_GPU_PAIRS_H

#include "clip.h"
#include "gpu/stream.h"

#define PAIRS_MAX_FEATURES 12
#define PAIRS_MAX_FRAMES 64

typedef struct Pairs {
    SynthClip clip;
    FrameShape shape;
    unsigned feature_count;
    Feature *features[PAIRS_MAX_FEATURES];
    void *scratch[PAIRS_MAX_FEATURES];
    unsigned back[PAIRS_MAX_FEATURES]; /* frames that the feature looks back */
    VmafPicture ref[PAIRS_MAX_FRAMES], dist[PAIRS_MAX_FRAMES];
    void *expected[PAIRS_MAX_FRAMES][PAIRS_MAX_FEATURES];
    void *results[PAIRS_MAX_FEATURES]; /* results of the frame collected last */
} Pairs;

/* Both fail the test on an error. */
void pairs_create(Pairs *pairs, const SynthClip *clip, const ClipFeature *features, unsigned count);
/* Moves the pictures to such memory. */
void pairs_place(Pairs *pairs, GpuDevice *device, enum ClipMemory ref, enum ClipMemory dist);
void pairs_destroy(Pairs *pairs);

FramePair pairs_at(const Pairs *pairs, unsigned frame);

typedef struct PairsRun {
    unsigned depth;
    FeatureSet (*set)(unsigned frame); /* the features of a frame; NULL: all */
    /* One thread submits and another collects; otherwise one thread does both and keeps the ring
     * full. */
    bool threads;
    bool never_on_cpu; /* see GpuStreamParams */
} PairsRun;

/* Sends all frames through a new ring. Returns the number of results that differ from the scalar
 * code's or were written without being asked for, or a negative errno. */
int pairs_stream(Pairs *pairs, GpuDevice *device, const PairsRun *run);

/* The steps of pairs_stream: a result buffer for each feature, filled with a pattern, and the
 * comparison. */
void *const *pairs_results(Pairs *pairs);
int pairs_compare(const Pairs *pairs, unsigned frame, FeatureSet set);

#endif
