/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Resident pictures: the caller of the public API fills them on the device. They come from a pool
 * of device blocks (upload.h) and have addresses that only the device can read. */
#ifndef GPU_RESIDENT_H
#define GPU_RESIDENT_H

#include "gpu/import.h"
#include "libvmaf/libvmaf.h"

/* One for each context. Zero it, then set `device`. One thread at a time may use it. */
typedef struct Resident {
    GpuDevice *device;
    bool has_chroma; /* the first pair was checked, and its chroma had been filled */
    GpuCommands *commands;
    ImportRange ranges[2];
} Resident;
void resident_close(Resident *resident);

/* Prepares a pair of resident pictures for the engine, see client_admit, and leaves other
 * pairs alone. All work submitted from now on waits for whatever the caller has enqueued so far
 * (GpuForeign { 0, 0 }). -EINVAL (logged): only one of the two pictures is resident, or a feature
 * reads chroma that nobody filled. */
int resident_admit(Resident *resident, const VmafContext *context, VmafPicture *ref,
                   VmafPicture *dist);

#endif
