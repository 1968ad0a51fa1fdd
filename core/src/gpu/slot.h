/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A slot of the ring: a frame's memory on the device. A stream owns its slots; the thread that
 * submits frames and the one that collects them never use the same slot at once.
 *
 * slot_upload brings the pictures of a pair into a slot, in one of three ways:
 * - Plain memory: the host copies the picture to staging memory, and the device copies it from
 * there.
 * - A block of upload.h: the device copies the picture from where it is. The host filled the block
 *   (upload block), or an import did (mirror block, import.h), or the caller did on the device
 *   (device block, "resident" in client.h).
 * - An arrival (import.h), in memory of the caller on the device: its record function copies it. */
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
    bool arrived;       /* its pictures are an arrival */
    bool is_uploading;  /* its copies were submitted by themselves, and end at `uploaded` */
    bool lookback_only; /* looked back at, but not collected */
    GpuPoint uploaded, done;
    int err; /* why its kernels could not be run */
} Slot;

int slots_create(Slot **out, const Graph *graph, unsigned count, enum GpuQueue upload_queue);
void slots_destroy(Slot *slots, const Graph *graph, unsigned count);

/* Brings the planes of a pair into the slot, or records that. The distorted picture may be NULL. An
 * arrival is submitted to GPU_COMPUTE. Other pictures are submitted to `queue` if that is
 * GPU_TRANSFER; else slot->upload is only recorded and must be submitted with the kernels. A
 * barrier in work.c orders the copies before the kernels. */
int slot_upload(Slot *slot, const Graph *graph, const FramePair *pair, enum GpuQueue queue);
/* Call once the frame is done: tells the owner of an arrival that its pair was read. `err`: the
 * error of the frame so far. Returns that, or -ERANGE (logged) if a sample exceeds the depth. */
int slot_end_upload(const Slot *slot, const Graph *graph, int err);
/* Records the clearing of buffers that must be zero before the kernels. */
void slot_record_clearing(const Slot *slot, const Graph *graph, GpuCommands *commands);

/* True if the device can check arrivals for samples above the depth, which the host cannot do. */
bool slot_takes_arrivals(const Graph *graph);
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
