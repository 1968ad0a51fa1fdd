/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The functions of libvmaf/inspect.h and libvmaf/report.h, as a host program uses them. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libvmaf/inspect.h>
#include <libvmaf/report.h>

#include "clip.h"
#include "testing.h"

static unsigned find(const char *name)
{
    unsigned index = 12345;
    assert_int_equal(vmaf_extractor_find(name, &index), 0);
    return index;
}

static VmafExtractorInfo extractor(const char *name)
{
    VmafExtractorInfo info = { .size = sizeof(info) };
    assert_int_equal(vmaf_extractor_info(find(name), &info), 0);
    return info;
}

static VmafOptionInfo option(const char *extractor_name, const char *name)
{
    VmafOptionInfo info = { .size = sizeof(info) };
    for (unsigned i = 0; !vmaf_extractor_option(find(extractor_name), i, &info); i++)
        if (!strcmp(info.name, name))
            return info;
    fail_msg("%s has no option %s", extractor_name, name);
    return info;
}

/* Every extractor can be registered under its name, and is found where it was listed. */
static void extractors_are_listed(void **state)
{
    VmafContext *vmaf;
    VmafExtractorInfo info = { .size = sizeof(info) };
    unsigned count = 0;
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ 0 }), 0);
    for (; !vmaf_extractor_info(count, &info); count++) {
        assert_int_equal(info.size, sizeof(info));
        assert_int_equal(find(info.name), count);
        assert_non_null(info.summary);
        assert_true(info.planes == 1 || info.planes == 7);
        assert_int_equal(vmaf_use_feature(vmaf, info.name, NULL), 0);
    }
    assert_true(count > 15);
    assert_int_equal(vmaf_extractor_info(count, &info), -ENOENT);
    assert_int_equal(vmaf_extractor_info(-1, &info), -ENOENT);
    vmaf_close(vmaf);
}

static void extractors_have_summaries(void **state)
{
    const VmafExtractorInfo vif = extractor("vif"), psnr = extractor("psnr");
    assert_string_equal(vif.name, "vif");
    assert_int_equal(vif.planes, 1);
    assert_int_equal(psnr.planes, 7);
    assert_true(vif.has_gpu_code);
    assert_true(vif.has_map);
    assert_int_equal(find("vif_vulkan"), find("vif"));
    unsigned index = 7;
    assert_int_equal(vmaf_extractor_find("nope", &index), -ENOENT);
    assert_int_equal(index, 7);
}

static void options_are_listed(void **state)
{
    const VmafOptionInfo limit = option("vif", "vif_enhn_gain_limit");
    assert_int_equal(limit.type, VMAF_OPTION_DOUBLE);
    assert_string_equal(limit.short_name, "egl");
    assert_true(limit.default_number == 100.0 && limit.min == 1.0 && limit.max == 100.0);
    assert_true(limit.in_metric_names);
    assert_non_null(limit.help);

    const VmafOptionInfo chroma = option("psnr", "enable_chroma");
    assert_int_equal(chroma.type, VMAF_OPTION_BOOL);
    assert_true(chroma.default_number == 1.0);
    assert_false(chroma.in_metric_names);

    assert_int_equal(option("adm", "adm_csf_mode").type, VMAF_OPTION_INT);
    assert_int_equal(option("cambi", "heatmaps_path").type, VMAF_OPTION_STRING);
    assert_null(option("cambi", "heatmaps_path").default_text);
}

/* The counts are those of the lists. */
static void lists_end_at_their_count(void **state)
{
    VmafExtractorInfo info = { .size = sizeof(info) };
    VmafOptionInfo option_info = { .size = sizeof(option_info) };
    VmafMetricInfo metric = { .size = sizeof(metric) };
    for (unsigned i = 0; !vmaf_extractor_info(i, &info); i++) {
        unsigned n = 0;
        while (!vmaf_extractor_option(i, n, &option_info))
            n++;
        assert_int_equal(n, info.option_count);
        assert_int_equal(vmaf_extractor_option(i, n, &option_info), -ENOENT);
        for (n = 0; !vmaf_extractor_metric(i, n, &metric); n++) {
            assert_true(*metric.name);
            assert_true(*metric.short_name);
        }
        assert_int_equal(n, info.metric_count);
        assert_int_equal(vmaf_extractor_metric(i, n, &metric), -ENOENT);
    }
    assert_int_equal(vmaf_extractor_option(9999, 0, &option_info), -ENOENT);
    assert_int_equal(vmaf_extractor_metric(9999, 0, &metric), -ENOENT);
}

