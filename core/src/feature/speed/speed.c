/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* speed_chroma and speed_temporal: options, sizes and reports. */
#include <errno.h>
#include <math.h>
#include <stddef.h>

#include "engine/feature.h"
#include "base/log.h"
#include "base/mem.h"
#include "feature/common/float_rows.h"
#include "feature/speed/speed.h"

typedef struct SpeedOptions {
    double kernel_scale, prescale, sigma, floor, max_val;
    const char *prescale_method;
    int weight_mode;   /* chroma */
    bool use_ref_diff; /* temporal */
} SpeedOptions;

#define COMMON_OPTIONS                                                                             \
    DOUBLE_OPTION(SpeedOptions, kernel_scale, "speed_kernelscale", "ks", 1, 0.1, 4,                \
                  "stretches the Gaussian kernels"),                                               \
        DOUBLE_OPTION(SpeedOptions, prescale, "speed_prescale", "ps", 1, 0.1, 4,                   \
                      "resizes the planes by this factor first"),                                  \
        STRING_OPTION(SpeedOptions, prescale_method, "speed_prescale_method", "psm", "nearest",    \
                      "nearest, bilinear, bicubic or lanczos4"),                                   \
        DOUBLE_OPTION(SpeedOptions, sigma, "speed_sigma_nn", "snn", 0.29, 0.1, 2,                  \
                      "standard deviation of neural noise"),                                       \
        DOUBLE_OPTION(SpeedOptions, floor, "speed_nn_floor", "nnf", 0, 0, 1,                       \
                      "ignore blocks that exceed the noise by less than this share"),              \
        DOUBLE_OPTION(SpeedOptions, max_val, "speed_max_val", "mxv", 1000, 0, 1000,                \
                      "upper limit of the scores")

static const Option chroma_options[] = {
    COMMON_OPTIONS,
    INT_OPTION(SpeedOptions, weight_mode, "speed_weight_var_mode", "wvm", 0, 0, 6,
               "which variances weight the entropies"),
    { 0 },
};

static const Option temporal_options[] = {
    COMMON_OPTIONS,
    BOOL_OPTION(SpeedOptions, use_ref_diff, "speed_use_ref_diff", "urd", false,
                "compare the previous distorted picture with the current reference"),
    { 0 },
};

static const FeatureOutput chroma_outputs[] = {
    { .name = "Speed_chroma_feature_speed_chroma_u_score", .help = "entropic difference of Cb" },
    { .name = "Speed_chroma_feature_speed_chroma_v_score", .help = "entropic difference of Cr" },
    { .name = "Speed_chroma_feature_speed_chroma_uv_score", .help = "mean of both" },
    { 0 },
};

static const FeatureOutput temporal_outputs[] = {
    { .name = "Speed_temporal_feature_speed_temporal_score",
      .help = "entropic difference of luma's change from frame to frame" },
    { 0 },
};

/* Computes the two Gaussian filters. */
static int make_filters(const SpeedOptions *o, SpeedSetup *setup)
{
    if (!gauss_factor_allowed(o->kernel_scale)) {
        log_error("%s: speed_kernelscale %g is not one of the accepted factors", setup->feature,
                  o->kernel_scale);
        return -EINVAL;
    }
    setup->reduce.count = gauss_length(1, o->kernel_scale);
    setup->local.count = gauss_length(4, o->kernel_scale);
    gauss_fill(setup->reduce.taps, setup->reduce.count, (float)(2.0 * setup->reduce.count / 5.0));
    gauss_fill(setup->local.taps, setup->local.count, (float)setup->local.count / 5.0f);
    return 0;
}

/* Computes all sizes, and the resampler if planes are resized. A factor within a thousandth of 1
 * does not resize the plane but only crops it. */
static int make_sizes(const SpeedOptions *o, SpeedSetup *setup)
{
    const int method = resample_method(o->prescale_method);
    if (method < 0) {
        log_error("%s: unknown speed_prescale_method '%s'", setup->feature, o->prescale_method);
        return -EINVAL;
    }
    const bool resized = !(fabs(o->prescale - 1.0) < 1e-3);
    setup->w = (unsigned)(setup->src_w * o->prescale + 0.5);
    setup->h = (unsigned)(setup->src_h * o->prescale + 0.5);
    if (!resized) {
        setup->w = setup->w < setup->src_w ? setup->w : setup->src_w;
        setup->h = setup->h < setup->src_h ? setup->h : setup->src_h;
    }
    setup->small_w = setup->w / 16;
    setup->small_h = setup->h / 16;
    setup->blocks_x = setup->small_w / SPEED_EDGE;
    setup->blocks_y = setup->small_h / SPEED_EDGE;
    if (setup->blocks_x == 0 || setup->blocks_y == 0) {
        log_error("%s: picture too small: planes of %ux%u (scaled by %g) must be at least 80x80",
                  setup->feature, setup->src_w, setup->src_h, o->prescale);
        return -EINVAL;
    }
    if (!resized || (setup->w == setup->src_w && setup->h == setup->src_h))
        return 0;
    return resampler_create(&setup->prescale, (enum ResampleMethod)method, setup->src_w,
                            setup->src_h, setup->w, setup->h);
}

