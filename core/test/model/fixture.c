/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/feature.h"
#include "base/log.h"

typedef struct GainOptions {
    double gain_limit;
} GainOptions;

#define GAIN_OPTIONS(full_name)                                                                    \
    {                                                                                              \
        DOUBLE_OPTION(GainOptions, gain_limit, full_name, "egl", 100, 1, 100, NULL), { 0 },        \
    }

static const Option adm_options[] = GAIN_OPTIONS("adm_enhn_gain_limit");
static const Option vif_options[] = GAIN_OPTIONS("vif_enhn_gain_limit");

static const FeatureDef adm = {
    .name = "adm",
    .options = adm_options,
    .options_size = sizeof(GainOptions),
    .outputs = (const FeatureOutput[]){ { .name = ADM2 }, { .name = ADM3 }, { .name = NULL } },
};
static const FeatureDef vif = {
    .name = "vif",
    .options = vif_options,
    .options_size = sizeof(GainOptions),
    .outputs = (const FeatureOutput[]){ { .name = "VMAF_integer_feature_vif_scale0_score" },
                                        { .name = "VMAF_integer_feature_vif_scale1_score" },
                                        { .name = "VMAF_integer_feature_vif_scale2_score" },
                                        { .name = "VMAF_integer_feature_vif_scale3_score" },
                                        { .name = NULL } },
};
static const FeatureDef motion = {
    .name = "motion",
    .outputs = (const FeatureOutput[]){ { .name = MOTION2 },
                                        { .name = "VMAF_integer_feature_motion3_score" },
                                        { .name = NULL } },
};
static const FeatureDef cambi = {
    .name = "cambi",
    .outputs = (const FeatureOutput[]){ { .name = "Cambi_feature_cambi_score" }, { .name = NULL } },
};
static const FeatureDef speed_chroma = {
    .name = "speed_chroma",
    .outputs = (const FeatureOutput[]){ { .name = CHROMA }, { .name = NULL } },
};

/* Stands in for the library's own: these tests are about models, whatever the features are. */
const FeatureDef *const feature_registry[] = { &adm, &vif, &motion, &cambi, &speed_chroma, NULL };

static const char *const good_model[][2] = {
    { "model_type", "\"LIBSVMNUSVR\"" },
    { "norm_type", "\"linear_rescale\"" },
    { "feature_names", "[\"" ADM2 "\", \"" MOTION2 "\"]" },
    { "feature_opts_dicts", "[{\"adm_enhn_gain_limit\": 1.50}, {}]" },
    { "slopes", "[0.0125, 2.75, 0.0625]" },
    { "intercepts", "[-0.25, -1.75, -0.125]" },
    { "score_clip", "[0, 100]" },
    { "score_transform", "{\"p0\": 1.5, \"p1\": 1.25, \"knots\": [[0, 0], [100, 90]]}" },
    { "model", "\"" SVM "\"" },
};

#define TEXT_SIZE 8192

static void append(char *text, const char *more)
{
    assert_true(strlen(text) + strlen(more) < TEXT_SIZE);
    strcat(text, more);
}

static void append_member(char *text, const char *key, const char *json)
{
    if (text[strlen(text) - 1] != '{')
        append(text, ",\n");
    append(text, "\"");
    append(text, key);
    append(text, "\": ");
    append(text, json);
}

char *model_text_with(const char *key, const char *json)
{
    char *text = malloc(TEXT_SIZE);
    assert_non_null(text);
    strcpy(text, "{\"model_dict\": {");
    bool placed = !key;
    for (size_t i = 0; i < sizeof(good_model) / sizeof(*good_model); i++) {
        const bool same = key && !strcmp(key, good_model[i][0]);
        placed |= same;
        if (!same || json)
            append_member(text, good_model[i][0], same ? json : good_model[i][1]);
    }
    if (!placed && json)
        append_member(text, key, json);
    append(text, "}}");
    return text;
}

static void write_file(char *path, const char *text, size_t size)
{
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

#define TEMPORARY "model_test_XXXXXX"

int load_text(VmafModel **model, VmafModelConfig *cfg, const char *text, size_t size)
{
    char path[] = TEMPORARY;
    write_file(path, text, size);
    const int err = vmaf_model_load_from_path(model, cfg, path);
    remove(path);
    return err;
}

int load_collection_text(VmafModel **model, VmafModelCollection **collection, VmafModelConfig *cfg,
                         const char *text, size_t size)
{
    char path[] = TEMPORARY;
    write_file(path, text, size);
    const int err = vmaf_model_collection_load_from_path(model, collection, cfg, path);
    remove(path);
    return err;
}

int load_either_text(VmafModel **model, VmafModelCollection **collection, VmafModelConfig *cfg,
                     const char *text, size_t size)
{
    char path[] = TEMPORARY;
    write_file(path, text, size);
    const int err = vmaf_model_or_collection_load_from_path(model, collection, cfg, path);
    remove(path);
    return err;
}

static bool has_the_same_exp(void)
{
#if defined(__GLIBC__) && defined(__x86_64__)
    return __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

void assert_score(double score, double expected)
{
    const double bound = has_the_same_exp() ? 0.0 : 1e-9;
    if (!(fabs(score - expected) <= bound))
        fail_msg("%.17g, not %.17g", score, expected);
}

int quiet(void **state)
{
    log_set_level(VMAF_LOG_LEVEL_NONE);
    return 0;
}
