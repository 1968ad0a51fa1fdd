/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Reports: the layout of each format, to the byte, and how odd names, values and disks end. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "output/report.h"
#include "testing.h"

static const char path[] = "report_test.out";

typedef struct Fixture {
    ScoreStore *scores;
    Report report;
    char text[8192]; /* the text written last */
} Fixture;

static int setup(void **state)
{
    Fixture *const f = test_calloc(1, sizeof(*f));
    log_set_level(VMAF_LOG_LEVEL_NONE);
    assert_int_equal(scores_create(&f->scores), 0);
    f->report = (Report){ .scores = f->scores,
                          .version = "1.2.3",
                          .width = 64,
                          .height = 48,
                          .fps = 12.345,
                          .frames = 2 };
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    Fixture *const f = *state;
    scores_destroy(f->scores);
    test_free(f);
    remove(path);
    return 0;
}

static void put(Fixture *f, const char *name, unsigned index, double value)
{
    assert_int_equal(scores_set(f->scores, name, index, value, NULL), 0);
}

static const char *written(Fixture *f, enum VmafOutputFormat format)
{
    assert_int_equal(report_write(&f->report, path, format), 0);
    FILE *const file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(f->text, 1, sizeof(f->text) - 1, file);
    fclose(file);
    f->text[size] = 0;
    return f->text;
}

static void put_two_frames(Fixture *f)
{
    put(f, "psnr_y", 0, 32.5);
    put(f, "psnr_y", 1, 1.0 / 3.0);
    put(f, "VMAF_integer_feature_adm2_score", 0, 0.0000005);
    put(f, "VMAF_integer_feature_adm2_score", 1, 1.0);
    assert_int_equal(scores_set_aggregate(f->scores, "apsnr_y", 30.25), 0);
}

static void xml_has_its_layout(void **state)
{
    Fixture *const f = *state;
    put_two_frames(f);
    assert_string_equal(
        written(f, VMAF_OUTPUT_FORMAT_XML),
        "<VMAF version=\"1.2.3\">\n"
        "  <params qualityWidth=\"64\" qualityHeight=\"48\" />\n"
        "  <fyi fps=\"12.35\" />\n"
        "  <frames>\n"
        "    <frame frameNum=\"0\" psnr_y=\"32.500000\" integer_adm2=\"0.0000005000000000\" />\n"
        "    <frame frameNum=\"1\" psnr_y=\"0.333333\" integer_adm2=\"1.000000\" />\n"
        "  </frames>\n"
        "  <pooled_metrics>\n"
        "    <metric name=\"psnr_y\" min=\"0.333333\" max=\"32.500000\" mean=\"16.416667\" "
        "harmonic_mean=\"1.564593\" />\n"
        "    <metric name=\"integer_adm2\" min=\"0.0000005000000000\" max=\"1.000000\" "
        "mean=\"0.500000\" harmonic_mean=\"0.333334\" />\n"
        "  </pooled_metrics>\n"
        "  <aggregate_metrics apsnr_y=\"30.250000\" />\n"
        "</VMAF>\n");
}

static void json_has_its_layout(void **state)
{
    Fixture *const f = *state;
    put(f, "a", 0, 1.5);
    put(f, "b", 0, INFINITY);
    f->report.frames = 1;
    assert_string_equal(written(f, VMAF_OUTPUT_FORMAT_JSON), "{\n"
                                                             "  \"version\": \"1.2.3\",\n"
                                                             "  \"fps\": 12.35,\n"
                                                             "  \"frames\": [\n"
                                                             "    {\n"
                                                             "      \"frameNum\": 0,\n"
                                                             "      \"metrics\": {\n"
                                                             "        \"a\": 1.500000,\n"
                                                             "        \"b\": null\n"
                                                             "      }\n"
                                                             "    }\n"
                                                             "  ],\n"
                                                             "  \"pooled_metrics\": {\n"
                                                             "    \"a\": {\n"
                                                             "      \"min\": 1.500000,\n"
                                                             "      \"max\": 1.500000,\n"
                                                             "      \"mean\": 1.500000,\n"
                                                             "      \"harmonic_mean\": 1.500000\n"
                                                             "    },\n"
                                                             "    \"b\": {\n"
                                                             "      \"min\": null,\n"
                                                             "      \"max\": null,\n"
                                                             "      \"mean\": null,\n"
                                                             "      \"harmonic_mean\": null\n"
                                                             "    }\n"
                                                             "  },\n"
                                                             "  \"aggregate_metrics\": {\n"
                                                             "  }\n"
                                                             "}\n");
}

