/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every allocation fails once, one after another: each call then says so, keeps its promises about
 * ownership and leaks nothing (which the sanitizer build sees). */
#include "fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

typedef int (*Attempt)(void *arg);

/* Runs `attempt` until it succeeds, with the first, the second, ... allocation failing. */
static void fail_each_allocation(Attempt attempt, void *arg)
{
    unsigned long n = 1;
    for (;; n++) {
        assert_true(n < 10000);
        mem_fail_after(n);
        const int err = attempt(arg);
        mem_fail_after(0);
        if (!err)
            break;
        assert_int_equal(err, -ENOMEM);
    }
    assert_true(n > 1);
}

static int load_builtin(void *arg)
{
    VmafModel *model = NULL;
    VmafModelConfig cfg = { .name = "name" };
    const int err = vmaf_model_load(&model, &cfg, arg);
    assert_true(err ? !model : model != NULL);
    vmaf_model_destroy(model);
    return err;
}

static int load_builtin_collection(void *arg)
{
    VmafModel *model = NULL;
    VmafModelCollection *collection = NULL;
    VmafModelConfig cfg = { 0 };
    const int err = vmaf_model_collection_load(&model, &collection, &cfg, arg);
    assert_true(err ? !model && !collection : model && collection);
    vmaf_model_destroy(model);
    vmaf_model_collection_destroy(collection);
    return err;
}

static int load_file(void *arg)
{
    VmafModel *model = NULL;
    VmafModelConfig cfg = { 0 };
    const int err = load_text(&model, &cfg, arg, strlen(arg));
    assert_true(err ? !model : model != NULL);
    vmaf_model_destroy(model);
    return err;
}

static int load_collection_file(void *arg)
{
    VmafModel *model = NULL;
    VmafModelCollection *collection = NULL;
    VmafModelConfig cfg = { 0 };
    const int err = load_collection_text(&model, &collection, &cfg, arg, strlen(arg));
    assert_true(err ? !model && !collection : model && collection);
    vmaf_model_destroy(model);
    vmaf_model_collection_destroy(collection);
    return err;
}

static int load_either_file(void *arg)
{
    VmafModel *model = NULL;
    VmafModelCollection *collection = NULL;
    VmafModelConfig cfg = { 0 };
    const int err = load_either_text(&model, &collection, &cfg, arg, strlen(arg));
    assert_true(err ? !model && !collection : model != NULL);
    vmaf_model_destroy(model);
    vmaf_model_collection_destroy(collection);
    return err;
}

static void loading_built_in_models(void **state)
{
    fail_each_allocation(load_builtin, "vmaf_v1.0.16_5d0h");
    fail_each_allocation(load_builtin_collection, "vmaf_b_v0.6.3");
}

static void loading_files(void **state)
{
    char *text = model_text_with("model_type", "\"BOOTSTRAP_LIBSVMNUSVR\"");
    fail_each_allocation(load_file, text);
    fail_each_allocation(load_either_file, text);

    char *both = malloc(3 * strlen(text));
    sprintf(both, "{\"0\": %s, \"1\": %s}", text, text);
    fail_each_allocation(load_collection_file, both);
    fail_each_allocation(load_either_file, both);
    free(both);
    free(text);
}

static int overload(void *arg)
{
    VmafFeatureDictionary *dict = NULL;
    int err = vmaf_feature_dictionary_set(&dict, "vif_enhn_gain_limit", "2");
    if (!err)
        err = vmaf_model_feature_overload(arg, "vif", dict);
    if (err)
        vmaf_feature_dictionary_free(&dict); /* still ours */
    return err;
}

static void overloading(void **state)
{
    VmafModel *model;
    VmafModelConfig cfg = { 0 };
    assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1neg"), 0);
    fail_each_allocation(overload, model);
    for (unsigned i = 2; i < 6; i++)
        assert_string_equal(dict_get(model->features[i].options, "vif_enhn_gain_limit"), "2");
    vmaf_model_destroy(model);
}

typedef struct Prediction {
    VmafModelCollection *collection;
    ScoreStore *store;
} Prediction;

static int predict(void *arg)
{
    const Prediction *p = arg;
    VmafModelCollectionScore score;
    return model_collection_predict(p->collection, p->store, 0, &score);
}

/* A failed attempt leaves some members' scores behind: the next one goes on from there. */
static void predicting(void **state)
{
    VmafModel *model;
    Prediction p;
    VmafModelConfig cfg = { 0 };
    assert_int_equal(vmaf_model_collection_load(&model, &p.collection, &cfg, "vmaf_b_v0.6.3"), 0);
    assert_int_equal(scores_create(&p.store), 0);
    for (unsigned i = 0; i < model->feature_count; i++)
        assert_int_equal(scores_set(p.store, model->features[i].name, 0, 0.5, NULL), 0);
    fail_each_allocation(predict, &p);
    double score;
    assert_int_equal(scores_get(p.store, "vmaf_ci_p95_hi", 0, &score), 0);
    vmaf_model_destroy(model);
    vmaf_model_collection_destroy(p.collection);
    scores_destroy(p.store);
}

TEST_MAIN(memory)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loading_built_in_models),
        cmocka_unit_test(loading_files),
        cmocka_unit_test(overloading),
        cmocka_unit_test(predicting),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
