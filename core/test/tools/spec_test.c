/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* --model and --feature texts. */
#include <errno.h>
#include <string.h>

#include "libvmaf/model.h"
#include "vmaf/spec.h"
#include "testing.h"

static char error[512];

static void a_model_has_its_parts(void **state)
{
    ModelSpec spec;
    assert_int_equal(model_spec_parse(&spec,
                                      "version=v:name=n:disable_clip:enable_transform=true:"
                                      "vif.a=1:adm.b=2",
                                      error, sizeof(error)),
                     0);
    assert_string_equal(spec.version, "v");
    assert_string_equal(spec.name, "n");
    assert_null(spec.path);
    assert_int_equal(spec.flags, VMAF_MODEL_FLAG_DISABLE_CLIP | VMAF_MODEL_FLAG_ENABLE_TRANSFORM);
    assert_int_equal(spec.overload_count, 2);
    assert_string_equal(spec.overloads[1].extractor, "adm");
    assert_string_equal(spec.overloads[1].key, "b");
    assert_string_equal(spec.overloads[1].value, "2");
    model_spec_destroy(&spec);
}

static void a_model_may_be_a_plain_word(void **state)
{
    static const struct {
        const char *text, *version, *path, *name;
    } cases[] = {
        { "vmaf_v0.6.1neg", "vmaf_v0.6.1neg", NULL, NULL },
        { "vmaf_v0.6.1:name=x:disable_clip", "vmaf_v0.6.1", NULL, "x" },
        { "a/b", NULL, "a/b", NULL },
        { "b.json:name=y", NULL, "b.json", "y" },
        { "c\\:/d.json", NULL, "c:/d.json", NULL },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ModelSpec spec;
        assert_int_equal(model_spec_parse(&spec, cases[i].text, error, sizeof(error)), 0);
        const char *const got[] = { spec.version, spec.path, spec.name };
        const char *const want[] = { cases[i].version, cases[i].path, cases[i].name };
        for (unsigned j = 0; j < COUNT(got); j++) {
            assert_int_equal(got[j] == NULL, want[j] == NULL);
            if (want[j])
                assert_string_equal(got[j], want[j]);
        }
        model_spec_destroy(&spec);
    }
}

static void names_and_labels_have_defaults(void **state)
{
    ModelSpec spec;
    assert_int_equal(model_spec_parse(&spec, "path=a/b.json", error, sizeof(error)), 0);
    assert_string_equal(model_spec_label(&spec), "a/b.json");
    assert_string_equal(model_spec_name(&spec), "vmaf");
    model_spec_destroy(&spec);
    assert_int_equal(model_spec_parse(&spec, "path=p:version=v", error, sizeof(error)), 0);
    assert_string_equal(model_spec_label(&spec), "v");
    model_spec_destroy(&spec);
}

static void paths_may_hold_anything(void **state)
{
    static const struct {
        const char *text, *path;
    } cases[] = {
        { "path=a=b", "a=b" },
        { "path=C\\:\\models\\x.json", "C:\\models\\x.json" },
        { "path=a\\=b\\:c", "a=b:c" },
        { "path=a\\\\b", "a\\\\b" },
        { "path=a\\", "a\\" },
        { "path=", "" },
        /* drives of Windows, as the reference takes them */
        { "path=C:\\models\\x.json:name=n", "C:\\models\\x.json" },
        { "version=v:path=d:/x.json:disable_clip", "d:/x.json" },
        { "Z:/x.json", "Z:/x.json" },
        /* no drives: the colon ends the path */
        { "path=C:disable_clip", "C" },
        { "path=CC:adm.x=/", "CC" },
        { "path=a=b:adm.x=\\", "a=b" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ModelSpec spec;
        assert_int_equal(model_spec_parse(&spec, cases[i].text, error, sizeof(error)), 0);
        assert_string_equal(spec.path, cases[i].path);
        model_spec_destroy(&spec);
    }
}

static void flags_can_be_taken_back(void **state)
{
    ModelSpec spec;
    assert_int_equal(
        model_spec_parse(&spec, "version=v:disable_clip:disable_clip=false", error, sizeof(error)),
        0);
    assert_int_equal(spec.flags, 0);
    model_spec_destroy(&spec);
}

static void bad_models_are_refused(void **state)
{
    static const char *const bad[] = { "",
                                       ":",
                                       "disable_clip",
                                       "name=x:v",
                                       "version=v:w",
                                       "name=x",
                                       "version=v:",
                                       ":version=v",
                                       "version=v::name=n",
                                       "version=v:foo=1",
                                       "version=a=b",
                                       "version=v:disable_clip=yes",
                                       "version=v:name=" };
    for (size_t i = 0; i < COUNT(bad); i++) {
        ModelSpec spec;
        *error = 0;
        assert_int_equal(model_spec_parse(&spec, bad[i], error, sizeof(error)), -EINVAL);
        assert_true(strlen(error) > 0);
    }
}

static void a_feature_has_its_options(void **state)
{
    FeatureSpec spec;
    assert_int_equal(
        feature_spec_parse(&spec, "cambi=heatmaps_path=C\\:x:topk=0.5", error, sizeof(error)), 0);
    assert_string_equal(spec.extractor, "cambi");
    assert_int_equal(spec.option_count, 2);
    assert_string_equal(spec.options[0].key, "heatmaps_path");
    assert_string_equal(spec.options[0].value, "C:x");
    assert_string_equal(spec.options[1].value, "0.5");
    feature_spec_destroy(&spec);
    assert_int_equal(feature_spec_parse(&spec, "psnr", error, sizeof(error)), 0);
    assert_int_equal(spec.option_count, 0);
    feature_spec_destroy(&spec);
}

static void bad_features_are_refused(void **state)
{
    static const char *const bad[] = { "",          "=a=b",       "psnr=",  "psnr=a",
                                       "psnr=a=b:", "psnr=a=b=c", "psnr==b" };
    for (size_t i = 0; i < COUNT(bad); i++) {
        FeatureSpec spec;
        assert_int_equal(feature_spec_parse(&spec, bad[i], error, sizeof(error)), -EINVAL);
    }
}

TEST_MAIN(spec)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_has_its_parts),
        cmocka_unit_test(a_model_may_be_a_plain_word),
        cmocka_unit_test(names_and_labels_have_defaults),
        cmocka_unit_test(paths_may_hold_anything),
        cmocka_unit_test(flags_can_be_taken_back),
        cmocka_unit_test(bad_models_are_refused),
        cmocka_unit_test(a_feature_has_its_options),
        cmocka_unit_test(bad_features_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