/* Other programs' names lead to extractors that exist, and no extractor has such a name. */
static void names_elsewhere_lead_here(void **state)
{
    assert_string_equal(vmaf_extractor_elsewhere("ssimu2"), "ssimulacra2");
    assert_string_equal(vmaf_extractor_elsewhere("SSIMULACRA-2"), "ssimulacra2");
    assert_string_equal(vmaf_extractor_elsewhere("MS-SSIM"), "float_ms_ssim");
    assert_string_equal(vmaf_extractor_elsewhere("integer_ssim"), "ssim");
    static const char *const none[] = { "", "ssimu", "ssimu22", "xpsnr", "nope" };
    for (size_t i = 0; i < COUNT(none); i++)
        assert_null(vmaf_extractor_elsewhere(none[i]));
    assert_null(vmaf_extractor_elsewhere(NULL));
    VmafExtractorInfo info = { .size = sizeof(info) };
    for (unsigned i = 0; !vmaf_extractor_info(i, &info); i++)
        assert_null(vmaf_extractor_elsewhere(info.name));
}

/* Figures about the whole clip exist once the context is flushed. */
static void figures_of_the_clip_are_listed(void **state)
{
    static const char *const wanted[] = { "axpsnr_y", "axpsnr_u", "axpsnr_v" };
    VmafContext *vmaf;
    VmafPicture ref, dist;
    const char *name = NULL;
    double value = 0.0;
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ 0 }), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "xpsnr", NULL), 0);
    assert_int_equal(clip_alloc(&ref, 64, 48, 0, 0), 0);
    assert_int_equal(clip_alloc(&dist, 64, 48, 0, 1), 0);
    assert_int_equal(vmaf_read_pictures(vmaf, &ref, &dist, 0), 0);
    assert_int_equal(vmaf_aggregate_metric(vmaf, 0, &name, &value), -ENOENT);
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    for (unsigned i = 0; i < COUNT(wanted); i++) {
        double score;
        assert_int_equal(vmaf_aggregate_metric(vmaf, i, &name, &value), 0);
        assert_string_equal(name, wanted[i]);
        /* the clip has one frame, so this is its score */
        assert_int_equal(vmaf_feature_score_at_index(vmaf, wanted[i] + 1, &score, 0), 0);
        assert_true(value == score);
    }
    assert_int_equal(vmaf_aggregate_metric(vmaf, COUNT(wanted), &name, &value), -ENOENT);
    assert_int_equal(vmaf_aggregate_metric(NULL, 0, &name, &value), -EINVAL);
    assert_int_equal(vmaf_aggregate_metric(vmaf, 0, NULL, &value), -EINVAL);
    assert_int_equal(vmaf_aggregate_metric(vmaf, 0, &name, NULL), -EINVAL);
    vmaf_close(vmaf);
}

/* A metric can be asked for by either of its names. */
static void metrics_have_both_names(void **state)
{
    VmafContext *vmaf;
    VmafPicture ref, dist;
    VmafMetricInfo metric = { .size = sizeof(metric) };
    double by_name, by_short_name;
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ 0 }), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "vif", NULL), 0);
    assert_int_equal(clip_alloc(&ref, 64, 48, 0, 0), 0);
    assert_int_equal(clip_alloc(&dist, 64, 48, 0, 1), 0);
    assert_int_equal(vmaf_read_pictures(vmaf, &ref, &dist, 0), 0);
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    assert_int_equal(vmaf_extractor_metric(find("vif"), 0, &metric), 0);
    assert_string_equal(metric.name, "VMAF_integer_feature_vif_scale0_score");
    assert_string_equal(metric.short_name, "integer_vif_scale0");
    assert_int_equal(vmaf_feature_score_at_index(vmaf, metric.name, &by_name, 0), 0);
    assert_int_equal(vmaf_feature_score_at_index(vmaf, metric.short_name, &by_short_name, 0), 0);
    assert_true(by_name == by_short_name);
    vmaf_close(vmaf);
}

