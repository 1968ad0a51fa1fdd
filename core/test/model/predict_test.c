/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Scores of the built-in models from given features. The expected figures are the reference's. */
#include "fixture.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define SCALE(n) "VMAF_integer_feature_vif_scale" #n "_score"

typedef struct Score {
    const char *metric;
    double value;
} Score;

static const Score plain[] = {
    { ADM2, 0.9434615069247936 },
    { MOTION2, 4.2143270861464766 },
    { SCALE(0), 0.3819071352481842 },
    { SCALE(1), 0.7992383241653442 },
    { SCALE(2), 0.8892005681991577 },
    { SCALE(3), 0.9365079402923584 },
    { NULL, 0 },
};
static const Score still[] = {
    { ADM2, 0.9620839149029907 },
    { MOTION2, 0 },
    { SCALE(0), 0.5057119727134705 },
    { SCALE(1), 0.8790611624717712 },
    { SCALE(2), 0.9378732442855835 },
    { SCALE(3), 0.9643008708953857 },
    { NULL, 0 },
};
static const Score no_gain[] = {
    { "integer_adm2_egl_1", 0.9371364870517656 },
    { MOTION2, 4.2143270861464766 },
    { "integer_vif_scale0_egl_1", 0.3819011151790619 },
    { "integer_vif_scale1_egl_1", 0.795933723449707 },
    { "integer_vif_scale2_egl_1", 0.8835294842720032 },
    { "integer_vif_scale3_egl_1", 0.9285975694656372 },
    { NULL, 0 },
};
#define ADM3_EGL "integer_adm3_egl_1" /* the fixture's adm knows this option only */
#define MOTION3 "VMAF_integer_feature_motion3_score"
#define CAMBI "Cambi_feature_cambi_score"
static const Score v1[] = {
    { CAMBI, 0.9748820619422794 },
    { CHROMA, 3.7756857872009277 },
    { ADM3_EGL, 0.9538710128488259 },
    { MOTION3, 4.2143270861464766 },
    { NULL, 0 },
};
/* Chroma could not be measured: the correction takes over. */
static const Score v1_no_chroma[] = {
    { CAMBI, 0 }, { CHROMA, 0 }, { ADM3_EGL, 0.9966597260985746 }, { MOTION3, 0.7757786578896605 },
    { NULL, 0 },
};
static const Score v1_4k[] = {
    { CAMBI, 0.9223583371127713 }, { CHROMA, 0 }, { ADM3_EGL, 0.9765298965886928 },
    { MOTION3, 7.88149909292883 }, { NULL, 0 },
};

static ScoreStore *store_of(const Score *scores)
{
    ScoreStore *store;
    assert_int_equal(scores_create(&store), 0);
    for (; scores->metric; scores++)
        assert_int_equal(scores_set(store, scores->metric, 0, scores->value, NULL), 0);
    return store;
}

static void built_in_models_give_the_reference_scores(void **state)
{
    static const struct {
        const char *version;
        uint64_t flags;
        const Score *scores;
        double expected;
    } table[] = {
        { "vmaf_v0.6.1", 0, still, 83.85628400042145 },
        { "vmaf_v0.6.1", 0, plain, 81.19659095351699 },
        { "vmaf_v0.6.1", VMAF_MODEL_FLAG_ENABLE_TRANSFORM, plain, 95.3877054392085 },
        { "vmaf_v0.6.1neg", 0, no_gain, 79.07431248873607 },
        { "vmaf_v1.0.16_3d0h", 0, v1, 86.19443408807541 },
        { "vmaf_v1.0.16_3d0h", 0, v1_no_chroma, 99.75234566362968 },
        { "vmaf_v1.0.16_1d5h_2160", 0, v1_no_chroma, 100 },
        { "vmaf_v1.0.16_hfr_3d0h_2160", 0, v1_4k, 102.10622288542211 },
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        VmafModel *model;
        VmafModelConfig cfg = { .flags = table[i].flags };
        double score;
        ScoreStore *store = store_of(table[i].scores);
        assert_int_equal(vmaf_model_load(&model, &cfg, table[i].version), 0);
        assert_int_equal(model_predict(model, store, 0, false, &score), 0);
        assert_score(score, table[i].expected);
        double stored;
        assert_int_equal(scores_get(store, "vmaf", 0, &stored), 0);
        assert_true(stored == score);
        vmaf_model_destroy(model);
        scores_destroy(store);
    }
}

