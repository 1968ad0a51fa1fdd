/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/adm/adm.h"

#include <errno.h>
#include <math.h>

#include "base/log.h"
#include "base/mem.h"

/* The reference reads outside its bands when a side is smaller. */
#define ADM_MIN_SIDE 17

static const Option adm_options[] = {
    BOOL_OPTION(AdmOptions, debug, "debug", NULL, false,
                "output the numerators and denominators too"),
    INT_OPTION(AdmOptions, csf.mode, "adm_csf_mode", "csf", 0, 0, 3,
               "contrast sensitivity: 0 Watson, 1 Barten, 2 blend, 3 blend by MAE"),
    DOUBLE_OPTION(AdmOptions, csf.scale, "adm_csf_scale", "scf", 1.0, 0.0, 50.0,
                  "scale of Barten's horizontal and vertical weights"),
    DOUBLE_OPTION(AdmOptions, csf.diag_scale, "adm_csf_diag_scale", "scfd", 1.0, 0.0, 50.0,
                  "scale of Barten's diagonal weight"),
    DOUBLE_OPTION(AdmOptions, dlm_weight, "adm_dlm_weight", "dlmw", 0.5, 0.0, 1.0,
                  "weight of detail loss against added impairment in adm3"),
    DOUBLE_OPTION(AdmOptions, gain_limit, "adm_enhn_gain_limit", "egl", 100.0, 1.0, 100.0,
                  "upper limit of the enhancement gain"),
    DOUBLE_OPTION(AdmOptions, csf.view_dist, "adm_norm_view_dist", "nvd", 3.0, 0.75, 24.0,
                  "viewing distance in picture heights"),
    DOUBLE_OPTION(AdmOptions, extra_view_dist, "adm_norm_view_dist_extra", NULL, 0.0, 0.0, 24.0,
                  "second viewing distance, for scores of its own; 0: none"),
    INT_OPTION(AdmOptions, csf.display_height, "adm_ref_display_height", "rdh", 1080, 1, 4320,
               "height of the display in pixels"),
    DOUBLE_OPTION(AdmOptions, noise_weight, "adm_noise_weight", "nw", 0.03125, 0.0, 1500.0,
                  "noise floor per pixel"),
    DOUBLE_OPTION(AdmOptions, min_val, "adm_min_val", "min", 0.0, 0.0, 1.0, "lower bound of adm3"),
    BOOL_OPTION(AdmOptions, skip_scale0, "adm_skip_scale0", "ssz", false, "skip the finest level"),
    BOOL_OPTION(AdmOptions, skip_aim, "adm_skip_aim", NULL, false, "do not compute aim"),
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
    OUT_NUM_SCALE0,
};

static const FeatureOutput adm_outputs[] = {
    { .name = "VMAF_integer_feature_adm2_score", .help = "detail preserved, 1 for all of it" },
    { .name = "VMAF_integer_feature_aim_score", .help = "impairment added, 0 for none" },
    { .name = "VMAF_integer_feature_adm3_score", .help = "adm2 and aim together" },
    { .name = "integer_adm_scale0", .help = "adm2 of the finest level" },
    { .name = "integer_adm_scale1" },
    { .name = "integer_adm_scale2" },
    { .name = "integer_adm_scale3" },
    { .name = "integer_adm", .help = "adm2 again (debug)", .extra = true },
    { .name = "integer_adm_num", .extra = true },
    { .name = "integer_adm_den", .extra = true },
    { .name = "integer_adm_num_scale0", .extra = true },
    { .name = "integer_adm_den_scale0", .extra = true },
    { .name = "integer_adm_num_scale1", .extra = true },
    { .name = "integer_adm_den_scale1", .extra = true },
    { .name = "integer_adm_num_scale2", .extra = true },
    { .name = "integer_adm_den_scale2", .extra = true },
    { .name = "integer_adm_num_scale3", .extra = true },
    { .name = "integer_adm_den_scale3", .extra = true },
    { 0 },
};

static int adm_init(Feature *f)
{
    if (f->shape.w[0] < ADM_MIN_SIDE || f->shape.h[0] < ADM_MIN_SIDE) {
        log_error("adm: the picture is %ux%u, and each side must have %d pixels or more",
                  f->shape.w[0], f->shape.h[0], ADM_MIN_SIDE);
        return -EINVAL;
    }
    AdmSetup *const setup = f->state = mem_zalloc(sizeof(*setup));
    if (!setup)
        return -ENOMEM;
    atomic_flag_clear(&setup->logged);
    adm_levels_init(setup->level, &f->shape, f->options);
    adm_dsp_init(&setup->dsp, setup->level, f->shape.bpc, f->cpu);
    return 0;
}

/* At distances below three picture heights of 1080 lines, weights exceed the range of the
 * fixed-point numbers. */
static bool is_too_close(const AdmCsf *csf)
{
    return csf->view_dist * csf->display_height < 3.0 * 1080.0;
}

