/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* xpsnr on a GPU: one pass over all planes leaves the sums of each block, in bands. The host adds
 * up the bands and weights the blocks. */
#include <string.h>

#include "feature/xpsnr/xpsnr.h"
#include "gpu/feature_gpu.h"

GPU_PARAMS(XpsnrSumsParams, XPSNR_SUMS_PARAMS);

/* How the rows of a block are shared between workgroups. */
typedef struct Bands {
    unsigned count, rows;
} Bands;

static Bands bands_of(const XpsnrSetup *setup)
{
    const unsigned edge = setup->edge_y[0], count = gpu_workgroups(edge, XPSNR_BAND_ROWS);
    return (Bands){
        .count = count,
        .rows = XPSNR_CHUNK * gpu_workgroups(edge, count * XPSNR_CHUNK),
    };
}

static const char *kernel_for(const Feature *f, const XpsnrSetup *setup)
{
    return setup->large ? gpu_by_depth(f, "xpsnr_large_8", "xpsnr_large_16")
                        : gpu_by_depth(f, "xpsnr_8", "xpsnr_16");
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const XpsnrSetup *const setup = &((const XpsnrState *)f->state)->setup;
    const Bands bands = bands_of(setup);
    const unsigned cb = f->planes & 2 ? 1 : 0,
                   cr = f->planes & 4 ? 2 : 0; /* without chroma, luma is bound in its place */
    const GpuBuf before = gpu_prev_ref(plan, 0, 1);
    const GpuBuf before_it = setup->order > 1 ? gpu_prev_ref(plan, 0, 2) : before;
    const GpuBuf sums = gpu_result(
        plan, bands.count * xpsnr_block_count(setup) * XPSNR_SUMS * sizeof(uint64_t), false);
    const XpsnrSumsParams params = {
        .width_0 = f->shape.w[0],
        .height_0 = f->shape.h[0],
        .stride_0 = gpu_plane_stride(plan, 0),
        .edge_0 = setup->edge[0],
        .edge_y_0 = setup->edge_y[0],
        .rows_0 = bands.rows,
        .width_1 = cb ? f->shape.w[1] : 0,
        .height_1 = cb ? f->shape.h[1] : 0,
        .stride_1 = gpu_plane_stride(plan, cb),
        .edge_1 = setup->edge[1],
        .edge_y_1 = setup->edge_y[1],
        .rows_1 = setup->edge_y[1] < setup->edge_y[0] ? bands.rows / 2 : bands.rows,
        .order = setup->order,
        .across = setup->across,
        .down = setup->down,
    };
    gpu_pass(plan, &(GpuPass){
                       .kernel = kernel_for(f, setup),
                       GPU_PASS_BUFFERS(gpu_ref(plan, 0), gpu_dist(plan, 0), before, before_it,
                                        gpu_ref(plan, cb), gpu_dist(plan, cb), gpu_ref(plan, cr),
                                        gpu_dist(plan, cr), sums),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { setup->across, setup->down, bands.count },
                   });
    return 0;
}

static void add_bands(const XpsnrSetup *setup, const uint64_t *sums, XpsnrBlock *blocks)
{
    const size_t count = xpsnr_block_count(setup);
    memset(blocks, 0, count * sizeof(*blocks));
    for (unsigned band = bands_of(setup).count; band > 0; band--) {
        for (size_t i = 0; i < count; i++, sums += XPSNR_SUMS) {
            blocks[i].spatial += sums[XPSNR_SUM_SPATIAL];
            for (unsigned k = 0; k < XPSNR_HISTORIES; k++)
                blocks[i].temporal[k] += sums[XPSNR_SUM_TEMPORAL + k];
            for (unsigned p = 0; p < 3; p++)
                blocks[i].sse[p] += sums[XPSNR_SUM_SQUARES + p];
        }
    }
}

static int collect(const Feature *f, const void *readback, void *result)
{
    const XpsnrState *const state = f->state;
    const XpsnrSetup *const setup = &state->setup;
    const XpsnrFrame *const frame = state->collected;
    XpsnrResult *const r = result;
    *r = (XpsnrResult){ 0 };
    add_bands(setup, readback, frame->blocks);
    for (unsigned history = 0; history <= setup->order; history++) {
        xpsnr_distortion(setup, frame->blocks, history, frame->weights, r->distortion[history]);
        r->filled |= 1u << history;
    }
    return 0;
}

/* The CPU fills in the history that applies, a GPU all of them. */
static bool same(const Feature *f, const void *a, const void *b)
{
    const XpsnrResult *const x = a, *const y = b;
    const uint64_t both = x->filled & y->filled;
    for (unsigned i = 0; i < XPSNR_HISTORIES; i++)
        if (both >> i & 1 &&
            memcmp(x->distortion[i], y->distortion[i], sizeof(x->distortion[i])) != 0)
            return false;
    return both != 0;
}

const FeatureGpu xpsnr_gpu = {
    .plan = plan_frame,
    .collect = collect,
    .same = same,
    .large_w = 2053,
    .large_h = 1153,
};
