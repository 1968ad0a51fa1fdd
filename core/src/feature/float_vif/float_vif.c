/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_vif: visual information fidelity, in single precision. */
#include <errno.h>
#include <math.h>

#include "base/log.h"
#include "base/mem.h"
#include "feature/common/float_rows.h"
#include "feature/float_vif/float_vif.h"

typedef struct VifOptions {
    bool debug, skip_scale0;
    double gain_limit, kernel_scale, prescale, noise;
    double min_val[FLOAT_VIF_SCALES]; /* scale 0 has no such option */
    const char *prescale_method;
} VifOptions;

static const Option options[] = {
    BOOL_OPTION(VifOptions, debug, "debug", NULL, false,
                "also report vif, numerators and denominators"),
    DOUBLE_OPTION(VifOptions, gain_limit, "vif_enhn_gain_limit", "egl", 100, 1, 100,
                  "upper limit of the enhancement gain"),
    DOUBLE_OPTION(VifOptions, kernel_scale, "vif_kernelscale", "ks", 1, 0.1, 4,
                  "stretches the Gaussian kernels"),
    DOUBLE_OPTION(VifOptions, prescale, "vif_prescale", "ps", 1, 0.1, 4,
                  "resizes the pictures by this factor first"),
    DOUBLE_OPTION(VifOptions, min_val[1], "vif_scale1_min_val", "s1miv", 0, 0, 1,
                  "lower limit of vif_scale1"),
    DOUBLE_OPTION(VifOptions, min_val[2], "vif_scale2_min_val", "s2miv", 0, 0, 1,
                  "lower limit of vif_scale2"),
    DOUBLE_OPTION(VifOptions, min_val[3], "vif_scale3_min_val", "s3miv", 0, 0, 1,
                  "lower limit of vif_scale3"),
    STRING_OPTION(VifOptions, prescale_method, "vif_prescale_method", "pm", "nearest",
                  "nearest, bilinear, bicubic or lanczos4"),
    DOUBLE_OPTION(VifOptions, noise, "vif_sigma_nsq", "snsq", 2, 0, 5,
                  "variance of the visual noise"),
    BOOL_OPTION(VifOptions, skip_scale0, "vif_skip_scale0", "ssclz", false,
                "skip the finest scale"),
    { 0 },
};

enum { OUT_SCALE0 = 0, OUT_VIF = 4, OUT_NUM, OUT_DEN, OUT_NUM_SCALE0 };

static const FeatureOutput outputs[] = {
    { .name = "VMAF_feature_vif_scale0_score", .help = "fidelity at full size" },
    { .name = "VMAF_feature_vif_scale1_score", .help = "fidelity at half size" },
    { .name = "VMAF_feature_vif_scale2_score", .help = "fidelity at a quarter of the size" },
    { .name = "VMAF_feature_vif_scale3_score", .help = "fidelity at an eighth of the size" },
    { .name = "vif", .help = "fidelity over all scales (debug)", .extra = true },
    { .name = "vif_num", .help = "its numerator (debug)", .extra = true },
    { .name = "vif_den", .help = "its denominator (debug)", .extra = true },
    { .name = "vif_num_scale0", .extra = true },
    { .name = "vif_den_scale0", .extra = true },
    { .name = "vif_num_scale1", .extra = true },
    { .name = "vif_den_scale1", .extra = true },
    { .name = "vif_num_scale2", .extra = true },
    { .name = "vif_den_scale2", .extra = true },
    { .name = "vif_num_scale3", .extra = true },
    { .name = "vif_den_scale3", .extra = true },
    { 0 },
};

static int make_filters(const Feature *f, FloatVifSetup *setup)
{
    const VifOptions *o = f->options;
    if (!gauss_factor_allowed(o->kernel_scale)) {
        log_error("%s: vif_kernelscale %g is not among the factors that docs/metrics/vif.md lists",
                  f->def->name, o->kernel_scale);
        return -EINVAL;
    }
    for (unsigned s = 0; s < FLOAT_VIF_SCALES; s++) {
        FloatFilter *filter = &setup->filter[s];
        filter->count = gauss_length(s, o->kernel_scale);
        gauss_fill(filter->taps, filter->count, (float)filter->count / 5.0f);
    }
    return 0;
}

static int make_prescaler(const Feature *f, FloatVifSetup *setup)
{
    const VifOptions *o = f->options;
    const int method = resample_method(o->prescale_method);
    if (method < 0) {
        log_error(
            "%s: unknown vif_prescale_method '%s'; use nearest, bilinear, bicubic or lanczos4",
            f->def->name, o->prescale_method);
        return -EINVAL;
    }
    setup->w[0] = (unsigned)(setup->src_w * o->prescale + 0.5);
    setup->h[0] = (unsigned)(setup->src_h * o->prescale + 0.5);
    if (setup->w[0] == setup->src_w && setup->h[0] == setup->src_h)
        return 0;
    if (method == RESAMPLE_BILINEAR && setup->w[0] > 7680) {
        log_error("%s: bilinear prescaling supports widths up to 7680, not %u", f->def->name,
                  setup->w[0]);
        return -EINVAL;
    }
    if (setup->w[0] == 0 || setup->h[0] == 0)
        return 0; /* make_sizes refuses it as too small */
    return resampler_create(&setup->prescale, method, setup->src_w, setup->src_h, setup->w[0],
                            setup->h[0]);
}

