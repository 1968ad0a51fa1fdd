/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_ms_ssim on the GPU: each stage adds up one scale and makes the next. */
#include "feature/float_ms_ssim/float_ms_ssim.h"

#include "feature/common/ssim/ssim_gpu.h"
#include "feature/common/ssim/ssim_score.h"
#include "feature/float_ms_ssim/float_ms_ssim_tile.h"

GPU_PARAMS(SsimHalveParams, SSIM_HALVE_PARAMS);

/* Of a side; the odd sample counts. */
static unsigned halved(unsigned side)
{
    return (side + 1) / 2;
}

static SsimImage plan_halve(const Feature *f, GpuPlan *plan, const SsimImage *from)
{
    const SsimImage half = ssim_gpu_float_image(plan, halved(from->w), halved(from->h));
    const SsimHalveParams params = {
        .width = from->w,
        .height = from->h,
        .stride = from->stride,
        .step = from->step,
    };
    for (unsigned i = 0; i < 2; i++)
        gpu_pass(
            plan,
            &(GpuPass){
                .kernel = from->is_f32 ? "ssim_halve_f32"
                                       : gpu_by_depth(f, "ssim_halve_8", "ssim_halve_16"),
                GPU_PASS_BUFFERS(from->picture[i], half.picture[i]),
                GPU_PASS_PARAMS(&params),
                .groups = { gpu_groups(half.w, HALVE_TILE_W), gpu_groups(half.h, HALVE_TILE_H) },
            });
    return half;
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    size_t size = 0, offset = 0;
    unsigned w = f->shape.w[0], h = f->shape.h[0];
    for (unsigned k = 0; k < MS_SSIM_SCALES; k++, w = halved(w), h = halved(h))
        size += ssim_gpu_sums_size(w, h);
    const GpuBuf sums = gpu_result(plan, size, false);
    SsimImage image = ssim_gpu_luma(f, plan);
    for (unsigned k = 0; k < MS_SSIM_SCALES; k++) {
        const SsimImage current = image;
        if (k + 1 < MS_SSIM_SCALES)
            image = plan_halve(f, plan, &current);
        ssim_gpu_plan_window(f, plan, &current, sums, offset);
        offset += ssim_gpu_sums_size(current.w, current.h);
        gpu_next_stage(plan);
    }
    return 0;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    const char *at = readback;
    const SsimOptions *const options = f->options;
    SsimSums *sums = result;
    unsigned w = f->shape.w[0], h = f->shape.h[0];
    int err = 0;
    for (unsigned k = 0; k < MS_SSIM_SCALES; k++, w = halved(w), h = halved(h)) {
        const bool with_luma = options->enable_lcs || k + 1 == MS_SSIM_SCALES;
        const unsigned used = 1u << SSIM_C | 1u << SSIM_S | (unsigned)with_luma << SSIM_L;
        const int doubt = ssim_gpu_collect(at, w, h, used, &sums[k]);
        err = err ? err : doubt;
        at += ssim_gpu_sums_size(w, h);
    }
    return err;
}

static bool same(const Feature *f, const void *a, const void *b)
{
    const SsimSums *sums_a = a, *sums_b = b;
    bool all = true;
    for (unsigned k = 0; k < MS_SSIM_SCALES; k++)
        all &= ssim_gpu_same(&sums_a[k], &sums_b[k], f->shape.w[0] >> k, f->shape.h[0] >> k);
    return all;
}

const FeatureGpu float_ms_ssim_gpu = { .plan = plan_frame, .collect = collect, .same = same };
