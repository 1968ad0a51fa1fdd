/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* psnr on the GPU: one pass for each plane, all side by side. */
#include "feature/psnr/psnr.h"
#include "feature/psnr/psnr_tile.h"
#include "gpu/feature_gpu.h"

/* A plane's groups; each leaves one 64-bit sum. */
typedef struct PlaneGroups {
    unsigned x, y;
} PlaneGroups;

static PlaneGroups plane_groups(const FrameShape *shape, unsigned p)
{
    const unsigned samples = PSNR_GROUP_W * (shape->bpc > 8 ? 2 : 4);
    return (PlaneGroups){ (shape->w[p] + samples - 1) / samples,
                          (shape->h[p] + PSNR_ROWS - 1) / PSNR_ROWS };
}

static int psnr_plan(const Feature *f, GpuPlan *plan)
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
        const struct {
            uint32_t width, height, stride, first_sum;
        } params = { shape->w[p], shape->h[p], gpu_plane_stride(plan, p), first };
        gpu_pass(plan, &(GpuPass){
                           .kernel = gpu_by_depth(f, "psnr_sse_8", "psnr_sse_16"),
                           .buffers = { gpu_ref(plan, p), gpu_dist(plan, p), result },
                           .buffer_count = 3,
                           .params = &params,
                           .params_size = sizeof(params),
                           .groups = { groups[p].x, groups[p].y },
                       });
        first += groups[p].x * groups[p].y;
    }
    return 0;
}

static int psnr_collect(const Feature *f, const void *readback, void *result)
{
    const uint64_t *sums = readback;
    PsnrResult *out = result;
    *out = (PsnrResult){ { 0 } };
    for (unsigned p = 0; p < 3; p++) {
        if (!(f->planes >> p & 1))
            continue;
        const PlaneGroups groups = plane_groups(&f->shape, p);
        for (unsigned i = 0; i < groups.x * groups.y; i++)
            out->sse[p] += *sums++;
    }
    return 0;
}

const FeatureGpu psnr_gpu = { .plan = psnr_plan, .collect = psnr_collect };
