/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The public API of a context: scores, models' scores and their names, and reports. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libvmaf/inspect.h>
#include <libvmaf/metadata.h>

#include "api_use.h"

static void imported_scores(void **state)
{
    VmafContext *vmaf = open_context(0, 0);
    double score;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(vmaf_import_feature_score(vmaf, "mine", 100.0 * (i + 1), i), 0);
    assert_int_equal(vmaf_import_feature_score(vmaf, "mine", 7, 1), -EINVAL);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(vmaf_feature_score_at_index(vmaf, "mine", &score, i), 0);
        assert_true(score == 100.0 * (i + 1));
    }
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_MEAN, &score, 0, 2),
                     0);
    assert_true(score == 200);
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_MIN, &score, 0, 2),
                     0);
    assert_true(score == 100);
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_MAX, &score, 0, 2),
                     0);
    assert_true(score == 300);
    assert_int_equal(
        vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_HARMONIC_MEAN, &score, 0, 2), 0);
    assert_true(score == 3 / (1 / 101.0 + 1 / 201.0 + 1 / 301.0) - 1);
    score = 4;
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_MEAN, &score, 2, 1),
                     -EINVAL);
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_MEAN, &score, 0, 3),
                     -EINVAL);
    assert_int_equal(
        vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_UNKNOWN, &score, 0, 2), -EINVAL);
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_NB, &score, 0, 2),
                     -EINVAL);
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "none", VMAF_POOL_METHOD_MEAN, &score, 0, 2),
                     -EINVAL);
    assert_true(score == 4);
    /* No extractor: flushing without pictures is fine, once. Imports go on. */
    assert_int_equal(flush(vmaf), 0);
    assert_int_equal(flush(vmaf), -EINVAL);
    assert_int_equal(vmaf_import_feature_score(vmaf, "mine", 1, 3), 0);
    vmaf_close(vmaf);
}

static void pooling_skips_subsampled_frames(void **state)
{
    VmafContext *vmaf = open_context(0, 3);
    double score;
    for (unsigned i = 0; i < 10; i += 3)
        vmaf_import_feature_score(vmaf, "mine", 10.0 + i, i);
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_MIN, &score, 1, 9),
                     0);
    assert_true(score == 13);
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_MEAN, &score, 0, 11),
                     0);
    assert_true(score == (10 + 13 + 16 + 19) / 4.0);
    assert_int_equal(vmaf_feature_score_pooled(vmaf, "mine", VMAF_POOL_METHOD_MEAN, &score, 1, 2),
                     -EINVAL);
    vmaf_close(vmaf);
}

static void gaps_do_not_matter_to_motion(void **state)
{
    double expected[4], score;
    for (unsigned gap = 0; gap < 2; gap++) {
        VmafContext *vmaf = open_context(0, 0);
        assert_int_equal(vmaf_use_feature(vmaf, "motion", NULL), 0);
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(read_pair(vmaf, i, gap ? 10 + 3 * i : i), 0);
        assert_int_equal(flush(vmaf), 0);
        for (unsigned i = 0; i < 4; i++) {
            assert_int_equal(
                vmaf_feature_score_at_index(vmaf, "integer_motion2", &score, gap ? 10 + 3 * i : i),
                0);
            if (gap)
                assert_true(score == expected[i]);
            expected[i] = score;
        }
        vmaf_close(vmaf);
    }
}

static void scores_are_readable_early(void **state)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafModel *model = load("vmaf_v0.6.1", NULL);
    double early, late;
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    assert_int_equal(read_pair(vmaf, 0, 0), 0);
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "integer_vif_scale0", &early, 0), 0);
    assert_int_equal(read_pair(vmaf, 1, 1), 0);
    assert_int_equal(vmaf_score_at_index(vmaf, model, &early, 0), 0);
    assert_int_equal(vmaf_score_at_index(vmaf, model, &late, 1), -EINVAL);
    assert_int_equal(flush(vmaf), 0);
    assert_int_equal(vmaf_score_at_index(vmaf, model, &late, 0), 0);
    assert_true(early == late);
    assert_int_equal(vmaf_score_at_index(vmaf, model, &late, 1), 0);
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "vmaf", &early, 1), 0);
    assert_true(early == late);
    vmaf_model_destroy(model); /* before the context, as FFmpeg does */
    vmaf_close(vmaf);
}

