/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The kernels of one or several frames in a row, recorded once for each place in the ring.
 *
 * Frames that run together share their barriers: the late stages, which are too small to fill a
 * device, then run side by side. */
#ifndef GPU_WORK_H
#define GPU_WORK_H

#include "gpu/profile.h"
#include "gpu/slot.h"

typedef struct Work {
    struct Work *next;
    unsigned first, count; /* slots; they may wrap round */
    FeatureSet owners;     /* what runs, the same in all frames */
    GpuCommands *commands;
    GpuStamps *stamps; /* NULL: not profiled */
} Work;

typedef struct WorkList {
    const Graph *graph;
    Slot *slots;
    unsigned slot_count;
    const Profile *profile; /* NULL: none; else works have one frame */
    Work *works;
} WorkList;

/* Gives the work of `count` frames from slot `first` on; recorded when first asked for. `owners` is
 * not empty. */
int work_get(WorkList *list, unsigned first, unsigned count, FeatureSet owners, const Work **out);
void works_destroy(WorkList *list);

#endif