static void a_stored_score_is_the_answer(void **state)
{
    VmafModel *model;
    VmafModelConfig cfg = { .name = "m" };
    double score;
    ScoreStore *store = store_of(plain);
    assert_int_equal(scores_set(store, "m", 0, 12.5, NULL), 0);
    assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1"), 0);
    assert_int_equal(model_predict(model, store, 0, false, &score), 0);
    assert_true(score == 12.5);
    vmaf_model_destroy(model);
    scores_destroy(store);
}

static void a_missing_feature_is_an_error(void **state)
{
    VmafModel *model;
    VmafModelConfig cfg = { 0 };
    double score = 7.0;
    ScoreStore *store = store_of(plain + 1);
    assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1"), 0);
    assert_int_equal(model_predict(model, store, 0, false, &score), -EINVAL);
    assert_int_equal(model_predict(model, store, 0, true, &score), -EINVAL);
    assert_int_equal(model_pool(model, store, VMAF_POOL_METHOD_MEAN, 0, 0, 0, &score), -EINVAL);
    assert_true(score == 7.0);
    assert_int_equal(scores_set(store, ADM2, 0, plain[0].value, NULL), 0);
    assert_int_equal(model_pool(model, store, VMAF_POOL_METHOD_MEAN, 0, 0, 0, &score), 0);
    assert_score(score, 81.19659095351699);
    assert_int_equal(model_pool(model, store, VMAF_POOL_METHOD_MEAN, 0, 1, 0, &score), -EINVAL);
    assert_int_equal(model_pool(model, store, VMAF_POOL_METHOD_MEAN, 1, 0, 0, &score), -EINVAL);
    vmaf_model_destroy(model);
    scores_destroy(store);
}

/* A figure that is no number must come out as such: not as a bound of the clip, not as a crash. */
static void nan_passes_through(void **state)
{
    VmafModel *model;
    VmafModelConfig cfg = { .flags = VMAF_MODEL_FLAG_ENABLE_TRANSFORM };
    double score;
    ScoreStore *store = store_of(plain + 1);
    assert_int_equal(scores_set(store, ADM2, 0, NAN, NULL), 0);
    assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1"), 0);
    assert_int_equal(model_predict(model, store, 0, false, &score), 0);
    assert_true(isnan(score));
    vmaf_model_destroy(model);
    scores_destroy(store);
}

static void models_that_load_but_cannot_predict(void **state)
{
    VmafModel *model;
    VmafModelConfig cfg = { 0 };
    double score;
    ScoreStore *store = store_of(v1);
    assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_v1.0.16_3d0h"), 0);
    model->chroma = 0.0;
    assert_int_equal(model_predict(model, store, 0, false, &score), -EINVAL);
    model->chroma = 120.0;
    model->norm = MODEL_NORM_UNKNOWN;
    assert_int_equal(model_predict(model, store, 0, false, &score), -EINVAL);
    vmaf_model_destroy(model);
    scores_destroy(store);
}

