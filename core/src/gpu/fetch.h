/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the kernels of a frame left in its slot, for a feature that has to look closer (gpu_fetch). */
#ifndef GPU_FETCH_H
#define GPU_FETCH_H

#include "gpu/slot.h"

/* Lives while the frame is being collected: until then its slot is its own. */
struct GpuFrame {
    const Graph *graph;
    const Slot *slot;
    unsigned feature; /* whose plan is meant */
};

#endif
