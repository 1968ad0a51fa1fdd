/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the engine sees of a GPU: an object that measures features for one context. Features it takes
 * are measured there, all others on the CPU, and both kinds report through the same code. */
#ifndef ENGINE_ACCELERATOR_H
#define ENGINE_ACCELERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/feature.h"

typedef struct Accelerator Accelerator;

/* Features of one frame, by their number in open(): as many sets as there are features to each 64. */
typedef uint64_t FeatureSet;
#define FEATURE_SET_SIZE 64
#define FEATURE_SETS(count) (((count) + FEATURE_SET_SIZE - 1) / FEATURE_SET_SIZE)

static inline bool feature_sets_have(const FeatureSet *sets, unsigned i)
{
    return sets[i / FEATURE_SET_SIZE] >> i % FEATURE_SET_SIZE & 1;
}

static inline void feature_sets_add(FeatureSet *sets, unsigned i)
{
    sets[i / FEATURE_SET_SIZE] |= (FeatureSet)1 << i % FEATURE_SET_SIZE;
}

/* What it did for one feature: the proof that it ran there. */
typedef struct AcceleratorTally {
    unsigned passes;       /* kernels that a frame takes */
    uint64_t frames;       /* whose results were collected */
    uint64_t launches;     /* of kernels, as they were handed to the device */
    uint64_t frames_again; /* measured once more on the CPU, to settle a last bit */
    uint64_t frames_timed; /* by the device's clock; 0 when it has none */
    double timed_us;       /* that its kernels took in these */
} AcceleratorTally;

/* Where a feature runs, and what was done for it there. */
typedef struct FeaturePlace {
    const char *backend, *device; /* both NULL for the CPU */
    AcceleratorTally tally;       /* zeros for the CPU */
} FeaturePlace;

typedef struct AcceleratorOps {
    /* Called once, with the first pair, after the features' init (so shape and planes are known).
     * Every feature offered has def->gpu. Adds those it will measure to `taken`, which is empty; the
     * others go to the CPU. Taking none is fine. The features live until close. */
    int (*open)(Accelerator *a, Feature *const *features, unsigned count, FeatureSet *taken);

    /* Why the i-th feature was not taken, as the end of a sentence. May be NULL. */
    const char *(*refusal)(Accelerator *a, unsigned i);

    /* Called for each pair that is read, after features saw the shape: pictures that only the device can
     * read become such as the engine may use. They share the memory and its count with the caller's. May
     * be NULL. */
    int (*admit)(Accelerator *a, VmafPicture *ref, VmafPicture *dist);

    /* Queues the pair for the given features and returns; blocks only while the ring of frames in
     * flight is full. The pictures stay valid until the frame was collected. Called by one thread,
     * in stream order: for pairs with empty sets, too, so that earlier references are known. */
    int (*submit)(Accelerator *a, const FramePair *pair, const FeatureSet *sets);

    /* Blocks until the oldest queued frame is done and writes results[i] for each i of its sets.
     * Called by one thread (another one than submit's), once a successful submit. An error is the
     * frame's: none of its results are valid. */
    int (*collect)(Accelerator *a, void *const *results);

    /* What was done so far for the i-th feature, one that it took. Any thread; may be NULL. */
    void (*tally)(Accelerator *a, unsigned i, AcceleratorTally *tally);

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
    bool
        required; /* asked for by name: what has GPU code runs there or the first pair is refused */
};

#endif