static void subsampling_skips_frames(void **state)
{
    VmafContext *vmaf = open_context(0, 2);
    double score;
    assert_int_equal(vmaf_use_feature(vmaf, "vif", NULL), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "motion", NULL), 0);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(read_pair(vmaf, i, i), 0);
    assert_int_equal(flush(vmaf), 0);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(vmaf_feature_score_at_index(vmaf, "integer_vif_scale0", &score, i),
                         i % 2 ? -EINVAL : 0);
    assert_int_equal(
        vmaf_feature_score_pooled(vmaf, "integer_vif_scale0", VMAF_POOL_METHOD_MEAN, &score, 0, 4),
        0);
    vmaf_close(vmaf);
}

static void collections(void **state)
{
    VmafContext *vmaf = open_context(2, 0);
    VmafModel *model = NULL;
    VmafModelCollection *collection = NULL;
    VmafModelConfig cfg = { .name = "boot" };
    assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_b_v0.6.3"), -EINVAL);
    assert_null(model);
    assert_int_equal(vmaf_model_collection_load(&model, &collection, &cfg, "vmaf_v0.6.1"), -EINVAL);
    assert_int_equal(vmaf_model_collection_load(&model, &collection, &cfg, "vmaf_b_v0.6.3"), 0);
    VmafFeatureDictionary *dict = NULL;
    vmaf_feature_dictionary_set(&dict, "vif_enhn_gain_limit", "1.0");
    assert_int_equal(vmaf_model_collection_feature_overload(model, &collection, "vif", dict), 0);
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    assert_int_equal(vmaf_use_features_from_model_collection(vmaf, collection), 0);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(read_pair(vmaf, i, i), 0);
    assert_int_equal(flush(vmaf), 0);
    VmafModelCollectionScore first, again, pooled;
    assert_int_equal(vmaf_score_at_index_model_collection(vmaf, collection, &first, 1), 0);
    assert_int_equal(first.type, VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP);
    assert_int_equal(vmaf_score_at_index_model_collection(vmaf, collection, &again, 1), 0);
    assert_true(first.bootstrap.bagging_score == again.bootstrap.bagging_score);
    assert_true(first.bootstrap.stddev == again.bootstrap.stddev);
    assert_int_equal(
        vmaf_score_pooled_model_collection(vmaf, collection, VMAF_POOL_METHOD_MEAN, &pooled, 0, 2),
        0);
    assert_true(pooled.bootstrap.ci.p95.lo <= pooled.bootstrap.bagging_score &&
                pooled.bootstrap.bagging_score <= pooled.bootstrap.ci.p95.hi);
    double score;
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "boot_0020", &score, 1), 0);
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "boot_stddev", &score, 1), 0);
    assert_true(score == first.bootstrap.stddev);
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "integer_vif_scale0_egl_1", &score, 1), 0);
    vmaf_model_destroy(model);
    vmaf_model_collection_destroy(collection);
    vmaf_close(vmaf);
}

static void model_versions(void **state)
{
    const char *version = NULL;
    unsigned count = 0, found = 0;
    for (const void *at = vmaf_model_version_next(NULL, &version); at;
         at = vmaf_model_version_next(at, &version)) {
        count++;
        found += !strcmp(version, "vmaf_v0.6.1neg");
    }
    assert_int_equal(count, 17);
    assert_int_equal(found, 1);
}

/* Under the name of a metric, long or short, a model's scores would be taken for that metric's, and
 * the other way round. */
