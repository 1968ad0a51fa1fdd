/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/graph.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/team.h"
#include "gpu/kernels.h"

static size_t align_up(size_t size, size_t alignment)
{
    return (size + alignment - 1) / alignment * alignment;
}

/* Takes `size` bytes at an offset that the device can bind. 256 suits all known devices and cache
 * lines. */
static size_t take_range(const Graph *graph, size_t *total, size_t size)
{
    const size_t alignment =
        graph->device->limits.offset_alignment > 256 ? graph->device->limits.offset_alignment : 256;
    const size_t offset = *total;
    *total = align_up(offset + size, alignment);
    return offset;
}

static void layout_planes(Graph *graph)
{
    for (unsigned p = 0; p < 3; p++) {
        graph->plane_size[p] = picture_stride(&graph->shape, p) * graph->shape.h[p];
        if ((graph->ref_planes | graph->dist_planes) >> p & 1)
            graph->plane_offset[p] = take_range(graph, &graph->picture_bytes, graph->plane_size[p]);
    }
}

/* Lays out the zeroed buffers first, so that one fill clears them all. */
static void layout_buffers(Graph *graph, bool zeroed)
{
    for (unsigned i = 0; i < graph->feature_count; i++) {
        GraphFeature *gf = &graph->features[i];
        for (unsigned b = 0; gf->plan && gf->owner == i && b < gf->plan->buffer_count; b++) {
            const PlanBuffer *buffer = &gf->plan->buffers[b];
            size_t *total = buffer->role == PLAN_SCRATCH  ? &graph->scratch_bytes
                            : buffer->role == PLAN_RESULT ? &graph->result_bytes
                                                          : NULL;
            if (total && buffer->zeroed == zeroed)
                gf->ranges[b] = (GpuRange){ .offset = take_range(graph, total, buffer->size),
                                            .size = align_up(buffer->size, 4) };
        }
    }
    if (zeroed) {
        graph->scratch_zeroed = graph->scratch_bytes;
        graph->result_zeroed = graph->result_bytes;
    }
}

static void note_planes(Graph *graph, const GpuPlan *plan)
{
    for (unsigned b = 0; b < plan->buffer_count; b++) {
        const PlanBuffer *buffer = &plan->buffers[b];
        if (buffer->role == PLAN_REF || buffer->role == PLAN_PREV_REF)
            graph->ref_planes |= 1u << buffer->plane;
        if (buffer->role == PLAN_DIST || buffer->role == PLAN_PREV_DIST)
            graph->dist_planes |= 1u << buffer->plane;
        if (buffer->back > graph->back)
            graph->back = buffer->back;
    }
}

/* The size of a plan's largest buffer, planes included. */
static size_t largest_buffer(const Graph *graph, const GpuPlan *plan)
{
    size_t largest = 0;
    for (unsigned b = 0; b < plan->buffer_count; b++) {
        const PlanBuffer *buffer = &plan->buffers[b];
        const bool is_plane = buffer->role == PLAN_REF || buffer->role == PLAN_DIST ||
                              buffer->role == PLAN_PREV_REF || buffer->role == PLAN_PREV_DIST;
        const size_t size =
            is_plane ? picture_stride(&graph->shape, buffer->plane) * graph->shape.h[buffer->plane]
                     : buffer->size;
        if (size > largest)
            largest = size;
    }
    return largest;
}

/* False, with the reason, if the device cannot bind a buffer or dispatch a pass. The feature then
 * stays on the CPU. */
static bool fits(const Graph *graph, const GpuPlan *plan, char *why, size_t size)
{
    const GpuLimits *limits = &graph->device->limits;
    const size_t largest = largest_buffer(graph, plan);
    if (largest > limits->max_binding) {
        snprintf(why, size, "%ux%u takes a buffer of %zu bytes, and the device's limit is %zu",
                 graph->shape.w[0], graph->shape.h[0], largest, limits->max_binding);
        return false;
    }
    for (unsigned p = 0; p < plan->pass_count; p++) {
        for (unsigned i = 0; i < 3; i++) {
            if (plan->passes[p].workgroups[i] <= limits->max_workgroups[i])
                continue;
            snprintf(why, size, "%ux%u takes %u workgroups %s, and the device's limit is %u",
                     graph->shape.w[0], graph->shape.h[0], plan->passes[p].workgroups[i],
                     i == 0   ? "across"
                     : i == 1 ? "down"
                              : "deep",
                     limits->max_workgroups[i]);
            return false;
        }
    }
    return true;
}

