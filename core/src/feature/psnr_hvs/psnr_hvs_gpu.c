/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* psnr_hvs on the GPU. All planes are handled at the same time: first all blocks, then for each
 * plane the chain of additions. The chain is prepared in chunks, which one workgroup puts
 * together. */
#include "feature/psnr_hvs/psnr_hvs.h"

#include <errno.h>
#include <string.h>

#include "feature/psnr_hvs/psnr_hvs_tile.h"
#include "gpu/feature_gpu.h"

GPU_PARAMS(HvsBlocksParams, HVS_BLOCKS_PARAMS);
GPU_PARAMS(HvsChainParams, HVS_CHAIN_PARAMS);

_Static_assert(offsetof(HvsTables, mask) == HVS_MASKS * sizeof(float),
               "the kernel finds the masks there");
_Static_assert(HVS_PIECE *HVS_PIECES == HVS_COEFS && HVS_CHUNK == HVS_CHUNK_BLOCKS * HVS_PIECES &&
                   HVS_CHUNK_BLOCKS % HVS_BLOCKS_W == 0,
               "a chunk has whole pieces and the terms of whole workgroups");

enum { PLANES = 3 };

typedef struct Planes {
    uint32_t blocks[PLANES], chunks[PLANES]; /* the same for both chroma planes */
    uint32_t all_blocks, all_chunks;
} Planes;

static Planes planes_of(const FrameShape *shape)
{
    Planes planes = { 0 };
    for (unsigned p = 0; p < PLANES; p++) {
        planes.blocks[p] = hvs_block_count(shape->w[p]) * hvs_block_count(shape->h[p]);
        planes.chunks[p] = gpu_workgroups(planes.blocks[p], HVS_CHUNK_BLOCKS);
        planes.all_blocks += planes.blocks[p];
        planes.all_chunks += planes.chunks[p];
    }
    return planes;
}

static void plan_blocks(const Feature *f, GpuPlan *plan, const Planes *planes, GpuBuf terms,
                        GpuBuf totals)
{
    uint32_t first_block = 0, first_chunk = 0;
    for (unsigned p = 0; p < PLANES; p++) {
        const HvsTables *tables = hvs_tables(f, p);
        const HvsBlocksParams params = {
            .stride = gpu_plane_stride(plan, p),
            .across = hvs_block_count(f->shape.w[p]),
            .blocks = planes->blocks[p],
            .first_block = first_block,
            .first_total = first_chunk * (HVS_CHUNK_BLOCKS / HVS_BLOCKS_W),
        };
        first_block += planes->blocks[p];
        first_chunk += planes->chunks[p];
        if (!params.blocks)
            continue;
        gpu_pass(plan,
                 &(GpuPass){
                     .kernel = gpu_by_depth(f, "hvs_blocks_8", "hvs_blocks_16"),
                     GPU_PASS_BUFFERS(gpu_ref(plan, p), gpu_dist(plan, p),
                                      gpu_table(plan, tables, sizeof(*tables)), terms, totals),
                     GPU_PASS_PARAMS(&params),
                     .workgroups = { gpu_workgroups(params.blocks, HVS_BLOCKS_W) },
                 });
    }
    gpu_next_stage(plan);
}

static int hvs_plan(const Feature *f, GpuPlan *plan)
{
    const Planes planes = planes_of(&f->shape);
    const GpuBuf result = gpu_result(plan, PLANES * sizeof(float), !planes.blocks[0]);
    if (!planes.blocks[0]) /* the picture is smaller than a block: all errors are 0 */
        return 0;
    const size_t totals_size =
        (size_t)planes.all_chunks * (HVS_CHUNK_BLOCKS / HVS_BLOCKS_W) * sizeof(float);
    const GpuBuf terms = gpu_scratch(plan, (size_t)planes.all_blocks * HVS_COEFS * sizeof(float));
    const GpuBuf totals = gpu_scratch(plan, totals_size);
    const GpuBuf runs =
        gpu_scratch(plan, (size_t)planes.all_chunks * HVS_RUN_WORDS * sizeof(uint32_t));
    const HvsChainParams params = {
        .luma_blocks = planes.blocks[0],
        .chroma_blocks = planes.blocks[1],
    };
    plan_blocks(f, plan, &planes, terms, totals);
    gpu_pass(plan, &(GpuPass){
                       .kernel = "hvs_runs",
                       GPU_PASS_BUFFERS(terms, totals, runs),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { planes.chunks[0], PLANES },
                   });
    gpu_next_stage(plan);
    gpu_pass(plan, &(GpuPass){
                       .kernel = "hvs_sum",
                       GPU_PASS_BUFFERS(terms, runs, result),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { PLANES },
                   });
    return 0;
}

static int hvs_collect(const Feature *f, const void *readback, void *result)
{
    memcpy(result, readback, sizeof(HvsResult));
    return 0;
}

const FeatureGpu psnr_hvs_gpu = { .plan = hvs_plan, .collect = hvs_collect };
