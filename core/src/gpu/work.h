/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Recorded kernels. A Work holds the kernels of one frame or of several frames in a row, recorded
 * once for each position in the ring and submitted again in each round.
 *
 * Frames in one Work share their barriers, so the late stages, which are too small to fill a
 * device, run side by side. A stream owns one WorkList; its lock guards it. */
#ifndef GPU_WORK_H
#define GPU_WORK_H

#include "gpu/profile.h"
#include "gpu/slot.h"

typedef struct Work {
    struct Work *next;
    unsigned first, count; /* slots; may wrap around */
    FeatureSet owners;     /* features that run, the same in all frames */
    bool timed;            /* a single frame whose passes are timed one by one */
    GpuCommands *commands;
    GpuStamps *stamps;  /* NULL: not timed, or the device has no clock */
    unsigned *launches; /* kernel launches recorded, by feature */
} Work;

typedef struct WorkList {
    const Graph *graph;
    Slot *slots;
    unsigned slot_count;
    const Profile *profile;
    Work *works;
} WorkList;

/* Finds the work of wanted->count frames from slot wanted->first on, and records it if this is the
 * first request. wanted->owners must not be empty. The list owns *out. */
int work_get(WorkList *list, const Work *wanted, const Work **out);
void works_destroy(WorkList *list);

#endif
