/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures that the caller fills on the device: of a pool in device blocks (upload.h), with addresses that
 * only the device can read. */
#ifndef GPU_RESIDENT_H
#define GPU_RESIDENT_H

#include "gpu/import.h"
#include "libvmaf/libvmaf.h"

/* Of a context. Zeroed but for the device to begin with. */
typedef struct Resident {
    GpuDevice *device;
    bool has_chroma; /* the first pair was looked at, and its chroma had been filled */
    GpuCommands *commands;
    ImportRange ranges[2];
} Resident;
void resident_close(Resident *resident);

/* Makes such pictures fit for the engine, as Accelerator.admit asks; others it leaves alone. Whatever the
 * caller enqueued for them so far (GpuForeign { 0, 0 }) comes before all that is submitted from now on.
 * -EINVAL (logged): only one of both is such a picture, or a feature reads chroma that nobody filled. */
int resident_admit(Resident *resident, const VmafContext *context, VmafPicture *ref,
                   VmafPicture *dist);

#endif
