/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The built-in models: all there, and equal to the official files where these are at hand. */
#include "fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    "vmaf_v0.6.1",
    "vmaf_v0.6.1neg",
    "vmaf_4k_v0.6.1",
    "vmaf_4k_v0.6.1neg",
    "vmaf_b_v0.6.3",
    "vmaf_v1.0.16_3d0h",
    "vmaf_v1.0.16_5d0h",
    "vmaf_v1.0.16_1d5h_2160",
    "vmaf_v1.0.16_3d0h_2160",
    "vmaf_v1.0.16_hfr_3d0h",
    "vmaf_v1.0.16_hfr_5d0h",
    "vmaf_v1.0.16_hfr_1d5h_2160",
    "vmaf_v1.0.16_hfr_3d0h_2160",
    "vmaf_float_v0.6.1",
    "vmaf_float_v0.6.1neg",
    "vmaf_float_4k_v0.6.1",
    "vmaf_float_b_v0.6.3",
};

static void the_list_is_complete(void **state)
{
    const void *at = NULL;
    const char *version = NULL;
    for (size_t i = 0; i < COUNT(names); i++) {
        at = vmaf_model_version_next(at, i % 2 ? NULL : &version);
        assert_non_null(at);
        if (!(i % 2))
            assert_string_equal(version, names[i]);
        const BuiltinModel *about = builtin_model((unsigned)i);
        assert_string_equal(about->name, names[i]);
        assert_true(strlen(about->summary) > 10);
    }
    version = "untouched";
    assert_null(vmaf_model_version_next(at, &version));
    assert_string_equal(version, "untouched");
    assert_null(builtin_model(COUNT(names)));
}

static void each_loads_as_a_model_or_a_collection(void **state)
{
    for (unsigned i = 0; i < COUNT(names); i++) {
        VmafModel *model = NULL;
        VmafModelCollection *collection = NULL;
        VmafModelConfig cfg = { 0 };
        const bool many = builtin_model(i)->collection;
        assert_int_equal(vmaf_model_load(&model, &cfg, names[i]), many ? -EINVAL : 0);
        assert_true(many == !model);
        vmaf_model_destroy(model);
        model = NULL;
        assert_int_equal(vmaf_model_collection_load(&model, &collection, &cfg, names[i]),
                         many ? 0 : -EINVAL);
        assert_int_equal(collection ? collection->count : 0, many ? 20 : 0);
        vmaf_model_destroy(model);
        vmaf_model_collection_destroy(collection);
    }
}

static void unknown_names_are_refused(void **state)
{
    VmafModel *model = NULL;
    VmafModelCollection *collection = NULL;
    VmafModelConfig cfg = { 0 };
    assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_v9"), -EINVAL);
    assert_int_equal(vmaf_model_load(&model, &cfg, ""), -EINVAL);
    assert_int_equal(vmaf_model_collection_load(&model, &collection, &cfg, "vmaf_v9"), -EINVAL);
    assert_true(!model && !collection);
}

static void figures_are_shared_not_copied(void **state)
{
    static const char *const versions[] = { "vmaf_v1.0.16_3d0h", "vmaf_v1.0.16_hfr_1d5h_2160" };
    VmafModel *models[2];
    VmafModelConfig cfg = { 0 };
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(vmaf_model_load(&models[i], &cfg, versions[i]), 0);
    assert_ptr_equal(models[0]->svr, models[1]->svr);
    assert_int_equal(models[0]->svr->count, 215);
    for (unsigned i = 0; i < 2; i++)
        vmaf_model_destroy(models[i]);
}

static void neg_limits_the_gain(void **state)
{
    VmafModel *model;
    VmafModelConfig cfg = { 0 };
    assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1"), 0);
    assert_true(model->clip_on && !model->transform.enabled);
    for (unsigned i = 0; i < model->feature_count; i++)
        assert_null(model->features[i].options);
    vmaf_model_destroy(model);
    assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_v0.6.1neg"), 0);
    assert_string_equal(dict_get(model->features[0].options, "adm_enhn_gain_limit"), "1");
    assert_null(model->features[1].options);
    for (unsigned i = 2; i < 6; i++)
        assert_string_equal(dict_get(model->features[i].options, "vif_enhn_gain_limit"), "1");
    vmaf_model_destroy(model);
}

