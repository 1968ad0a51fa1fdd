/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What can be told of a device before it is opened. */
#ifndef DRIVER_PROBE_H
#define DRIVER_PROBE_H

#include "gpu/backend/cuda_hip/cuda_hip.h"

typedef struct DriverProbe {
    GpuProbe gpu;
    const DriverApi *api;
    GpuDeviceInfo devices[]; /* by the driver's number */
} DriverProbe;

/* Starts the driver. -ENODEV when it has no device. */
int driver_count(const DriverApi *api, int *count);

void driver_describe(const DriverApi *api, int device, GpuDeviceInfo *info,
                     char arch[DRIVER_ARCH_SIZE]);

int driver_attribute(const DriverApi *api, enum DriverAttribute attribute, int device);

/* Adds to info->missing. */
void driver_note_missing(GpuDeviceInfo *info, const char *what);

#endif