static int init_setup(Feature *f, SpeedSetup *setup, unsigned p)
{
    const SpeedOptions *o = f->options;
    setup->feature = f->def->name;
    setup->bpc = f->shape.bpc;
    setup->src_w = f->shape.w[p];
    setup->src_h = f->shape.h[p];
    setup->weight_mode = o->weight_mode;
    setup->sigma = (float)o->sigma;
    const float noise = (1.0f + (float)o->floor) * setup->sigma;
    setup->entropy_floor = (float)(SPEED_BLOCK * (log2(noise) + 0x1.06073a671183dp+2));
    float_dsp_init(&setup->dsp, setup->bpc, f->cpu);
    speed_dsp_init(&setup->speed_dsp, f->cpu);
    int err = float_rows_check_depth(setup->feature, setup->bpc);
    if (!err)
        err = make_filters(o, setup);
    return err ? err : make_sizes(o, setup);
}

static void close(Feature *f)
{
    SpeedSetup *setup = f->state;
    if (setup) {
        resampler_destroy(setup->prescale);
        speed_blocks_destroy(setup->gpu_blocks);
    }
    mem_free(setup);
}

/* Logs the first singular frame only, because flat or small planes are singular in every frame. */
static void warn_singular(SpeedSetup *setup, const FrameId *id)
{
    if (!setup->warned)
        log_warning("%s: covariance matrix is singular at frame %u (logged once)", setup->feature,
                    id->index);
    setup->warned = true;
}

/* ---- chroma ---- */

typedef struct ChromaResult {
    SpeedScore u, v;
} ChromaResult;

static int chroma_init(Feature *f)
{
    SpeedSetup *setup = f->state = mem_zalloc(sizeof(*setup));
    if (!setup)
        return -ENOMEM;
    if (f->shape.pix_fmt == VMAF_PIX_FMT_YUV400P) {
        log_error("%s: 4:0:0 pictures have no chroma", f->def->name);
        return -EINVAL;
    }
    f->planes &= ~1u;
    return init_setup(f, setup, 1);
}

static SpeedInput plane_of(const VmafPicture *pic, unsigned p)
{
    return (SpeedInput){ .from = pic->data[p], .from_stride = pic->stride[p] };
}

static int chroma_measure(const Feature *f, void *scratch, const FramePair *pair, void *result,
                          Team *team)
{
    ChromaResult *r = result;
    SpeedScore *const scores[] = { &r->u, &r->v };
    for (unsigned p = 1; p <= 2; p++) {
        const SpeedInput ref = plane_of(pair->ref, p), dist = plane_of(pair->dist, p);
        *scores[p - 1] = speed_frame_measure(scratch, &ref, &dist);
    }
    return 0;
}

static int chroma_report(Feature *f, const FrameId *id, const void *result)
{
    const SpeedOptions *o = f->options;
    const ChromaResult *r = result;
    if (r->u.failed || r->v.failed)
        warn_singular(f->state, id);
    float both = (float)((r->u.score + r->v.score) / 2.0);
    if (r->u.failed != r->v.failed)
        both = r->u.failed ? r->v.score : r->u.score;
    const double scores[] = { r->u.score, r->v.score, both };
    int err = 0;
    for (unsigned i = 0; i < 3 && !err; i++)
        err = feature_emit(f, i, id->index, scores[i] < o->max_val ? scores[i] : o->max_val);
    return err;
}

static const ResultField chroma_fields[] = {
    RESULT_FIELD(ChromaResult, u.score, FIELD_FLOAT),
    RESULT_FIELD(ChromaResult, u.failed, FIELD_BOOL),
    RESULT_FIELD(ChromaResult, v.score, FIELD_FLOAT),
    RESULT_FIELD(ChromaResult, v.failed, FIELD_BOOL),
    { 0 },
};

static int chroma_plan(const Feature *f, GpuPlan *plan)
{
    SpeedGpuInput inputs[4];
    for (unsigned i = 0; i < 4; i++) {
        const unsigned p = 1 + i / 2;
        const GpuBuf plane = i % 2 ? gpu_dist(plan, p) : gpu_ref(plan, p);
        inputs[i] = (SpeedGpuInput){ plane, plane, gpu_plane_stride(plan, p), false };
    }
    return speed_gpu_plan(plan, f->state, inputs, 4);
}

static int chroma_collect(const Feature *f, const void *readback, void *result)
{
    ChromaResult *r = result;
    r->u = speed_gpu_score(f->state, readback, 0);
    r->v = speed_gpu_score(f->state, readback, 1);
    return 0;
}