/* True if the features differ only in steps after the transform: contrast sensitivity, and how
 * scores are computed from sums. */
static bool can_join(const Feature *f, const Feature *other)
{
    const AdmOptions *const a = f->options, *const b = other->options;
    return a->gain_limit == b->gain_limit && a->skip_scale0 == b->skip_scale0 &&
           a->skip_aim == b->skip_aim && !is_too_close(&a->csf) && !is_too_close(&b->csf);
}

static int measure_all(const Feature *f, void *scratch, const FramePair *pair, void *const *results,
                       Team *team)
{
    const AdmOptions *const options = f->options;
    AdmSetup *const setup = f->state;
    /* This is an error of each frame, not of the options, because the reference reports it that
     * way. With threads, several frames are under way before the caller sees the error; it is
     * logged once. */
    if (is_too_close(&options->csf)) {
        if (!atomic_flag_test_and_set(&setup->logged))
            log_error("adm: adm_norm_view_dist times adm_ref_display_height must be 3240 or more");
        return -EINVAL;
    }
    adm_frame_measure(scratch, setup, options, pair->ref, pair->dist, results, team);
    return 0;
}

static int measure(const Feature *f, void *scratch, const FramePair *pair, void *result, Team *team)
{
    return measure_all(f, scratch, pair, &result, team);
}

/* ---- Scores, from the sums of any backend */

typedef struct AdmScores {
    double adm2, aim, adm3;
    double num, den;
    double num_scale[ADM_LEVELS], den_scale[ADM_LEVELS];
} AdmScores;

/* Adds the cube roots of the bands' energies, each above the same noise floor, all in single
 * precision. */
static float combine(const float energy[ADM_BANDS], const AdmLevel *l, double noise)
{
    const float third = 1.0f / 3.0f;
    const int area = (l->right - l->left) * (l->bottom - l->top);
    const float floor_level = powf((float)(area * noise), third);
    float root[ADM_BANDS];
    for (int b = 0; b < ADM_BANDS; b++)
        root[b] = powf(energy[b], third) + floor_level;
    return root[ADM_H] + root[ADM_V] + root[ADM_D];
}

static float masked_energy(const AdmLevel *l, bool fine, const int64_t sum[ADM_BANDS], double noise)
{
    float energy[ADM_BANDS];
    for (int b = 0; b < ADM_BANDS; b++) {
        /* Coarse sums are converted to single precision directly, fine ones by way of double. */
        if (fine)
            energy[b] = (float)((double)sum[b] / exp2(l->scale[b]));
        else
            energy[b] = (float)sum[b] / exp2f((float)l->scale[b]);
    }
    return combine(energy, l, noise);
}

static float plain_energy(const AdmLevel *l, const int64_t sum[ADM_BANDS], double noise)
{
    float energy[ADM_BANDS];
    for (int b = 0; b < ADM_BANDS; b++) {
        const double weight = b == ADM_D ? l->weight.d : l->weight.hv;
        energy[b] = (float)((double)sum[b] / exp2(l->plain_scale) * pow(weight, 3.0));
    }
    return combine(energy, l, noise);
}

static AdmScores adm_scores(const AdmLevel level[ADM_LEVELS], const AdmOptions *options,
                            const FrameShape *shape, const AdmResult *result)
{
    AdmScores s = { 0 };
    double aim_num = 0.0;

    for (int i = 0; i < ADM_LEVELS; i++) {
        const AdmLevel *const l = &level[i];
        const AdmSums *const sums = &result->level[i];
        if (i == 0 && options->skip_scale0) {
            s.den_scale[i] = 1e-10f;
        } else {
            s.num_scale[i] = masked_energy(l, i == 0, sums->num, options->noise_weight);
            s.den_scale[i] = plain_energy(l, sums->den, options->noise_weight);
            if (!options->skip_aim)
                aim_num += masked_energy(l, i == 0, sums->aim, 0.0);
        }
        s.num += s.num_scale[i];
        s.den += s.den_scale[i];
    }

    const double limit = 1e-10 * ((double)shape->w[0] * shape->h[0]) / (1920.0 * 1080.0);
    s.num = s.num < limit ? 0.0 : s.num;
    s.den = s.den < limit ? 0.0 : s.den;
    s.adm2 = s.den == 0.0 ? 1.0 : s.num / s.den;
    s.aim = s.den == 0.0 ? 0.0 : aim_num / s.den;

    const double mixed = s.adm2 * options->dlm_weight + (1.0 - s.aim) * (1.0 - options->dlm_weight);
    s.adm3 = mixed > options->min_val ? mixed : options->min_val;
    return s;
}

