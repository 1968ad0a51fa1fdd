/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* psnr_hvs on the GPU: the planes side by side, first all blocks, then one chain of additions each.
 */
#include "feature/psnr_hvs/psnr_hvs.h"

#include <errno.h>
#include <string.h>

#include "feature/psnr_hvs/hvs_tile.h"
#include "gpu/feature_gpu.h"

static GpuBuf plan_blocks(const Feature *f, GpuPlan *plan, unsigned p, uint32_t blocks)
{
    const HvsTables *tables = hvs_tables(f, p);
    const GpuBuf terms = gpu_scratch(plan, (size_t)blocks * HVS_COEFS * sizeof(float));
    const struct {
        uint32_t stride, across, blocks;
    } params = { gpu_plane_stride(plan, p), hvs_block_count(f->shape.w[p]), blocks };
    gpu_pass(plan, &(GpuPass){
                       .kernel = gpu_by_depth(f, "hvs_blocks_8", "hvs_blocks_16"),
                       .buffers = { gpu_ref(plan, p), gpu_dist(plan, p),
                                    gpu_table(plan, tables, sizeof(*tables)), terms },
                       .buffer_count = 4,
                       .params = &params,
                       .params_size = sizeof(params),
                       .groups = { (blocks + HVS_BLOCKS_GROUP - 1) / HVS_BLOCKS_GROUP },
                   });
    return terms;
}

static int hvs_plan(const Feature *f, GpuPlan *plan)
{
    uint32_t blocks[3];
    GpuBuf terms[3];
    const GpuBuf result = gpu_result(plan, 3 * sizeof(float), true);
    for (unsigned p = 0; p < 3; p++) {
        blocks[p] = hvs_block_count(f->shape.w[p]) * hvs_block_count(f->shape.h[p]);
        if (blocks[p])
            terms[p] = plan_blocks(f, plan, p, blocks[p]);
    }
    if (!blocks[0])
        return -ENOTSUP;
    gpu_next_stage(plan);
    for (unsigned p = 0; p < 3; p++) {
        const struct {
            uint32_t blocks, plane;
        } params = { blocks[p], p };
        if (blocks[p])
            gpu_pass(plan, &(GpuPass){
                               .kernel = "hvs_sum",
                               .buffers = { terms[p], result },
                               .buffer_count = 2,
                               .params = &params,
                               .params_size = sizeof(params),
                           });
    }
    return 0;
}

static int hvs_collect(const Feature *f, const void *readback, void *result)
{
    memcpy(result, readback, sizeof(HvsResult));
    return 0;
}

const FeatureGpu psnr_hvs_gpu = { .plan = hvs_plan, .collect = hvs_collect };
