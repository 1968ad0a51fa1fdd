/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Turns results into scores, frame by frame. A frame gets the scores of all its features or none:
 * when one fails, the scores of the others are dropped, and so are scores that a feature emits for
 * that frame later. One thread at a time. */
#ifndef ENGINE_REPORTER_H
#define ENGINE_REPORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/feature.h"
#include "engine/scores.h"

/* A set of frame indices; starts zeroed. */
typedef struct IndexSet {
    uint64_t *words;
    size_t count;
    size_t base; /* number of words that were dropped before the first one */
} IndexSet;
bool index_set_has(const IndexSet *set, unsigned index);
int index_set_add(IndexSet *set, unsigned index); /* -ENOMEM */
/* Frees the memory of indices below `before`. From then on index_set_has may return true for such
 * an index even if it was never added. */
void index_set_close(IndexSet *set, unsigned before);
void index_set_clear(IndexSet *set);

/* Starts zeroed. */
typedef struct Reporter {
    ScoreEntry *entries; /* emitted for the current frame */
    size_t count, capacity;
    IndexSet dropped; /* indices of failed frames */
    bool mute; /* a failed frame could not be added to `dropped`: nothing is stored any more */
} Reporter;

/* The result of one feature for a frame. */
typedef struct Measured {
    Feature *feature;
    const void *result;
    int err; /* not 0: there is no result */
} Measured;

/* Calls the report of each feature that has a result, even when another failed (they look back at
 * it later), and stores what they emit. Returns the first error and sets *failed to that
 * feature. */
int reporter_frame(Reporter *reporter, const FrameId *id, const Measured *measured, unsigned count,
                   const Feature **failed);

/* Lets a feature emit the scores it held back. After an error it may be called again. */
int reporter_flush(Reporter *reporter, Feature *feature);

void reporter_clear(Reporter *reporter);

#endif
