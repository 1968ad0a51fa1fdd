/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_moment on the GPU: one pass over the luma of each picture, side by side. */
#include <errno.h>

#include "feature/common/psnr/float_squares.h"
#include "feature/float_moment/float_moment.h"
#include "feature/float_moment/float_moment_tile.h"
#include "gpu/feature_gpu.h"

GPU_PARAMS(FloatMomentParams, FLOAT_MOMENT_PARAMS);

static unsigned groups_across(const FrameShape *shape)
{
    return gpu_workgroups(shape->w[0], MOMENT_GROUP_W * gpu_samples_per_word(shape));
}

static unsigned groups_down(const FrameShape *shape)
{
    return gpu_workgroups(shape->h[0], MOMENT_ROWS);
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const unsigned across = groups_across(&f->shape), down = groups_down(&f->shape);
    const GpuBuf sums = gpu_result(plan, (size_t)2 * across * down * 2 * sizeof(uint64_t), false);
    const GpuBuf pictures[2] = { gpu_ref(plan, 0), gpu_dist(plan, 0) };
    for (unsigned i = 0; i < 2; i++) {
        const FloatMomentParams params = {
            .width = f->shape.w[0],
            .height = f->shape.h[0],
            .stride = gpu_plane_stride(plan, 0),
            .groups_x = across,
            .first_sum = i * across * down,
        };
        gpu_pass(plan, &(GpuPass){
                           .kernel = gpu_by_depth(f, "float_moment_8", "float_moment_16"),
                           GPU_PASS_BUFFERS(pictures[i], sums),
                           GPU_PASS_PARAMS(&params),
                           .workgroups = { across, down },
                       });
    }
    return 0;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    const uint64_t *sums = readback;
    const size_t groups = (size_t)groups_across(&f->shape) * groups_down(&f->shape);
    FloatMomentResult *const r = result;
    MomentSums *const moments[2] = { &r->ref, &r->dist };
    int err = 0;
    for (unsigned i = 0; i < 2; i++) {
        *moments[i] = (MomentSums){ 0, 0 };
        for (size_t g = 0; g < groups; g++, sums += 2) {
            moments[i]->value += sums[0];
            moments[i]->square += sums[1];
        }
        if (moments[i]->square >= FLOAT_SQUARES_EXACT)
            err = -EAGAIN;
    }
    return err;
}

const FeatureGpu float_moment_gpu = { .plan = plan_frame, .collect = collect };