static void an_empty_report_keeps_its_lines(void **state)
{
    Fixture *const f = *state;
    f->report.fps = INFINITY;
    f->report.frames = 0;
    assert_string_equal(written(f, VMAF_OUTPUT_FORMAT_JSON), "{\n"
                                                             "  \"version\": \"1.2.3\",\n"
                                                             "  \"fps\": null,\n"
                                                             "  \"frames\": [\n"
                                                             "  ],\n"
                                                             "  \"pooled_metrics\": {\n"
                                                             "  },\n"
                                                             "  \"aggregate_metrics\": {\n"
                                                             "  }\n"
                                                             "}\n");
    assert_string_equal(written(f, VMAF_OUTPUT_FORMAT_CSV), "Frame,\n");
    assert_string_equal(written(f, VMAF_OUTPUT_FORMAT_SUB), "");
    assert_non_null(strstr(written(f, VMAF_OUTPUT_FORMAT_XML), "<fyi fps=\"inf\" />"));
}

static void a_missing_score_leaves_a_gap(void **state)
{
    Fixture *const f = *state;
    put(f, "a", 0, 1.0);
    put(f, "a", 1, 2.0);
    put(f, "b", 1, 3.0);
    assert_string_equal(written(f, VMAF_OUTPUT_FORMAT_CSV),
                        "Frame,a,b,\n0,1.000000,,\n1,2.000000,3.000000,\n");
    assert_string_equal(written(f, VMAF_OUTPUT_FORMAT_SUB),
                        "{0}{1}frame: 0|a: 1.000000|\n{1}{2}frame: 1|a: 2.000000|b: 3.000000|\n");
    /* and what is missing once cannot be pooled */
    assert_non_null(strstr(written(f, VMAF_OUTPUT_FORMAT_JSON), "    \"b\": {\n    }\n"));
    assert_non_null(strstr(written(f, VMAF_OUTPUT_FORMAT_XML), "<metric name=\"b\" />\n"));
}

static void frames_may_start_late(void **state)
{
    Fixture *const f = *state;
    put(f, "a", 7, 1.0);
    assert_non_null(strstr(written(f, VMAF_OUTPUT_FORMAT_JSON),
                           "\"frames\": [\n    {\n      \"frameNum\": 7,\n"));
}

static unsigned occurrences(const char *text, const char *mark)
{
    unsigned count = 0;
    while ((text = strstr(text, mark))) {
        text += strlen(mark);
        count++;
    }
    return count;
}

/* Also when the frames just fill the memory of their scores, which grows by powers of two. */
static void every_frame_is_written(void **state)
{
    Fixture *const f = *state;
    unsigned put_so_far = 0;
    for (unsigned frames = 63; frames <= 65; frames++) {
        while (put_so_far < frames) {
            put(f, "a", put_so_far, put_so_far);
            put_so_far++;
        }
        f->report.frames = frames;
        assert_int_equal(occurrences(written(f, VMAF_OUTPUT_FORMAT_XML), "<frame "), frames);
        assert_int_equal(occurrences(written(f, VMAF_OUTPUT_FORMAT_JSON), "frameNum"), frames);
        assert_int_equal(occurrences(written(f, VMAF_OUTPUT_FORMAT_CSV), "\n"), 1 + frames);
        assert_int_equal(occurrences(written(f, VMAF_OUTPUT_FORMAT_SUB), "frame: "), frames);
    }
}

