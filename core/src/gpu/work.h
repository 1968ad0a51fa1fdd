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
    bool timed;            /* one frame, its passes apart */
    GpuCommands *commands;
    GpuStamps *stamps;  /* NULL: not timed, or the device has no clock */
    unsigned *launches; /* recorded, by feature */
} Work;

typedef struct WorkList {
    const Graph *graph;
    Slot *slots;
    unsigned slot_count;
    const Profile *profile;
    Work *works;
} WorkList;

/* Gives the work of wanted->count frames from slot wanted->first on; recorded when first asked for.
 * wanted->owners is not empty. */
int work_get(WorkList *list, const Work *wanted, const Work **out);
void works_destroy(WorkList *list);

#endif
