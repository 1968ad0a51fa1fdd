/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Submitting, waiting, and time. */
#include <errno.h>

#include "base/mem.h"
#include "gpu/backend/sycl/device.h"

int sycl_submit(GpuDevice *gpu, const GpuSubmit *submit, GpuPoint *done)
{
    SyclDevice *dev = sycl_device(gpu);
    SyclCommandList lists[GPU_MAX_COMMANDS];
    SyclPoint waits[GPU_MAX_WAITS];
    if (submit->foreign_wait_count || submit->foreign_signal_count)
        return -ENOTSUP; /* SYCL has no semaphores */
    for (unsigned i = 0; i < submit->command_count; i++)
        lists[i] = (SyclCommandList){ submit->commands[i]->list, submit->commands[i]->count };
    for (unsigned i = 0; i < submit->wait_count; i++)
        waits[i] = (SyclPoint){ submit->waits[i].queue, submit->waits[i].value };
    uint64_t value = 0;
    const int err = dev->plugin->submit(dev->handle, submit->queue, lists, submit->command_count,
                                        waits, submit->wait_count, &value);
    if (err)
        return sycl_error(dev, "submitting work", err);
    pthread_mutex_lock(&dev->lock);
    if (dev->submitted[submit->queue] < value)
        dev->submitted[submit->queue] = value;
    pthread_mutex_unlock(&dev->lock);
    *done = (GpuPoint){ submit->queue, value };
    return 0;
}

int sycl_wait(GpuDevice *gpu, GpuPoint point, uint64_t timeout_ns)
{
    SyclDevice *dev = sycl_device(gpu);
    if (!point.value)
        return 1;
    const int result =
        dev->plugin->wait(dev->handle, (SyclPoint){ point.queue, point.value }, timeout_ns);
    return result < 0 ? sycl_error(dev, "waiting for work", result) : result;
}

int sycl_drain(GpuDevice *gpu)
{
    SyclDevice *dev = sycl_device(gpu);
    int err = 0;
    for (unsigned queue = 0; queue < SYCL_QUEUES; queue++) {
        pthread_mutex_lock(&dev->lock);
        const GpuPoint last = { queue, dev->submitted[queue] };
        pthread_mutex_unlock(&dev->lock);
        const int result = sycl_wait(gpu, last, UINT64_MAX);
        if (result < 0)
            err = result;
    }
    return err;
}

/* ---- time ---- */

int sycl_stamps_create(GpuDevice *gpu, unsigned count, GpuStamps **out)
{
    SyclDevice *dev = sycl_device(gpu);
    *out = NULL;
    GpuStamps *stamps = mem_zalloc(sizeof(*stamps));
    if (!stamps)
        return -ENOMEM;
    const int err = dev->plugin->stamps_create(dev->handle, count, &stamps->handle);
    if (err) {
        mem_free(stamps);
        return err == -ENOTSUP ? err : sycl_error(dev, "room for times", err);
    }
    *out = stamps;
    return 0;
}

void sycl_stamps_destroy(GpuDevice *gpu, GpuStamps *stamps)
{
    if (!stamps)
        return;
    sycl_device(gpu)->plugin->stamps_destroy(stamps->handle);
    mem_free(stamps);
}

int sycl_stamps_read(GpuDevice *gpu, GpuStamps *stamps, double *microseconds)
{
    SyclDevice *dev = sycl_device(gpu);
    const int err = dev->plugin->stamps_read(dev->handle, stamps->handle, microseconds);
    return err ? sycl_error(dev, "reading times", err) : 0;
}
