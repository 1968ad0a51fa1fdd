/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Dictionaries and numbers as text: what is stored, whatever the locale. */
#include <locale.h>

#include "base/dict.h"
#include "base/text.h"
#include "testing.h"

static void numbers_are_normalised(void **state)
{
    static const char *const pairs[][2] = {
        { "1.0", "1" },
        { "1.0000", "1" },
        { " 1.00 ", "1" },
        { "17.0", "17" },
        { "true", "true" },
        { "1.5abc", "1.5abc" },
        { "1.23456789", "1.23457" },
        { "1.00000001", "1" },
        { "nan", "nan" },
        { "inf", "inf" },
        { "", "" },
        { "-3.50", "-3.5" },
        { "1e3", "1000" },
        { "0.1", "0.1" },
        { "bicubic", "bicubic" },
    };
    for (size_t i = 0; i < COUNT(pairs); i++) {
        Dict *dict = NULL;
        assert_int_equal(dict_set(&dict, "key", pairs[i][0]), 0);
        assert_string_equal(dict_get(dict, "key"), pairs[i][1]);
        dict_destroy(dict);
    }
}

static void same_key_overwrites(void **state)
{
    Dict *dict = NULL;
    assert_int_equal(dict_set(&dict, "a", "1"), 0);
    assert_int_equal(dict_set(&dict, "b", "2"), 0);
    assert_int_equal(dict_set(&dict, "a", "3"), 0);
    assert_int_equal(dict->count, 2);
    assert_string_equal(dict_get(dict, "a"), "3");
    assert_null(dict_get(dict, "c"));
    dict_destroy(dict);
}

static void merge_keeps_the_later_value(void **state)
{
    Dict *into = NULL, *from = NULL;
    for (unsigned i = 0; i < 20; i++) {
        const char key[] = { (char)('a' + i), 0 };
        assert_int_equal(dict_set(&into, key, "old"), 0);
    }
    assert_int_equal(dict_set(&from, "c", "new"), 0);
    assert_int_equal(dict_set(&from, "z", "new"), 0);
    assert_int_equal(dict_merge(&into, from), 0);
    assert_int_equal(into->count, 21);
    assert_string_equal(dict_get(into, "b"), "old");
    assert_string_equal(dict_get(into, "c"), "new");
    assert_string_equal(dict_get(into, "z"), "new");
    Dict *copy;
    assert_int_equal(dict_copy(&copy, into), 0);
    assert_int_equal(copy->count, 21);
    dict_destroy(copy);
    assert_int_equal(dict_copy(&copy, NULL), 0);
    assert_null(copy);
    dict_destroy(into);
    dict_destroy(from);
}

/* Needs a locale with a decimal comma; on a machine without one it tests the C locale. */
static void locale_changes_nothing(void **state)
{
    static const char *const commas[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
                                          "nl_NL.UTF-8" };
    for (size_t i = 0; i < COUNT(commas) && !setlocale(LC_ALL, commas[i]); i++)
        continue;
    char text[32];
    assert_int_equal(text_print_double(text, sizeof(text), "%.3f", 1.5), 5);
    assert_string_equal(text, "1.500");
    char *end;
    assert_true(text_to_double("2.25x", &end) == 2.25);
    assert_string_equal(end, "x");
    assert_true(text_to_float("2.25", &end) == 2.25f);
    setlocale(LC_ALL, "C");
}

TEST_MAIN(dict)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_normalised),
        cmocka_unit_test(same_key_overwrites),
        cmocka_unit_test(merge_keeps_the_later_value),
        cmocka_unit_test(locale_changes_nothing),
    };
    return cmocka_run_group_tests_name("dict", tests, NULL, NULL);
}
