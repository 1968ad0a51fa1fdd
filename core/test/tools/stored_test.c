/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests reading JSON reports: ours, those of libvmaf, and files that are neither. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "report/stored.h"
#include "testing.h"

static StoredReport *parsed(const char *text)
{
    StoredReport *const report = calloc(1, sizeof(*report));
    assert_non_null(report);
    report->path = "a/b.json";
    assert_int_equal(stored_parse(report, text, strlen(text)), 0);
    return report;
}

static void a_plain_report_is_read(void **state)
{
    StoredReport *const report = parsed(
        "{\"version\": \"2.3.1\", \"fps\": 12.5, \"frames\": [\n"
        "{\"frameNum\": 3, \"metrics\": {\"psnr_y\": 30, \"vmaf\": 90.5}},\n"
        "{\"frameNum\": 5, \"metrics\": {\"vmaf\": 80.5, \"psnr_y\": null, \"late\": 1e300}}],\n"
        "\"pooled_metrics\": {\"vmaf\": {\"mean\": 1}}, \"aggregate_metrics\": {}} \n");
    assert_string_equal(report->version, "2.3.1");
    assert_true(report->fps == 12.5);
    assert_false(report->detailed);
    assert_int_equal(report->frame_count, 2);
    assert_int_equal(report->numbers[1], 5);
    assert_int_equal(report->metric_count, 3);
    const StoredMetric *const psnr = stored_find(report, "psnr_y");
    assert_true(psnr->values[0] == 30.0 && isnan(psnr->values[1]));
    assert_int_equal(psnr->count, 1);
    assert_int_equal(stored_find(report, "late")->count, 0); /* 1e300 is too large for a score */
    assert_null(stored_find(report, "vma"));
    assert_ptr_equal(stored_headline(report), stored_find(report, "vmaf"));
    assert_true(stored_headline(report)->figures.mean == 85.5);
    assert_string_equal(stored_title(report), "b.json");
    assert_true(isnan(stored_time(report, 0)) && isnan(stored_duration(report)));
    stored_destroy(report);
}

static void details_are_read(void **state)
{
    StoredReport *const report = parsed(
        "{\"frames\": [{\"frameNum\": 0, \"metrics\": {\"m\": 1, \"m_0001\": 2, \"m_bagging\": 3, "
        "\"m_ci_p95_lo\": 2.5, \"m_ci_p95_hi\": 3.5, \"x_0001\": 4}}], \"partial\": \"stopped\",\n"
        "\"vmaf_turbo\": {\"schema\": 1, \"inputs\": {\"reference\": {\"path\": \"r.y4m\"}, \"distorted\": "
        "{\"path\": \"d/e.y4m\", \"kind\": \"y4m\", \"width\": 64, \"height\": 48, \"bitdepth\": 10, "
        "\"pixel_format\": \"422\", \"frame_rate\": \"30000/1001\", \"frames\": 7, \"skipped\": 2, "
        "\"filters\": \"crop\", \"warnings\": \"hdr\", \"pairing\": \"by time\"}}, \"scored\": {\"width\": 32, \"height\": 24},\n"
        "\"models\": [{\"metric\": \"m\", \"source\": \"s\", \"members\": 20, \"note\": \"n\"}, {\"metric\": 1}],\n"
        "\"features\": [{\"extractor\": \"vif\", \"options\": {\"a\": \"1\", \"b\": \"2\"}, \"backend\": "
        "\"cuda\", \"device\": \"H200\"}],\n"
        "\"options\": [{\"name\": \"quiet\"}, {\"name\": \"model\", \"value\": \"v\"}],\n"
        "\"threads\": 4, \"elapsed\": 0.5, \"fps\": 2}}");
    const StoredInput *const dist = &report->input[SIDE_DIST];
    assert_true(report->detailed);
    assert_string_equal(report->partial, "stopped");
    assert_string_equal(report->input[SIDE_REF].path, "r.y4m");
    assert_string_equal(dist->kind, "y4m");
    assert_string_equal(dist->pixel_format, "422");
    assert_string_equal(dist->filters, "crop");
    assert_string_equal(dist->warnings, "hdr");
    assert_string_equal(dist->pairing, "by time");
    assert_int_equal(report->warning_count, 1); /* from a report without the list of warnings */
    assert_string_equal(report->warnings[0].code, "warning");
    assert_string_equal(report->warnings[0].text, "hdr");
    assert_int_equal(report->warnings[0].side, SIDE_DIST);
    assert_int_equal(dist->width, 64);
    assert_int_equal(dist->height, 48);
    assert_int_equal(dist->bitdepth, 10);
    assert_int_equal(dist->frames, 7);
    assert_int_equal(dist->skipped, 2);
    /* without times, at the reference's rate or, as here, the other one's */
    assert_true(stored_time(report, 0) == report->numbers[0] * 1001.0 / 30000);
    assert_int_equal(stored_frame(report, SIDE_DIST, 0), 2 + report->numbers[0]);
    assert_int_equal(report->width, 32);
    assert_int_equal(report->height, 24);
    assert_int_equal(report->model_count, 1); /* the other one is not a model */
    assert_int_equal(report->models[0].members, 20);
    assert_string_equal(report->models[0].note, "n");
    assert_string_equal(report->features[0].options, "a=1 b=2");
    assert_string_equal(report->features[0].device, "H200");
    assert_null(report->options[0].value);
    assert_string_equal(report->options[1].value, "v");
    assert_int_equal(report->threads, 4);
    assert_true(report->elapsed == 0.5);
    assert_string_equal(stored_title(report), "e.y4m");

    /* The headline of a collection is the score of all its members together. */
    const StoredMetric *const headline = stored_headline(report);
    double low, high;
    assert_string_equal(headline->name, "m_bagging");
    assert_true(stored_interval(report, headline, &low, &high));
    assert_true(low == 2.5 && high == 3.5);
    assert_false(stored_interval(report, stored_find(report, "x_0001"), &low, &high));
    assert_true(stored_is_member(report, stored_find(report, "m_0001")));
    assert_false(stored_is_member(report, stored_find(report, "x_0001")));
    assert_false(stored_is_member(report, stored_find(report, "m_ci_p95_lo")));
    stored_destroy(report);
}

