/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Settings and commands as users type them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "testing.h"
#include "extras/tune/encoder.h"

static void assert_range(const char *text, const char *expected)
{
    double values[RANGE_MAX];
    size_t count;
    char error[256] = "", all[2048] = "", one[32];
    const int err = range_parse(text, values, &count, error, sizeof(error));
    for (size_t i = 0; !err && i < count; i++) {
        range_print(values[i], one, sizeof(one));
        snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? " " : "", one);
    }
    assert_string_equal(err ? error : all, expected);
    assert_true(err == 0 || err == -EINVAL);
}

static void ranges_are_read(void **state)
{
    assert_range("20..44:6", "20 26 32 38 44");
    assert_range("20..45:6", "20 26 32 38 44");
    assert_range("30", "30");
    assert_range("20..23", "20 21 22 23");
    assert_range("32,20,26,20", "20 26 32");
    assert_range("0,20..24:2,51", "0 20 22 24 51");
    assert_range("18..19:0.25", "18 18.25 18.5 18.75 19");
    assert_range("20..21:0.1", "20 20.1 20.2 20.3 20.4 20.5 20.6 20.7 20.8 20.9 21");
    assert_range("-2..2:2", "-2 0 2");
}

static void ranges_that_are_wrong_say_so(void **state)
{
    static const char *const bad[] = { "",      "a",     "1..",      "..5",   "1,",    ",1",
                                       "1..2:", "1...2", "1..2:3:4", "0x10",  "1e3",   "inf",
                                       "nan",   "20-30", "1 2",      "1..2;", "1.2.3", "--1" };
    for (size_t i = 0; i < COUNT(bad); i++) {
        char expected[256];
        snprintf(expected, sizeof(expected),
                 "\"%s\" is not a list of settings; write \"20..44:6\" or \"20,26,32\"", bad[i]);
        assert_range(bad[i], expected);
    }
    assert_range("44..20", "the range in \"44..20\" is reversed; write the smaller setting first");
    assert_range("1..2:0", "the step in \"1..2:0\" must be more than 0");
    assert_range("1..2:-1", "the step in \"1..2:-1\" must be more than 0");
    assert_range("0..100000:0.0001", "\"0..100000:0.0001\" has more than 1024 settings");
    assert_range("0..99999999999", "a setting in \"0..99999999999\" is too large");
}

static void assert_words(const char *text, const char *const *expected)
{
    Template template;
    char error[256];
    assert_int_equal(template_parse(&template, text, error, sizeof(error)), 0);
    Argv words = template_fill(&template, &(TemplateValues){ .input = "a b'\"$(x)\n.mkv",
                                                             .y4m = "Y",
                                                             .output = "{crf} out.mkv",
                                                             .setting = "23" });
    assert_false(words.failed);
    size_t i = 0;
    for (; words.words[i] && expected[i]; i++)
        assert_string_equal(words.words[i], expected[i]);
    assert_null(words.words[i]);
    assert_null(expected[i]);
    argv_free(&words);
    template_free(&template);
}

static void commands_become_words(void **state)
{
    assert_words(
        "x264 --crf {crf} -o {output} {input}",
        (const char *[]){ "x264", "--crf", "23", "-o", "{crf} out.mkv", "a b'\"$(x)\n.mkv", NULL });
    assert_words("  e\t'a  b' \"c \\\" \\\\ \\d\" \\'f \\  --o={output} q{setting}{crf} ''\n",
                 (const char *[]){ "e", "a  b", "c \" \\ \\d", "'f", " ", "--o={crf} out.mkv",
                                   "q2323", "", NULL });
    assert_words(
        "e $HOME *;|`x` {{crf}} {{{crf}}} {output.ivf}{crf}",
        (const char *[]){ "e", "$HOME", "*;|`x`", "{crf}", "{23}", "{crf} out.mkv23", NULL });
}

static void commands_say_what_they_want(void **state)
{
    Template template;
    char error[256], extension[16];
    assert_int_equal(template_parse(&template, "e {y4m} {crf} {output.ivf}", error, sizeof(error)),
                     0);
    assert_true(template_wants_y4m(&template));
    template_extension(&template, extension, sizeof(extension));
    assert_string_equal(extension, "ivf");
    template_free(&template);
    assert_int_equal(template_parse(&template, "e {{y4m}} {crf} {output}", error, sizeof(error)),
                     0);
    assert_false(template_wants_y4m(&template));
    template_extension(&template, extension, sizeof(extension));
    assert_string_equal(extension, "mkv");
    template_free(&template);
}

static void commands_that_are_wrong_say_so(void **state)
{
    static const struct {
        const char *text, *error;
    } bad[] = {
        { "", "the encoder command is empty" },
        { " \t", "the encoder command is empty" },
        { "e 'x", "a quote in the encoder command is not closed" },
        { "e \"x\\\"", "a quote in the encoder command is not closed" },
        { "e \\", "a quote in the encoder command is not closed" },
        { "e {output}", "the encoder command lacks {crf}" },
        { "e {crf}", "the encoder command lacks {output}" },
        { "e {crf} {output} {bitrate}",
          "unknown placeholder in \"{bitrate}\"; use {input}, {y4m}, {output}, {output.EXT} or {crf}, "
          "and {{ for a brace" },
        { "e {crf} {output} {crf",
          "unknown placeholder in \"{crf\"; use {input}, {y4m}, {output}, {output.EXT} or {crf}, "
          "and {{ for a brace" },
        { "e {crf} {output./../x}",
          "unknown placeholder in \"{output./../x}\"; use {input}, {y4m}, {output}, {output.EXT} or {crf}, "
          "and {{ for a brace" },
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        Template template;
        char error[256];
        assert_int_equal(template_parse(&template, bad[i].text, error, sizeof(error)), -EINVAL);
        assert_string_equal(error, bad[i].error);
        assert_int_equal(template.words.count, 0);
    }
}

TEST_MAIN(words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_read),
        cmocka_unit_test(ranges_that_are_wrong_say_so),
        cmocka_unit_test(commands_become_words),
        cmocka_unit_test(commands_say_what_they_want),
        cmocka_unit_test(commands_that_are_wrong_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
