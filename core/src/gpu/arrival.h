/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* An arrival: a pair of pictures in memory of the caller that is copied straight into the slot of
 * its frame, where the kernels read it.
 *
 * To the engine its two pictures have no data, so no feature on the CPU may read them. Code that
 * measures such a frame again calls slot_view to read the slot's memory. References count who holds
 * an arrival; any thread may release one. */
#ifndef GPU_ARRIVAL_H
#define GPU_ARRIVAL_H

#include "gpu/import.h"

typedef struct GpuArrival GpuArrival;

/* A callback that tells the owner of a frame that the device has read it. `call` NULL: none. */
typedef struct GpuRelease {
    void (*call)(void *opaque);
    void *opaque;
} GpuRelease;

/* The maker embeds this struct at the head of its own. */
struct GpuArrival {
    ImportRecord record;
    const void *source[2]; /* arguments for `record`: reference, distorted */
    GpuForeign waits[GPU_MAX_WAITS];
    unsigned wait_count;
    GpuForeign signals[GPU_MAX_WAITS];
    unsigned signal_count;
    unsigned index;                       /* of the frame, for messages */
    GpuRelease release[2];                /* called once, when the device has read the pair */
    void (*destroy)(GpuArrival *arrival); /* called when the last reference is gone */

    /* The device has the waits and signals. Used by the thread that submits only. */
    bool submitted;
    atomic_bool has_left;
    atomic_int references;
};

/* Sets the members that the maker does not, with one reference. */
void arrival_init(GpuArrival *arrival);
/* Allocates the maker's struct of `size` bytes, zeroed, and initialises the arrival in it. It is
 * freed with the last reference. NULL: no memory, and the releases were called. */
void *arrival_create(size_t size, const GpuRelease release[2]);
void arrival_release(GpuArrival *arrival);
/* Makes the two pictures that the engine sees. Each holds a reference. */
int arrival_pictures(GpuArrival *arrival, const FrameShape *shape, VmafPicture *ref,
                     VmafPicture *dist);
GpuArrival *arrival_of(const VmafPicture *pic); /* NULL: an ordinary picture */
/* Call when the device has read the pair, or never will: calls the releases. A second call does
 * nothing. */
void arrival_leave(GpuArrival *arrival);

#endif