/* Fills the sizes of all scales. -EINVAL if a scale is not larger than its filter's reach. */
static int make_sizes(const Feature *f, FloatVifSetup *setup)
{
    for (unsigned s = 0; s < FLOAT_VIF_SCALES; s++) {
        const unsigned reach = filter_reach(&setup->filter[s]);
        setup->w[s] = setup->w[0] >> s;
        setup->h[s] = setup->h[0] >> s;
        if (setup->w[s] <= reach || setup->h[s] <= reach) {
            log_error(
                "%s: a picture of %ux%u is too small: scale %u must be more than %u samples wide "
                "and high",
                f->def->name, setup->w[0], setup->h[0], s, reach);
            return -EINVAL;
        }
    }
    return 0;
}

static int init(Feature *f)
{
    const VifOptions *o = f->options;
    FloatVifSetup *setup = f->state = mem_zalloc(sizeof(*setup));
    if (!setup)
        return -ENOMEM;
    setup->bpc = f->shape.bpc;
    setup->src_w = f->shape.w[0];
    setup->src_h = f->shape.h[0];
    setup->skip_scale0 = o->skip_scale0;
    const float noise = (float)o->noise;
    setup->constants = (FloatVifConstants){
        .noise = o->noise,
        .noise_up = noise < o->noise ? nextafterf(noise, INFINITY) : noise,
        .flat_weight = (float)(noise * noise / 65025.0),
        .gain_limit = (float)o->gain_limit,
    };
    float_dsp_init(&setup->dsp, setup->bpc, f->cpu);
    float_vif_dsp_init(&setup->vif_dsp, f->cpu);
    int err = float_rows_check_depth(f->def->name, setup->bpc);
    if (!err)
        err = make_filters(f, setup);
    if (!err)
        err = make_prescaler(f, setup);
    return err ? err : make_sizes(f, setup);
}

static void close(Feature *f)
{
    FloatVifSetup *setup = f->state;
    if (setup)
        resampler_destroy(setup->prescale);
    mem_free(setup);
}

static int report_debug(Feature *f, unsigned index, const double *num, const double *den)
{
    const VifOptions *o = f->options;
    double total_num = 0.0, total_den = 0.0;
    for (unsigned s = o->skip_scale0; s < FLOAT_VIF_SCALES; s++) {
        total_num += num[s];
        total_den += den[s];
    }
    int err = feature_emit(f, OUT_VIF, index, total_den == 0.0 ? 1.0 : total_num / total_den);
    if (!err)
        err = feature_emit(f, OUT_NUM, index, total_num);
    if (!err)
        err = feature_emit(f, OUT_DEN, index, total_den);
    for (unsigned s = 0; s < FLOAT_VIF_SCALES && !err; s++) {
        err = feature_emit(f, OUT_NUM_SCALE0 + 2 * s, index, num[s]);
        if (!err)
            err = feature_emit(f, OUT_NUM_SCALE0 + 2 * s + 1, index, den[s]);
    }
    return err;
}

static int report(Feature *f, const FrameId *id, const void *result)
{
    const VifOptions *o = f->options;
    const FloatVifResult *r = result;
    double num[FLOAT_VIF_SCALES], den[FLOAT_VIF_SCALES];
    int err = 0;
    for (unsigned s = 0; s < FLOAT_VIF_SCALES && !err; s++) {
        const bool skipped = s == 0 && o->skip_scale0;
        num[s] = skipped ? 0.0 : r->num[s];
        den[s] = skipped ? -1.0 : r->den[s];
        double score = skipped ? 0.0 : num[s] / den[s];
        if (s > 0 && !(score > o->min_val[s]))
            score = o->min_val[s];
        err = feature_emit(f, OUT_SCALE0 + s, id->index, score);
    }
    return err || !o->debug ? err : report_debug(f, id->index, num, den);
}

static const ResultField fields[] = {
    RESULT_FIELD(FloatVifResult, num, FIELD_FLOAT),
    RESULT_FIELD(FloatVifResult, den, FIELD_FLOAT),
    { 0 },
};

const FeatureDef feature_float_vif = {
    .name = "float_vif",
    .summary = "visual information fidelity, single precision",
    .options = options,
    .options_size = sizeof(VifOptions),
    .outputs = outputs,
    .result_size = sizeof(FloatVifResult),
    .fields = fields,
    .init = init,
    .close = close,
    .scratch_create = float_vif_frame_create,
    .scratch_destroy = float_vif_frame_destroy,
    .measure = float_vif_frame_measure,
    .report = report,
    .gpu = &float_vif_gpu,
};
