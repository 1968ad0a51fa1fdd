/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SpEED on the GPU. The device reduces the planes, which is nearly all of the work. The host
 * compares the remaining 1/256 of the samples, because that takes serial steps in single precision
 * whose order must not change. */
#include "feature/speed/speed.h"

#include <errno.h>
#include <string.h>

#include "feature/common/resample.h"
#include "feature/common/resample_tile.h"
#include "feature/speed/speed_tile.h"

GPU_PARAMS(SpeedReduceParams, SPEED_REDUCE_PARAMS);
GPU_PARAMS(SpeedLocalParams, SPEED_LOCAL_PARAMS);

_Static_assert(SPEED_MAX_TAPS == FILTER_MAX_TAPS, "the kernels have room for every filter");

static GpuBuf filter_table(GpuPlan *plan, const FloatFilter *filter)
{
    return gpu_table(plan, filter->taps, filter->count * sizeof(float));
}

static size_t plane_samples(const SpeedSetup *setup)
{
    return (size_t)setup->small_w * setup->small_h;
}

int speed_gpu_plan(GpuPlan *plan, SpeedSetup *setup, const SpeedGpuInput *inputs, unsigned count)
{
    const size_t bytes = count * plane_samples(setup) * sizeof(float);
    const GpuBuf planes = gpu_result(plan, bytes, false), reduced = gpu_scratch(plan, bytes);
    const GpuBuf reduce = filter_table(plan, &setup->reduce);
    const GpuBuf local = filter_table(plan, &setup->local);
    ResampleGpu resample;
    int err = resample_plan(plan, setup->prescale, &resample);
    if (!err && !setup->gpu_blocks)
        err = speed_blocks_create(&setup->gpu_blocks, setup);
    if (err)
        return err;
    for (unsigned i = 0; i < count; i++) {
        const SpeedReduceParams params = {
            .stride = inputs[i].stride,
            .scale = 1.0f / (float)(1u << (setup->bpc - 8)),
            .is_change = inputs[i].is_change,
            .new_w = setup->w,
            .new_h = setup->h,
            .taps = setup->reduce.count,
            .small_w = setup->small_w,
            .first = (uint32_t)(i * plane_samples(setup)),
            .resample_taps = resample.taps,
            .way = resample.way,
        };
        gpu_pass(plan, &(GpuPass){
                           .kernel = setup->bpc > 8 ? "speed_reduce_16" : "speed_reduce_8",
                           GPU_PASS_BUFFERS(inputs[i].from, inputs[i].minus, resample.positions,
                                            reduce, reduced),
                           GPU_PASS_PARAMS(&params),
                           .workgroups = { gpu_workgroups(setup->small_w, SPEED_REDUCE_KEPT),
                                           setup->small_h },
                       });
    }
    gpu_next_stage(plan);
    const SpeedLocalParams params = {
        .small_w = setup->small_w,
        .small_h = setup->small_h,
        .taps = setup->local.count,
    };
    gpu_pass(plan, &(GpuPass){
                       .kernel = "speed_local",
                       GPU_PASS_BUFFERS(reduced, local, planes),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { gpu_workgroups(setup->small_w, SPEED_LOCAL_W),
                                       gpu_workgroups(setup->small_h, SPEED_LOCAL_H), count },
                   });
    return 0;
}

SpeedScore speed_gpu_score(const SpeedSetup *setup, const void *readback, unsigned pair)
{
    const size_t samples = plane_samples(setup);
    const float *const ref = (const float *)readback + 2 * pair * samples;
    return speed_blocks_score(setup->gpu_blocks, ref, ref + samples);
}

bool speed_score_same(const SpeedScore *a, const SpeedScore *b)
{
    return !memcmp(&a->score, &b->score, sizeof(a->score)) && a->failed == b->failed;
}
