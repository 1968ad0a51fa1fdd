/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_moment: mean and mean square of luma, of both pictures. */
#include <errno.h>

#include "base/mem.h"
#include "engine/feature.h"
#include "feature/common/float_rows.h"
#include "feature/common/plane.h"
#include "feature/common/psnr/psnr_dsp.h"
#include "feature/float_moment/float_moment_tile.h"
#include "gpu/feature_gpu.h"

enum { OUT_REF_1ST, OUT_DIS_1ST, OUT_REF_2ND, OUT_DIS_2ND };

typedef struct FloatMomentResult {
    MomentSums ref, dist; /* in sample steps, see psnr_dsp.h */
} FloatMomentResult;

static int float_moment_init(Feature *f)
{
    if (float_rows_check_depth(f->def->name, f->shape.bpc))
        return -EINVAL;
    f->state = mem_alloc(sizeof(PsnrDsp));
    if (!f->state)
        return -ENOMEM;
    psnr_dsp_init(f->state, f->shape.bpc, f->cpu);
    return 0;
}

static MomentSums picture_moments(const PsnrDsp *dsp, const VmafPicture *pic)
{
    MomentSums sums = { 0, 0 };
    const char *row = pic->data[0];
    for (unsigned y = 0; y < pic->h[0]; y++) {
        dsp->moment_row(&sums, row, pic->w[0]);
        row += pic->stride[0];
    }
    if (sums.square >= FLOAT_SQUARES_EXACT)
        sums.square = float_squares_in_order(pic, NULL);
    return sums;
}

static int float_moment_measure(const Feature *f, void *scratch, const FramePair *pair,
                                void *result, Team *team)
{
    FloatMomentResult *r = result;
    r->ref = picture_moments(f->state, pair->ref);
    r->dist = picture_moments(f->state, pair->dist);
    return 0;
}

/* ---- On the GPU: one pass over the luma of each picture, side by side */

GPU_PARAMS(FloatMomentParams, FLOAT_MOMENT_PARAMS);

static unsigned groups_across(const FrameShape *shape)
{
    return gpu_workgroups(shape->w[0], MOMENT_GROUP_W * gpu_samples_per_word(shape));
}

static unsigned groups_down(const FrameShape *shape)
{
    return gpu_workgroups(shape->h[0], MOMENT_ROWS);
}

static int float_moment_plan(const Feature *f, GpuPlan *plan)
{
    const unsigned across = groups_across(&f->shape), down = groups_down(&f->shape);
    const GpuBuf sums = gpu_result(plan, (size_t)2 * across * down * 2 * sizeof(uint64_t), false);
    const GpuBuf pictures[2] = { gpu_ref(plan, 0), gpu_dist(plan, 0) };
    for (unsigned i = 0; i < 2; i++) {
        const FloatMomentParams params = {
            .width = f->shape.w[0],
            .height = f->shape.h[0],
            .stride = gpu_plane_stride(plan, 0),
            .groups_x = across,
            .first_sum = i * across * down,
        };
        gpu_pass(plan, &(GpuPass){
                           .kernel = gpu_by_depth(f, "float_moment_8", "float_moment_16"),
                           GPU_PASS_BUFFERS(pictures[i], sums),
                           GPU_PASS_PARAMS(&params),
                           .workgroups = { across, down },
                       });
    }
    return 0;
}

static int float_moment_collect(const Feature *f, const void *readback, void *result)
{
    const uint64_t *sums = readback;
    const size_t groups = (size_t)groups_across(&f->shape) * groups_down(&f->shape);
    FloatMomentResult *const r = result;
    MomentSums *const moments[2] = { &r->ref, &r->dist };
    int err = 0;
    for (unsigned i = 0; i < 2; i++) {
        *moments[i] = (MomentSums){ 0, 0 };
        for (size_t g = 0; g < groups; g++, sums += 2) {
            moments[i]->value += sums[0];
            moments[i]->square += sums[1];
        }
        if (moments[i]->square >= FLOAT_SQUARES_EXACT)
            err = -EAGAIN;
    }
    return err;
}

static const FeatureGpu moment_gpu = { .plan = float_moment_plan, .collect = float_moment_collect };

/* ---- Scores */

static int float_moment_report(Feature *f, const FrameId *id, const void *result)
{
    const FloatMomentResult *r = result;
    const double step = depth_step(f->shape.bpc);
    const double samples = (double)f->shape.w[0] * f->shape.h[0];
    int err = 0;
    err |= feature_emit(f, OUT_REF_1ST, id->index, (double)r->ref.value * step / samples);
    err |= feature_emit(f, OUT_DIS_1ST, id->index, (double)r->dist.value * step / samples);
    err |= feature_emit(f, OUT_REF_2ND, id->index, (double)r->ref.square * (step * step) / samples);
    err |=
        feature_emit(f, OUT_DIS_2ND, id->index, (double)r->dist.square * (step * step) / samples);
    return err ? -EINVAL : 0;
}

/* The reference offers no output of this feature to models, so all of them are extra. */
static const FeatureOutput float_moment_outputs[] = {
    [OUT_REF_1ST] = { .name = "float_moment_ref1st",
                      .help = "mean of the reference's luma",
                      .extra = true },
    [OUT_DIS_1ST] = { .name = "float_moment_dis1st",
                      .help = "mean of the distorted luma",
                      .extra = true },
    [OUT_REF_2ND] = { .name = "float_moment_ref2nd",
                      .help = "mean square of the reference's luma",
                      .extra = true },
    [OUT_DIS_2ND] = { .name = "float_moment_dis2nd",
                      .help = "mean square of the distorted luma",
                      .extra = true },
    { .name = NULL },
};

static const ResultField fields[] = {
    RESULT_FIELD(FloatMomentResult, ref, FIELD_U64),
    RESULT_FIELD(FloatMomentResult, dist, FIELD_U64),
    { 0 },
};

const FeatureDef feature_float_moment = {
    .name = "float_moment",
    .summary = "first and second moment of luma",
    .outputs = float_moment_outputs,
    .result_size = sizeof(FloatMomentResult),
    .fields = fields,
    .init = float_moment_init,
    .close = feature_free_state,
    .measure = float_moment_measure,
    .report = float_moment_report,
    .gpu = &moment_gpu,
};
