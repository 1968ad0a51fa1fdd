/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A pair in memory of others that goes straight into the slot of its frame, where kernels read it.
 *
 * To the engine its pictures are pictures without data: no feature on the CPU may read them, and whoever
 * wants to measure such a frame again asks slot_view for what the device holds. */
#ifndef GPU_ARRIVAL_H
#define GPU_ARRIVAL_H

#include "gpu/import.h"

typedef struct GpuArrival GpuArrival;

/* What the owner of a frame is told when the device has read it; NULL: nothing. */
typedef struct GpuRelease {
    void (*call)(void *opaque);
    void *opaque;
} GpuRelease;

/* Embedded at the head of what its maker keeps of the pair. */
struct GpuArrival {
    ImportRecord record;
    const void *source[2]; /* for `record`: reference, distorted */
    GpuForeign waits[GPU_MAX_WAITS];
    unsigned wait_count;
    GpuForeign signals[GPU_MAX_WAITS];
    unsigned signal_count;
    unsigned index;                       /* of the frame, for the log */
    GpuRelease release[2];                /* called once, when the device has read the pair */
    void (*destroy)(GpuArrival *arrival); /* when nobody holds it any more */

    bool submitted; /* the waits and signals were given to the device; of the thread that reads */
    atomic_bool has_left;
    atomic_int references;
};

/* Sets what the maker does not: held once. */
void arrival_init(GpuArrival *arrival);
/* The maker's struct, in `size` bytes that are freed with it; what it does not set itself is set. NULL: no memory, and the
 * pair is released. */
void *arrival_create(size_t size, const GpuRelease release[2]);
void arrival_release(GpuArrival *arrival);
/* The pair as the engine sees it; each picture holds it. */
int arrival_pictures(GpuArrival *arrival, const FrameShape *shape, VmafPicture *ref,
                     VmafPicture *dist);
GpuArrival *arrival_of(const VmafPicture *pic); /* NULL: an ordinary picture */
/* The device has read the pair, or never will. Calling it again does nothing. */
void arrival_leave(GpuArrival *arrival);

#endif