/* Checks a pass against its kernel. An error here is a mistake in the feature's source. */
static int check_pass(const Graph *graph, const GpuPlan *plan, const PlanPass *pass,
                      const KernelInfo **out)
{
    const KernelInfo *info = gpu_kernel_for(graph->device, pass->kernel);
    if (!info || info->buffer_count != pass->buffer_count ||
        info->params_size != pass->params_size) {
        log_error("kernel '%s' does not match its plan of %u buffers and %u bytes of parameters",
                  info ? info->name : pass->kernel, pass->buffer_count, pass->params_size);
        return -EINVAL;
    }
    for (unsigned b = 0; b < pass->buffer_count; b++)
        if (pass->buffers[b] >= plan->buffer_count)
            return -EINVAL;
    *out = info;
    return 0;
}

static int find_kernels(Graph *graph, GraphFeature *gf)
{
    const GpuPlan *plan = gf->plan;
    gf->kernels = mem_array(plan->pass_count + 1, sizeof(*gf->kernels));
    gf->ranges = mem_array(plan->buffer_count + 1, sizeof(*gf->ranges));
    if (!gf->kernels || !gf->ranges)
        return -ENOMEM;
    for (unsigned p = 0; p < plan->pass_count; p++) {
        const KernelInfo *info;
        int err = check_pass(graph, plan, &plan->passes[p], &info);
        if (!err)
            err = graph->device->ops->kernel_get(graph->device, info, &gf->kernels[p]);
        if (err)
            return err;
    }
    return 0;
}

static bool is_owner(const Graph *graph, unsigned i)
{
    return graph->features[i].plan && graph->features[i].owner == i;
}

/* Plans the feature by itself. Leaves gf->plan NULL if the feature must stay on the CPU. */
static int plan_alone(const Graph *graph, GraphFeature *gf)
{
    const char *why = NULL;
    GpuPlan *plan = NULL;
    int err = plan_create_or_why(&plan, gf->feature, &why);
    if (err == -ENOTSUP)
        snprintf(gf->refusal, sizeof(gf->refusal), "%s", why ? why : "it has no kernels for this");
    if (err == -ENOTSUP || (!err && !fits(graph, plan, gf->refusal, sizeof(gf->refusal)))) {
        plan_destroy(plan);
        return 0;
    }
    if (err)
        log_error("%s: the feature's GPU plan failed (%d)", gf->feature->def->name, err);
    gf->plan = gf->alone = plan;
    return err;
}

/* Makes one plan for owner j with all that share it, and for feature i. Leaves both as they were if
 * there is none, or if the device cannot run it. */
static int share_plan(Graph *graph, unsigned j, unsigned i)
{
    GraphFeature *const owner = &graph->features[j], *const gf = &graph->features[i];
    const Feature **const all = mem_array(owner->result_count + 1, sizeof(*all));
    if (!all)
        return -ENOMEM;
    for (unsigned f = 0; f < i;
         f++) /* features with one result have equal plans: any of them will do */
        if (graph->features[f].plan && graph->features[f].owner == j)
            all[graph->features[f].result_index] = graph->features[f].feature;
    all[owner->result_count] = gf->feature;
    GpuPlan *plan = NULL;
    char why[sizeof(gf->refusal)];
    int err = plan_create_shared(&plan, all, owner->result_count + 1);
    mem_free(all);
    if (err || !fits(graph, plan, why, sizeof(why))) {
        plan_destroy(plan);
        return err == -ENOTSUP ? 0 : err;
    }
    if (owner->plan != owner->alone)
        plan_destroy(owner->plan);
    owner->plan = plan;
    gf->owner = j;
    gf->result_index = owner->result_count++;
    log_debug("feature \"%s\" (index %u) is measured by the kernels of the one of index %u",
              gf->feature->def->name, gf->feature->order, owner->feature->order);
    return 0;
}