static void model_names_are_their_own(void **state)
{
    static const char *const taken[] = { "psnr_y", "integer_motion2", "mine", "vmaf",
                                         "VMAF_integer_feature_motion2_score" };
    VmafContext *vmaf = open_context(0, 0);
    VmafModel *model = load("vmaf_v0.6.1", NULL);
    double score;
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    assert_int_equal(vmaf_import_feature_score(vmaf, "mine", 1.0, 0), 0);
    assert_int_equal(read_pair(vmaf, 0, 0), 0);
    assert_int_equal(read_pair(vmaf, 1, 1), 0);
    assert_int_equal(flush(vmaf), 0);
    assert_int_equal(vmaf_score_at_index(vmaf, model, &score, 1), 0);
    for (unsigned i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
        VmafModel *odd = load("vmaf_v0.6.1", taken[i]);
        assert_int_equal(vmaf_use_features_from_model(vmaf, odd), -EINVAL);
        assert_int_equal(vmaf_score_at_index(vmaf, odd, &score, 1), -EINVAL);
        assert_int_equal(vmaf_score_pooled(vmaf, odd, VMAF_POOL_METHOD_MEAN, &score, 0, 1),
                         -EINVAL);
        vmaf_model_destroy(odd);
    }
    assert_int_equal(vmaf_import_feature_score(vmaf, "vmaf", 1.0, 7), -EINVAL);
    assert_int_equal(vmaf_import_feature_score(vmaf, "integer_motion2", 1.0, 7), -EINVAL);
    assert_int_equal(vmaf_import_feature_score(vmaf, "psnr_y", 1.0, 7), 0);
    vmaf_close(vmaf);
    vmaf_model_destroy(model);
}

/* The same check, with the model registered first. */
static void features_do_not_take_names_of_models(void **state)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafModel *model = load("vmaf_v0.6.1", "psnr_cb"), *boot;
    VmafModelCollection *collection;
    VmafModelConfig cfg = { .name = "boot" };
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), -EINVAL);
    assert_int_equal(vmaf_import_feature_score(vmaf, "psnr_cb", 1.0, 0), -EINVAL);
    assert_int_equal(vmaf_import_feature_score(vmaf, "boot_bagging", 1.0, 0), 0);
    assert_int_equal(vmaf_model_collection_load(&boot, &collection, &cfg, "vmaf_b_v0.6.3"), 0);
    assert_int_equal(vmaf_use_features_from_model(vmaf, boot), 0);
    assert_int_equal(vmaf_use_features_from_model_collection(vmaf, collection), -EINVAL);
    vmaf_close(vmaf);
    vmaf_model_collection_destroy(collection);
    vmaf_model_destroy(boot);
    vmaf_model_destroy(model);
}

/* Names that reports cannot carry, or have themselves. */
static void bad_names_are_refused(void **state)
{
    static const char *const never[] = { "",         "\xff", "a\nb", "a\x01", "\xef\xbf\xbf",
                                         "frameNum", "Frame" };
    static const char *const not_for_models[] = {
        "4k", "-a", ".a", "a b", "a:b", "a\"b", "a<", "xmlns", "XML_a", "a=b", "a'b", "\xc3\x97"
    };
    static const char *const fine[] = { "_4k", "a-b.c_0", "vmaf_neg", "Qualit\xc3\xa4t" };
    VmafContext *vmaf = open_context(0, 0);
    for (unsigned i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
        VmafModel *model = NULL;
        VmafModelCollection *collection = NULL;
        VmafModelConfig cfg = { .name = never[i] };
        assert_int_equal(vmaf_import_feature_score(vmaf, never[i], 1.0, 0), -EINVAL);
        assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1"), -EINVAL);
        assert_int_equal(vmaf_model_collection_load(&model, &collection, &cfg, "vmaf_b_v0.6.3"),
                         -EINVAL);
        assert_true(!model && !collection);
    }
    for (unsigned i = 0; i < sizeof(not_for_models) / sizeof(not_for_models[0]); i++) {
        VmafModel *model = NULL;
        VmafModelConfig cfg = { .name = not_for_models[i] };
        assert_int_equal(vmaf_import_feature_score(vmaf, not_for_models[i], 1.0, 0), 0);
        assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1"), -EINVAL);
    }
    for (unsigned i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
        vmaf_model_destroy(load("vmaf_v0.6.1", fine[i]));
    vmaf_close(vmaf);
}

static void overloads_reach_the_features(void **state)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafModel *model = load("vmaf_v0.6.1", NULL);
    VmafFeatureDictionary *dict = NULL;
    double score;
    vmaf_feature_dictionary_set(&dict, "vif_enhn_gain_limit", "2.0");
    assert_int_equal(vmaf_model_feature_overload(model, "vif", dict), 0);
    dict = NULL;
    vmaf_feature_dictionary_set(&dict, "vif_enhn_gain_limit", "1.50");
    assert_int_equal(vmaf_model_feature_overload(model, "vif", dict), 0);
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    assert_int_equal(read_pair(vmaf, 0, 0), 0);
    assert_int_equal(flush(vmaf), 0);
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "integer_vif_scale2_egl_1.5", &score, 0), 0);
    assert_int_equal(vmaf_score_at_index(vmaf, model, &score, 0), 0);
    vmaf_close(vmaf);
    vmaf_model_destroy(model);
}

