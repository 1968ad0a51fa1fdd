/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A clip, features over it, and what their scalar code measures of each frame; then the same by the
 * ring of a device, compared. */
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
    void *results[PAIRS_MAX_FEATURES]; /* of the frame collected last */
} Pairs;

/* Both fail the test when they cannot. */
void pairs_create(Pairs *pairs, const SynthClip *clip, const ClipFeature *features, unsigned count);
/* Moves the pictures to such memory. */
void pairs_place(Pairs *pairs, GpuDevice *device, enum ClipMemory ref, enum ClipMemory dist);
void pairs_destroy(Pairs *pairs);

FramePair pairs_at(const Pairs *pairs, unsigned frame);

typedef struct PairsRun {
    unsigned depth;
    FeatureSet (*set)(unsigned frame); /* which features the frame is for; NULL: all */
    bool threads; /* a thread submits, another collects; otherwise one does both, the ring full */
    bool never_on_cpu; /* as GpuStreamParams has it */
} PairsRun;

/* Sends all frames through a new ring. How many results were not what the scalar code gave, or were
 * written though nobody had asked for them; negative errno when it could not be done. */
int pairs_stream(Pairs *pairs, GpuDevice *device, const PairsRun *run);

/* The parts of it: a result buffer for each feature, filled with a pattern, and the comparison. */
void *const *pairs_results(Pairs *pairs);
int pairs_compare(const Pairs *pairs, unsigned frame, FeatureSet set);

#endif
