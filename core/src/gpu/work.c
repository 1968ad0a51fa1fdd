/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/work.h"

#include <errno.h>

#include "base/mem.h"

/* Records the passes of one stage of one frame. False: no pass has this stage or a later one. */
static bool record_stage(const WorkList *list, const Slot *slot, unsigned stage, const Work *work,
                         unsigned *stamp)
{
    const Graph *graph = list->graph;
    const GpuOps *ops = graph->device->ops;
    bool any = false;
    for (unsigned f = 0; f < graph->feature_count; f++) {
        const GraphFeature *gf = &graph->features[f];
        for (unsigned p = 0; work->owners >> f & 1 && p < gf->plan->pass_count; p++) {
            const PlanPass *pass = &gf->plan->passes[p];
            any |= pass->stage >= stage;
            if (pass->stage != stage)
                continue;
            ops->dispatch(work->commands, gf->kernels[p], slot->bindings[f][p], pass->params,
                          pass->workgroups);
            work->launches[f]++;
            if (work->stamps && !profile_by_frame(list->profile)) {
                ops->barrier(work->commands);
                ops->stamp(work->commands, work->stamps, ++*stamp);
            }
        }
    }
    return any;
}

static const Slot *slot_at(const WorkList *list, const Work *work, unsigned i)
{
    return &list->slots[(work->first + i) % list->slot_count];
}

/* Records the frames' kernels. Stages of the same number run side by side for all features and
 * frames, with one barrier between stages. The sums are cleared here because clearing takes longer
 * beside the uploads, which keep the bus busy. */
static int record(const WorkList *list, const Work *work)
{
    const Graph *graph = list->graph;
    const GpuOps *ops = graph->device->ops;
    unsigned stamp = 0;
    ops->begin(work->commands);
    for (unsigned i = 0; i < work->count; i++)
        slot_record_clearing(slot_at(list, work, i), graph, work->commands);
    ops->barrier(work->commands); /* also orders the uploads on the same queue before the kernels */
    if (work->stamps)
        ops->stamp(work->commands, work->stamps, 0);
    bool any = true;
    for (unsigned stage = 0; any; stage++) {
        any = false;
        for (unsigned i = 0; i < work->count; i++)
            any |= record_stage(list, slot_at(list, work, i), stage, work, &stamp);
        if (any)
            ops->barrier(work->commands);
    }
    if (work->stamps && profile_by_frame(list->profile))
        ops->stamp(work->commands, work->stamps, 1);
    for (unsigned i = 0; i < work->count && graph->result_bytes; i++)
        ops->copy(work->commands,
                  &(GpuRange){ slot_at(list, work, i)->results, 0, graph->result_bytes },
                  &(GpuRange){ slot_at(list, work, i)->readback, 0, graph->result_bytes });
    ops->barrier(work->commands);
    return ops->end(work->commands);
}

static void work_destroy(GpuDevice *dev, Work *work)
{
    dev->ops->commands_destroy(dev, work->commands);
    dev->ops->stamps_destroy(dev, work->stamps);
    mem_free(work->launches);
    mem_free(work);
}

static int work_create(const WorkList *list, const Work *wanted, Work **out)
{
    GpuDevice *dev = list->graph->device;
    Work *work = mem_zalloc(sizeof(*work));
    if (!work)
        return -ENOMEM;
    *work = *wanted;
    work->launches = mem_array(list->graph->feature_count, sizeof(*work->launches));
    int err = work->launches ? 0 : -ENOMEM;
    if (!err)
        err = dev->ops->commands_create(dev, GPU_COMPUTE, &work->commands);
    if (!err && work->timed)
        err = profile_stamps(list->profile, work->owners, &work->stamps);
    if (!err)
        err = record(list, work);
    if (err)
        work_destroy(dev, work);
    else
        *out = work;
    return err;
}

static bool same_work(const Work *a, const Work *b)
{
    return a->first == b->first && a->count == b->count && a->owners == b->owners &&
           a->timed == b->timed;
}

int work_get(WorkList *list, const Work *wanted, const Work **out)
{
    Work *work = list->works;
    while (work && !same_work(work, wanted))
        work = work->next;
    if (!work) {
        const int err = work_create(list, wanted, &work);
        if (err)
            return err;
        work->next = list->works;
        list->works = work;
    }
    *out = work;
    return 0;
}

void works_destroy(WorkList *list)
{
    for (Work *work = list->works, *next; work; work = next) {
        next = work->next;
        work_destroy(list->graph->device, work);
    }
    list->works = NULL;
}
