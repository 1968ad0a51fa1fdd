/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_ssim on the GPU: both images shrunk, if they are large, then the window's sums. */
#include "feature/float_ssim/float_ssim.h"

#include <errno.h>

#include "feature/common/ssim/ssim_gpu.h"
#include "feature/common/ssim/ssim_score.h"
#include "feature/float_ssim/float_ssim_tile.h"

GPU_PARAMS(SsimShrinkParams, SSIM_SHRINK_PARAMS);

static SsimImage plan_shrink(const Feature *f, GpuPlan *plan, const SsimImage *from,
                             const SsimShrink *to)
{
    const SsimImage small = ssim_gpu_float_image(plan, to->w, to->h, 1);
    const SsimShrinkParams params = {
        .width = from->w,
        .height = from->h,
        .stride = from->stride,
        .factor = to->factor,
        .tap = 1.0f / (float)(to->factor * to->factor),
        .step = from->step,
        .small_w = to->w,
        .small_h = to->h,
    };
    for (unsigned i = 0; i < 2; i++)
        gpu_pass(plan, &(GpuPass){
                           .kernel = gpu_by_depth(f, "ssim_shrink_8", "ssim_shrink_16"),
                           GPU_PASS_BUFFERS(from->picture[i], small.picture[i]),
                           GPU_PASS_PARAMS(&params),
                           .workgroups = { gpu_workgroups(to->w, SHRINK_GROUP_W),
                                           gpu_workgroups(to->h, SHRINK_GROUP_H) },
                       });
    return small;
}

static unsigned parts_used(const Feature *f)
{
    const SsimOptions *const options = f->options;
    const unsigned parts = 1u << SSIM_L | 1u << SSIM_C | 1u << SSIM_S;
    return 1u << SSIM_LCS | (options->enable_lcs ? parts : 0);
}

static size_t sums_size(const SsimShrink *shrink)
{
    return ssim_gpu_sums_size(shrink->w, shrink->h, ssim_gpu_rows(shrink->w, shrink->h, 1));
}

/* Scaled down, the picture may be smaller than the window: then there is nothing to add up. */
static bool has_positions(const SsimShrink *shrink)
{
    return shrink->w >= SSIM_WINDOW && shrink->h >= SSIM_WINDOW;
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const SsimShrink shrink = float_ssim_shrink(f);
    if (!has_positions(&shrink)) {
        gpu_result(plan, sizeof(uint32_t), true);
        return 0;
    }
    const GpuBuf sums = gpu_result(plan, sums_size(&shrink), false);
    SsimImage image = ssim_gpu_luma(f, plan);
    if (shrink.factor > 1) {
        image = plan_shrink(f, plan, &image, &shrink);
        gpu_next_stage(plan);
    }
    ssim_gpu_plan_window(f, plan, &image, parts_used(f), sums, 0);
    return 0;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    const SsimShrink shrink = float_ssim_shrink(f);
    if (!has_positions(&shrink)) {
        *(SsimSums *)result = (SsimSums){ 0 };
        return 0;
    }
    return ssim_gpu_collect(readback, shrink.w, shrink.h, ssim_gpu_rows(shrink.w, shrink.h, 1),
                            parts_used(f), result);
}

static bool same(const Feature *f, const void *a, const void *b)
{
    const SsimShrink shrink = float_ssim_shrink(f);
    return ssim_gpu_same(a, b, shrink.w, shrink.h, parts_used(f));
}

const FeatureGpu float_ssim_gpu = { .plan = plan_frame, .collect = collect, .same = same };