static int emit_debug(Feature *f, const FrameId *id, const AdmScores *s)
{
    int err = feature_emit(f, OUT_ADM, id->index, s->adm2);
    err |= feature_emit(f, OUT_NUM, id->index, s->num);
    err |= feature_emit(f, OUT_DEN, id->index, s->den);
    for (int i = 0; i < ADM_LEVELS; i++) {
        err |= feature_emit(f, OUT_NUM_SCALE0 + 2 * i, id->index, s->num_scale[i]);
        err |= feature_emit(f, OUT_NUM_SCALE0 + 2 * i + 1, id->index, s->den_scale[i]);
    }
    return err ? -EINVAL : 0;
}

static int adm_report(Feature *f, const FrameId *id, const void *result)
{
    const AdmSetup *const setup = f->state;
    const AdmOptions *const options = f->options;
    const AdmScores s = adm_scores(setup->level, options, &f->shape, result);

    int err = feature_emit(f, OUT_ADM2, id->index, s.adm2);
    err |= feature_emit(f, OUT_AIM, id->index, s.aim);
    err |= feature_emit(f, OUT_ADM3, id->index, s.adm3);
    for (int i = 0; i < ADM_LEVELS; i++)
        err |= feature_emit(f, OUT_SCALE0 + i, id->index, s.num_scale[i] / s.den_scale[i]);
    if (options->debug)
        err |= emit_debug(f, id, &s);
    return err ? -EINVAL : 0;
}

/* ---- Maps: a layer for each level; the map's measure sees them numbered by level */

static unsigned first_level(const Feature *f)
{
    return ((const AdmOptions *)f->options)->skip_scale0 ? 1 : 0;
}

static unsigned map_layers(const Feature *f, MapLayer *layers)
{
    const AdmSetup *const setup = f->state;
    unsigned count = 0;
    for (unsigned i = first_level(f); i < ADM_LEVELS; i++) {
        const AdmLevel *const l = &setup->level[i];
        const unsigned step = 2u << i;
        layers[count++] = (MapLayer){
            .output = OUT_SCALE0 + i,
            .w = (unsigned)(l->right - l->left),
            .h = (unsigned)(l->bottom - l->top),
            .terms = ADM_TERMS,
            .left = (unsigned)l->left * step,
            .top = (unsigned)l->top * step,
            .step_x = step,
            .step_y = step,
            .best = 1.0,
            .worst = 0.0,
        };
    }
    return count;
}

static int map_measure(const Feature *f, void *scratch, const FramePair *pair, MapLayer *layers)
{
    AdmResult unused;
    MapLayer of_level[ADM_LEVELS] = { 0 };
    for (unsigned i = first_level(f); i < ADM_LEVELS; i++)
        of_level[i] = *layers++;
    adm_frame_map(scratch, of_level);
    const int err = measure(f, scratch, pair, &unused, NULL);
    adm_frame_map(scratch, NULL);
    return err;
}

static int map_sum(const Feature *f, const MapLayer *layers, void *result)
{
    const AdmSetup *const setup = f->state;
    AdmResult *const r = result;
    for (unsigned i = first_level(f); i < ADM_LEVELS; i++)
        adm_map_sum(&setup->level[i], layers++, &r->level[i]);
    return 0;
}

/* The formula of adm_scale0 for a core that has these cells only. Their sums are not rounded by
 * rows, so they stand for less by that shift. */
static double map_value(const Feature *f, unsigned layer, const double *terms, double cells)
{
    const AdmOptions *const options = f->options;
    const unsigned i = first_level(f) + layer;
    AdmLevel l = ((const AdmSetup *)f->state)->level[i];
    int64_t num[ADM_BANDS], den[ADM_BANDS];
    for (unsigned b = 0; b < ADM_BANDS; b++) {
        num[b] = (int64_t)terms[ADM_TERM_NUM + b];
        den[b] = (int64_t)terms[ADM_TERM_DEN + b];
        l.scale[b] += l.row;
    }
    l.plain_scale += l.plain_row;
    l.left = l.top = 0;
    l.right = (int)cells;
    l.bottom = 1;
    return masked_energy(&l, i == 0, num, options->noise_weight) /
           plain_energy(&l, den, options->noise_weight);
}

static const FeatureMap adm_map = {
    .layers = map_layers,
    .measure = map_measure,
    .sum = map_sum,
    .value = map_value,
};

static const ResultField fields[] = {
    RESULT_FIELD(AdmResult, level, FIELD_I64),
    { 0 },
};

const FeatureDef feature_adm = {
    .name = "adm",
    .summary = "detail loss and added impairment, fixed point",
    .options = adm_options,
    .options_size = sizeof(AdmOptions),
    .outputs = adm_outputs,
    .result_size = sizeof(AdmResult),
    .fields = fields,
    .init = adm_init,
    .close = feature_free_state,
    .scratch_create = adm_frame_create,
    .scratch_destroy = adm_frame_destroy,
    .measure = measure,
    .can_join = can_join,
    .measure_all = measure_all,
    .report = adm_report,
    .again = "adm_norm_view_dist_extra",
    .instead = "adm_norm_view_dist",
    .gpu = &adm_gpu,
    .map = &adm_map,
};
