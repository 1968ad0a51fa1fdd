/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A list keeps each warning once, and tells warnings apart by code, side and text. */
#include "testing.h"
#include "vmaf/warnings.h"

static void equal_warnings_are_kept_once(void **state)
{
    static const Warning all[] = {
        { "cut", SIDE_REF, "a" },
        { "cut", SIDE_DIST, "a" },
        { "cut", SIDE_DIST, "b" },
        { "bars_differ", SIDE_DIST, "b" },
    };
    Warnings warnings = { 0 };
    for (size_t times = 0; times < 2; times++)
        for (size_t i = 0; i < COUNT(all); i++)
            warnings_add(&warnings, all[i].code, all[i].side, all[i].text);
    assert_int_equal(warnings.count, COUNT(all));
    for (size_t i = 0; i < COUNT(all); i++) {
        assert_string_equal(warnings.at[i].code, all[i].code);
        assert_int_equal(warnings.at[i].side, all[i].side);
        assert_string_equal(warnings.at[i].text, all[i].text);
    }
    assert_true(warnings_have(&warnings, "bars_differ", SIDE_DIST));
    assert_false(warnings_have(&warnings, "bars_differ", SIDE_REF));
    assert_false(warnings_have(&warnings, "bars_differ", SIDES));
    warnings_clear(&warnings);
    assert_int_equal(warnings.count, 0);
}

TEST_MAIN(warning_list)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_warnings_are_kept_once),
    };
    return cmocka_run_group_tests_name("warning list", tests, NULL, NULL);
}
