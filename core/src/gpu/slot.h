/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* One slot of the ring: the memory of a frame on the device, and its way there. */
#ifndef GPU_SLOT_H
#define GPU_SLOT_H

#include "gpu/graph.h"
#include "gpu/import.h"

typedef struct SlotArrival SlotArrival;

typedef struct Slot {
    GpuBuffer *ref, *dist; /* planes */
    GpuBuffer *scratch, *results;
    GpuBuffer *readback;
    GpuBuffer *staging;      /* for pictures in plain memory; made when the first one comes */
    GpuBindings ***bindings; /* [feature][pass] */
    GpuCommands *upload;     /* recorded for each frame */
    SlotArrival *arrival;    /* for pairs that come straight here; made when the first one does */

    /* The frame in it. */
    FramePair pair; /* its pictures are held until it is collected */
    FeatureSet set, owners;
    bool arrived; /* it was uploaded by slot_arrive */
    bool before;  /* it is a reference to look back at, and is not collected */
    GpuPoint uploaded, done;
    int err; /* why it could not be run */
} Slot;

int slots_create(Slot **out, const Graph *graph, unsigned count, enum GpuQueue upload_queue);
void slots_destroy(Slot *slots, const Graph *graph, unsigned count);

/* Records the copies of a pair's planes into the slot; kernels find a barrier before them (work.c). Its distorted picture
 * may be NULL. Pictures that lie in upload memory are copied from where they are. */
int slot_record_upload(Slot *slot, const Graph *graph, const FramePair *pair);
/* Records the clearing of what wants to be zero before the kernels. */
void slot_record_clearing(const Slot *slot, const Graph *graph, GpuCommands *commands);

/* ---- slot_arrival.c: pairs in memory of others (arrival.h) ---- */

/* Whether the device can look after all that the host cannot see then. */
bool slot_may_arrive(const Graph *graph);
/* Uploads such a pair, on the compute queue: sets slot->uploaded. Nothing is submitted when it fails. */
int slot_arrive(Slot *slot, const Graph *graph, const FramePair *pair);
/* Once the upload is done: lets go of the pair. -ERANGE (logged): it has samples above the depth. */
int slot_end_arrival(const Slot *slot, const Graph *graph);
void slot_arrival_destroy(SlotArrival *arrival, GpuDevice *device);
/* The planes that `buffer` (a slot's ref or dist) holds, as the host can read them; waits. Release it. */
int slot_view(const Graph *graph, GpuBuffer *buffer, unsigned planes, VmafPicture *view);

/* What the kernels of a frame left in its slot, for a feature that has to look closer (gpu_fetch). */


/* Lives while the frame is being collected: until then its slot is its own. */
struct GpuFrame {
    const Graph *graph;
    const Slot *slot;
    unsigned feature; /* whose plan is meant */
};

#endif