static void builtin_models_are_listed(void **state)
{
    VmafBuiltinModelInfo info = { .size = sizeof(info) };
    const void *walk = NULL;
    const char *name;
    unsigned count = 0;
    for (; (walk = vmaf_model_version_next(walk, &name)); count++) {
        VmafModel *model = NULL;
        VmafModelCollection *collection = NULL;
        VmafModelConfig cfg = { 0 };
        assert_int_equal(vmaf_builtin_model_info(count, &info), 0);
        assert_string_equal(info.name, name);
        assert_true(*info.summary);
        if (info.is_collection)
            assert_int_equal(vmaf_model_collection_load(&model, &collection, &cfg, name), 0);
        else
            assert_int_equal(vmaf_model_load(&model, &cfg, name), 0);
        vmaf_model_destroy(model);
        vmaf_model_collection_destroy(collection);
    }
    assert_int_equal(vmaf_builtin_model_info(count, &info), -ENOENT);
}

static void models_show_their_contents(void **state)
{
    VmafModel *model = NULL;
    VmafModelConfig cfg = { .name = "mine" };
    VmafModelInfo info = { .size = sizeof(info) };
    VmafModelFeatureInfo feature = { .size = sizeof(feature) };
    const char *name = NULL, *value = NULL;
    assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1neg"), 0);
    assert_int_equal(vmaf_model_info(model, &info), 0);
    assert_string_equal(info.name, "mine");
    assert_string_equal(info.source, "vmaf_v0.6.1neg");
    assert_int_equal(info.feature_count, 6);

    assert_int_equal(vmaf_model_feature(model, 0, &feature), 0);
    assert_string_equal(feature.metric, "VMAF_integer_feature_adm2_score");
    assert_string_equal(feature.extractor, "adm");
    assert_int_equal(feature.option_count, 1);
    assert_int_equal(vmaf_model_feature_option(model, 0, 0, &name, &value), 0);
    assert_string_equal(name, "adm_enhn_gain_limit");
    assert_string_equal(value, "1");
    assert_int_equal(vmaf_model_feature_option(model, 0, 1, &name, &value), -ENOENT);

    assert_int_equal(vmaf_model_feature(model, 1, &feature), 0);
    assert_string_equal(feature.extractor, "motion");
    assert_int_equal(feature.option_count, 0);
    assert_int_equal(vmaf_model_feature_option(model, 1, 0, &name, &value), -ENOENT);
    assert_int_equal(vmaf_model_feature(model, 6, &feature), -ENOENT);
    assert_int_equal(vmaf_model_feature_option(model, 6, 0, &name, &value), -ENOENT);
    vmaf_model_destroy(model);
}

static void overloads_show(void **state)
{
    VmafModel *model = NULL;
    VmafModelConfig cfg = { 0 };
    VmafFeatureDictionary *dict = NULL;
    const char *name, *value;
    assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1"), 0);
    assert_int_equal(vmaf_model_feature_option(model, 0, 0, &name, &value), -ENOENT);
    assert_int_equal(vmaf_feature_dictionary_set(&dict, "adm_enhn_gain_limit", "1.20"), 0);
    assert_int_equal(vmaf_model_feature_overload(model, "adm", dict), 0);
    assert_int_equal(vmaf_model_feature_option(model, 0, 0, &name, &value), 0);
    assert_string_equal(name, "adm_enhn_gain_limit");
    assert_string_equal(value, "1.2");
    vmaf_model_destroy(model);
}

/* Features in the order of their registration, each once. */
static void registered_features_show_where_they_run(void **state)
{
    static const char *const expected[] = { "adm", "motion", "vif", "psnr" };
    VmafContext *vmaf;
    VmafModel *model = NULL;
    VmafModelConfig cfg = { 0 };
    VmafFeatureInfo info = { .size = sizeof(info) };
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ 0 }), 0);
    assert_int_equal(vmaf_feature_info(vmaf, 0, &info), -ENOENT);
    assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1"), 0);
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    for (unsigned i = 0; i < COUNT(expected); i++) {
        assert_int_equal(vmaf_feature_info(vmaf, i, &info), 0);
        assert_string_equal(info.extractor, expected[i]);
        assert_string_equal(info.backend, "cpu");
        assert_null(info.device);
    }
    assert_int_equal(vmaf_feature_info(vmaf, COUNT(expected), &info), -ENOENT);
    vmaf_model_destroy(model);
    vmaf_close(vmaf);
}