typedef struct Heard {
    pthread_mutex_t lock;
    unsigned count;
    double scores[16];
} Heard;

static void hear(void *data, VmafMetadata *metadata)
{
    Heard *heard = data;
    pthread_mutex_lock(&heard->lock);
    heard->count++;
    heard->scores[metadata->picture_index] = metadata->score;
    pthread_mutex_unlock(&heard->lock);
}

static void metadata_handlers(void **state)
{
    for (unsigned threads = 0; threads < 3; threads += 2) {
        VmafContext *vmaf = open_context(threads, 0);
        VmafModel *model = load("vmaf_v0.6.1", NULL);
        Heard vmaf_heard = { .lock = PTHREAD_MUTEX_INITIALIZER };
        Heard psnr_heard = { .lock = PTHREAD_MUTEX_INITIALIZER };
        assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
        assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
        VmafMetadataConfiguration cfg = { (char *)"vmaf", hear, &vmaf_heard };
        assert_int_equal(vmaf_register_metadata_handler(vmaf, cfg), 0);
        cfg = (VmafMetadataConfiguration){ (char *)"psnr_y", hear, &psnr_heard };
        assert_int_equal(vmaf_register_metadata_handler(vmaf, cfg), 0);
        for (unsigned i = 0; i < 8; i++)
            assert_int_equal(read_pair(vmaf, i, i), 0);
        assert_int_equal(flush(vmaf), 0);
        assert_int_equal(vmaf_heard.count, 8);
        assert_int_equal(psnr_heard.count, 8);
        for (unsigned i = 0; i < 8; i++) {
            double score;
            assert_int_equal(vmaf_score_at_index(vmaf, model, &score, i), 0);
            assert_true(score == vmaf_heard.scores[i]);
        }
        /* The model may go before the context even though handlers would still ask it. */
        vmaf_model_destroy(model);
        assert_int_equal(vmaf_import_feature_score(vmaf, "mine", 1, 0), 0);
        vmaf_close(vmaf);
    }
}

