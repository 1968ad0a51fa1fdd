/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/slot.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "engine/picture.h"
#include "gpu/import.h"
#include "gpu/upload.h"

static GpuRange range_of(const Slot *slots, unsigned slot, unsigned count, const Graph *graph,
                         const GraphFeature *gf, unsigned b)
{
    const PlanBuffer *buffer = &gf->plan->buffers[b];
    GpuRange range = gf->ranges[b];
    switch (buffer->role) {
    case PLAN_REF:
        range.buffer = slots[slot].ref;
        break;
    case PLAN_DIST:
        range.buffer = slots[slot].dist;
        break;
    case PLAN_PREV_REF:
        range.buffer = slots[(slot + count - buffer->back) % count].ref;
        break;
    case PLAN_PREV_DIST:
        range.buffer = slots[(slot + count - buffer->back) % count].dist;
        break;
    case PLAN_SCRATCH:
        range.buffer = slots[slot].scratch;
        return range;
    case PLAN_RESULT:
        range.buffer = slots[slot].results;
        return range;
    case PLAN_TABLE:
        return range;
    }
    range.offset = graph->plane_offset[buffer->plane];
    range.size = graph->plane_size[buffer->plane];
    return range;
}

static int bind_feature(Slot *slots, unsigned slot, unsigned count, const Graph *graph, unsigned f)
{
    const GraphFeature *gf = &graph->features[f];
    const GpuPlan *plan = gf->plan;
    GpuBindings **bindings = mem_array(plan->pass_count + 1, sizeof(*bindings));
    slots[slot].bindings[f] = bindings;
    if (!bindings)
        return -ENOMEM;
    for (unsigned p = 0; p < plan->pass_count; p++) {
        GpuRange ranges[GPU_MAX_BINDINGS];
        for (unsigned b = 0; b < plan->passes[p].buffer_count; b++)
            ranges[b] = range_of(slots, slot, count, graph, gf, plan->passes[p].buffers[b]);
        const int err = graph->device->ops->bindings_create(graph->device, gf->kernels[p], ranges,
                                                            &bindings[p]);
        if (err)
            return err;
    }
    return 0;
}

static int create_buffers(Slot *slot, const Graph *graph)
{
    const struct {
        GpuBuffer **buffer;
        enum GpuMemory memory;
        size_t size;
    } wanted[] = {
        { &slot->ref, GPU_DEVICE, graph->ref_planes ? graph->picture_bytes : 0 },
        { &slot->dist, GPU_DEVICE, graph->dist_planes ? graph->picture_bytes : 0 },
        { &slot->scratch, GPU_DEVICE, graph->scratch_bytes },
        { &slot->results, GPU_DEVICE, graph->result_bytes },
        { &slot->readback, GPU_READBACK, graph->result_bytes },
    };
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        if (!wanted[i].size)
            continue;
        const int err = graph->device->ops->buffer_create(graph->device, wanted[i].memory,
                                                          wanted[i].size, wanted[i].buffer);
        if (err)
            return err;
    }
    return 0;
}

/* Clears memory that is read before any frame has written it: the first frames look back at missing
 * pictures, and the gaps between results are copied with the results. Nobody uses either, but tools
 * that look for reads of uninitialised memory report them. Skipped on test devices with `undefine`,
 * which keep such memory undefined on purpose. */
static int clear_once(Slot *slots, const Graph *graph, unsigned count)
{
    GpuDevice *dev = graph->device;
    GpuCommands *commands;
    if (dev->ops->undefine)
        return 0;
    const int err = dev->ops->commands_create(dev, GPU_COMPUTE, &commands);
    if (err)
        return err;
    dev->ops->begin(commands);
    for (unsigned i = 0; i < count; i++) {
        if (graph->back && slots[i].ref)
            dev->ops->fill(commands, &(GpuRange){ slots[i].ref, 0, graph->picture_bytes }, 0);
        if (graph->back && slots[i].dist)
            dev->ops->fill(commands, &(GpuRange){ slots[i].dist, 0, graph->picture_bytes }, 0);
        if (graph->result_bytes)
            dev->ops->fill(commands, &(GpuRange){ slots[i].results, 0, graph->result_bytes }, 0);
    }
    return gpu_device_run_once(dev, commands);
}

int slots_create(Slot **out, const Graph *graph, unsigned count, enum GpuQueue upload_queue)
{
    const GpuOps *ops = graph->device->ops;
    *out = NULL;
    Slot *slots = mem_array(count, sizeof(*slots));
    if (!slots)
        return -ENOMEM;
    int err = 0;
    for (unsigned i = 0; !err && i < count; i++)
        err = create_buffers(&slots[i], graph);
    for (unsigned i = 0; !err && i < count; i++) {
        slots[i].bindings = mem_array(graph->feature_count, sizeof(*slots[i].bindings));
        err = slots[i].bindings ? 0 : -ENOMEM;
        for (unsigned f = 0; !err && f < graph->feature_count; f++)
            if (graph->features[f].plan && graph->features[f].owner == f)
                err = bind_feature(slots, i, count, graph, f);
        if (!err)
            err = ops->commands_create(graph->device, upload_queue, &slots[i].upload);
    }
    if (!err)
        err = clear_once(slots, graph, count);
    if (err)
        slots_destroy(slots, graph, count);
    else
        *out = slots;
    return err;
}

