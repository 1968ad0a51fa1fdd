/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* psnr on the GPU: one pass for each plane, all side by side. float_psnr has the same passes. */
#include "feature/psnr/psnr_gpu.h"

#include "feature/psnr/psnr.h"
#include "feature/psnr/psnr_tile.h"

GPU_PARAMS(PsnrSseParams, PSNR_SSE_PARAMS);

/* A plane's groups; each leaves one 64-bit sum. */
typedef struct PlaneGroups {
    unsigned x, y;
} PlaneGroups;

static PlaneGroups plane_groups(const FrameShape *shape, unsigned p)
{
    return (PlaneGroups){
        gpu_groups(shape->w[p], PSNR_TILE_WORDS * gpu_samples_per_word(shape)),
        gpu_groups(shape->h[p], PSNR_TILE_ROWS),
    };
}

void psnr_gpu_plan_sums(const Feature *f, GpuPlan *plan, const char *kernel)
{
    const FrameShape *shape = &f->shape;
    PlaneGroups groups[3] = { { 0 } };
    size_t sums = 0;
    for (unsigned p = 0; p < 3; p++) {
        if (f->planes >> p & 1)
            groups[p] = plane_groups(shape, p);
        sums += (size_t)groups[p].x * groups[p].y;
    }
    const GpuBuf result = gpu_result(plan, sums * sizeof(uint64_t), false);
    uint32_t first = 0;
    for (unsigned p = 0; p < 3; p++) {
        if (!groups[p].x)
            continue;
        const PsnrSseParams params = {
            .width = shape->w[p],
            .height = shape->h[p],
            .stride = gpu_plane_stride(plan, p),
            .first_sum = first,
            .groups_x = groups[p].x,
        };
        gpu_pass(plan, &(GpuPass){
                           .kernel = kernel,
                           GPU_PASS_BUFFERS(gpu_ref(plan, p), gpu_dist(plan, p), result),
                           GPU_PASS_PARAMS(&params),
                           .groups = { groups[p].x, groups[p].y },
                       });
        first += groups[p].x * groups[p].y;
    }
}

void psnr_gpu_collect_sums(const Feature *f, const void *readback, uint64_t sse[3])
{
    const uint64_t *sums = readback;
    for (unsigned p = 0; p < 3; p++) {
        sse[p] = 0;
        if (!(f->planes >> p & 1))
            continue;
        const PlaneGroups groups = plane_groups(&f->shape, p);
        for (unsigned i = 0; i < groups.x * groups.y; i++)
            sse[p] += *sums++;
    }
}

static int psnr_plan(const Feature *f, GpuPlan *plan)
{
    psnr_gpu_plan_sums(f, plan, gpu_by_depth(f, "psnr_sse_8", "psnr_sse_16"));
    return 0;
}

static int psnr_collect(const Feature *f, const void *readback, void *result)
{
    psnr_gpu_collect_sums(f, readback, ((PsnrResult *)result)->sse);
    return 0;
}

const FeatureGpu psnr_gpu = { .plan = psnr_plan, .collect = psnr_collect };
