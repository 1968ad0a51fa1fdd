/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_ms_ssim on the GPU. One pass sums up the picture and another halves it; then further halves
 * are made, and one pass sums up all of them. */
#include "feature/float_ms_ssim/float_ms_ssim.h"

#include "feature/common/ssim/ssim_gpu.h"
#include "feature/float_ms_ssim/float_ms_ssim_tile.h"

GPU_PARAMS(SsimHalveParams, SSIM_HALVE_PARAMS);

/* The sizes of all scales. Scale 0 is the picture; the others are its halves, one image of several
 * scales. */
typedef struct Sizes {
    unsigned w[MS_SSIM_SCALES], h[MS_SSIM_SCALES], rows[MS_SSIM_SCALES];
    uint32_t first[MS_SSIM_SCALES];        /* first element of the scale in the image of halves */
    size_t sums[MS_SSIM_SCALES], all_sums; /* first byte of its sums in the result; bytes of all */
} Sizes;

static Sizes sizes_of(const FrameShape *shape)
{
    Sizes s = { 0 };
    uint32_t first = 0;
    for (unsigned k = 0; k < MS_SSIM_SCALES; k++) {
        s.w[k] = k ? ssim_gpu_halved(s.w[k - 1]) : shape->w[0];
        s.h[k] = k ? ssim_gpu_halved(s.h[k - 1]) : shape->h[0];
        s.rows[k] = k > 1 ? s.rows[1] : ssim_gpu_rows(s.w[k], s.h[k], k ? MS_SSIM_SCALES - 1 : 1);
        s.first[k] = first;
        s.sums[k] = s.all_sums;
        first += k ? s.w[k] * s.h[k] : 0;
        s.all_sums += ssim_gpu_sums_size(s.w[k], s.h[k], s.rows[k]);
    }
    return s;
}

/* The sums of scale k that are used, as bits. The score needs luminance of the last scale only. */
static unsigned sums_used(const Feature *f, unsigned k)
{
    const SsimOptions *const options = f->options;
    const bool with_luma = options->enable_lcs || k + 1 == MS_SSIM_SCALES;
    return 1u << SSIM_C | 1u << SSIM_S | (unsigned)with_luma << SSIM_L;
}

static SsimHalveParams halve_params(const Sizes *s, unsigned k, const SsimImage *luma)
{
    return (SsimHalveParams){
        .width = s->w[k - 1],
        .height = s->h[k - 1],
        .stride = k > 1 ? s->w[k - 1] : luma->stride,
        .step = luma->step,
        .first_in = s->first[k - 1],
        .first_out = s->first[k],
    };
}

/* Makes scale 1 from the picture. */
static void plan_first_half(const Feature *f, GpuPlan *plan, const Sizes *s, const SsimImage *luma,
                            const SsimImage *halves)
{
    const SsimHalveParams params = halve_params(s, 1, luma);
    gpu_pass(plan, &(GpuPass){
                       .kernel = gpu_by_depth(f, "ssim_halve_8", "ssim_halve_16"),
                       GPU_PASS_BUFFERS(luma->picture[0], luma->picture[1], halves->picture[0],
                                        halves->picture[1]),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { gpu_workgroups(s->w[1], HALVE_TILE_W),
                                       gpu_workgroups(s->h[1], HALVE_TILE_H), 2 },
                   });
}

/* Makes the scales k to `last`, one or two, from the scale before k. */
static void plan_halves(GpuPlan *plan, const Sizes *s, unsigned k, unsigned last,
                        const SsimImage *luma, const SsimImage *halves)
{
    const SsimHalveParams params = halve_params(s, k, luma);
    const bool twice = last > k;
    gpu_pass(
        plan,
        &(GpuPass){
            .kernel = twice ? "ssim_halve_twice" : "ssim_halve_f32",
            GPU_PASS_BUFFERS(halves->picture[0], halves->picture[1]),
            GPU_PASS_PARAMS(&params),
            .workgroups = { gpu_workgroups(s->w[last], twice ? HALVE_TWICE_W : HALVE_TILE_W),
                            gpu_workgroups(s->h[last], twice ? HALVE_TWICE_H : HALVE_TILE_H), 2 },
        });
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const Sizes s = sizes_of(&f->shape);
    const GpuBuf sums = gpu_result(plan, s.all_sums, false);
    const SsimImage luma = ssim_gpu_luma(f, plan);
    const SsimImage halves = ssim_gpu_float_image(plan, s.w[1], s.h[1], MS_SSIM_SCALES - 1);
    ssim_gpu_plan_window(f, plan, &luma, sums_used(f, 0), sums, 0);
    plan_first_half(f, plan, &s, &luma, &halves);
    gpu_next_stage(plan);
    plan_halves(plan, &s, 2, 2, &luma, &halves);
    gpu_next_stage(plan);
    plan_halves(plan, &s, 3, MS_SSIM_SCALES - 1, &luma, &halves);
    gpu_next_stage(plan);
    ssim_gpu_plan_window(f, plan, &halves, sums_used(f, MS_SSIM_SCALES - 1), sums, s.sums[1]);
    return 0;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    const Sizes s = sizes_of(&f->shape);
    SsimSums *sums = result;
    int err = 0;
    for (unsigned k = 0; k < MS_SSIM_SCALES; k++) {
        const int doubt = ssim_gpu_collect((const char *)readback + s.sums[k], s.w[k], s.h[k],
                                           s.rows[k], sums_used(f, k), &sums[k]);
        err = err ? err : doubt;
    }
    return err;
}

static bool same(const Feature *f, const void *a, const void *b)
{
    const SsimSums *sums_a = a, *sums_b = b;
    const Sizes s = sizes_of(&f->shape);
    bool all = true;
    for (unsigned k = 0; k < MS_SSIM_SCALES; k++)
        all &= ssim_gpu_same(&sums_a[k], &sums_b[k], s.w[k], s.h[k], sums_used(f, k));
    return all;
}

const FeatureGpu float_ms_ssim_gpu = { .plan = plan_frame, .collect = collect, .same = same };