struct SlotArrival {
    GpuCommands *commands;
    ImportScratch scratch[2]; /* reference, distorted */
};

static void destroy_arrival(SlotArrival *arrival, GpuDevice *device)
{
    if (!arrival)
        return;
    device->ops->commands_destroy(device, arrival->commands);
    for (unsigned side = 0; side < 2; side++)
        import_scratch_destroy(device, &arrival->scratch[side]);
    mem_free(arrival);
}

static void slot_destroy(Slot *slot, const Graph *graph)
{
    GpuDevice *dev = graph->device;
    const GpuOps *ops = dev->ops;
    ops->commands_destroy(dev, slot->upload);
    destroy_arrival(slot->arrival, dev);
    for (unsigned f = 0; slot->bindings && f < graph->feature_count; f++) {
        for (unsigned p = 0; slot->bindings[f] && p < graph->features[f].plan->pass_count; p++)
            ops->bindings_destroy(dev, slot->bindings[f][p]);
        mem_free(slot->bindings[f]);
    }
    mem_free(slot->bindings);
    GpuBuffer *const buffers[] = { slot->ref,     slot->dist,     slot->scratch,
                                   slot->results, slot->readback, slot->staging };
    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
        ops->buffer_destroy(dev, buffers[i]);
}

void slots_destroy(Slot *slots, const Graph *graph, unsigned count)
{
    if (!slots)
        return;
    for (unsigned i = 0; i < count; i++)
        slot_destroy(&slots[i], graph);
    mem_free(slots);
}

/* ---- uploads ---- */

/* Copies a plane into the slot's own staging memory, with rows at the device's stride. */
static int stage_plane(Slot *slot, const Graph *graph, const VmafPicture *pic, unsigned p,
                       bool is_dist, GpuRange *from)
{
    if (!slot->staging) {
        const int err = graph->device->ops->buffer_create(graph->device, GPU_UPLOAD,
                                                          2 * graph->picture_bytes, &slot->staging);
        if (err)
            return err;
    }
    const size_t offset = is_dist * graph->picture_bytes + graph->plane_offset[p];
    *from = (GpuRange){ slot->staging, offset, graph->plane_size[p] };
    char *to = (char *)slot->staging->host + offset;
    const size_t stride = picture_stride(&graph->shape, p);
    const size_t row = (size_t)graph->shape.w[p] * shape_sample_size(&graph->shape);
    if (pic->stride[p] == (ptrdiff_t)stride) {
        /* The last row of a caller's memory may end with its last sample. */
        memcpy(to, pic->data[p], graph->plane_size[p] - stride + row);
        return 0;
    }
    for (unsigned y = 0; y < graph->shape.h[p]; y++)
        memcpy(to + y * stride, (const char *)pic->data[p] + (ptrdiff_t)y * pic->stride[p], row);
    return 0;
}

static int upload_planes(Slot *slot, const Graph *graph, const VmafPicture *pic, bool is_dist)
{
    const unsigned planes = is_dist ? graph->dist_planes : graph->ref_planes;
    for (unsigned p = 0; p < 3; p++) {
        if (!(planes >> p & 1))
            continue;
        GpuRange from;
        int err = 0;
        if (!upload_find(graph->device, pic, p, graph->plane_size[p], &from))
            err = stage_plane(slot, graph, pic, p, is_dist, &from);
        if (err)
            return err;
        graph->device->ops->copy(slot->upload, &from,
                                 &(GpuRange){ is_dist ? slot->dist : slot->ref,
                                              graph->plane_offset[p], graph->plane_size[p] });
    }
    return 0;
}

/* Declares undefined all buffers that are not cleared: they hold data of an earlier frame. */
static void undefine_rest(const Slot *slot, const Graph *graph, GpuCommands *commands)
{
    const GpuRange rest[] = {
        { slot->scratch, graph->scratch_zeroed, graph->scratch_bytes - graph->scratch_zeroed },
        { slot->results, graph->result_zeroed, graph->result_bytes - graph->result_zeroed },
    };
    for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
        if (rest[i].size)
            graph->device->ops->undefine(commands, &rest[i]);
}