static bool chroma_same(const Feature *f, const void *a, const void *b)
{
    const ChromaResult *x = a, *y = b;
    return speed_score_same(&x->u, &y->u) && speed_score_same(&x->v, &y->v);
}

/* The self-test needs planes of this size: in smaller ones the covariance matrix is always
 * singular. */
static const FeatureGpu chroma_gpu = {
    .plan = chroma_plan,
    .collect = chroma_collect,
    .same = chroma_same,
    .test_w = 501,
    .test_h = 331,
};

const FeatureDef feature_speed_chroma = {
    .name = "speed_chroma",
    .summary = "entropic difference of chroma (SpEED)",
    .options = chroma_options,
    .options_size = sizeof(SpeedOptions),
    .outputs = chroma_outputs,
    .flags = FEATURE_CHROMA,
    .result_size = sizeof(ChromaResult),
    .fields = chroma_fields,
    .init = chroma_init,
    .close = close,
    .scratch_create = speed_frame_create,
    .scratch_destroy = speed_frame_destroy,
    .measure = chroma_measure,
    .report = chroma_report,
    .gpu = &chroma_gpu,
};

/* ---- temporal ---- */

static int temporal_init(Feature *f)
{
    SpeedSetup *setup = f->state = mem_zalloc(sizeof(*setup));
    return setup ? init_setup(f, setup, 0) : -ENOMEM;
}

/* The difference of two luma planes: `before` less `now`. */
static SpeedInput change(const VmafPicture *before, const VmafPicture *now)
{
    return (SpeedInput){
        .from = before->data[0],
        .from_stride = before->stride[0],
        .minus = now->data[0],
        .minus_stride = now->stride[0],
    };
}

static int temporal_measure(const Feature *f, void *scratch, const FramePair *pair, void *result,
                            Team *team)
{
    const SpeedOptions *o = f->options;
    SpeedScore *r = result;
    *r = (SpeedScore){ 0 };
    if (!pair->prev_ref[0] || !pair->prev_dist)
        return 0;
    const SpeedInput ref = change(pair->prev_ref[0], pair->ref);
    const SpeedInput dist = change(pair->prev_dist, o->use_ref_diff ? pair->ref : pair->dist);
    *r = speed_frame_measure(scratch, &ref, &dist);
    return 0;
}

static int temporal_report(Feature *f, const FrameId *id, const void *result)
{
    SpeedSetup *setup = f->state;
    const SpeedScore *r = result;
    const bool is_first = !setup->begun; /* there is no earlier frame, so the score is 0 */
    setup->begun = true;
    if (r->failed && !is_first)
        warn_singular(setup, id);
    return feature_emit(f, 0, id->index, is_first ? 0.0 : r->score);
}

static const ResultField temporal_fields[] = {
    RESULT_FIELD(SpeedScore, score, FIELD_FLOAT),
    RESULT_FIELD(SpeedScore, failed, FIELD_BOOL),
    { 0 },
};

static int temporal_plan(const Feature *f, GpuPlan *plan)
{
    const SpeedOptions *o = f->options;
    const unsigned stride = gpu_plane_stride(plan, 0);
    const GpuBuf ref = gpu_ref(plan, 0), dist = o->use_ref_diff ? ref : gpu_dist(plan, 0);
    const SpeedGpuInput inputs[] = {
        { gpu_prev_ref(plan, 0, 1), ref, stride, true },
        { gpu_prev_dist(plan, 0, 1), dist, stride, true },
    };
    return speed_gpu_plan(plan, f->state, inputs, 2);
}

static int temporal_collect(const Feature *f, const void *readback, void *result)
{
    *(SpeedScore *)result = speed_gpu_score(f->state, readback, 0);
    return 0;
}

static bool temporal_same(const Feature *f, const void *a, const void *b)
{
    return speed_score_same(a, b);
}

static const FeatureGpu temporal_gpu = {
    .plan = temporal_plan,
    .collect = temporal_collect,
    .same = temporal_same,
    .test_w = 251,
    .test_h = 167,
};

const FeatureDef feature_speed_temporal = {
    .name = "speed_temporal",
    .summary = "entropic difference of luma's change (SpEED)",
    .options = temporal_options,
    .options_size = sizeof(SpeedOptions),
    .outputs = temporal_outputs,
    .flags = FEATURE_EVERY_FRAME | FEATURE_PREV_DIST,
    .result_size = sizeof(SpeedScore),
    .fields = temporal_fields,
    .reach = 1,
    .init = temporal_init,
    .close = close,
    .scratch_create = speed_frame_create,
    .scratch_destroy = speed_frame_destroy,
    .measure = temporal_measure,
    .report = temporal_report,
    .gpu = &temporal_gpu,
};
