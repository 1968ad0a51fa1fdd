/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A slot of the ring: a frame's memory on the device, and how its pictures get there. A stream owns
 * its slots; the thread that submits frames and the one that collects them never use the same slot
 * at once. */
#ifndef GPU_SLOT_H
#define GPU_SLOT_H

#include "gpu/graph.h"
#include "gpu/import.h"

typedef struct SlotArrival SlotArrival;

typedef struct Slot {
    GpuBuffer *ref, *dist; /* planes */
    GpuBuffer *scratch, *results;
    GpuBuffer *readback;
    GpuBuffer *staging;      /* for pictures in plain memory; created for the first one */
    GpuBindings ***bindings; /* [feature][pass] */
    GpuCommands *upload;     /* recorded anew for each frame */
    SlotArrival *arrival;    /* for arrivals; created for the first one */

    /* The frame in the slot. */
    FramePair pair; /* its pictures are held until it is collected */
    FeatureSet set, owners;
    bool arrived;       /* slot_arrive copied its pictures */
    bool lookback_only; /* looked back at, but not collected */
    GpuPoint uploaded, done;
    int err; /* why its kernels could not be run */
} Slot;

int slots_create(Slot **out, const Graph *graph, unsigned count, enum GpuQueue upload_queue);
void slots_destroy(Slot *slots, const Graph *graph, unsigned count);

/* Records the copies of a pair's planes into the slot. A barrier in work.c orders them before the
 * kernels. The distorted picture may be NULL. Planes in blocks of upload.h are copied from where
 * they are, others by way of staging memory. */
int slot_record_upload(Slot *slot, const Graph *graph, const FramePair *pair);
/* Records the clearing of buffers that must be zero before the kernels. */
void slot_record_clearing(const Slot *slot, const Graph *graph, GpuCommands *commands);

/* ---- arrivals (import.h) ---- */

/* True if the device can check the pictures for samples above the depth, which the host cannot do
 * with an arrival. */
bool slot_may_arrive(const Graph *graph);
/* Copies an arrival into the slot, on the compute queue, and sets slot->uploaded. Submits nothing
 * when it fails. */
int slot_arrive(Slot *slot, const Graph *graph, const FramePair *pair);
/* Call when the copy is done: calls arrival_leave. -ERANGE (logged): a sample exceeds the depth. */
int slot_end_arrival(const Slot *slot, const Graph *graph);
void slot_arrival_destroy(SlotArrival *arrival, GpuDevice *device);
/* Copies planes of `buffer` (a slot's ref or dist) to a new picture in plain memory. Waits. The
 * caller releases *view. */
int slot_view(const Graph *graph, GpuBuffer *buffer, unsigned planes, VmafPicture *view);

/* A frame that is being collected, for FeatureGpu.settle and gpu_fetch. Its slot is not reused
 * until then. */

struct GpuFrame {
    const Graph *graph;
    const Slot *slot;
    unsigned feature; /* the feature whose plan is meant */
};

#endif
