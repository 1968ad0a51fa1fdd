/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the engine sees of a GPU: an object that measures features for one context. Features it takes
 * are measured there, all others on the CPU, and both kinds report through the same code. */
#ifndef ENGINE_ACCELERATOR_H
#define ENGINE_ACCELERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/feature.h"

typedef struct Accelerator Accelerator;

/* Features of one frame, by their number in open(). */
typedef uint64_t FeatureSet;
#define FEATURE_SET_MAX 64

typedef struct AcceleratorOps {
    /* Called once, with the first pair, after the features' init (so shape and planes are known).
     * Every feature offered has def->gpu. Sets taken to those it will measure; the others go to the
     * CPU. Taking none is fine. The features live until close. */
    int (*open)(Accelerator *a, Feature *const *features, unsigned count, FeatureSet *taken);

    /* Queues the pair for the given features and returns; blocks only while the ring of frames in
     * flight is full. The pictures stay valid until the frame was collected. Called by one thread,
     * in stream order: for pairs with an empty set, too, so that earlier references are known. */
    int (*submit)(Accelerator *a, const FramePair *pair, FeatureSet set);

    /* Blocks until the oldest queued frame is done and writes results[i] for each i of its set.
     * Called by one thread (another one than submit's), once a successful submit. An error is the
     * frame's: none of its results are valid. */
    int (*collect)(Accelerator *a, void *const *results);

    void (*close)(Accelerator *a); /* after a successful open, when nothing is queued any more */

    /* Memory for pools of pictures that the device copies from without a detour. */
    PoolMemory (*picture_memory)(Accelerator *a);

    void (*destroy)(Accelerator *a); /* closed, or never opened */
} AcceleratorOps;

/* Embedded at the head of the implementation's own. */
struct Accelerator {
    const AcceleratorOps *ops;
    const char *backend, *device; /* for reports; they live as long as the accelerator */
    unsigned depth;               /* frames it may hold between submit and collect */
};

#endif
