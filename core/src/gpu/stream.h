/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The ring of frames in flight: all features of one context on one device. Each frame is one upload
 * and one submission of kernels, which it may share with other frames. slot.h holds the memory of a
 * frame, graph.h the layout of the features' plans.
 *
 * Threads: one thread submits, and one thread (it may be the same) collects. */
#ifndef GPU_STREAM_H
#define GPU_STREAM_H

#include "engine/feature.h"
#include "gpu/device.h"
#include "gpu/feature_gpu.h"

typedef struct GpuStream GpuStream;

typedef struct GpuStreamParams {
    GpuDevice *device; /* must outlive the stream */
    Feature *const *features;
    unsigned feature_count;
    unsigned depth;    /* frames in flight */
    bool may_shrink;   /* use fewer when memory is short */
    bool never_on_cpu; /* keep the device's result where settle leaves a bit open; for tests */
} GpuStreamParams;

/* Sets *taken to the features that run on the device. */
int stream_create(GpuStream **out, const GpuStreamParams *params, FeatureSet *taken);
void stream_destroy(GpuStream *stream); /* waits for what is in flight; NULL is fine */

/* See client_submit and client_collect: one thread calls each. */
int stream_submit(GpuStream *stream, const FramePair *pair, FeatureSet set);
int stream_collect(GpuStream *stream, void *const *results);

/* The largest number of frames that a feature looks back. */
unsigned stream_back(const GpuStream *stream);
/* Uploads a pair that is not scored here. The next frame looks back at it (or, after another such
 * call, the next but one). The pictures must stay valid until that frame is collected. Nothing is
 * collected for this pair itself. */
int stream_submit_lookback(GpuStream *stream, const VmafPicture *ref, const VmafPicture *dist);

/* True if pairs in memory of the caller may be copied straight into the slots (import.h). */
bool stream_takes_arrivals(const GpuStream *stream);

/* See client_refusal and client_tally. */
const char *stream_refusal(const GpuStream *stream, unsigned feature);
void stream_tally(GpuStream *stream, unsigned feature, GpuTally *tally);

#endif
