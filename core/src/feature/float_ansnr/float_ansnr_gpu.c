/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_ansnr on the GPU: squares of signal and noise, then the sums of their rows. */
#include "feature/float_ansnr/float_ansnr.h"

#include "feature/common/depth.h"
#include "feature/common/float_sums/float_sums_gpu.h"
#include "feature/float_ansnr/float_ansnr_tile.h"

GPU_PARAMS(FloatAnsnrParams, FLOAT_ANSNR_PARAMS);

static float heavy_tap(int part)
{
    return (float)(part / (double)ANSNR_HEAVY_DIVISOR);
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const unsigned w = f->shape.w[0], h = f->shape.h[0];
    const FloatTerms terms = float_terms(plan, w, h, 2);
    const GpuBuf sums = gpu_result(plan, float_sums_size(h, 2), false);
    const FloatAnsnrParams params = {
        .width = w,
        .height = h,
        .stride = gpu_plane_stride(plan, 0),
        .scale = (float)depth_step(f->shape.bpc),
        .tap2 = heavy_tap(2),
        .tap7 = heavy_tap(7),
        .tap12 = heavy_tap(12),
        .tap31 = heavy_tap(31),
        .tap52 = heavy_tap(52),
        .tap127 = heavy_tap(127),
    };
    gpu_pass(plan,
             &(GpuPass){
                 .kernel = gpu_by_depth(f, "float_ansnr_8", "float_ansnr_16"),
                 GPU_PASS_BUFFERS(gpu_ref(plan, 0), gpu_dist(plan, 0), terms.planes),
                 GPU_PASS_PARAMS(&params),
                 .workgroups = { gpu_workgroups(w, ANSNR_TILE_W), gpu_workgroups(h, ANSNR_TILE_H) },
             });
    gpu_next_stage(plan);
    float_sums_plan(plan, &terms, sums, 0);
    return 0;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    const float *const rows = readback;
    const unsigned h = f->shape.h[0];
    *(AnsnrResult *)result = (AnsnrResult){
        .signal = float_sums_total(rows, h),
        .noise = float_sums_total(rows + h, h),
    };
    return 0;
}

const FeatureGpu float_ansnr_gpu = { .plan = plan_frame, .collect = collect };
