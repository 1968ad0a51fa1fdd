/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/device.h"

#include <errno.h>

void gpu_device_init(GpuDevice *device, const GpuOps *ops, const char *backend)
{
    device->ops = ops;
    device->backend = backend;
    device->tuning = (GpuTuning){ .own_upload_bytes = (size_t)1 << 20, .max_batch = GPU_MAX_BATCH };
    atomic_init(&device->references, 1);
    pthread_mutex_init(&device->uploads_lock, NULL);
}

void gpu_device_retain(GpuDevice *device)
{
    atomic_fetch_add(&device->references, 1);
}

void gpu_device_release(GpuDevice *device)
{
    if (!device || atomic_fetch_sub(&device->references, 1) != 1)
        return;
    pthread_mutex_destroy(&device->uploads_lock);
    device->ops->destroy(device);
}

int gpu_device_run(GpuDevice *device, GpuCommands *commands)
{
    GpuPoint done = { 0 };
    const int err = device->ops->submit(
        device, &(GpuSubmit){ .queue = GPU_COMPUTE, .commands = &commands, .command_count = 1 },
        &done);
    return err ? err : device->ops->wait(device, done, UINT64_MAX) < 0 ? -EIO : 0;
}
