/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Options: what parses, what is refused, and the metric names that follow. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/option.h"
#include "testing.h"

typedef struct Values {
    bool flag;
    int mode;
    double gain, distance;
    const char *method;
    bool debug;
} Values;

static const Option table[] = {
    BOOL_OPTION(Values, flag, "z_flag", "fl", false, NULL),
    INT_OPTION(Values, mode, "mode", "mode", 0, 1, 9, NULL),
    DOUBLE_OPTION(Values, gain, "gain_limit", "egl", 100, 1, 100, NULL),
    DOUBLE_OPTION(Values, distance, "a_distance", "nvd", 3, 0, 24, NULL),
    STRING_OPTION(Values, method, "method", "pm", "nearest", NULL),
    BOOL_OPTION(Values, debug, "debug", NULL, true, NULL),
    { 0 },
};

static int parse(Values *v, const char *key, const char *value)
{
    Dict *dict = NULL;
    if (key)
        assert_int_equal(dict_set(&dict, key, value), 0);
    const int err = option_parse(table, "test", dict, v);
    if (v->method != table[4].def_text)
        v->method = NULL; /* points into the dictionary */
    dict_destroy(dict);
    return err;
}

static void defaults_may_lie_outside_the_range(void **state)
{
    Values v;
    assert_int_equal(parse(&v, NULL, NULL), 0);
    assert_false(v.flag);
    assert_true(v.debug);
    assert_int_equal(v.mode, 0);
    assert_true(v.gain == 100 && v.distance == 3);
    assert_string_equal(v.method, "nearest");
}

static void values_are_checked(void **state)
{
    static const struct {
        const char *key, *value;
        int err;
    } cases[] = {
        { "z_flag", "true", 0 },
        { "z_flag", "false", 0 },
        { "z_flag", "yes", -EINVAL },
        { "z_flag", "1", -EINVAL },
        { "mode", "1", 0 },
        { "mode", "9", 0 },
        { "mode", "0", -EINVAL },
        { "mode", "10", -EINVAL },
        { "mode", "two", -EINVAL },
        { "gain_limit", "1", 0 },
        { "gain_limit", "100", 0 },
        { "gain_limit", "1.5abc", 0 },
        { "gain_limit", "0.99", -EINVAL },
        { "gain_limit", "101", -EINVAL },
        { "gain_limit", "nan", -EINVAL },
        { "gain_limit", "inf", -EINVAL },
        { "a_distance", "0", 0 },
        { "a_distance", "zero", -EINVAL },
        { "a_distance", "0x", 0 },
        { "unknown", "1", 0 },
        /* Stored as 1e+20, of which an integer reads the 1: the reference's rounding. */
        { "mode", "99999999999999999999", 0 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Values v;
        if (parse(&v, cases[i].key, cases[i].value) != cases[i].err)
            fail_msg("%s=%s", cases[i].key, cases[i].value);
    }
}

static void check_name(const Values *v, const char *raw, const char *expected)
{
    char name[300];
    option_metric_name(table, v, raw, name, sizeof(name));
    assert_string_equal(name, expected);
}

static void names_follow_the_options(void **state)
{
    Values v;
    parse(&v, NULL, NULL);
    check_name(&v, "VMAF_integer_feature_adm2_score", "VMAF_integer_feature_adm2_score");
    v.debug = false;
    check_name(&v, "VMAF_integer_feature_adm2_score", "VMAF_integer_feature_adm2_score");
    v.gain = 1.25;
    check_name(&v, "VMAF_integer_feature_adm2_score", "integer_adm2_egl_1.25");
    /* By full name: a_distance, gain_limit, method, mode, z_flag. */
    v.distance = 3.5;
    v.flag = true;
    v.mode = 2;
    v.method = "bicubic";
    check_name(&v, "psnr_y", "psnr_y_nvd_3.5_egl_1.25_pm_bicubic_mode_2_fl");
}

static void long_names_are_cut(void **state)
{
    Values v;
    char text[300], name[400];
    parse(&v, NULL, NULL);
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = 0;
    v.method = text;
    option_metric_name(table, &v, "m", name, sizeof(name));
    assert_int_equal(strlen(name), 255);
}

static void aliases(void **state)
{
    assert_string_equal(metric_alias("VMAF_integer_feature_motion2_score"), "integer_motion2");
    assert_string_equal(metric_alias("VMAF_feature_vif_scale3_score"), "vif_scale3");
    assert_string_equal(metric_alias("VMAF_integer_feature_motion_sad_score"),
                        "VMAF_integer_feature_motion_sad_score");
    assert_string_equal(metric_alias("integer_adm_scale0"), "integer_adm_scale0");
}

static void equality_sees_every_option(void **state)
{
    Values a, b;
    parse(&a, NULL, NULL);
    b = a;
    assert_true(option_equal(table, &a, &b));
    b.debug = !b.debug;
    assert_false(option_equal(table, &a, &b));
    b = a;
    b.method = "lanczos";
    assert_false(option_equal(table, &a, &b));
}

TEST_MAIN(option)
{
    log_set_level(VMAF_LOG_LEVEL_NONE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_may_lie_outside_the_range),
        cmocka_unit_test(values_are_checked),
        cmocka_unit_test(names_follow_the_options),
        cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(aliases),
        cmocka_unit_test(equality_sees_every_option),
    };
    return cmocka_run_group_tests_name("option", tests, NULL, NULL);
}
