/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* psnr on the GPU: one pass over all planes. float_psnr has the same. */
#include "feature/psnr/psnr_gpu.h"

#include "feature/psnr/psnr.h"
#include "feature/psnr/psnr_tile.h"

GPU_PARAMS(PsnrSseParams, PSNR_SSE_PARAMS);

/* A plane's groups; each leaves one 64-bit sum. None for a plane that is not measured. */
typedef struct PlaneGroups {
    unsigned x, y;
} PlaneGroups;

static PlaneGroups plane_groups(const Feature *f, unsigned p)
{
    const FrameShape *shape = &f->shape;
    if (!(f->planes >> p & 1))
        return (PlaneGroups){ 0, 0 };
    return (PlaneGroups){
        gpu_workgroups(shape->w[p], PSNR_TILE_WORDS * gpu_samples_per_word(shape)),
        gpu_workgroups(shape->h[p], PSNR_TILE_ROWS),
    };
}

#define PLANE_PARAMS(p)                                                                            \
    .width_##p = f->shape.w[p], .height_##p = f->shape.h[p],                                       \
    .stride_##p = gpu_plane_stride(plan, p), .groups_x_##p = groups[p].x, .first_##p = first[p]

void psnr_gpu_plan_sums(const Feature *f, GpuPlan *plan, const char *kernel)
{
    PlaneGroups groups[3];
    uint32_t first[4] = { 0 };
    GpuBuf ref[3], dist[3]; /* luma stands in for planes that are not measured */
    for (unsigned p = 0; p < 3; p++) {
        const unsigned bound = f->planes >> p & 1 ? p : 0;
        groups[p] = plane_groups(f, p);
        first[p + 1] = first[p] + groups[p].x * groups[p].y;
        ref[p] = gpu_ref(plan, bound);
        dist[p] = gpu_dist(plan, bound);
    }
    const GpuBuf result = gpu_result(plan, first[3] * sizeof(uint64_t), false);
    const PsnrSseParams params = { PLANE_PARAMS(0), PLANE_PARAMS(1), PLANE_PARAMS(2) };
    gpu_pass(plan, &(GpuPass){
                       .kernel = kernel,
                       GPU_PASS_BUFFERS(ref[0], dist[0], ref[1], dist[1], ref[2], dist[2], result),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { first[3] },
                   });
}

void psnr_gpu_collect_sums(const Feature *f, const void *readback, uint64_t sse[3])
{
    const uint64_t *sums = readback;
    for (unsigned p = 0; p < 3; p++) {
        sse[p] = 0;
        const PlaneGroups groups = plane_groups(f, p);
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