/* Names show the options, and every metric is listed, whether it is computed or not. */
static void registered_features_show_their_metrics(void **state)
{
    static const struct {
        unsigned feature, index;
        const char *name, *short_name;
    } expected[] = {
        { 0, 0, "VMAF_integer_feature_vif_scale0_score", "integer_vif_scale0" },
        { 1, 0, "integer_vif_scale0_egl_1", "integer_vif_scale0_egl_1" },
        { 2, 2, "psnr_cb", "psnr_cb" },
    };
    VmafContext *vmaf;
    VmafFeatureDictionary *dict = NULL;
    VmafMetricInfo info = { .size = sizeof(info) };
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ 0 }), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "vif", NULL), 0);
    assert_int_equal(vmaf_feature_dictionary_set(&dict, "vif_enhn_gain_limit", "1"), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "vif", dict), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    for (unsigned i = 0; i < COUNT(expected); i++) {
        assert_int_equal(vmaf_feature_metric(vmaf, expected[i].feature, expected[i].index, &info),
                         0);
        assert_string_equal(info.name, expected[i].name);
        assert_string_equal(info.short_name, expected[i].short_name);
    }
    assert_int_equal(vmaf_feature_metric(vmaf, 3, 0, &info), -ENOENT);
    assert_int_equal(vmaf_feature_metric(vmaf, 0, 1000, &info), -ENOENT);
    vmaf_close(vmaf);
}

/* Scores a clip with the default model, asking for scores as they come, or not, and reads the
 * report. */
static void score_while_asking(bool asking, unsigned threads, char *text, size_t size)
{
    enum { PAIRS = 6 };
    VmafContext *vmaf;
    VmafModel *model = NULL;
    VmafModelConfig cfg = { .name = "vmaf" };
    double score, again;
    unsigned ready = 0;
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ .n_threads = threads }), 0);
    assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1"), 0);
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    for (unsigned i = 0; i < PAIRS; i++) {
        VmafPicture pair[2];
        for (int side = 0; side < 2; side++) {
            assert_int_equal(vmaf_picture_alloc(&pair[side], VMAF_PIX_FMT_YUV420P, 8, 64, 64), 0);
            clip_fill(&pair[side], i, side);
        }
        assert_int_equal(vmaf_read_pictures(vmaf, &pair[0], &pair[1], i), 0);
        int err = 0;
        while (asking && !(err = vmaf_score_if_ready(vmaf, model, ready, &score)))
            ready++;
        assert_true(!asking || (err == -EAGAIN && ready <= i + 1));
    }
    if (asking && !threads) /* the motion of a frame is known with the next one */
        assert_int_equal(ready, PAIRS - 1);
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    for (unsigned i = 0; asking && i < PAIRS; i++) {
        assert_int_equal(vmaf_score_if_ready(vmaf, model, i, &score), 0);
        assert_int_equal(vmaf_score_at_index(vmaf, model, &again, i), 0);
        assert_true(score == again);
    }
    assert_int_equal(vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, PAIRS - 1),
                     0);
    assert_int_equal(vmaf_write_output(vmaf, "asked.csv", VMAF_OUTPUT_FORMAT_CSV), 0);
    FILE *const file = fopen("asked.csv", "r");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    unlink("asked.csv");
    vmaf_model_destroy(model);
    vmaf_close(vmaf);
}

static void asking_for_scores_early_changes_no_report(void **state)
{
    static char plain[1 << 14], asked[1 << 14];
    score_while_asking(false, 0, plain, sizeof(plain));
    for (unsigned threads = 0; threads < 3; threads++) {
        score_while_asking(true, threads, asked, sizeof(asked));
        assert_string_equal(asked, plain);
    }
}

/* A program built against other headers gets the fields it knows, and not a byte more. */
static void sizes_are_kept_to(void **state)
{
    struct {
        VmafExtractorInfo info;
        unsigned char after[32];
    } later;
    memset(&later, 0x5a, sizeof(later));
    later.info.size = sizeof(later);
    assert_int_equal(vmaf_extractor_info(0, &later.info), 0);
    assert_int_equal(later.info.size, sizeof(later));
    for (unsigned i = 0; i < sizeof(later.after); i++)
        assert_int_equal(later.after[i], 0x5a);

    VmafExtractorInfo earlier;
    memset(&earlier, 0x5a, sizeof(earlier));
    earlier.size = offsetof(VmafExtractorInfo, summary);
    VmafExtractorInfo full = { .size = sizeof(full) };
    assert_int_equal(vmaf_extractor_info(0, &full), 0);
    assert_int_equal(vmaf_extractor_info(0, &earlier), 0);
    assert_ptr_equal(earlier.name, full.name);
    const unsigned char *const beyond = (const unsigned char *)&earlier.summary;
    for (size_t i = 0; i < sizeof(earlier) - offsetof(VmafExtractorInfo, summary); i++)
        assert_int_equal(beyond[i], 0x5a);
}