void slot_record_clearing(const Slot *slot, const Graph *graph, GpuCommands *commands)
{
    const GpuOps *ops = graph->device->ops;
    if (graph->scratch_zeroed)
        ops->fill(commands, &(GpuRange){ slot->scratch, 0, graph->scratch_zeroed }, 0);
    if (graph->result_zeroed)
        ops->fill(commands, &(GpuRange){ slot->results, 0, graph->result_zeroed }, 0);
    if (ops->undefine)
        undefine_rest(slot, graph, commands);
}

static int record_upload(Slot *slot, const Graph *graph, const FramePair *pair)
{
    const GpuOps *ops = graph->device->ops;
    ops->begin(slot->upload);
    int err = upload_planes(slot, graph, pair->ref, false);
    if (!err && pair->dist)
        err = upload_planes(slot, graph, pair->dist, true);
    const int end_err = ops->end(slot->upload);
    return err ? err : end_err;
}

/* ---- arrivals ---- */

bool slot_takes_arrivals(const Graph *graph)
{
    return !range_matters(graph->shape.bpc) ||
           graph->picture_bytes <= graph->device->limits.max_binding;
}

static int prepare_arrival(Slot *slot, const Graph *graph)
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

/* Records the copies of the planes that kernels read of one picture. */
static int record_arrival_side(const Slot *slot, const Graph *graph, const GpuArrival *from,
                               unsigned side)
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

static int record_arrival(const Slot *slot, const Graph *graph, const GpuArrival *from)
{
    const GpuOps *ops = graph->device->ops;
    GpuCommands *commands = slot->arrival->commands;
    ops->begin(commands);
    int err = record_arrival_side(slot, graph, from, 0);
    if (!err)
        err = record_arrival_side(slot, graph, from, 1);
    /* This barrier is for the host, which reads the range check's counts. The kernels have their
     * own. */
    ops->barrier(commands);
    const int end_err = ops->end(commands);
    return err ? err : end_err;
}

static int upload_arrival(Slot *slot, const Graph *graph, const FramePair *pair)
{
    GpuArrival *from = arrival_of(pair->ref);
    int err = prepare_arrival(slot, graph);
    if (!err)
        err = record_arrival(slot, graph, from);
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

/* ---- all ways of a pair ---- */

int slot_upload(Slot *slot, const Graph *graph, const FramePair *pair, enum GpuQueue queue)
{
    slot->arrived = arrival_of(pair->ref) != NULL;
    slot->is_uploading = slot->arrived || queue == GPU_TRANSFER;
    if (slot->arrived)
        return upload_arrival(slot, graph, pair);
    const int err = record_upload(slot, graph, pair);
    if (err || !slot->is_uploading)
        return err;
    return gpu_device_submit(
        graph->device,
        &(GpuSubmit){ .queue = queue, .commands = &slot->upload, .command_count = 1 },
        &slot->uploaded);
}

int slot_end_upload(const Slot *slot, const Graph *graph, int err)
{
    const VmafPicture *const pics[2] = { slot->pair.ref, slot->pair.dist };
    if (!slot->arrived)
        return err;
    GpuArrival *from = arrival_of(pics[0]);
    const unsigned index = from->index;
    for (unsigned side = 0; !err && side < 2; side++)
        import_range_note(&slot->arrival->scratch[side].range, pics[side]);
    arrival_leave(from);
    return err ? err
               : range_check_pair(pics[0], pics[1], graph->ref_planes | graph->dist_planes, index);
}

/* ---- reading back ---- */

int slot_view(const Graph *graph, GpuBuffer *buffer, unsigned planes, VmafPicture *view)
{
    GpuDevice *device = graph->device;
    GpuBuffer *host;
    int err = device->ops->buffer_create(device, GPU_READBACK, graph->picture_bytes, &host);
    if (err)
        return err;
    err = gpu_device_copy(device, &(GpuRange){ buffer, 0, graph->picture_bytes },
                          &(GpuRange){ host, 0, host->size });
    if (!err)
        err = picture_alloc(view, &graph->shape);
    for (unsigned p = 0; !err && p < 3; p++)
        if (planes >> p & 1)
            memcpy(view->data[p], (const char *)host->host + graph->plane_offset[p],
                   graph->plane_size[p]);
    device->ops->buffer_destroy(device, host);
    return err;
}

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
    GpuBuffer *readback;
    GpuRange range;
    int err = find_range(frame, number, &range);
    if (!err && bytes > range.size)
        err = -EINVAL;
    if (!err)
        err = dev->ops->buffer_create(dev, GPU_READBACK, range.size, &readback);
    if (err)
        return err;
    err = gpu_device_copy(dev, &range, &(GpuRange){ readback, 0, range.size });
    if (!err)
        memcpy(to, readback->host, bytes);
    dev->ops->buffer_destroy(dev, readback);
    return err;
}

uint64_t gpu_frame_position(const GpuFrame *frame)
{
    return frame->slot->pair.position;
}
