/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "engine/range.h"
#include "gpu/arrival.h"
#include "gpu/slot.h"

struct SlotArrival {
    GpuCommands *commands;
    ImportScratch scratch[2]; /* reference, distorted */
};

void slot_arrival_destroy(SlotArrival *arrival, GpuDevice *device)
{
    if (!arrival)
        return;
    device->ops->commands_destroy(device, arrival->commands);
    for (unsigned side = 0; side < 2; side++)
        import_scratch_destroy(device, &arrival->scratch[side]);
    mem_free(arrival);
}

bool slot_may_arrive(const Graph *graph)
{
    return !range_matters(graph->shape.bpc) ||
           graph->picture_bytes <= graph->device->limits.max_binding;
}

static int prepare(Slot *slot, const Graph *graph)
{
    if (!slot->arrival)
        slot->arrival = mem_zalloc(sizeof(*slot->arrival));
    if (!slot->arrival)
        return -ENOMEM;
    if (slot->arrival->commands)
        return 0;
    return graph->device->ops->commands_create(graph->device, GPU_COMPUTE,
                                               &slot->arrival->commands);
}

/* The planes that kernels read. */
static int record_side(const Slot *slot, const Graph *graph, const GpuArrival *from, unsigned side)
{
    ImportScratch *scratch = &slot->arrival->scratch[side];
    ImportTarget target = {
        .device = graph->device,
        .shape = &graph->shape,
        .commands = slot->arrival->commands,
        .picture = side ? slot->dist : slot->ref,
        .planes = side ? graph->dist_planes : graph->ref_planes,
        .is_fixed = true,
        .scratch = scratch,
    };
    memcpy(target.offset, graph->plane_offset, sizeof(target.offset));
    if (!target.planes)
        return 0;
    graph->device->ops->buffer_destroy(graph->device, scratch->foreign);
    scratch->foreign = NULL;
    const int err = from->record(&target, from->source[side]);
    return err ? err : import_range_record(&target, &scratch->range);
}

static int record(const Slot *slot, const Graph *graph, const GpuArrival *from)
{
    const GpuOps *ops = graph->device->ops;
    GpuCommands *commands = slot->arrival->commands;
    ops->begin(commands);
    int err = record_side(slot, graph, from, 0);
    if (!err)
        err = record_side(slot, graph, from, 1);
    /* For the host, which reads what was out of range: kernels have one of their own. */
    ops->barrier(commands);
    const int end_err = ops->end(commands);
    return err ? err : end_err;
}

int slot_arrive(Slot *slot, const Graph *graph, const FramePair *pair)
{
    GpuArrival *from = arrival_of(pair->ref);
    int err = prepare(slot, graph);
    if (!err)
        err = record(slot, graph, from);
    if (!err)
        err = gpu_device_submit(graph->device,
                                &(GpuSubmit){ .queue = GPU_COMPUTE,
                                              .commands = &slot->arrival->commands,
                                              .command_count = 1,
                                              .foreign_waits = from->waits,
                                              .foreign_wait_count = from->wait_count,
                                              .foreign_signals = from->signals,
                                              .foreign_signal_count = from->signal_count },
                                &slot->uploaded);
    from->submitted = !err;
    return err;
}

int slot_end_arrival(const Slot *slot, const Graph *graph)
{
    const VmafPicture *const pics[2] = { slot->pair.ref, slot->pair.dist };
    GpuArrival *from = arrival_of(pics[0]);
    const unsigned index = from->index;
    for (unsigned side = 0; side < 2; side++)
        import_range_note(&slot->arrival->scratch[side].range, pics[side]);
    arrival_leave(from);
    return range_check_pair(pics[0], pics[1], graph->ref_planes | graph->dist_planes, index);
}

/* ---- for the host ---- */

static int read_back(const Graph *graph, const GpuRange *range, GpuBuffer *to)
{
    GpuDevice *device = graph->device;
    const GpuOps *ops = device->ops;
    GpuCommands *commands;
    int err = ops->commands_create(device, GPU_COMPUTE, &commands);
    if (err)
        return err;
    ops->begin(commands);
    ops->copy(commands, range, &(GpuRange){ to, 0, to->size });
    ops->barrier(commands);
    err = ops->end(commands);
    if (!err)
        err = gpu_device_run(device, commands);
    device->ops->commands_destroy(device, commands); /* it may have been given up */
    return err;
}

int slot_view(const Graph *graph, GpuBuffer *buffer, unsigned planes, VmafPicture *view)
{
    GpuDevice *device = graph->device;
    GpuBuffer *host;
    int err = device->ops->buffer_create(device, GPU_READBACK, graph->picture_bytes, &host);
    if (err)
        return err;
    err = read_back(graph, &(GpuRange){ buffer, 0, graph->picture_bytes }, host);
    if (!err)
        err = picture_alloc(view, &graph->shape);
    for (unsigned p = 0; !err && p < 3; p++)
        if (planes >> p & 1)
            memcpy(view->data[p], (const char *)host->host + graph->plane_offset[p],
                   graph->plane_size[p]);
    device->ops->buffer_destroy(device, host);
    return err;
}