static void bad_arguments_are_errors(void **state)
{
    VmafContext *vmaf;
    VmafModel *model = NULL;
    VmafModelConfig cfg = { 0 };
    VmafExtractorInfo extractor_info = { 0 };
    VmafOptionInfo option_info = { 0 };
    VmafMetricInfo metric_info = { 0 };
    VmafBuiltinModelInfo builtin_info = { 0 };
    VmafModelInfo model_info = { 0 };
    VmafModelFeatureInfo model_feature_info = { 0 };
    VmafFeatureInfo feature_info = { 0 };
    const char *text;
    unsigned index;
    double score;
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ 0 }), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1neg"), 0);
    /* no size */
    assert_int_equal(vmaf_extractor_info(0, &extractor_info), -EINVAL);
    assert_int_equal(vmaf_extractor_option(find("vif"), 0, &option_info), -EINVAL);
    assert_int_equal(vmaf_extractor_metric(find("vif"), 0, &metric_info), -EINVAL);
    assert_int_equal(vmaf_builtin_model_info(0, &builtin_info), -EINVAL);
    assert_int_equal(vmaf_model_info(model, &model_info), -EINVAL);
    assert_int_equal(vmaf_model_feature(model, 0, &model_feature_info), -EINVAL);
    assert_int_equal(vmaf_feature_info(vmaf, 0, &feature_info), -EINVAL);
    /* nothing there */
    assert_int_equal(vmaf_extractor_info(0, NULL), -EINVAL);
    assert_int_equal(vmaf_extractor_find(NULL, &index), -EINVAL);
    assert_int_equal(vmaf_extractor_find("vif", NULL), -EINVAL);
    assert_int_equal(vmaf_extractor_option(0, 0, NULL), -EINVAL);
    assert_int_equal(vmaf_extractor_metric(0, 0, NULL), -EINVAL);
    assert_int_equal(vmaf_builtin_model_info(0, NULL), -EINVAL);
    assert_int_equal(vmaf_model_info(NULL, &model_info), -EINVAL);
    assert_int_equal(vmaf_model_info(model, NULL), -EINVAL);
    assert_int_equal(vmaf_model_feature(NULL, 0, &model_feature_info), -EINVAL);
    assert_int_equal(vmaf_model_feature(model, 0, NULL), -EINVAL);
    assert_int_equal(vmaf_model_feature_option(NULL, 0, 0, &text, &text), -EINVAL);
    assert_int_equal(vmaf_model_feature_option(model, 0, 0, NULL, &text), -EINVAL);
    assert_int_equal(vmaf_model_feature_option(model, 0, 0, &text, NULL), -EINVAL);
    assert_int_equal(vmaf_feature_info(NULL, 0, &feature_info), -EINVAL);
    assert_int_equal(vmaf_feature_info(vmaf, 0, NULL), -EINVAL);
    assert_int_equal(vmaf_feature_metric(NULL, 0, 0, &metric_info), -EINVAL);
    assert_int_equal(vmaf_feature_metric(vmaf, 0, 0, NULL), -EINVAL);
    assert_int_equal(vmaf_feature_metric(vmaf, 0, 0, &metric_info), -EINVAL);
    assert_int_equal(vmaf_score_if_ready(NULL, model, 0, &score), -EINVAL);
    assert_int_equal(vmaf_score_if_ready(vmaf, NULL, 0, &score), -EINVAL);
    assert_int_equal(vmaf_score_if_ready(vmaf, model, 0, NULL), -EINVAL);
    vmaf_model_destroy(model);
    vmaf_close(vmaf);
}

#define MEMBER(type)                                                                               \
    "{\"model_dict\": {\"model_type\": \"" type "\", \"norm_type\": \"none\", "                    \
    "\"feature_names\": [\"psnr_y\"], \"model\": \"svm_type nu_svr\\nkernel_type rbf\\n"           \
    "gamma 0.04\\nnr_class 2\\ntotal_sv 1\\nrho 1\\nSV\\n1 1:2 \\n\"}}"
