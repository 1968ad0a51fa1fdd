/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/fetch.h"

#include <errno.h>
#include <string.h>

static int find_range(const GpuFrame *frame, unsigned number, GpuRange *range)
{
    const Graph *graph = frame->graph;
    const GraphFeature *gf = &graph->features[graph->features[frame->feature].owner];
    for (unsigned b = 0; b < gf->plan->buffer_count; b++) {
        if (gf->plan->buffers[b].kept != number + 1 || gf->plan->buffers[b].role != PLAN_SCRATCH)
            continue;
        *range = gf->ranges[b];
        range->buffer = frame->slot->scratch;
        return 0;
    }
    return -EINVAL;
}

int gpu_fetch(const GpuFrame *frame, unsigned number, void *to, size_t bytes)
{
    GpuDevice *dev = frame->graph->device;
    const GpuOps *ops = dev->ops;
    GpuBuffer *readback = NULL;
    GpuCommands *commands = NULL;
    GpuRange range;
    int err = find_range(frame, number, &range);
    if (!err && bytes > range.size)
        err = -EINVAL;
    if (!err)
        err = ops->buffer_create(dev, GPU_READBACK, range.size, &readback);
    if (!err)
        err = ops->commands_create(dev, GPU_COMPUTE, &commands);
    if (!err) {
        ops->begin(commands);
        ops->copy(commands, &range, &(GpuRange){ readback, 0, range.size });
        ops->barrier(commands);
        err = ops->end(commands);
    }
    if (!err)
        err = gpu_device_run(dev, commands);
    if (!err)
        memcpy(to, readback->host, bytes);
    dev->ops->commands_destroy(dev, commands); /* it may have been given up */
    dev->ops->buffer_destroy(dev, readback);
    return err;
}

uint64_t gpu_frame_position(const GpuFrame *frame)
{
    return frame->slot->pair.position;
}
