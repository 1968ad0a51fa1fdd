/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* From results to scores, frame by frame: a frame gets the scores of all its features or none. When one
 * of them fails, those of the others are dropped, and so is what they say of that frame later on. */
#ifndef ENGINE_REPORTER_H
#define ENGINE_REPORTER_H

#include "engine/feature.h"
#include "engine/index_set.h"
#include "engine/scores.h"

/* Zeroed it is ready. One thread at a time. */
typedef struct Reporter {
    ScoreEntry *entries; /* of the frame at hand */
    size_t count, capacity;
    IndexSet dropped; /* indices of failed frames */
    bool mute;        /* no memory to remember one of them: nothing is stored any more */
} Reporter;

/* A feature's part of a frame. */
typedef struct Measured {
    Feature *feature;
    const void *result;
    int err; /* there is no result */
} Measured;

/* Lets each feature report, those that were measured at least (they look back at it later), and stores
 * what they emitted. The error of the first one that failed, and which one that was. */
int reporter_frame(Reporter *reporter, const FrameId *id, const Measured *measured, unsigned count,
                   const Feature **failed);

/* Lets a feature emit what it held back. After an error it may be tried again. */
int reporter_flush(Reporter *reporter, Feature *feature);

void reporter_clear(Reporter *reporter);

#endif