#define ONE_MODEL MEMBER("LIBSVMNUSVR")
#define COLLECTION                                                                                 \
    "{\"0\": " MEMBER("BOOTSTRAP_LIBSVMNUSVR") ", \"1\": " MEMBER("BOOTSTRAP_LIBSVMNUSVR") "}"

static const char pipe_path[] = "inspect_test.fifo";

static void *write_once(void *text)
{
    FILE *const file = fopen(pipe_path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return NULL;
}

/* Loads from a pipe, which can be read once only. */
static int load(const char *text, VmafModel **model, VmafModelCollection **collection)
{
    VmafModelConfig cfg = { .name = "piped" };
    pthread_t writer;
    unlink(pipe_path);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_int_equal(pthread_create(&writer, NULL, write_once, (void *)text), 0);
    const int err = vmaf_model_or_collection_load_from_path(model, collection, &cfg, pipe_path);
    assert_int_equal(pthread_join(writer, NULL), 0);
    unlink(pipe_path);
    return err;
}

static void a_model_file_is_read_once(void **state)
{
    VmafModel *model = NULL;
    VmafModelCollection *collection = (VmafModelCollection *)&model; /* must become NULL */
    VmafModelInfo info = { .size = sizeof(info) };
    assert_int_equal(load(ONE_MODEL, &model, &collection), 0);
    assert_null(collection);
    assert_int_equal(vmaf_model_info(model, &info), 0);
    assert_string_equal(info.name, "piped");
    assert_string_equal(info.source, pipe_path);
    vmaf_model_destroy(model);

    assert_int_equal(load(COLLECTION, &model, &collection), 0);
    assert_non_null(collection);
    vmaf_model_destroy(model);
    vmaf_model_collection_destroy(collection);
}

static void a_bad_model_file_leaves_no_trace(void **state)
{
    VmafModelConfig cfg = { 0 };
    VmafModel *const model = (VmafModel *)&cfg;
    VmafModelCollection *const collection = (VmafModelCollection *)&cfg;
    VmafModel *got_model = model;
    VmafModelCollection *got_collection = collection;
    static const char *const bad[] = { "", "[]", "{}", "{\"0\": " ONE_MODEL "}",
                                       "{\"0\": " ONE_MODEL ", \"1\": {}}" };
    for (unsigned i = 0; i < COUNT(bad); i++) {
        assert_int_equal(load(bad[i], &got_model, &got_collection), -EINVAL);
        assert_ptr_equal(got_model, model);
        assert_ptr_equal(got_collection, collection);
    }
    assert_int_equal(vmaf_model_or_collection_load_from_path(NULL, &got_collection, &cfg, "x"),
                     -EINVAL);
    assert_int_equal(vmaf_model_or_collection_load_from_path(&got_model, NULL, &cfg, "x"), -EINVAL);
    assert_int_equal(
        vmaf_model_or_collection_load_from_path(&got_model, &got_collection, NULL, "x"), -EINVAL);
    assert_int_equal(
        vmaf_model_or_collection_load_from_path(&got_model, &got_collection, &cfg, NULL), -EINVAL);
}

static void formats_have_names(void **state)
{
    assert_string_equal(vmaf_output_format_name(VMAF_OUTPUT_FORMAT_XML), "xml");
    assert_string_equal(vmaf_output_format_name(VMAF_OUTPUT_FORMAT_JSON), "json");
    assert_string_equal(vmaf_output_format_name(VMAF_OUTPUT_FORMAT_CSV), "csv");
    assert_string_equal(vmaf_output_format_name(VMAF_OUTPUT_FORMAT_SUB), "sub");
    assert_null(vmaf_output_format_name(VMAF_OUTPUT_FORMAT_NONE));
    assert_null(vmaf_output_format_name((enum VmafOutputFormat)99));
}

static char *read_all(const char *path)
{
    static char text[65536];
    FILE *const file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    fclose(file);
    return text;
}

/* The reference's formats have no place for what is noted: not a byte changes. */
static void notes_leave_old_formats_alone(void **state)
{
    static const char path[] = "inspect_test.out";
    VmafContext *vmaf;
    const VmafReportInput input = { .size = sizeof(input),
                                    .path = "a.y4m",
                                    .kind = "y4m",
                                    .w = 64,
                                    .h = 48,
                                    .bpc = 8,
                                    .pix_fmt = VMAF_PIX_FMT_YUV420P,
                                    .skipped = 3 };
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ 0 }), 0);
    assert_int_equal(vmaf_import_feature_score(vmaf, "mine", 1.5, 0), 0);
    for (int format = VMAF_OUTPUT_FORMAT_XML; format <= VMAF_OUTPUT_FORMAT_SUB; format++) {
        assert_int_equal(vmaf_write_output(vmaf, path, (enum VmafOutputFormat)format), 0);
        char *const before = strdup(read_all(path));
        assert_int_equal(vmaf_report_input(vmaf, 1, &input), 0);
        assert_int_equal(vmaf_report_input(vmaf, 0, &input), 0);
        assert_int_equal(vmaf_report_option(vmaf, "threads", "4"), 0);
        assert_int_equal(vmaf_report_option(vmaf, "quiet", NULL), 0);
        assert_int_equal(vmaf_write_output(vmaf, path, (enum VmafOutputFormat)format), 0);
        assert_string_equal(read_all(path), before);
        free(before);
    }
    unlink(path);
    vmaf_close(vmaf);
}

