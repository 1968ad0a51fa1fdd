/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The ring: all features of one context on one device, a frame being one upload and one submission.
 * Slots and what is recorded in them are in slot.h, the features' plans in graph.h. */
#ifndef GPU_STREAM_H
#define GPU_STREAM_H

#include "engine/accelerator.h"
#include "gpu/device.h"
#include "gpu/feature_gpu.h"

typedef struct GpuStream GpuStream;

typedef struct GpuStreamParams {
    GpuDevice *device; /* outlives the stream */
    Feature *const *features;
    unsigned feature_count;
    unsigned depth;    /* frames in flight */
    bool may_shrink;   /* fewer will do when there is no memory for so many */
    bool never_on_cpu; /* what settle leaves open is fine: a test wants what the device computed */
} GpuStreamParams;

/* Sets `taken` to the features whose plan said yes. */
int stream_create(GpuStream **out, const GpuStreamParams *params, FeatureSet *taken);
void stream_destroy(GpuStream *stream); /* waits for what is in flight; NULL is fine */

/* As AcceleratorOps.submit and .collect: one thread for each. */
int stream_submit(GpuStream *stream, const FramePair *pair, FeatureSet set);
int stream_collect(GpuStream *stream, void *const *results);

/* How many reads features look back. */
unsigned stream_back(const GpuStream *stream);
/* A reference that is not scored here but looked back at from the frame that is submitted next (or from the one
 * after another such). It stays valid until that one is collected; nothing is collected for it. */
int stream_submit_before(GpuStream *stream, const VmafPicture *ref, const VmafPicture *dist);

/* Whether pairs in memory of others may go straight into its slots (arrival.h). */
bool stream_takes_arrivals(const GpuStream *stream);

/* As AcceleratorOps.refusal and .tally. */
const char *stream_refusal(const GpuStream *stream, unsigned feature);
void stream_tally(GpuStream *stream, unsigned feature, AcceleratorTally *tally);

#endif
