/* One slot of the ring: the memory of a frame on the device and its recorded work. */
#ifndef GPU_SLOT_H
#define GPU_SLOT_H

#include "gpu/graph.h"
#include "gpu/profile.h"

/* Kernels recorded for one set of features. Subsampling alternates between two sets. */
typedef struct SlotWork {
    FeatureSet owners; /* 0: not recorded */
    GpuCommands *commands;
    GpuStamps *stamps; /* NULL: not profiled */
} SlotWork;
#define SLOT_WORKS 2

typedef struct Slot {
    GpuBuffer *ref, *dist;         /* planes */
    GpuBuffer *scratch, *results;
    GpuBuffer *readback;
    GpuBuffer *staging;            /* for pictures in plain memory; made when the first one comes */
    GpuBindings ***bindings;       /* [feature][pass] */
    GpuCommands *upload;           /* recorded for each frame */
    SlotWork works[SLOT_WORKS];
    unsigned next_work;            /* recorded over when a third set comes */
    GpuPoint done;                 /* of the frame in it */
    FeatureSet set;
    const SlotWork *work; /* of the frame in it; NULL: none */
    FramePair pair; /* the frame: its pictures are held until it is collected */
} Slot;

int slots_create(Slot **out, const Graph *graph, unsigned count, enum GpuQueue upload_queue,
                 const Profile *profile);
void slots_destroy(Slot *slots, const Graph *graph, unsigned count);

/* Records the copies of a pair's planes into the slot, and the clearing of what wants to be zero.
 * Pictures that lie in upload memory are copied from where they are. */
int slot_record_upload(Slot *slot, const Graph *graph, const FramePair *pair);

/* The kernels of `owners`, which is not empty; recorded when first asked for. */
int slot_work(Slot *slot, const Graph *graph, FeatureSet owners, const SlotWork **work);

#endif
