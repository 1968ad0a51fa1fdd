/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/vif/vif_small_gpu.h"

#include <string.h>

#include "feature/vif/vif_frame.h"
#include "feature/vif/vif_small_tile.h"

GPU_PARAMS(VifSmallPackParams, VIF_SMALL_PACK_PARAMS);
GPU_PARAMS(VifSmallHalveParams, VIF_SMALL_HALVE_PARAMS);
GPU_PARAMS(VifSmallStatsParams, VIF_SMALL_STATS_PARAMS);

/* Below it borders are reflected twice, and the last scale may be one sample wide or high. */
#define SMALL_SIZE 16

/* Words that a sample leaves. */
enum { SAMPLE_WORDS = 3 };

typedef struct ScalePlane {
    GpuBuf pictures; /* both */
    uint32_t w, h;
} ScalePlane;

bool vif_is_small(const Feature *f)
{
    return f->shape.w[0] < SMALL_SIZE || f->shape.h[0] < SMALL_SIZE;
}

static bool is_counted(const Feature *f, unsigned scale)
{
    const VifOptions *const options = f->options;
    return scale > 0 || !options->skip_scale0;
}

static size_t scale_samples(const Feature *f, unsigned scale)
{
    return is_counted(f, scale) ? (size_t)(f->shape.w[0] >> scale) * (f->shape.h[0] >> scale) : 0;
}

static ScalePlane new_plane(GpuPlan *plan, uint32_t w, uint32_t h)
{
    return (ScalePlane){ gpu_scratch(plan, (size_t)w * h * sizeof(uint32_t)), w, h };
}

static ScalePlane plan_pack(const Feature *f, GpuPlan *plan)
{
    const ScalePlane packed = new_plane(plan, f->shape.w[0], f->shape.h[0]);
    const VifSmallPackParams params = {
        .width = packed.w,
        .height = packed.h,
        .stride = gpu_plane_stride(plan, 0),
    };
    gpu_pass(plan, &(GpuPass){
                       .kernel = gpu_by_depth(f, "vif_small_pack_8", "vif_small_pack_16"),
                       GPU_PASS_BUFFERS(gpu_ref(plan, 0), gpu_dist(plan, 0), packed.pictures),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { gpu_workgroups(packed.w, VIF_SMALL_W),
                                       gpu_workgroups(packed.h, VIF_SMALL_H) },
                   });
    return packed;
}

static ScalePlane plan_halve(const Feature *f, GpuPlan *plan, unsigned scale,
                             const ScalePlane *from)
{
    const ScalePlane half = new_plane(plan, from->w / 2, from->h / 2);
    const VifSmallHalveParams params = {
        .width = from->w,
        .height = from->h,
        .scale = scale,
        .mean_shift = scale == 1 ? f->shape.bpc : 16,
    };
    gpu_pass(plan, &(GpuPass){
                       .kernel = "vif_small_halve",
                       GPU_PASS_BUFFERS(from->pictures, half.pictures),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { gpu_workgroups(half.w, VIF_SMALL_W),
                                       gpu_workgroups(half.h, VIF_SMALL_H) },
                   });
    return half;
}

static void plan_stats(const Feature *f, GpuPlan *plan, unsigned scale, const ScalePlane *now,
                       const ScalePlane *before, GpuBuf moments, size_t first)
{
    const VifSmallStatsParams params = {
        .width = now->w,
        .height = now->h,
        .before_w = before->w,
        .before_h = before->h,
        .scale = scale,
        .mean_shift = scale == 0 ? f->shape.bpc : 16,
        .square_shift = scale == 0 ? 2 * (f->shape.bpc - 8) : 16,
        .first = (uint32_t)first,
    };
    gpu_pass(plan, &(GpuPass){
                       .kernel = "vif_small_stats",
                       GPU_PASS_BUFFERS(now->pictures, before->pictures, moments),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { gpu_workgroups(now->w, VIF_SMALL_W),
                                       gpu_workgroups(now->h, VIF_SMALL_H) },
                   });
}

int vif_small_plan(const Feature *f, GpuPlan *plan)
{
    size_t samples = 0, first = 0;
    for (unsigned s = 0; s < VIF_SCALES; s++)
        samples += scale_samples(f, s);
    const GpuBuf moments = gpu_result(plan, samples * SAMPLE_WORDS * sizeof(uint32_t), false);
    ScalePlane now = plan_pack(f, plan), before = now;
    gpu_next_stage(plan);
    for (unsigned s = 0; s < VIF_SCALES; s++) {
        const ScalePlane half = s + 1 < VIF_SCALES ? plan_halve(f, plan, s + 1, &now) : now;
        if (is_counted(f, s))
            plan_stats(f, plan, s, &now, &before, moments, first);
        first += scale_samples(f, s) * SAMPLE_WORDS;
        before = now;
        now = half;
        gpu_next_stage(plan);
    }
    return 0;
}

int vif_small_collect(const Feature *f, const void *readback, void *result)
{
    const VifSetup *const setup = f->state;
    const uint32_t *words = readback;
    VifResult *const r = result;
    memset(r, 0, sizeof(*r));
    for (unsigned s = 0; s < VIF_SCALES; s++) {
        const size_t samples = scale_samples(f, s);
        for (size_t i = 0; i < samples; i++, words += SAMPLE_WORDS)
            vif_add_pixel(&r->scale[s], (int32_t)words[0], (int32_t)words[1], (int32_t)words[2],
                          &setup->pixel);
    }
    return 0;
}