static void subsampling_shows_its_frames_only(void **state)
{
    Fixture *const f = *state;
    for (unsigned i = 0; i < 5; i++)
        put(f, "a", i, i);
    f->report.subsample = 2;
    f->report.frames = 5;
    assert_string_equal(written(f, VMAF_OUTPUT_FORMAT_CSV),
                        "Frame,a,\n0,0.000000,\n2,2.000000,\n4,4.000000,\n");
    assert_non_null(strstr(written(f, VMAF_OUTPUT_FORMAT_XML),
                           "min=\"0.000000\" max=\"4.000000\" mean=\"2.000000\""));
}

static void names_cannot_break_a_format(void **state)
{
    Fixture *const f = *state;
    put(f, "a\"<b>&\\\n\x01\xff|,{é}", 0, 1.0);
    f->report.frames = 1;
    assert_non_null(strstr(
        written(f, VMAF_OUTPUT_FORMAT_XML),
        " a_x0022__x003C_b_x003E__x0026__x005C__x000A__x0001__x00FF__x007C__x002C__x007B_é_x007D_"
        "=\"1.000000\""));
    assert_non_null(
        strstr(written(f, VMAF_OUTPUT_FORMAT_XML),
               "<metric name=\"a&quot;&lt;b&gt;&amp;\\&#10;\xef\xbf\xbd\xef\xbf\xbd|,{é}\""));
    assert_non_null(strstr(written(f, VMAF_OUTPUT_FORMAT_JSON),
                           "\"a\\\"<b>&\\\\\\u000a\\u0001\xef\xbf\xbd|,{é}\": 1.000000"));
    assert_non_null(
        strstr(written(f, VMAF_OUTPUT_FORMAT_CSV), "Frame,\"a\"\"<b>&\\  \xef\xbf\xbd|,{é}\",\n"));
    assert_non_null(
        strstr(written(f, VMAF_OUTPUT_FORMAT_SUB), "|a\"<b>&\\__\xef\xbf\xbd_,_é_: 1.000000|\n"));
}

static void malformed_utf8_is_replaced(void **state)
{
    static const struct {
        const char *name, *shown;
    } cases[] = {
        { "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd" },                                 /* overlong */
        { "\xe0\x80\xaf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },                 /* overlong */
        { "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },                 /* surrogate */
        { "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" }, /* too large */
        { "\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd" },                                 /* cut */
        { "\xf0\x9f\x8e\xac", "\xf0\x9f\x8e\xac" },                                 /* fine */
    };
    Fixture *const f = *state;
    for (size_t i = 0; i < COUNT(cases); i++)
        put(f, cases[i].name, 0, 1.0);
    const char *at = written(f, VMAF_OUTPUT_FORMAT_SUB);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char want[64];
        snprintf(want, sizeof(want), "|%s: 1.000000|", cases[i].shown);
        at = strstr(at, want);
        assert_non_null(at);
    }
}

static void numbers_follow_the_rule(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        { 0.0, "0.000000" },
        { -0.0, "-0.000000" },
        { 1e-5, "0.000010" },
        { 1e-6, "0.000001" },
        { 9e-7, "0.0000009000000000" },
        { -9e-7, "-0.0000009000000000" },
        { 12.0000001, "12.0000000999999994" },
        { 1e300, NULL }, /* long, but whole */
        { INFINITY, "inf" },
        { -INFINITY, "-inf" },
        { (double)NAN, "nan" },
    };
    Fixture *const f = *state;
    for (unsigned i = 0; i < COUNT(cases); i++)
        put(f, "a", i, cases[i].value);
    const char *const text = written(f, VMAF_OUTPUT_FORMAT_CSV);
    for (unsigned i = 0; i < COUNT(cases); i++) {
        char want[400];
        if (cases[i].text)
            snprintf(want, sizeof(want), "\n%u,%s,\n", i, cases[i].text);
        else
            snprintf(want, sizeof(want), "\n%u,%.6f,\n", i, cases[i].value);
        assert_non_null(strstr(text, want));
    }
}