#define FRAME "{\"frames\": [{\"frameNum\": 0, \"metrics\": {\"a\": 1}}]"

static void warnings_are_read(void **state)
{
    StoredReport *const report = parsed(
        FRAME
        ", \"vmaf_turbo\": {\"inputs\": {\"distorted\": {\"path\": \"d\", \"warnings\": \"old\"}}, "
        "\"warnings\": [{\"code\": \"hdr\", \"input\": \"distorted\", \"text\": \"is HDR\"}, "
        "{\"code\": \"hdr\", \"input\": \"reference\", \"text\": \"is HDR, too\"}, "
        "{\"code\": \"lame\"}, 5, {\"code\": \"no_gpu\", \"text\": \"none\"}]}}");
    static const StoredWarning expected[] = {
        { (char *)"hdr", (char *)"is HDR", SIDE_DIST },
        { (char *)"hdr", (char *)"is HDR, too", SIDE_REF },
        { (char *)"no_gpu", (char *)"none", SIDES },
    };
    assert_int_equal(report->warning_count, COUNT(expected));
    for (unsigned i = 0; i < COUNT(expected); i++) {
        assert_string_equal(report->warnings[i].code, expected[i].code);
        assert_string_equal(report->warnings[i].text, expected[i].text);
        assert_int_equal(report->warnings[i].side, expected[i].side);
    }
    stored_destroy(report);
}

#define FRAMES                                                                                     \
    "{\"frames\": [{\"frameNum\": 0, \"metrics\": {\"a\": 1}}, "                                   \
    "{\"frameNum\": 2, \"metrics\": {\"a\": 1}}, {\"frameNum\": 4, \"metrics\": {\"a\": 1}}]"

static void times_are_read(void **state)
{
    StoredReport *report = parsed(
        FRAMES
        ", \"vmaf_turbo\": {\"times\": [1.5, 1.54, 2], \"frame_numbers\": {\"reference\": [7, "
        "8, 8]}, \"inputs\": {\"distorted\": {\"path\": \"d\", \"skipped\": 3}}}}");
    assert_true(stored_time(report, 0) == 1.5 && stored_time(report, 2) == 2.0);
    assert_true(stored_duration(report) == 0.625); /* a quarter more than from first to last */
    assert_int_equal(stored_frame(report, SIDE_REF, 2), 8);
    assert_int_equal(stored_frame(report, SIDE_DIST, 2), 7);
    stored_destroy(report);

    /* Lists that do not fit the frames are ignored. */
    static const char *const odd[] = {
        "\"times\": [1.5, 1.54]",   "\"times\": [1.5, 1.4, 2]",
        "\"times\": [1, 2, \"3\"]", "\"frame_numbers\": {\"reference\": [1, 2, 3, 4]}",
        "\"times\": [1, 2, 3, 4]",  "\"frame_numbers\": {\"reference\": [7, -8, 9]}",
    };
    for (size_t i = 0; i < COUNT(odd); i++) {
        char text[512];
        snprintf(text, sizeof(text), FRAMES ", \"vmaf_turbo\": {%s}}", odd[i]);
        report = parsed(text);
        assert_true(isnan(stored_time(report, 1)));
        assert_int_equal(stored_frame(report, SIDE_REF, 1), 2);
        stored_destroy(report);
    }
}

