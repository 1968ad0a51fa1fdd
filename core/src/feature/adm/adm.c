/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/adm/adm.h"

#include <errno.h>
#include <stddef.h>

#include "base/log.h"
#include "base/mem.h"

/* The reference reads outside its bands when a side is smaller. */
#define ADM_MIN_SIDE 17

#define FIELD(name) offsetof(AdmOptions, name)

static const Option adm_options[] = {
    { "debug", NULL, "output the numerators and denominators too", OPTION_BOOL, FIELD(debug), 0, 0,
      1, NULL, false },
    { "adm_csf_mode", "csf", "contrast sensitivity: 0 Watson, 1 Barten, 2 blend, 3 blend by MAE",
      OPTION_INT, FIELD(csf.mode), 0, 0, 3, NULL, true },
    { "adm_csf_scale", "scf", "scale of Barten's horizontal and vertical weights", OPTION_DOUBLE,
      FIELD(csf.scale), 1.0, 0.0, 50.0, NULL, true },
    { "adm_csf_diag_scale", "scfd", "scale of Barten's diagonal weight", OPTION_DOUBLE,
      FIELD(csf.diag_scale), 1.0, 0.0, 50.0, NULL, true },
    { "adm_dlm_weight", "dlmw", "weight of detail loss against added impairment in adm3",
      OPTION_DOUBLE, FIELD(dlm_weight), 0.5, 0.0, 1.0, NULL, true },
    { "adm_enhn_gain_limit", "egl", "how much enhancement still counts as detail", OPTION_DOUBLE,
      FIELD(gain_limit), 100.0, 1.0, 100.0, NULL, true },
    { "adm_norm_view_dist", "nvd", "viewing distance in picture heights", OPTION_DOUBLE,
      FIELD(csf.view_dist), 3.0, 0.75, 24.0, NULL, true },
    { "adm_ref_display_height", "rdh", "height of the display in pixels", OPTION_INT,
      FIELD(csf.display_height), 1080, 1, 4320, NULL, true },
    { "adm_noise_weight", "nw", "noise floor per pixel", OPTION_DOUBLE, FIELD(noise_weight),
      0.03125, 0.0, 1500.0, NULL, true },
    { "adm_min_val", "min", "lower bound of adm3", OPTION_DOUBLE, FIELD(min_val), 0.0, 0.0, 1.0,
      NULL, true },
    { "adm_skip_scale0", "ssz", "leave the finest level out", OPTION_BOOL, FIELD(skip_scale0), 0, 0,
      1, NULL, true },
    { "adm_skip_aim", NULL, "do not compute aim", OPTION_BOOL, FIELD(skip_aim), 0, 0, 1, NULL,
      false },
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
    Adm *const adm = f->state = mem_zalloc(sizeof(*adm));
    if (!adm)
        return -ENOMEM;
    adm_levels_init(adm->level, &f->shape, f->options);
    adm_dsp_init(&adm->dsp, adm->level, f->shape.bpc, f->cpu);
    return 0;
}

static void adm_close(Feature *f)
{
    mem_free(f->state);
    f->state = NULL;
}

static int adm_create_scratch(const Feature *f, void **scratch)
{
    *scratch = adm_scratch_create(f->state);
    return *scratch ? 0 : -ENOMEM;
}

static void adm_destroy_scratch(void *scratch)
{
    adm_scratch_destroy(scratch);
}

static int adm_measure(const Feature *f, void *scratch, const FramePair *pair, void *result,
                       Team *team)
{
    const AdmOptions *const options = f->options;
    /* Closer than three heights of 1080 lines the weights leave the range of the fixed point. It is
     * an error of each frame, not of the options, because the reference reports it so. */
    if (options->csf.view_dist * options->csf.display_height < 3.0 * 1080.0) {
        log_error("adm: adm_norm_view_dist times adm_ref_display_height must be 3240 or more");
        return -EINVAL;
    }
    adm_sweep(f->state, options, scratch, pair->ref, pair->dist, result, team);
    return 0;
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
    const Adm *const adm = f->state;
    const AdmOptions *const options = f->options;
    const AdmScores s = adm_scores(adm->level, options, &f->shape, result);

    int err = feature_emit(f, OUT_ADM2, id->index, s.adm2);
    err |= feature_emit(f, OUT_AIM, id->index, s.aim);
    err |= feature_emit(f, OUT_ADM3, id->index, s.adm3);
    for (int i = 0; i < ADM_LEVELS; i++)
        err |= feature_emit(f, OUT_SCALE0 + i, id->index, s.num_scale[i] / s.den_scale[i]);
    if (options->debug)
        err |= emit_debug(f, id, &s);
    return err ? -EINVAL : 0;
}

const FeatureDef feature_adm = {
    .name = "adm",
    .summary = "detail loss and added impairment, fixed point",
    .options = adm_options,
    .options_size = sizeof(AdmOptions),
    .outputs = adm_outputs,
    .result_size = sizeof(AdmResult),
    .init = adm_init,
    .close = adm_close,
    .scratch_create = adm_create_scratch,
    .scratch_destroy = adm_destroy_scratch,
    .measure = adm_measure,
    .report = adm_report,
    .gpu = &adm_gpu,
};