/* Forgetting the scores of a long stream changes nothing else. */
static void scores_are_forgotten(void **state)
{
    enum { PAIRS = 400, KEPT = 10 };
    for (unsigned threads = 0; threads < 3; threads += 2) {
        VmafContext *all = open_context(threads, 0), *some = open_context(threads, 0);
        VmafModel *model;
        VmafModelCollection *collection;
        VmafModelCollectionScore now, then;
        double expected, score;
        VmafModelConfig cfg = { .name = "b" };
        assert_int_equal(vmaf_model_collection_load(&model, &collection, &cfg, "vmaf_b_v0.6.3"), 0);
        VmafContext *const contexts[] = { all, some };
        for (unsigned c = 0; c < 2; c++) {
            assert_int_equal(vmaf_use_features_from_model(contexts[c], model), 0);
            assert_int_equal(vmaf_use_features_from_model_collection(contexts[c], collection), 0);
        }
        assert_int_equal(vmaf_collection_score_if_ready(some, collection, 0, &now), -EAGAIN);
        assert_int_equal(vmaf_forget_scores(NULL, 1), -EINVAL);
        for (unsigned i = 0; i < PAIRS; i++) {
            assert_int_equal(read_pair(all, i, i), 0);
            assert_int_equal(read_pair(some, i, i), 0);
            if (i >= KEPT)
                assert_int_equal(vmaf_forget_scores(some, i - KEPT), 0);
        }
        assert_int_equal(read_pair(some, 0, 5), -EINVAL);
        assert_int_equal(flush(all), 0);
        assert_int_equal(flush(some), 0);
        assert_int_equal(vmaf_score_at_index(some, model, &score, 100), -EINVAL);
        assert_int_equal(vmaf_import_feature_score(some, "mine", 1, 100), -EINVAL);
        for (unsigned i = PAIRS - KEPT; i < PAIRS; i++) {
            assert_int_equal(vmaf_score_at_index(all, model, &expected, i), 0);
            assert_int_equal(vmaf_score_at_index(some, model, &score, i), 0);
            assert_true(score == expected);
            assert_int_equal(vmaf_collection_score_if_ready(some, collection, i, &now), 0);
            assert_int_equal(vmaf_score_at_index_model_collection(all, collection, &then, i), 0);
            assert_true(now.bootstrap.bagging_score == then.bootstrap.bagging_score &&
                        now.bootstrap.stddev == then.bootstrap.stddev &&
                        now.bootstrap.ci.p95.lo == then.bootstrap.ci.p95.lo &&
                        now.bootstrap.ci.p95.hi == then.bootstrap.ci.p95.hi);
        }
        vmaf_close(all);
        vmaf_close(some);
        vmaf_model_destroy(model);
        vmaf_model_collection_destroy(collection);
    }
}

static void reports(void **state)
{
    char path[] = "/tmp/vmaf_api_testXXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    VmafContext *vmaf = open_context(0, 0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    assert_int_equal(read_pair(vmaf, 0, 0), 0);
    assert_int_equal(flush(vmaf), 0);
    for (int format = VMAF_OUTPUT_FORMAT_XML; format <= VMAF_OUTPUT_FORMAT_SUB; format++) {
        assert_int_equal(vmaf_write_output(vmaf, path, (enum VmafOutputFormat)format), 0);
        FILE *file = fopen(path, "r");
        char text[4096] = { 0 };
        assert_true(fread(text, 1, sizeof(text) - 1, file) > 10);
        fclose(file);
        assert_non_null(strstr(text, "psnr_cb"));
    }
    unlink(path);
    assert_int_equal(vmaf_write_output(vmaf, path, VMAF_OUTPUT_FORMAT_NONE), -EINVAL);
    assert_int_equal(vmaf_write_output(vmaf, path, (enum VmafOutputFormat)9), -EINVAL);
    assert_int_equal(vmaf_write_output_with_format(vmaf, path, VMAF_OUTPUT_FORMAT_XML, "%s"),
                     -EINVAL);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(vmaf_write_output(vmaf, "/no/such/folder/x", VMAF_OUTPUT_FORMAT_XML), -EINVAL);
    vmaf_close(vmaf);
}

TEST_MAIN(api_scores)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(imported_scores),
        cmocka_unit_test(pooling_skips_subsampled_frames),
        cmocka_unit_test(gaps_do_not_matter_to_motion),
        cmocka_unit_test(scores_are_readable_early),
        cmocka_unit_test(subsampling_skips_frames),
        cmocka_unit_test(collections),
        cmocka_unit_test(model_versions),
        cmocka_unit_test(model_names_are_their_own),
        cmocka_unit_test(features_do_not_take_names_of_models),
        cmocka_unit_test(bad_names_are_refused),
        cmocka_unit_test(overloads_reach_the_features),
        cmocka_unit_test(metadata_handlers),
        cmocka_unit_test(scores_are_forgotten),
        cmocka_unit_test(reports),
    };
    return cmocka_run_group_tests_name("api scores", tests, NULL, NULL);
}
