/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* One slot of the ring: the memory of a frame on the device, and its way there. */
#ifndef GPU_SLOT_H
#define GPU_SLOT_H

#include "gpu/graph.h"

typedef struct Slot {
    GpuBuffer *ref, *dist; /* planes */
    GpuBuffer *scratch, *results;
    GpuBuffer *readback;
    GpuBuffer *staging;      /* for pictures in plain memory; made when the first one comes */
    GpuBindings ***bindings; /* [feature][pass] */
    GpuCommands *upload;     /* recorded for each frame */

    /* The frame in it. */
    FramePair pair; /* its pictures are held until it is collected */
    FeatureSet set, owners;
    GpuPoint uploaded, done;
    int err; /* why it could not be run */
} Slot;

int slots_create(Slot **out, const Graph *graph, unsigned count, enum GpuQueue upload_queue);
void slots_destroy(Slot *slots, const Graph *graph, unsigned count);

/* Records the copies of a pair's planes into the slot, and the clearing of what wants to be zero.
 * Pictures that lie in upload memory are copied from where they are. */
int slot_record_upload(Slot *slot, const Graph *graph, const FramePair *pair);

#endif
