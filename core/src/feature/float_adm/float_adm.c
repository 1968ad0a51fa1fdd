/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_adm: detail loss and additive impairment in the wavelet domain, in single precision. */
#include <errno.h>
#include <math.h>

#include "base/log.h"
#include "base/mem.h"
#include "feature/common/plane.h"
#include "feature/float_adm/float_adm.h"

typedef struct AdmOptions {
    bool debug, skip_scale0, apply_hm;
    int csf_mode, display_height, bypass_cm, skip_aim_scale;
    double csf_scale, csf_diag_scale, dlm_weight, gain_limit, view_dist, noise_weight, min_val;
    double p_norm, f1[ADM_LEVELS], f2[ADM_LEVELS];
} AdmOptions;

#define FACTOR(field, level, alias, help)                                                          \
    DOUBLE_OPTION(AdmOptions, field[level], "adm_" alias, alias, -1, -1, 10, help)

static const Option options[] = {
    BOOL_OPTION(AdmOptions, debug, "debug", NULL, false,
                "also report adm, numerators and denominators"),
    DOUBLE_OPTION(AdmOptions, gain_limit, "adm_enhn_gain_limit", "egl", 100, 1, 100,
                  "upper limit of the enhancement gain"),
    DOUBLE_OPTION(AdmOptions, view_dist, "adm_norm_view_dist", "nvd", 3, 0.75, 24,
                  "viewing distance in display heights"),
    INT_OPTION(AdmOptions, display_height, "adm_ref_display_height", "rdf", 1080, 1, 4320,
               "display height in pixels"),
    INT_OPTION(AdmOptions, csf_mode, "adm_csf_mode", "csf", 0, 0, 9,
               "contrast sensitivity: 1 Barten, 2 native, any other value Watson"),
    DOUBLE_OPTION(AdmOptions, csf_scale, "adm_csf_scale", "scf", 1, 0, 50,
                  "factor of Barten's sensitivity"),
    DOUBLE_OPTION(AdmOptions, csf_diag_scale, "adm_csf_diag_scale", "scfd", 1, 0, 50,
                  "factor of Barten's sensitivity in the diagonal band"),
    DOUBLE_OPTION(AdmOptions, noise_weight, "adm_noise_weight", "nw", 0.03125, 0, 1500,
                  "noise floor of each band"),
    INT_OPTION(AdmOptions, bypass_cm, "adm_bypass_cm", "bcm", 0, 0, 1, "1: no contrast masking"),
    BOOL_OPTION(AdmOptions, apply_hm, "adm_adm3_apply_hm", "aah", false,
                "adm3 is the harmonic mean of adm2 and aim"),
    DOUBLE_OPTION(AdmOptions, p_norm, "adm_p_norm", "apn", 3, 1, 20, "exponent of the energy sums"),
    DOUBLE_OPTION(AdmOptions, dlm_weight, "adm_dlm_weight", "dlmw", 0.5, 0, 1,
                  "weight of adm2 in adm3"),
    DOUBLE_OPTION(AdmOptions, min_val, "adm_min_val", "min", 0, 0, 1, "lower limit of adm3"),
    INT_OPTION(AdmOptions, skip_aim_scale, "adm_skip_aim_scale", "sasc", -1, 0, 3,
               "scale that aim skips"),
    BOOL_OPTION(AdmOptions, skip_scale0, "adm_skip_scale0", "ssz", false, "skip the finest scale"),
    FACTOR(f1, 0, "f1s0", "sensitivity at scale 0, if not negative"),
    FACTOR(f1, 1, "f1s1", "sensitivity at scale 1, if not negative"),
    FACTOR(f1, 2, "f1s2", "sensitivity at scale 2, if not negative"),
    FACTOR(f1, 3, "f1s3", "sensitivity at scale 3, if not negative"),
    FACTOR(f2, 0, "f2s0", "diagonal sensitivity at scale 0, if not negative"),
    FACTOR(f2, 1, "f2s1", "diagonal sensitivity at scale 1, if not negative"),
    FACTOR(f2, 2, "f2s2", "diagonal sensitivity at scale 2, if not negative"),
    FACTOR(f2, 3, "f2s3", "diagonal sensitivity at scale 3, if not negative"),
    { 0 },
};

