/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/plan.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"

static void fail(GpuPlan *plan, int err)
{
    if (!plan->err)
        plan->err = err;
}

static GpuBuf add_buffer(GpuPlan *plan, const PlanBuffer *buffer)
{
    if (mem_grow(&plan->buffers, plan->buffer_count, &plan->buffer_capacity,
                 sizeof(*plan->buffers))) {
        fail(plan, -ENOMEM);
        return (GpuBuf){ 0 };
    }
    plan->buffers[plan->buffer_count] = *buffer;
    return (GpuBuf){ plan->buffer_count++ };
}

static GpuBuf add_plane(GpuPlan *plan, enum PlanRole role, unsigned plane, unsigned back)
{
    if (plane > 2 || back > 2 || !plan->shape.h[plane])
        fail(plan, -EINVAL);
    for (unsigned i = 0; i < plan->buffer_count; i++) {
        const PlanBuffer *b = &plan->buffers[i];
        if (b->role == role && b->plane == plane && b->back == back)
            return (GpuBuf){ i };
    }
    return add_buffer(plan, &(PlanBuffer){ .role = role, .plane = plane, .back = back });
}

GpuBuf gpu_ref(GpuPlan *plan, unsigned plane)
{
    return add_plane(plan, PLAN_REF, plane, 0);
}

GpuBuf gpu_dist(GpuPlan *plan, unsigned plane)
{
    return add_plane(plan, PLAN_DIST, plane, 0);
}

GpuBuf gpu_prev_ref(GpuPlan *plan, unsigned plane, unsigned back)
{
    return add_plane(plan, PLAN_PREV_REF, plane, back);
}

GpuBuf gpu_prev_dist(GpuPlan *plan, unsigned plane, unsigned back)
{
    return add_plane(plan, PLAN_PREV_DIST, plane, back);
}

unsigned gpu_plane_stride(const GpuPlan *plan, unsigned plane)
{
    return (unsigned)(picture_stride(&plan->shape, plane) / 4);
}

GpuBuf gpu_scratch(GpuPlan *plan, size_t bytes)
{
    return add_buffer(plan, &(PlanBuffer){ .role = PLAN_SCRATCH, .size = bytes });
}

GpuBuf gpu_scratch_zeroed(GpuPlan *plan, size_t bytes)
{
    return add_buffer(plan, &(PlanBuffer){ .role = PLAN_SCRATCH, .size = bytes, .zeroed = true });
}

void gpu_keep(GpuPlan *plan, GpuBuf buf, unsigned number)
{
    if (buf.id < plan->buffer_count)
        plan->buffers[buf.id].kept = number + 1;
}

GpuBuf gpu_table(GpuPlan *plan, const void *data, size_t bytes)
{
    void *copy = mem_alloc(bytes);
    if (!copy) {
        fail(plan, -ENOMEM);
        return (GpuBuf){ 0 };
    }
    memcpy(copy, data, bytes);
    const unsigned before = plan->buffer_count;
    const GpuBuf buf =
        add_buffer(plan, &(PlanBuffer){ .role = PLAN_TABLE, .size = bytes, .data = copy });
    if (plan->buffer_count == before)
        mem_free(copy);
    return buf;
}

GpuBuf gpu_result(GpuPlan *plan, size_t bytes, bool zeroed)
{
    for (unsigned i = 0; i < plan->buffer_count; i++)
        if (plan->buffers[i].role == PLAN_RESULT)
            fail(plan, -EINVAL);
    return add_buffer(plan, &(PlanBuffer){ .role = PLAN_RESULT, .size = bytes, .zeroed = zeroed });
}

void gpu_pass(GpuPlan *plan, const GpuPass *pass)
{
    if (plan->err)
        return;
    if (pass->buffer_count > GPU_MAX_BINDINGS || pass->params_size > GPU_MAX_PARAMS) {
        fail(plan, -EINVAL);
        return;
    }
    if (mem_grow(&plan->passes, plan->pass_count, &plan->pass_capacity, sizeof(*plan->passes))) {
        fail(plan, -ENOMEM);
        return;
    }
    PlanPass *p = &plan->passes[plan->pass_count++];
    *p = (PlanPass){
        .kernel = pass->kernel,
        .buffer_count = pass->buffer_count,
        .params_size = pass->params_size,
        .stage = plan->stage,
    };
    for (unsigned i = 0; i < pass->buffer_count; i++)
        p->buffers[i] = pass->buffers[i].id;
    if (pass->params_size)
        memcpy(p->params, pass->params, pass->params_size);
    for (unsigned i = 0; i < 3; i++)
        p->workgroups[i] = pass->workgroups[i] ? pass->workgroups[i] : 1;
}

void gpu_next_stage(GpuPlan *plan)
{
    plan->stage++;
}

int gpu_refuse(GpuPlan *plan, const char *why)
{
    plan->refusal = why;
    return -ENOTSUP;
}

static int create(GpuPlan **out, const Feature *const *all, unsigned count, const char **why)
{
    const FeatureGpu *const gpu = all[0]->def->gpu;
    GpuPlan *plan = mem_zalloc(sizeof(*plan));
    if (!plan)
        return -ENOMEM;
    plan->shape = all[0]->shape;
    int err = count > 1 ? gpu->plan_all(all, count, plan) : gpu->plan(all[0], plan);
    if (!err)
        err = plan->err;
    if (why)
        *why = plan->refusal;
    if (err) {
        plan_destroy(plan);
        return err;
    }
    *out = plan;
    return 0;
}

int plan_create(GpuPlan **out, const Feature *f)
{
    return create(out, &f, 1, NULL);
}

int plan_create_or_why(GpuPlan **out, const Feature *f, const char **why)
{
    return create(out, &f, 1, why);
}

int plan_create_shared(GpuPlan **out, const Feature *const *all, unsigned count)
{
    return create(out, all, count, NULL);
}

bool can_share_plan(const Feature *f, const Feature *other)
{
    return f->def == other->def && f->def->gpu->plan_all && f->def->can_join(f, other);
}

void plan_destroy(GpuPlan *plan)
{
    if (!plan)
        return;
    for (unsigned i = 0; i < plan->buffer_count; i++)
        mem_free(plan->buffers[i].data);
    mem_free(plan->buffers);
    mem_free(plan->passes);
    mem_free(plan);
}

static bool same_buffer(const PlanBuffer *a, const PlanBuffer *b)
{
    return a->role == b->role && a->plane == b->plane && a->back == b->back && a->size == b->size &&
           a->zeroed == b->zeroed && (!a->data || !memcmp(a->data, b->data, a->size));
}

static bool same_pass(const PlanPass *a, const PlanPass *b)
{
    return !strcmp(a->kernel, b->kernel) && a->buffer_count == b->buffer_count &&
           !memcmp(a->buffers, b->buffers, sizeof(a->buffers)) &&
           a->params_size == b->params_size && !memcmp(a->params, b->params, sizeof(a->params)) &&
           !memcmp(a->workgroups, b->workgroups, sizeof(a->workgroups)) && a->stage == b->stage;
}

bool plan_same(const GpuPlan *a, const GpuPlan *b)
{
    if (a->buffer_count != b->buffer_count || a->pass_count != b->pass_count)
        return false;
    for (unsigned i = 0; i < a->buffer_count; i++)
        if (!same_buffer(&a->buffers[i], &b->buffers[i]))
            return false;
    for (unsigned i = 0; i < a->pass_count; i++)
        if (!same_pass(&a->passes[i], &b->passes[i]))
            return false;
    return true;
}
