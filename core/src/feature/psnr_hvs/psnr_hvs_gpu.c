/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* psnr_hvs on the GPU, planes side by side: first all blocks, then a chain of additions each. */
#include "feature/psnr_hvs/psnr_hvs.h"

#include <errno.h>
#include <string.h>

#include "feature/psnr_hvs/psnr_hvs_tile.h"
#include "gpu/feature_gpu.h"

GPU_PARAMS(HvsBlocksParams, HVS_BLOCKS_PARAMS);
GPU_PARAMS(HvsSumParams, HVS_SUM_PARAMS);

_Static_assert(offsetof(HvsTables, mask) == HVS_MASKS * sizeof(float), "the kernel reads it so");

static GpuBuf plan_blocks(const Feature *f, GpuPlan *plan, unsigned p, uint32_t blocks)
{
    const HvsTables *tables = hvs_tables(f, p);
    const GpuBuf terms = gpu_scratch(plan, (size_t)blocks * HVS_COEFS * sizeof(float));
    const HvsBlocksParams params = {
        .stride = gpu_plane_stride(plan, p),
        .across = hvs_block_count(f->shape.w[p]),
        .blocks = blocks,
    };
    gpu_pass(plan, &(GpuPass){
                       .kernel = gpu_by_depth(f, "hvs_blocks_8", "hvs_blocks_16"),
                       GPU_PASS_BUFFERS(gpu_ref(plan, p), gpu_dist(plan, p),
                                        gpu_table(plan, tables, sizeof(*tables)), terms),
                       GPU_PASS_PARAMS(&params),
                       .groups = { gpu_groups(blocks, HVS_BLOCKS_GROUP) },
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
        return gpu_refuse(plan, "the picture is smaller than a block");
    gpu_next_stage(plan);
    for (unsigned p = 0; p < 3; p++) {
        const HvsSumParams params = { .blocks = blocks[p], .plane = p };
        if (blocks[p])
            gpu_pass(plan, &(GpuPass){
                               .kernel = "hvs_sum",
                               GPU_PASS_BUFFERS(terms[p], result),
                               GPU_PASS_PARAMS(&params),
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