enum {
    OUT_ADM2,
    OUT_AIM,
    OUT_ADM3,
    OUT_SCALE0,
    OUT_ADM = OUT_SCALE0 + ADM_LEVELS,
    OUT_NUM,
    OUT_DEN,
    OUT_NUM_SCALE0
};

static const FeatureOutput outputs[] = {
    { .name = "VMAF_feature_adm2_score", .help = "share of detail that is left" },
    { .name = "VMAF_feature_aim_score", .help = "additive impairment" },
    { .name = "VMAF_feature_adm3_score", .help = "both together" },
    { .name = "VMAF_feature_adm_scale0_score", .help = "detail left at full size" },
    { .name = "VMAF_feature_adm_scale1_score", .help = "detail left at half size" },
    { .name = "VMAF_feature_adm_scale2_score", .help = "detail left at a quarter of the size" },
    { .name = "VMAF_feature_adm_scale3_score", .help = "detail left at an eighth of the size" },
    { .name = "adm", .help = "as adm2 (debug)", .plain_name = true, .extra = true },
    { .name = "adm_num", .help = "its numerator (debug)", .extra = true },
    { .name = "adm_den", .help = "its denominator (debug)", .extra = true },
    { .name = "adm_num_scale0", .extra = true },
    { .name = "adm_den_scale0", .extra = true },
    { .name = "adm_num_scale1", .extra = true },
    { .name = "adm_den_scale1", .extra = true },
    { .name = "adm_num_scale2", .extra = true },
    { .name = "adm_den_scale2", .extra = true },
    { .name = "adm_num_scale3", .extra = true },
    { .name = "adm_den_scale3", .extra = true },
    { 0 },
};

static AdmCore core_of(unsigned n)
{
    const unsigned border = n < 5 ? 0 : (n - 5) / 10;
    return (AdmCore){ border, n - border };
}

static void make_levels(const Feature *f, FloatAdmSetup *setup)
{
    const AdmOptions *o = f->options;
    const AdmCsf csf = {
        .mode = o->csf_mode,
        .view_dist = o->view_dist,
        .display_height = o->display_height,
        .scale = o->csf_scale,
        .diag_scale = o->csf_diag_scale,
    };
    unsigned w = f->shape.w[0], h = f->shape.h[0];
    for (int s = 0; s < ADM_LEVELS; s++) {
        FloatAdmLevel *level = &setup->level[s];
        level->src_w = w;
        level->src_h = h;
        level->w = w = (w + 1) / 2;
        level->h = h = (h + 1) / 2;
        level->x = core_of(w);
        level->y = core_of(h);
        const AdmCsfWeights weights = adm_csf_float(&csf, s);
        const float hv = o->f1[s] >= 0 ? (float)o->f1[s] : weights.hv;
        level->weight[ADM_H] = level->weight[ADM_V] = hv;
        level->weight[ADM_D] = o->f2[s] >= 0 ? (float)o->f2[s] : weights.d;
    }
}

static int init(Feature *f)
{
    const AdmOptions *o = f->options;
    FloatAdmSetup *setup = f->state = mem_zalloc(sizeof(*setup));
    if (!setup)
        return -ENOMEM;
    if (f->shape.w[0] < 17 || f->shape.h[0] < 17) {
        log_error("%s: a picture of %ux%u is too small: both sides must be 17 or more",
                  f->def->name, f->shape.w[0], f->shape.h[0]);
        return -EINVAL;
    }
    setup->bpc = f->shape.bpc;
    setup->gain_limit = o->gain_limit;
    setup->p_norm = (float)o->p_norm;
    setup->bypass_masking = o->bypass_cm;
    setup->skip_level0 = o->skip_scale0;
    make_levels(f, setup);
    float_dsp_init(&setup->dsp, setup->bpc, f->cpu);
    float_adm_dsp_init(&setup->adm_dsp, f->cpu);
    return float_rows_check_depth(f->def->name, setup->bpc);
}

/* Adds the bands' energies, each as a root above a noise floor. */
static float combine(const float energy[ADM_BANDS], unsigned area, double noise, double p)
{
    const float root = (float)(1.0 / p);
    const float noise_floor = powf((float)(area * noise), root);
    const float h = powf(energy[ADM_H], root) + noise_floor;
    const float v = powf(energy[ADM_V], root) + noise_floor;
    const float d = powf(energy[ADM_D], root) + noise_floor;
    return h + v + d;
}

