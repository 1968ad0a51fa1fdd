/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A list of commands as a graph: launched by one call, and what lies between two barriers runs side by
 * side. It is captured from streams that nothing ever runs on. At a barrier all of them join the first
 * one, and after it they fork from there again. */
#include "gpu/backend/cuda_hip/device.h"

int driver_lanes_create(DriverDevice *dev)
{
    int err = 0;
    for (unsigned i = 0; i < DRIVER_LANES && !err; i++) {
        err = DRIVER_TRY(dev, StreamCreate, &dev->lanes.streams[i], DRIVER_STREAM_NON_BLOCKING);
        if (!err)
            err = DRIVER_TRY(dev, EventCreate, &dev->lanes.events[i], DRIVER_EVENT_UNTIMED);
    }
    return err;
}

void driver_lanes_destroy(DriverDevice *dev)
{
    for (unsigned i = 0; i < DRIVER_LANES; i++) {
        if (dev->lanes.events[i])
            dev->api->call.EventDestroy(dev->lanes.events[i]);
        if (dev->lanes.streams[i])
            dev->api->call.StreamDestroy(dev->lanes.streams[i]);
    }
}

/* What comes next on lane `to` waits for what is on lane `from`. */
static int follow(DriverDevice *dev, unsigned from, unsigned to)
{
    const DriverLanes *lanes = &dev->lanes;
    const int err = DRIVER_TRY(dev, EventRecord, lanes->events[from], lanes->streams[from]);
    return err ? err : DRIVER_TRY(dev, StreamWaitEvent, lanes->streams[to], lanes->events[from], 0);
}

static int capture_stage(DriverDevice *dev, const DriverCommand *commands, size_t count)
{
    const unsigned width = count < DRIVER_LANES ? (unsigned)count : DRIVER_LANES;
    int err = 0;
    for (unsigned lane = 1; lane < width && !err; lane++)
        err = follow(dev, 0, lane);
    for (size_t i = 0; i < count && !err; i++)
        err = driver_command_issue(dev, &commands[i], dev->lanes.streams[i % width]);
    for (unsigned lane = 1; lane < width && !err; lane++)
        err = follow(dev, lane, 0);
    return err;
}

static int capture_stages(const GpuCommands *commands)
{
    int err = 0;
    for (size_t first = 0, count; first < commands->count && !err; first += count + 1) {
        count = 0;
        while (first + count < commands->count &&
               commands->list[first + count].kind != COMMAND_BARRIER)
            count++;
        err = capture_stage(commands->dev, &commands->list[first], count);
    }
    return err;
}

/* Under the lock of the lanes. */
static int capture(const GpuCommands *commands, DriverHandle *graph)
{
    DriverDevice *dev = commands->dev;
    const DriverHandle first = dev->lanes.streams[0];
    int err = DRIVER_TRY(dev, StreamBeginCapture, first, DRIVER_CAPTURE_THREAD_LOCAL);
    if (err)
        return err;
    err = capture_stages(commands);
    if (!err)
        return DRIVER_TRY(dev, StreamEndCapture, first, graph);
    /* The streams are free again only when it ends, with an error that is not news. */
    if (!dev->api->call.StreamEndCapture(first, graph) && *graph)
        dev->api->call.GraphDestroy(*graph);
    return err;
}

int driver_capture(GpuCommands *commands)
{
    DriverDevice *dev = commands->dev;
    DriverHandle graph = NULL;
    pthread_mutex_lock(&dev->lanes.lock);
    int err = capture(commands, &graph);
    pthread_mutex_unlock(&dev->lanes.lock);
    if (err)
        return err;
    err = DRIVER_TRY(dev, GraphInstantiate, &commands->graph, graph, 0);
    if (err)
        commands->graph = NULL;
    dev->api->call.GraphDestroy(graph);
    return err;
}