static void collections_give_the_reference_figures(void **state)
{
    static const double members[] = {
        80.24371782102557, 78.97914836663703, 79.74705932274489, 78.90726837400983,
        81.76339447437908, 78.45430737726586, 77.73193797430143, 81.18991856740261,
        78.1291821481524,  79.68152210722145, 77.9688841019274,  79.91931935893516,
        80.77217983749986, 79.49730393452793, 77.28189569612363, 78.36497084473031,
        80.16993717240018, 77.55300156151364, 80.6905197316639,  78.56762888052653,
    };
    VmafModel *model;
    VmafModelCollection *collection;
    VmafModelConfig cfg = { 0 };
    VmafModelCollectionScore score, pooled;
    double main_score;
    ScoreStore *store = store_of(plain);
    assert_int_equal(vmaf_model_collection_load(&model, &collection, &cfg, "vmaf_b_v0.6.3"), 0);
    assert_int_equal(model_predict(model, store, 0, false, &main_score), 0);
    assert_score(main_score, 79.81099796886029);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(model_collection_predict(collection, store, 0, &score), 0);
        assert_int_equal(score.type, VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP);
        assert_score(score.bootstrap.bagging_score, 79.28065488264943);
        assert_score(score.bootstrap.stddev, 1.2501611264227956);
        assert_score(score.bootstrap.ci.p95.lo, 77.41067098218389);
        assert_score(score.bootstrap.ci.p95.hi, 81.49099341856527);
    }
    for (unsigned i = 0; i < 20; i++) {
        char name[16];
        double stored;
        snprintf(name, sizeof(name), "vmaf_%04u", i + 1);
        assert_int_equal(scores_get(store, name, 0, &stored), 0);
        assert_score(stored, members[i]);
    }
    assert_int_equal(
        model_collection_pool(collection, store, VMAF_POOL_METHOD_MIN, 0, 0, 0, &pooled), 0);
    assert_true(pooled.bootstrap.stddev == score.bootstrap.stddev);
    assert_true(pooled.bootstrap.ci.p95.hi == score.bootstrap.ci.p95.hi);
    assert_int_equal(
        model_collection_pool(collection, store, VMAF_POOL_METHOD_MIN, 0, 1, 0, &pooled), -EINVAL);

    for (unsigned i = 0; i < collection->count; i++)
        collection->members[i]->type = MODEL_TYPE_NU_SVR;
    assert_int_equal(model_collection_predict(collection, store, 0, &score), -EINVAL);
    vmaf_model_destroy(model);
    vmaf_model_collection_destroy(collection);
    scores_destroy(store);
}

static void a_collection_takes_an_overload_everywhere(void **state)
{
    VmafModel *model;
    VmafModelCollection *collection;
    VmafModelConfig cfg = { 0 };
    VmafFeatureDictionary *dict = NULL;
    const char *metric;
    assert_int_equal(vmaf_model_collection_load(&model, &collection, &cfg, "vmaf_b_v0.6.3"), 0);
    assert_int_equal(vmaf_feature_dictionary_set(&dict, "vif_enhn_gain_limit", "1.0"), 0);
    assert_int_equal(vmaf_model_collection_feature_overload(model, NULL, "vif", dict), -EINVAL);
    assert_int_equal(vmaf_model_collection_feature_overload(model, &collection, "vif", dict), 0);
    assert_int_equal(model_feature_metric(model, 2, &metric), 0);
    assert_string_equal(metric, "integer_vif_scale0_egl_1");
    assert_int_equal(model_feature_metric(collection->members[19], 5, &metric), 0);
    assert_string_equal(metric, "integer_vif_scale3_egl_1");
    assert_int_equal(model_feature_metric(collection->members[19], 0, &metric), 0);
    assert_string_equal(metric, ADM2);
    vmaf_model_destroy(model);
    vmaf_model_collection_destroy(collection);
}

TEST_MAIN(predict)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_models_give_the_reference_scores),
        cmocka_unit_test(a_stored_score_is_the_answer),
        cmocka_unit_test(a_missing_feature_is_an_error),
        cmocka_unit_test(nan_passes_through),
        cmocka_unit_test(models_that_load_but_cannot_predict),
        cmocka_unit_test(collections_give_the_reference_figures),
        cmocka_unit_test(a_collection_takes_an_overload_everywhere),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