static void assert_same_options(const Dict *a, const Dict *b)
{
    assert_int_equal(a ? a->count : 0, b ? b->count : 0);
    for (size_t i = 0; a && i < a->count; i++) {
        assert_string_equal(a->entries[i].key, b->entries[i].key);
        assert_string_equal(a->entries[i].value, b->entries[i].value);
    }
}

static void assert_same_svr(const Svr *a, const Svr *b)
{
    assert_int_equal(a->kernel, b->kernel);
    assert_true(a->gamma == b->gamma && a->rho == b->rho);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->width, b->width);
    assert_memory_equal(a->coefficients, b->coefficients, a->count * sizeof(double));
    assert_memory_equal(a->vectors, b->vectors, (size_t)a->count * a->width * sizeof(double));
}

static void assert_same_transform(const Transform *a, const Transform *b)
{
    assert_int_equal(a->enabled, b->enabled);
    for (unsigned i = 0; i < TRANSFORM_TERMS; i++) {
        assert_int_equal(a->has_p[i], b->has_p[i]);
        assert_true(a->p[i] == b->p[i]);
    }
    assert_int_equal(a->has_knots, b->has_knots);
    assert_int_equal(a->knot_count, b->knot_count);
    assert_int_equal(a->out_lte_in, b->out_lte_in);
    assert_int_equal(a->out_gte_in, b->out_gte_in);
}

static void assert_same_model(const VmafModel *a, const VmafModel *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->norm, b->norm);
    assert_true(a->slope == b->slope && a->intercept == b->intercept);
    assert_int_equal(a->feature_count, b->feature_count);
    for (unsigned i = 0; i < a->feature_count; i++) {
        const ModelFeature *f = &a->features[i], *g = &b->features[i];
        assert_string_equal(f->name, g->name);
        assert_true(f->slope == g->slope && f->intercept == g->intercept);
        assert_same_options(f->options, g->options);
    }
    assert_int_equal(a->clip_on, b->clip_on);
    assert_true(a->clip_min == b->clip_min && a->clip_max == b->clip_max);
    assert_same_transform(&a->transform, &b->transform);
    assert_int_equal(a->chroma_on, b->chroma_on);
    assert_true(a->chroma == b->chroma);
    assert_same_svr(a->svr, b->svr);
}

static void load(VmafModel **model, VmafModelCollection **collection, const char *version,
                 const char *path, bool many)
{
    VmafModelConfig cfg = { 0 };
    *collection = NULL;
    int err;
    if (many)
        err = path ? vmaf_model_collection_load_from_path(model, collection, &cfg, path)
                   : vmaf_model_collection_load(model, collection, &cfg, version);
    else
        err = path ? vmaf_model_load_from_path(model, &cfg, path)
                   : vmaf_model_load(model, &cfg, version);
    assert_int_equal(err, 0);
}

static void each_equals_its_official_file(void **state)
{
    const char *folder = getenv("VMAF_MODEL_FILES");
    if (!folder)
        skip();
    for (unsigned i = 0; i < COUNT(names); i++) {
        VmafModel *a, *b;
        VmafModelCollection *c, *d;
        char path[4096];
        const bool many = builtin_model(i)->collection;
        snprintf(path, sizeof(path), "%s/%s.json", folder, names[i]);
        load(&a, &c, names[i], NULL, many);
        load(&b, &d, names[i], path, many);
        assert_same_model(a, b);
        assert_int_equal(c ? c->count : 0, d ? d->count : 0);
        for (unsigned j = 0; c && j < c->count; j++)
            assert_same_model(c->members[j], d->members[j]);
        vmaf_model_destroy(a);
        vmaf_model_destroy(b);
        vmaf_model_collection_destroy(c);
        vmaf_model_collection_destroy(d);
    }
}

TEST_MAIN(builtin)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_is_complete),
        cmocka_unit_test(each_loads_as_a_model_or_a_collection),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(figures_are_shared_not_copied),
        cmocka_unit_test(neg_limits_the_gain),
        cmocka_unit_test(each_equals_its_official_file),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
