/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the scheduler sees of a GPU. A backend fills the table and hands it over with its state
 * (context_use_accelerator); features the accelerator takes are measured there, all others on the
 * CPU, and both kinds report through the same code. */
#ifndef ENGINE_ACCELERATOR_H
#define ENGINE_ACCELERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/feature.h"

typedef struct Accelerator
    Accelerator; /* the backend's: an imported state at work for one context */

/* Features of one frame, by their number in open(). */
typedef uint64_t FeatureSet;
#define FEATURE_SET_MAX 64

typedef struct AcceleratorOps {
    const char *backend; /* "vulkan" */

    /* Called once, with the first pair, after the features' init (so shape and planes are known).
     * Every feature offered has def->gpu. Sets taken to those it will measure; the others go to the
     * CPU. Taking none is fine. The features outlive the accelerator. */
    int (*open)(void *state, Feature *const *features, unsigned count, FeatureSet *taken,
                Accelerator **out);
    const char *(*device_name)(const Accelerator *a); /* lives as long as `a` */

    /* Queues the pair for the given features and returns; blocks only while the ring of frames in
     * flight is full. The pictures stay valid until the frame was collected. Called by one thread,
     * in stream order: also for pairs with an empty set, so that the previous references are known.
     */
    int (*submit)(Accelerator *a, const FramePair *pair, FeatureSet set);

    /* Blocks until the oldest queued frame is done and writes results[i] for each i of its set.
     * Called by one thread (another one than submit's), once a successful submit. An error is the
     * frame's: none of its results are valid. */
    int (*collect)(Accelerator *a, void *const *results);

    void (*close)(Accelerator *a); /* nothing is queued any more; NULL is fine */

    /* Memory for pools of pictures that the device copies from without a detour; NULL: none. */
    PoolMemory (*picture_memory)(void *state);
} AcceleratorOps;

#endif