typedef struct AdmScores {
    float num[ADM_LEVELS], den[ADM_LEVELS];
    double total_num, total_den, adm2, aim, adm3;
} AdmScores;

static void score(const Feature *f, const FloatAdmResult *r, AdmScores *s)
{
    const AdmOptions *o = f->options;
    const FloatAdmSetup *setup = f->state;
    double num = 0.0, den = 0.0, aim_num = 0.0, aim_den = 0.0;
    for (int i = 0; i < ADM_LEVELS; i++) {
        const FloatAdmLevel *l = &setup->level[i];
        const unsigned area = (l->x.end - l->x.begin) * (l->y.end - l->y.begin);
        const bool skipped = i == 0 && o->skip_scale0;
        s->num[i] = skipped ? 0.0f : combine(r->sum[i][ADM_NUM], area, o->noise_weight, o->p_norm);
        s->den[i] =
            skipped ? 1e-10f : combine(r->sum[i][ADM_DEN], area, o->noise_weight, o->p_norm);
        num += s->num[i];
        den += s->den[i];
        if (i == o->skip_aim_scale)
            continue;
        aim_num += skipped ? 0.0f : combine(r->sum[i][ADM_AIM], area, 0.0, o->p_norm);
        aim_den += s->den[i];
    }
    const double smallest =
        1e-10 * (double)plane_area(f->shape.w[0], f->shape.h[0]) / (1920.0 * 1080.0);
    s->total_num = num < smallest ? 0.0 : num;
    s->total_den = den < smallest ? 0.0 : den;
    s->adm2 = 1.0;
    s->aim = 0.0;
    if (s->total_den != 0.0) {
        s->adm2 = s->total_num / s->total_den;
        s->aim = aim_num / aim_den;
        if (!(s->aim < 1.0))
            s->aim = 1.0;
    }
    if (o->apply_hm)
        s->adm3 = 2 * s->adm2 * s->aim / (s->adm2 + s->aim);
    else
        s->adm3 = s->adm2 * o->dlm_weight + (1 - s->aim) * (1 - o->dlm_weight);
    if (!(s->adm3 > o->min_val))
        s->adm3 = o->min_val;
}

static int report(Feature *f, const FrameId *id, const void *result)
{
    const AdmOptions *o = f->options;
    AdmScores s;
    score(f, result, &s);
    const double head[] = { s.adm2, s.aim, s.adm3 };
    const double debug[] = { s.adm2, s.total_num, s.total_den };
    int err = 0;
    for (unsigned i = 0; i < 3 && !err; i++)
        err = feature_emit(f, OUT_ADM2 + i, id->index, head[i]);
    for (unsigned i = 0; i < ADM_LEVELS && !err; i++)
        err = feature_emit(f, OUT_SCALE0 + i, id->index, (double)s.num[i] / (double)s.den[i]);
    for (unsigned i = 0; i < 3 && !err && o->debug; i++)
        err = feature_emit(f, OUT_ADM + i, id->index, debug[i]);
    for (unsigned i = 0; i < ADM_LEVELS && !err && o->debug; i++) {
        err = feature_emit(f, OUT_NUM_SCALE0 + 2 * i, id->index, s.num[i]);
        if (!err)
            err = feature_emit(f, OUT_NUM_SCALE0 + 2 * i + 1, id->index, s.den[i]);
    }
    return err;
}

static const ResultField fields[] = {
    RESULT_FIELD(FloatAdmResult, sum, FIELD_FLOAT),
    { 0 },
};

const FeatureDef feature_float_adm = {
    .name = "float_adm",
    .summary = "detail loss and additive impairment, single precision",
    .options = options,
    .options_size = sizeof(AdmOptions),
    .outputs = outputs,
    .result_size = sizeof(FloatAdmResult),
    .fields = fields,
    .init = init,
    .close = feature_free_state,
    .scratch_create = float_adm_frame_create,
    .scratch_destroy = float_adm_frame_destroy,
    .measure = float_adm_frame_measure,
    .report = report,
    .gpu = &float_adm_gpu,
};
