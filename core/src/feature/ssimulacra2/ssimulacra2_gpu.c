/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ssimulacra2 on a GPU: XYB of all scales, then the sums of their blocks, which are added up here
 * as on the CPU. */
#include "feature/ssimulacra2/ssimulacra2.h"
#include "gpu/feature_gpu.h"

GPU_PARAMS(PlanesParams, SSIMU2_PLANES_PARAMS);
GPU_PARAMS(MapsParams, SSIMU2_MAPS_PARAMS);

/* The channels of both pictures: X, Y, B of the reference, then of the distorted picture. */
typedef struct Channels {
    GpuBuf plane[6];
} Channels;

static Channels plan_channels(GpuPlan *plan, const Ssimu2Setup *setup)
{
    Channels channels;
    size_t pixels = 0;
    for (unsigned s = 0; s < setup->scales; s++)
        pixels += (size_t)setup->scale[s].w * setup->scale[s].h;
    for (unsigned i = 0; i < 6; i++)
        channels.plane[i] = gpu_scratch(plan, pixels * sizeof(float));
    return channels;
}

#define FILL_MATRIX(params, of, m, grey)                                                           \
    do {                                                                                           \
        (params).of##_kind = (grey) ? SSIMU2_GREY : (m).gbr ? SSIMU2_GBR : SSIMU2_YUV;             \
        (params).of##_black = (m).black;                                                           \
        (params).of##_centre = (m).centre;                                                         \
        (params).of##_unit = (m).luma;                                                             \
        (params).of##_red_v = (m).red_v;                                                           \
        (params).of##_green_u = (m).green_u;                                                       \
        (params).of##_green_v = (m).green_v;                                                       \
        (params).of##_blue_u = (m).blue_u;                                                         \
    } while (0)

static void plan_planes(const Feature *f, GpuPlan *plan, const Ssimu2Setup *setup,
                        const Channels *to)
{
    const FrameShape *const shape = &f->shape;
    const bool grey = shape->pix_fmt == VMAF_PIX_FMT_YUV400P;
    /* Without chroma, luma is bound in its place and not read. */
    const unsigned blue = grey ? 0 : 1, red = grey ? 0 : 2;
    PlanesParams params = {
        .width = shape->w[0],
        .height = shape->h[0],
        .stride = gpu_plane_stride(plan, 0),
        .chroma_w = shape->w[blue],
        .chroma_h = shape->h[blue],
        .chroma_stride = gpu_plane_stride(plan, blue),
        .across = shape->w[blue] < shape->w[0],
        .down = shape->h[blue] < shape->h[0],
        .scales = setup->scales,
    };
    FILL_MATRIX(params, ref, setup->matrix[0], grey);
    FILL_MATRIX(params, dist, setup->matrix[1], grey);
    gpu_pass(plan, &(GpuPass){
                       .kernel = gpu_by_depth(f, "ssimulacra2_planes_8", "ssimulacra2_planes_16"),
                       GPU_PASS_BUFFERS(gpu_ref(plan, 0), gpu_ref(plan, blue), gpu_ref(plan, red),
                                        gpu_dist(plan, 0), gpu_dist(plan, blue),
                                        gpu_dist(plan, red), to->plane[0], to->plane[1],
                                        to->plane[2], to->plane[3], to->plane[4], to->plane[5]),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { gpu_workgroups(shape->w[0], SSIMU2_TILE_W),
                                       gpu_workgroups(shape->h[0], SSIMU2_TILE_H), 2 },
                   });
}

/* first: the index of the scale's first pixel in a channel. */
static void plan_maps(GpuPlan *plan, const Ssimu2Scale *scale, const Channels *from, size_t first,
                      GpuBuf sums)
{
    unsigned count = 0;
    MapsParams params = {
        .width = scale->w,
        .height = scale->h,
        .first = (unsigned)first,
        .blocks = (unsigned)ssimu2_block_count(scale),
        .blocks_across = scale->across,
        .first_x = (unsigned)scale->channel[0].first,
        .first_y = (unsigned)scale->channel[1].first,
        .first_b = (unsigned)scale->channel[2].first,
    };
    for (unsigned c = 0; c < 3; c++) {
        const Ssimu2Channel *const channel = &scale->channel[c];
        params.ssim |= (unsigned)channel->ssim << c;
        params.edges |= (unsigned)channel->edges << c;
        if (channel->ssim || channel->edges)
            params.channels |= c << 2 * count++;
    }
    if (count)
        gpu_pass(plan, &(GpuPass){
                           .kernel = "ssimulacra2_maps",
                           GPU_PASS_BUFFERS(from->plane[0], from->plane[1], from->plane[2],
                                            from->plane[3], from->plane[4], from->plane[5], sums),
                           GPU_PASS_PARAMS(&params),
                           .workgroups = { scale->across, scale->down, count },
                       });
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const Ssimu2Setup *const setup = f->state;
    const Channels channels = plan_channels(plan, setup);
    const GpuBuf sums = gpu_result(plan, setup->blocks * sizeof(float), false);
    size_t first = 0;
    plan_planes(f, plan, setup, &channels);
    gpu_next_stage(plan);
    for (unsigned s = 0; s < setup->scales; s++) {
        plan_maps(plan, &setup->scale[s], &channels, first, sums);
        first += (size_t)setup->scale[s].w * setup->scale[s].h;
    }
    return 0;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    ssimu2_add_blocks(result, f->state, readback);
    return 0;
}

/* ---- the self-test's cube roots ---- */

GPU_PARAMS(RootsParams, SSIMU2_ROOTS_PARAMS);

typedef struct Roots {
    uint32_t sum;
} Roots;

enum {
    ROOTS = (SSIMU2_ROOT_END - SSIMU2_ROOT_FIRST + SSIMU2_ROOT_STEP - 1) / SSIMU2_ROOT_STEP,
    ROOT_GROUPS = (ROOTS + SSIMU2_ROOT_GROUP - 1) / SSIMU2_ROOT_GROUP
};

static int plan_roots(const Feature *f, GpuPlan *plan)
{
    const RootsParams params = { .count = ROOTS };
    gpu_pass(plan, &(GpuPass){
                       .kernel = "ssimulacra2_roots",
                       GPU_PASS_BUFFERS(gpu_result(plan, ROOT_GROUPS * sizeof(uint32_t), false)),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { ROOT_GROUPS },
                   });
    return 0;
}

static int collect_roots(const Feature *f, const void *readback, void *result)
{
    const uint32_t *const sums = readback;
    Roots *const roots = result;
    roots->sum = 0;
    for (unsigned i = 0; i < ROOT_GROUPS; i++)
        roots->sum += sums[i];
    return 0;
}

static int measure_roots(const Feature *f, void *scratch, const FramePair *pair, void *result,
                         Team *team)
{
    Roots *const roots = result;
    roots->sum = ssimu2_mix_roots();
    return 0;
}

static const Option no_options[] = { { 0 } };
static const FeatureOutput no_outputs[] = { { 0 } };
static const FeatureGpu roots_gpu = { .plan = plan_roots, .collect = collect_roots };

static const FeatureDef roots_def = {
    .name = "the cube root of ssimulacra2",
    .summary = "cube roots of many numbers",
    .options = no_options,
    .outputs = no_outputs,
    .result_size = sizeof(Roots),
    .measure = measure_roots,
    .gpu = &roots_gpu,
};

const FeatureGpu ssimu2_gpu = {
    .plan = plan_frame,
    .collect = collect,
    .first_check = &roots_def,
};