static void a_score_format_of_the_caller(void **state)
{
    Fixture *const f = *state;
    put(f, "a", 0, 2.0 / 3.0);
    f->report.score_format = "%.17g";
    assert_string_equal(written(f, VMAF_OUTPUT_FORMAT_CSV), "Frame,a,\n0,0.66666666666666663,\n");
    f->report.score_format = "%.3e";
    assert_string_equal(written(f, VMAF_OUTPUT_FORMAT_CSV), "Frame,a,\n0,6.667e-01,\n");
}

static void bad_formats_are_refused_before_the_file_is_touched(void **state)
{
    static const char *const bad[] = { "",      "%f",    "%.6", "%.18g", "%.6lf",   "%s",
                                       "%.6f ", "x%.6f", "%.f", "%n",    "%.6f%.6f" };
    Fixture *const f = *state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        f->report.score_format = bad[i];
        assert_int_equal(report_write(&f->report, path, VMAF_OUTPUT_FORMAT_XML), -EINVAL);
    }
    f->report.score_format = NULL;
    assert_int_equal(report_write(&f->report, path, VMAF_OUTPUT_FORMAT_NONE), -EINVAL);
    assert_int_equal(report_write(&f->report, path, 99), -EINVAL);
    assert_int_equal(report_write(&f->report, NULL, VMAF_OUTPUT_FORMAT_XML), -EINVAL);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void disks_fail(void **state)
{
    Fixture *const f = *state;
    assert_int_equal(report_write(&f->report, "no/such/folder/x", VMAF_OUTPUT_FORMAT_XML), -EINVAL);
    if (access("/dev/full", W_OK))
        skip();
    assert_int_equal(report_write(&f->report, "/dev/full", VMAF_OUTPUT_FORMAT_XML), -EIO);
}

static void backends_are_listed_when_one_is_a_gpu(void **state)
{
    ReportFeature features[] = { { .extractor = "vif", .backend = "cpu" },
                                 { .extractor = "adm" },
                                 { .extractor = "adm" } };
    Fixture *const f = *state;
    f->report.features = features;
    f->report.feature_count = COUNT(features);
    assert_null(strstr(written(f, VMAF_OUTPUT_FORMAT_XML), "backend"));
    assert_null(strstr(written(f, VMAF_OUTPUT_FORMAT_JSON), "backend"));

    features[0].backend = "vulkan";
    features[0].device = "Some \"GPU\"";
    features[0].type = "integrated";
    features[0].index = 2;
    features[0].uuid = "u1, u2";
    features[0].pci = "p";
    features[0].passes = 8;
    features[0].frames = 3;
    features[0].launches = 24;
    features[0].frames_on_cpu = 1;
    features[0].device_us = 12.5;
    features[1].instruction_set = "AVX2";
    assert_non_null(strstr(written(f, VMAF_OUTPUT_FORMAT_XML),
                           "  <aggregate_metrics />\n"
                           "  <backends>\n"
                           "    <extractor name=\"vif\" backend=\"vulkan\" "
                           "device=\"Some &quot;GPU&quot;\" device_type=\"integrated\" "
                           "device_index=\"2\" device_uuid=\"u1, u2\" device_pci=\"p\" "
                           "passes=\"8\" frames=\"3\" "
                           "launches=\"24\" device_us=\"12.50\" frames_on_cpu=\"1\" />\n"
                           "    <extractor name=\"adm\" backend=\"cpu\" "
                           "instruction_set=\"AVX2\" />\n"
                           "    <extractor name=\"adm\" backend=\"cpu\" />\n"
                           "  </backends>\n"
                           "</VMAF>\n"));
    assert_non_null(strstr(written(f, VMAF_OUTPUT_FORMAT_JSON),
                           "  \"aggregate_metrics\": {\n"
                           "  },\n"
                           "  \"backends\": {\n"
                           "    \"vif\": {\n"
                           "      \"backend\": \"vulkan\",\n"
                           "      \"device\": \"Some \\\"GPU\\\"\",\n"
                           "      \"device_type\": \"integrated\",\n"
                           "      \"device_index\": 2,\n"
                           "      \"device_uuid\": \"u1, u2\",\n"
                           "      \"device_pci\": \"p\",\n"
                           "      \"passes\": 8,\n"
                           "      \"frames\": 3,\n"
                           "      \"launches\": 24,\n"
                           "      \"device_us\": 12.50,\n"
                           "      \"frames_on_cpu\": 1\n"
                           "    },\n"
                           "    \"adm\": {\n"
                           "      \"backend\": \"cpu\",\n"
                           "      \"instruction_set\": \"AVX2\"\n"
                           "    },\n"
                           "    \"adm#2\": {\n"
                           "      \"backend\": \"cpu\"\n"
                           "    }\n"
                           "  }\n"
                           "}\n"));
}