/* Looks for an earlier feature whose run can serve feature i. */
static int find_owner(Graph *graph, unsigned i)
{
    GraphFeature *const gf = &graph->features[i];
    int err = 0;
    for (unsigned j = 0; j < i; j++) {
        const GraphFeature *const other = &graph->features[j];
        if (other->plan && plan_same(other->alone, gf->alone)) {
            gf->owner = other->owner;
            gf->result_index = other->result_index;
            return 0;
        }
    }
    for (unsigned j = 0; j < i && !err && gf->owner == i; j++)
        if (is_owner(graph, j) && can_share_plan(graph->features[j].feature, gf->feature))
            err = share_plan(graph, j, i);
    return err;
}

static int add_feature(Graph *graph, unsigned i)
{
    GraphFeature *const gf = &graph->features[i];
    gf->owner = i;
    gf->result_count = 1;
    int err = plan_alone(graph, gf);
    if (err || !gf->plan)
        return err;
    graph->taken |= (FeatureSet)1 << i;
    err = find_owner(graph, i);
    note_planes(graph, gf->alone);
    return err;
}

/* ---- compiling kernels ----
 *
 * Kernels are compiled ahead, several at a time, because the driver's compiler takes most of a
 * first start. */

#define COMPILE_THREADS 16

typedef struct Compile {
    GpuDevice *device;
    atomic_int err;
    unsigned count;
    const KernelInfo *kernels[]; /* room for every kernel of the build */
} Compile;

static Compile *compile_create(GpuDevice *device)
{
    unsigned all = 0;
    while (kernel_infos[all].name)
        all++;
    Compile *compile = mem_zalloc(sizeof(*compile) + all * sizeof(*compile->kernels));
    if (compile)
        compile->device = device;
    return compile;
}

static bool has_kernel(const Compile *compile, const KernelInfo *info)
{
    unsigned i = 0;
    while (i < compile->count && compile->kernels[i] != info)
        i++;
    return i < compile->count;
}

static atomic_ullong *word_of(GpuDevice *device, const KernelInfo *info, unsigned long long *bit)
{
    const size_t number = (size_t)(info - kernel_infos);
    assert(number / 64 < sizeof(device->made) / sizeof(*device->made));
    *bit = 1ull << number % 64;
    return &device->made[number / 64];
}

static bool is_made(GpuDevice *device, const KernelInfo *info)
{
    unsigned long long bit;
    return atomic_load(word_of(device, info, &bit)) & bit;
}

static void compile_add(Compile *compile, const GpuPlan *plan)
{
    for (unsigned p = 0; p < plan->pass_count; p++) {
        const KernelInfo *info = gpu_kernel_for(compile->device, plan->passes[p].kernel);
        if (info && !has_kernel(compile, info) && !is_made(compile->device, info))
            compile->kernels[compile->count++] = info;
    }
}

static void compile_one(void *arg, unsigned job)
{
    Compile *compile = arg;
    GpuKernel *kernel; /* the device keeps it */
    int none = 0;
    if (atomic_load(&compile->err))
        return;
    const KernelInfo *info = compile->kernels[job];
    const int err = compile->device->ops->kernel_get(compile->device, info, &kernel);
    unsigned long long bit;
    if (err)
        atomic_compare_exchange_strong(&compile->err, &none, err);
    else
        atomic_fetch_or(word_of(compile->device, info, &bit), bit);
}

static int compile_finish(Compile *compile)
{
    const unsigned count = compile->count;
    const GpuOps *ops = compile->device->ops;
    Team *team = NULL;
    if (count > 1 && ops->kernels_ahead)
        ops->kernels_ahead(compile->device, compile->kernels, count);
    int err = count > 1 ? team_create(&team, count < COMPILE_THREADS ? count : COMPILE_THREADS) : 0;
    if (!err)
        team_run(team, count, compile_one, compile);
    if (team)
        team_destroy(team);
    err = err ? err : atomic_load(&compile->err);
    mem_free(compile);
    return err;
}

static int find_all_kernels(Graph *graph)
{
    Compile *compile = compile_create(graph->device);
    if (!compile)
        return -ENOMEM;
    for (unsigned i = 0; i < graph->feature_count; i++)
        if (is_owner(graph, i))
            compile_add(compile, graph->features[i].plan);
    int err = compile_finish(compile);
    for (unsigned i = 0; !err && i < graph->feature_count; i++)
        if (is_owner(graph, i))
            err = find_kernels(graph, &graph->features[i]);
    return err;
}

