/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/device.h"

void gpu_device_init(GpuDevice *device, const GpuOps *ops, const char *backend)
{
    device->ops = ops;
    device->backend = backend;
    atomic_init(&device->references, 1);
    pthread_mutex_init(&device->uploads_lock, NULL);
}

void gpu_device_ref(GpuDevice *device)
{
    atomic_fetch_add(&device->references, 1);
}

void gpu_device_unref(GpuDevice *device)
{
    if (!device || atomic_fetch_sub(&device->references, 1) != 1)
        return;
    pthread_mutex_destroy(&device->uploads_lock);
    device->ops->destroy(device);
}