static void a_cpu_run_says_so_when_asked(void **state)
{
    ReportFeature features[] = { { .extractor = "vif", .instruction_set = "scalar" } };
    const Notes notes = { .places = true };
    Fixture *const f = *state;
    f->report.features = features;
    f->report.feature_count = COUNT(features);
    f->report.notes = &notes;
    assert_non_null(strstr(written(f, VMAF_OUTPUT_FORMAT_JSON),
                           "    \"vif\": {\n"
                           "      \"backend\": \"cpu\",\n"
                           "      \"instruction_set\": \"scalar\"\n"
                           "    }\n"));
    f->report.feature_count = 0;
    assert_null(strstr(written(f, VMAF_OUTPUT_FORMAT_JSON), "backend"));
}

/* Only where such a locale is installed: there is no other way to get a decimal comma. */
static void the_locale_plays_no_part(void **state)
{
    Fixture *const f = *state;
    put(f, "a", 0, 1.5);
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        skip();
    const char *const text = written(f, VMAF_OUTPUT_FORMAT_CSV);
    setlocale(LC_ALL, "C");
    assert_string_equal(text, "Frame,a,\n0,1.500000,\n");
}

TEST_MAIN(report)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(xml_has_its_layout, setup, teardown),
        cmocka_unit_test_setup_teardown(json_has_its_layout, setup, teardown),
        cmocka_unit_test_setup_teardown(an_empty_report_keeps_its_lines, setup, teardown),
        cmocka_unit_test_setup_teardown(a_missing_score_leaves_a_gap, setup, teardown),
        cmocka_unit_test_setup_teardown(frames_may_start_late, setup, teardown),
        cmocka_unit_test_setup_teardown(every_frame_is_written, setup, teardown),
        cmocka_unit_test_setup_teardown(subsampling_shows_its_frames_only, setup, teardown),
        cmocka_unit_test_setup_teardown(names_cannot_break_a_format, setup, teardown),
        cmocka_unit_test_setup_teardown(malformed_utf8_is_replaced, setup, teardown),
        cmocka_unit_test_setup_teardown(numbers_follow_the_rule, setup, teardown),
        cmocka_unit_test_setup_teardown(a_score_format_of_the_caller, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_formats_are_refused_before_the_file_is_touched, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(disks_fail, setup, teardown),
        cmocka_unit_test_setup_teardown(backends_are_listed_when_one_is_a_gpu, setup, teardown),
        cmocka_unit_test_setup_teardown(a_cpu_run_says_so_when_asked, setup, teardown),
        cmocka_unit_test_setup_teardown(the_locale_plays_no_part, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
