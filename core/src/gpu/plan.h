/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A feature's plan as gpu/graph.c reads it. The calls of feature_gpu.h fill it. A plan belongs to
 * one graph and does not change once it is created. */
#ifndef GPU_PLAN_H
#define GPU_PLAN_H

#include "gpu/feature_gpu.h"

enum PlanRole {
    PLAN_REF,
    PLAN_DIST,
    PLAN_PREV_REF,
    PLAN_PREV_DIST,
    PLAN_SCRATCH,
    PLAN_TABLE,
    PLAN_RESULT
};

typedef struct PlanBuffer {
    enum PlanRole role;
    unsigned plane, back; /* for planes */
    size_t size;          /* for other buffers, in bytes */
    bool zeroed;
    void *data;    /* for tables */
    unsigned kept; /* gpu_keep's number plus one; 0: not kept */
} PlanBuffer;

typedef struct PlanPass {
    const char *kernel;
    unsigned buffers[GPU_MAX_BINDINGS];
    unsigned buffer_count;
    unsigned char params[GPU_MAX_PARAMS];
    unsigned params_size;
    unsigned workgroups[3];
    unsigned stage;
} PlanPass;

struct GpuPlan {
    FrameShape shape;
    PlanBuffer *buffers;
    unsigned buffer_count;
    size_t buffer_capacity;
    PlanPass *passes;
    unsigned pass_count;
    size_t pass_capacity;
    unsigned stage; /* the stage that the next pass joins */
    int err;
    const char *refusal; /* NULL: none */
};

/* Creates the plan of a feature. -ENOTSUP: the feature stays on the CPU, and *why (may be NULL)
 * says why; the string is a constant. */
int plan_create_or_why(GpuPlan **out, const Feature *f, const char **why);
int plan_create(GpuPlan **out, const Feature *f);
/* Creates the plan that serves all of these features, which can_share_plan allowed. */
int plan_create_shared(GpuPlan **out, const Feature *const *all, unsigned count);
/* True if one plan may serve both features. */
bool can_share_plan(const Feature *f, const Feature *other);
void plan_destroy(GpuPlan *plan);

/* True if both plans compute the same, so that one run can serve both features. */
bool plan_same(const GpuPlan *a, const GpuPlan *b);

#endif
