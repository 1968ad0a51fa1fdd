/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_moment: mean and mean square of luma, of both pictures. */
#include "feature/float_moment/float_moment.h"

#include <errno.h>

#include "engine/feature.h"
#include "base/mem.h"
#include "feature/common/depth.h"
#include "feature/common/float_rows.h"
#include "feature/common/psnr/float_squares.h"

enum { OUT_REF_1ST, OUT_DIS_1ST, OUT_REF_2ND, OUT_DIS_2ND };

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
    .gpu = &float_moment_gpu,
};