static void bad_notes_are_refused(void **state)
{
    VmafContext *vmaf;
    VmafReportInput input = { .size = sizeof(input), .path = "a" };
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ 0 }), 0);
    assert_int_equal(vmaf_report_input(NULL, 1, &input), -EINVAL);
    assert_int_equal(vmaf_report_input(vmaf, 1, NULL), -EINVAL);
    input.path = NULL;
    assert_int_equal(vmaf_report_input(vmaf, 1, &input), -EINVAL);
    input = (VmafReportInput){ .path = "a" };
    assert_int_equal(vmaf_report_input(vmaf, 1, &input), -EINVAL);
    assert_int_equal(vmaf_report_option(NULL, "a", "b"), -EINVAL);
    assert_int_equal(vmaf_report_option(vmaf, NULL, "b"), -EINVAL);
    assert_int_equal(vmaf_report_model(NULL, "vmaf", "note"), -EINVAL);
    assert_int_equal(vmaf_report_model(vmaf, NULL, "note"), -EINVAL);
    assert_int_equal(vmaf_report_model(vmaf, "vmaf", NULL), -EINVAL);
    assert_int_equal(vmaf_report_model(vmaf, "vmaf", "note"), -ENOENT);
    assert_int_equal(vmaf_report_details(NULL), -EINVAL);
    const double score = 1.0;
    VmafStatistics statistics = { .size = sizeof(statistics) };
    assert_int_equal(vmaf_statistics(NULL, 1, &statistics), -EINVAL);
    assert_int_equal(vmaf_statistics(&score, 0, &statistics), -EINVAL);
    assert_int_equal(vmaf_statistics(&score, 1, NULL), -EINVAL);
    statistics.size = 0;
    assert_int_equal(vmaf_statistics(&score, 1, &statistics), -EINVAL);
    vmaf_close(vmaf);
}

TEST_MAIN(inspect)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extractors_are_listed),
        cmocka_unit_test(extractors_have_summaries),
        cmocka_unit_test(options_are_listed),
        cmocka_unit_test(lists_end_at_their_count),
        cmocka_unit_test(names_elsewhere_lead_here),
        cmocka_unit_test(figures_of_the_clip_are_listed),
        cmocka_unit_test(metrics_have_both_names),
        cmocka_unit_test(builtin_models_are_listed),
        cmocka_unit_test(models_show_their_contents),
        cmocka_unit_test(overloads_show),
        cmocka_unit_test(registered_features_show_where_they_run),
        cmocka_unit_test(registered_features_show_their_metrics),
        cmocka_unit_test(asking_for_scores_early_changes_no_report),
        cmocka_unit_test(sizes_are_kept_to),
        cmocka_unit_test(bad_arguments_are_errors),
        cmocka_unit_test(a_model_file_is_read_once),
        cmocka_unit_test(a_bad_model_file_leaves_no_trace),
        cmocka_unit_test(formats_have_names),
        cmocka_unit_test(notes_leave_old_formats_alone),
        cmocka_unit_test(bad_notes_are_refused),
    };
    return cmocka_run_group_tests_name("inspect", tests, NULL, NULL);
}
