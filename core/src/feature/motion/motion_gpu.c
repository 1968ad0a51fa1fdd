/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* motion on the GPU: one pass over the reference luma of two frames. */
#include "feature/motion/motion.h"
#include "feature/motion/motion_tile.h"
#include "gpu/feature_gpu.h"

GPU_PARAMS(MotionSadParams, MOTION_SAD_PARAMS);

static int motion_plan(const Feature *f, GpuPlan *plan)
{
    const MotionOptions *o = f->options;
    const unsigned x = gpu_workgroups(f->shape.w[0], MOTION_TILE_W),
                   y = gpu_workgroups(f->shape.h[0], MOTION_TILE_H);
    const GpuBuf result = gpu_result(plan, (size_t)x * y * sizeof(uint32_t), o->force_zero);
    if (o->force_zero)
        return 0;
    const MotionSadParams params = {
        .width = f->shape.w[0],
        .height = f->shape.h[0],
        .stride = gpu_plane_stride(plan, 0),
        .bpc = f->shape.bpc,
        .tiles_x = x,
    };
    gpu_pass(plan, &(GpuPass){
                       .kernel = gpu_by_depth(f, "motion_sad_8", "motion_sad_16"),
                       GPU_PASS_BUFFERS(gpu_ref(plan, 0), gpu_prev_ref(plan, 0, motion_distance(o)),
                                        result),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { x, y },
                   });
    return 0;
}

static int motion_collect(const Feature *f, const void *readback, void *result)
{
    const unsigned count =
        gpu_workgroups(f->shape.w[0], MOTION_TILE_W) * gpu_workgroups(f->shape.h[0], MOTION_TILE_H);
    const uint32_t *sums = readback;
    MotionResult *out = result;
    out->sad = 0;
    for (unsigned i = 0; i < count; i++)
        out->sad += sums[i];
    return 0;
}

const FeatureGpu motion_gpu = { .plan = motion_plan, .collect = motion_collect };
