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
    bool never_on_cpu; /* take collect's -EAGAIN for success: a test wants what the device computed
                        */
} GpuStreamParams;

/* Sets `taken` to the features whose plan said yes. */
int stream_create(GpuStream **out, const GpuStreamParams *params, FeatureSet *taken);
void stream_destroy(GpuStream *stream); /* waits for what is in flight; NULL is fine */

/* As AcceleratorOps.submit and .collect: one thread for each. */
int stream_submit(GpuStream *stream, const FramePair *pair, FeatureSet set);
int stream_collect(GpuStream *stream, void *const *results);

/* The engine's hook, for a backend to give its name to. The state it is used with is a GpuSetup. */
typedef struct GpuSetup {
    GpuDevice *device;
    unsigned depth;
} GpuSetup;

PoolMemory gpu_picture_memory(void *state);
int gpu_open(void *state, Feature *const *features, unsigned count, FeatureSet *taken,
             Accelerator **out);
const char *gpu_device_name(const Accelerator *a);
int gpu_submit(Accelerator *a, const FramePair *pair, FeatureSet set);
int gpu_collect(Accelerator *a, void *const *results);
void gpu_close(Accelerator *a);
#define GPU_ACCELERATOR(name)                                                                      \
    {                                                                                              \
        .backend = name, .picture_memory = gpu_picture_memory, .open = gpu_open,                   \
        .device_name = gpu_device_name, .submit = gpu_submit, .collect = gpu_collect,              \
        .close = gpu_close,                                                                        \
    }

#endif