/* Shots are counted in frames, and stay without times. */
static void shots_need_no_times(void **state)
{
    ShotSpans shots;
    StoredReport *const report = parsed(FRAMES ", \"vmaf_turbo\": {\"times\": [1.5, 1.4, 2], "
                                               "\"shots\": [{\"first\": 0}, {\"first\": 4}]}}");
    assert_int_equal(stored_shots(report, &shots), 0);
    assert_int_equal(shots.count, 2);
    assert_true(shots.at[1].first == 4 && shots.at[1].last == 4 && isnan(shots.at[1].begin));
    shot_spans_clear(&shots);
    stored_destroy(report);
}

static void invalid_details_are_ignored(void **state)
{
    static const char *const odd[] = {
        "5",
        "{\"inputs\": 5}",
        "{\"models\": {}}",
        "{\"warnings\": {}}",
        "{\"warnings\": [5, null, {}, {\"code\": 1, \"text\": []}]}",
        "{\"models\": [5, null, {}]}",
        "{\"features\": [{\"extractor\": \"a\", \"backend\": \"b\", \"options\": [1]}]}",
        "{\"inputs\": {\"distorted\": {\"path\": 5, \"width\": -1, \"frame_rate\": \"-1/2\"}}}",
        "{\"inputs\": {\"distorted\": {\"frame_rate\": \"1\", \"frames\": 99999999999}}}",
        "{\"options\": [[]], \"threads\": 1e9, \"elapsed\": \"x\"}",
        "{\"times\": 5, \"frame_numbers\": []}",
        "{\"times\": [null]}",
        "{\"times\": [1, 2]}",
        "{\"times\": [1e300]}",
    };
    for (size_t i = 0; i < COUNT(odd); i++) {
        char text[512];
        snprintf(text, sizeof(text), FRAME ", \"vmaf_turbo\": %s}", odd[i]);
        StoredReport *const report = parsed(text);
        assert_int_equal(report->model_count, 0);
        assert_int_equal(report->input[SIDE_DIST].width, 0);
        assert_true(isnan(stored_time(report, 0)));
        assert_int_equal(report->threads, 0);
        stored_destroy(report);
    }
}

static void other_files_are_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "{",
        "[]",
        "<VMAF version=\"3\">",
        "{}",
        "{\"frames\": []}",
        "{\"frames\": 5}",
        "{\"frames\": [5]}",
        "{\"frames\": [{\"frameNum\": 0}]}",
        "{\"frames\": [{\"frameNum\": -1, \"metrics\": {\"a\": 1}}]}",
        "{\"frames\": [{\"frameNum\": 99999999999, \"metrics\": {\"a\": 1}}]}",
        "{\"frames\": [{\"frameNum\": 0, \"metrics\": {\"a\": \"1\"}}]}",
        "{\"frames\": [{\"frameNum\": 0, \"metrics\": {}}]}",
        "{\"frames\": [{\"frameNum\": 1, \"metrics\": {\"a\": 1}}, {\"frameNum\": 1, \"metrics\": {}}]}",
        "{\"frames\": [{\"frameNum\": 0, \"metrics\": {\"a\": 1}},]}",
        "{\"frames\": [{\"frameNum\": 0, \"metrics\": {\"a\": 1]}}",
        "{\"frames\": [{\"frameNum\": 0, \"metrics\": {\"a\": 1}} {}]}",
        "{\"frames\": [{\"frameNum\": 0, \"metrics\": {\"a\": 1}}",
        FRAME "",
        FRAME "} x",
        FRAME ",}",
        FRAME ", \"version\"}",
        FRAME ", \"version\": }",
        FRAME ", \"version\": \"x}",
        FRAME ", 5: 6}",
        FRAME ", \"frames\": []}",
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        StoredReport *const report = calloc(1, sizeof(*report));
        assert_non_null(report);
        report->path = "x";
        if (stored_parse(report, bad[i], strlen(bad[i])) != -EINVAL)
            fail_msg("%s is taken for a report", bad[i]);
        stored_destroy(report);
    }
    StoredReport *report = NULL;
    assert_int_equal(stored_load(&report, "no/such/file"), -ENOENT);
    assert_int_equal(stored_load(&report, "."), -EISDIR);
    assert_null(report);
}

TEST_MAIN(stored)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_report_is_read), cmocka_unit_test(details_are_read),
        cmocka_unit_test(warnings_are_read),      cmocka_unit_test(invalid_details_are_ignored),
        cmocka_unit_test(times_are_read),         cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(shots_need_no_times),
    };
    message_hush(true);
    return cmocka_run_group_tests_name("stored", tests, NULL, NULL);
}
