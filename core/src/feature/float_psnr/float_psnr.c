/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_psnr: PSNR of luma with squares rounded to single precision. */
#include <errno.h>
#include <math.h>

#include "engine/feature.h"
#include "base/decimal.h"
#include "base/mem.h"
#include "feature/common/plane.h"
#include "feature/common/float_rows.h"
#include "feature/common/psnr/psnr_dsp.h"
#include "feature/psnr/psnr.h"

/* The mean squared error that is used in place of a smaller one. */
#define NOISE_FLOOR 1e-10

typedef struct FloatPsnrResult {
    uint64_t sse; /* in units of a sample step; see psnr_dsp.h */
} FloatPsnrResult;

static int float_psnr_init(Feature *f)
{
    if (float_rows_check_depth(f->def->name, f->shape.bpc))
        return -EINVAL;
    f->state = mem_alloc(sizeof(PsnrDsp));
    if (!f->state)
        return -ENOMEM;
    psnr_dsp_init(f->state, f->shape.bpc, f->cpu);
    return 0;
}

static int float_psnr_measure(const Feature *f, void *scratch, const FramePair *pair, void *result,
                              Team *team)
{
    const PsnrDsp *dsp = f->state;
    const char *ref = pair->ref->data[0], *dist = pair->dist->data[0];
    uint64_t sse = 0;
    for (unsigned y = 0; y < f->shape.h[0]; y++) {
        sse += dsp->float_sse_row(ref, dist, f->shape.w[0]);
        ref += pair->ref->stride[0];
        dist += pair->dist->stride[0];
    }
    if (sse >= FLOAT_SQUARES_EXACT)
        sse = float_squares_in_order(pair->ref, pair->dist);
    *(FloatPsnrResult *)result = (FloatPsnrResult){ sse };
    return 0;
}

static int float_psnr_report(Feature *f, const FrameId *id, const void *result)
{
    const FloatPsnrResult *r = result;
    const unsigned bpc = f->shape.bpc;
    const double step = depth_step(bpc), peak = depth_peak(bpc), ceiling = depth_ceiling_db(bpc);
    const double samples = (double)f->shape.w[0] * f->shape.h[0];
    const double mse = (double)r->sse * (step * step) / samples;
    const double noise = mse > NOISE_FLOOR ? mse : NOISE_FLOOR;
    const double db = 10.0 * decimal_log(peak * peak / noise);
    return feature_emit(f, 0, id->index, db < ceiling ? db : ceiling);
}

/* ---- the GPU ---- */

/* Runs psnr's kernel over luma. Up to 12 bits squares need no rounding. */
static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const char *const exact = gpu_by_depth(f, "psnr_sse_8", "psnr_sse_16");
    psnr_gpu_plan_sums(f, plan, f->shape.bpc > 12 ? "float_psnr_sse_16" : exact);
    return 0;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    uint64_t sse[3];
    psnr_gpu_collect_sums(f, readback, sse);
    ((FloatPsnrResult *)result)->sse = sse[0];
    return sse[0] < FLOAT_SQUARES_EXACT ? 0 : -EAGAIN;
}

static const FeatureGpu float_psnr_gpu = { .plan = plan_frame, .collect = collect };

static const FeatureOutput float_psnr_outputs[] = {
    { .name = "float_psnr", .help = "PSNR of the luma plane in dB" },
    { .name = NULL },
};

static const ResultField fields[] = {
    RESULT_FIELD(FloatPsnrResult, sse, FIELD_U64),
    { 0 },
};

const FeatureDef feature_float_psnr = {
    .name = "float_psnr",
    .summary = "peak signal to noise ratio of luma, in single precision",
    .outputs = float_psnr_outputs,
    .result_size = sizeof(FloatPsnrResult),
    .fields = fields,
    .init = float_psnr_init,
    .close = feature_free_state,
    .measure = float_psnr_measure,
    .report = float_psnr_report,
    .gpu = &float_psnr_gpu,
};
