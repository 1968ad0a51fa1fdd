/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "base/mem.h"
#include "gpu/backend/cuda_hip/device.h"

struct GpuStamps {
    unsigned count;
    DriverHandle events[];
};

static int create_events(DriverDevice *dev, GpuStamps *stamps)
{
    int err = driver_enter(dev);
    if (err)
        return err;
    for (unsigned i = 0; i < stamps->count && !err; i++)
        err = DRIVER_TRY(dev, EventCreate, &stamps->events[i], DRIVER_EVENT_TIMED);
    driver_leave(dev);
    return err;
}

int driver_stamps_create(GpuDevice *gpu, unsigned count, GpuStamps **out)
{
    *out = NULL;
    GpuStamps *stamps = mem_zalloc(sizeof(*stamps) + count * sizeof(stamps->events[0]));
    if (!stamps)
        return -ENOMEM;
    stamps->count = count;
    const int err = create_events((DriverDevice *)gpu, stamps);
    if (err)
        driver_stamps_destroy(gpu, stamps);
    else
        *out = stamps;
    return err;
}

void driver_stamps_destroy(GpuDevice *gpu, GpuStamps *stamps)
{
    DriverDevice *dev = (DriverDevice *)gpu;
    if (!stamps)
        return;
    if (driver_enter_anyway(dev)) {
        for (unsigned i = 0; i < stamps->count; i++)
            if (stamps->events[i])
                dev->api->call.EventDestroy(stamps->events[i]);
        driver_leave(dev);
    }
    mem_free(stamps);
}

void driver_stamp(GpuCommands *commands, GpuStamps *stamps, unsigned i)
{
    driver_commands_stamp(commands, stamps->events[i]);
}

int driver_stamps_read(GpuDevice *gpu, GpuStamps *stamps, double *microseconds)
{
    DriverDevice *dev = (DriverDevice *)gpu;
    int err = driver_enter(dev);
    if (err)
        return err;
    for (unsigned i = 0; i < stamps->count && !err; i++) {
        float milliseconds = 0;
        err =
            DRIVER_TRY(dev, EventElapsedTime, &milliseconds, stamps->events[0], stamps->events[i]);
        microseconds[i] = (double)milliseconds * 1e3;
    }
    driver_leave(dev);
    return err;
}