static int upload_tables(Graph *graph, size_t bytes)
{
    GpuDevice *dev = graph->device;
    GpuBuffer *staging = NULL;
    int err = dev->ops->buffer_create(dev, GPU_DEVICE, bytes, &graph->tables);
    if (!err)
        err = dev->ops->buffer_create(dev, GPU_UPLOAD, bytes, &staging);
    for (unsigned i = 0; !err && i < graph->feature_count; i++) {
        GraphFeature *gf = &graph->features[i];
        for (unsigned b = 0; gf->plan && gf->owner == i && b < gf->plan->buffer_count; b++) {
            if (gf->plan->buffers[b].role != PLAN_TABLE)
                continue;
            gf->ranges[b].buffer = graph->tables;
            memcpy((char *)staging->host + gf->ranges[b].offset, gf->plan->buffers[b].data,
                   gf->plan->buffers[b].size);
        }
    }
    if (!err)
        err = gpu_device_copy(dev, &(GpuRange){ staging, 0, bytes },
                              &(GpuRange){ graph->tables, 0, bytes });
    dev->ops->buffer_destroy(dev, staging);
    return err;
}

static int create_tables(Graph *graph)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < graph->feature_count; i++) {
        GraphFeature *gf = &graph->features[i];
        for (unsigned b = 0; gf->plan && gf->owner == i && b < gf->plan->buffer_count; b++)
            if (gf->plan->buffers[b].role == PLAN_TABLE)
                gf->ranges[b] = (GpuRange){
                    .offset = take_range(graph, &bytes, gf->plan->buffers[b].size),
                    .size = align_up(gf->plan->buffers[b].size, 4),
                };
    }
    return bytes ? upload_tables(graph, bytes) : 0;
}

int graph_create(Graph **out, GpuDevice *device, Feature *const *features, unsigned count)
{
    *out = NULL;
    if (!count || count > FEATURE_SET_SIZE)
        return -EINVAL;
    Graph *graph = mem_zalloc(sizeof(*graph));
    if (!graph)
        return -ENOMEM;
    graph->device = device;
    graph->shape = features[0]->shape;
    graph->features = mem_array(count, sizeof(*graph->features));
    int err = graph->features ? 0 : -ENOMEM;
    for (unsigned i = 0; !err && i < count; i++) {
        graph->features[i].feature = features[i];
        graph->feature_count = i + 1;
        err = add_feature(graph, i);
    }
    if (!err)
        err = find_all_kernels(graph);
    if (!err) {
        layout_planes(graph);
        layout_buffers(graph, true);
        layout_buffers(graph, false);
        err = create_tables(graph);
    }
    if (err)
        graph_destroy(graph);
    else
        *out = graph;
    return err;
}

void graph_destroy(Graph *graph)
{
    if (!graph)
        return;
    for (unsigned i = 0; i < graph->feature_count; i++) {
        if (graph->features[i].plan != graph->features[i].alone)
            plan_destroy(graph->features[i].plan);
        plan_destroy(graph->features[i].alone);
        mem_free(graph->features[i].kernels);
        mem_free(graph->features[i].ranges);
    }
    graph->device->ops->buffer_destroy(graph->device, graph->tables);
    mem_free(graph->features);
    mem_free(graph);
}

FeatureSet graph_owners(const Graph *graph, FeatureSet set)
{
    FeatureSet owners = 0;
    for (unsigned i = 0; i < graph->feature_count; i++)
        if (set >> i & 1 && graph->features[i].plan)
            owners |= (FeatureSet)1 << graph->features[i].owner;
    return owners;
}

size_t graph_result_offset(const Graph *graph, unsigned feature)
{
    const GraphFeature *gf = &graph->features[graph->features[feature].owner];
    const unsigned index = graph->features[feature].result_index;
    for (unsigned b = 0; b < gf->plan->buffer_count; b++)
        if (gf->plan->buffers[b].role == PLAN_RESULT)
            return gf->ranges[b].offset + gf->plan->buffers[b].size / gf->result_count * index;
    return 0;
}
