/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CUDA and HIP devices: one source over two columns of symbols (driver/api.h). */
#ifndef DRIVER_DRIVER_H
#define DRIVER_DRIVER_H

#include "gpu/backend/cuda_hip/api.h"

/* For GpuBackend. `api` NULL: its library is not there. */
int driver_probe(const DriverApi *api, const GpuBackend *backend, bool validation, GpuProbe **out);
void driver_probe_end(GpuProbe *probe);
int driver_open(GpuProbe *probe, unsigned index, GpuDevice **out);

/* Opens the device that a context of the caller's belongs to, and works in that context, which must
 * outlive the device and is never destroyed here. NULL: the primary context of the first device.
 * `info` says what it is. -ENOTSUP (logged) when it lacks something. */
int driver_adopt(const DriverApi *api, void *context, GpuDevice **out, GpuDeviceInfo *info);

/* ---- in the words of the API ---- */

void *driver_context(const GpuDevice *device);
uintptr_t driver_address(const GpuBuffer *buffer); /* on the device */

/* GpuForeign with value 0: `handle` is a stream (0: the legacy one), and the point is what was enqueued
 * there before the submission; as a signal, whatever is enqueued there afterwards waits for it. Otherwise
 * `handle` is a timeline semaphore of another API, imported by this, and the value one of its own. The
 * descriptor stays the caller's. -ENOTSUP (logged) when the driver refuses it. */
int driver_semaphore_import(GpuDevice *device, const GpuHandle *handle, uintptr_t *semaphore);
void driver_semaphore_destroy(GpuDevice *device, uintptr_t semaphore);

#endif
