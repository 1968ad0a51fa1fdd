/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests pooling by name, score limits, and the summary of a run. */
#include <math.h>
#include <string.h>

#include "common/message.h"
#include "report/pooling.h"
#include "report/summary.h"
#include "testing.h"

static const double scores[] = { 90.0, 70.0, 80.0, 100.0, 60.0 };

static VmafStatistics figures_of_scores(void)
{
    VmafStatistics figures = { .size = sizeof(figures) };
    assert_int_equal(vmaf_statistics(scores, COUNT(scores), &figures), 0);
    return figures;
}

static void figures_have_names(void **state)
{
    static const struct {
        const char *name;
        double want;
    } cases[] = { { "mean", 80 }, { "min", 60 },  { "max", 100 },  { "median", 80 }, { "p0", 60 },
                  { "p25", 70 },  { "p050", 80 }, { "p100", 100 }, { "p5", 62 } };
    static const char *const bad[] = { "",     "p",   "p101",     "p-1",
                                       "p5.5", "p5 ", "Mean",     "mean ",
                                       "5",    "pp5", "harmonic", "a very long name" };
    const VmafStatistics figures = figures_of_scores();
    Pooling pooling;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(pooling_parse(&pooling, cases[i].name, strlen(cases[i].name)));
        assert_string_equal(pooling.name, cases[i].name);
        if (pooling_of(&pooling, &figures) != cases[i].want)
            fail_msg("%s is %.17g", cases[i].name, pooling_of(&pooling, &figures));
    }
    assert_true(pooling_parse(&pooling, "harmonic_mean,p5", strlen("harmonic_mean")));
    assert_true(pooling_of(&pooling, &figures) == figures.harmonic_mean);
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_false(pooling_parse(&pooling, bad[i], strlen(bad[i])));
}

static void limits_are_reached_or_not(void **state)
{
    static const struct {
        const char *text;
        bool passes;
    } cases[] = { { "80", true },        { "80.0001", false }, { "62:p5", true },
                  { "62.01:p5", false }, { "60:min", true },   { "-5:max", true } };
    static const char *const bad[] = { "",    "x",      "93:", "93:p",   "93p5", ":p5",   "nan",
                                       "inf", "93:p5:", "a:b", "a:93:q", "=93",  ":93:p5" };
    const VmafStatistics figures = figures_of_scores();
    ScoreLimit limit;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(score_limit_parse(&limit, cases[i].text));
        assert_int_equal(score_limit_passes(&limit, "", "a", &figures), cases[i].passes);
    }
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_false(score_limit_parse(&limit, bad[i]));
    const VmafStatistics none = { .mean = (double)NAN };
    assert_true(score_limit_parse(&limit, "-100"));
    assert_false(score_limit_passes(&limit, "", "a", &none)); /* NaN reaches no limit */
}

static void limits_have_names(void **state)
{
    static const struct {
        const char *text, *name;
        bool pooled;
    } cases[] = { { "93", NULL, false },           { "93:p5", NULL, true },
                  { "neg=93", "neg", false },      { "neg=93:p5", "neg", true },
                  { "xpsnr:93", "xpsnr", false },  { "ssimulacra2:-7.5:p5", "ssimulacra2", true },
                  { "a=b:93=93", "a=b:93", false } };
    ScoreLimit limit;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(score_limit_parse(&limit, cases[i].text));
        assert_int_equal(limit.pooled, cases[i].pooled);
        assert_int_equal(limit.name_length, cases[i].name ? strlen(cases[i].name) : 0);
        assert_int_equal(score_limit_names(&limit, "xpsnr"),
                         !cases[i].name || !strcmp(cases[i].name, "xpsnr"));
        if (cases[i].name)
            assert_true(score_limit_names(&limit, cases[i].name));
    }
    assert_true(score_limit_parse(&limit, "vif_scale0_egl_1:0.5"));
    assert_true(score_limit_continues(&limit, "vif_scale0"));
    assert_true(score_limit_continues(&limit, "vif_scale0_egl_1"));
    assert_false(score_limit_continues(&limit, "vif_scale"));
    assert_true(score_limit_parse(&limit, "axpsnr_y:40"));
    assert_true(score_limit_passes_figure(&limit, "", "axpsnr_y", 40.0));
    assert_false(score_limit_passes_figure(&limit, "", "axpsnr_y", 39.9));
    assert_false(score_limit_passes_figure(&limit, "", "axpsnr_y", (double)NAN));
}

static unsigned cells(const char *text)
{
    unsigned count = 0;
    for (; *text; text++)
        count += (*text & 0xc0) != 0x80;
    return count;
}

static void a_summary_has_its_shape(void **state)
{
    char text[SUMMARY_TEXT_SIZE];
    summary_bar(text, 0.0);
    assert_int_equal(cells(text), SUMMARY_CELLS);
    assert_memory_equal(text, "░░", 6);
    summary_bar(text, 1.5);
    assert_int_equal(cells(text), SUMMARY_CELLS);
    assert_null(strstr(text, "░"));
    summary_bar(text, (double)NAN);
    assert_memory_equal(text, "░░", 6);
    summary_bar(text, 1.5 / SUMMARY_CELLS);
    assert_memory_equal(text, "█▌░", 9);

    summary_spark(text, scores, COUNT(scores));
    assert_string_equal(text, "▆▂▄█▁");
    const double one = 3.0;
    summary_spark(text, &one, 1);
    assert_string_equal(text, "█");
    double many[1000];
    for (unsigned i = 0; i < 1000; i++)
        many[i] = i == 777 ? 0.0 : 100.0; /* one bad frame among many is visible */
    summary_spark(text, many, 1000);
    assert_int_equal(cells(text), SUMMARY_CELLS);
    assert_non_null(strstr(text, "█▁█"));
}

static void rows_keep_what_a_table_shows(void **state)
{
    const VmafStatistics figures = figures_of_scores();
    const Summary summary = { .name = "model",
                              .scores = scores,
                              .count = COUNT(scores),
                              .figures = &figures,
                              .worst = 4,
                              .worst_time = 1.5,
                              .incomplete = "cut" };
    SummaryRow row;
    summary_keep(&row, &summary, "a.mp4");
    assert_string_equal(row.video, "a.mp4");
    assert_true(row.mean == figures.mean && row.p5 == figures.percentile[5] && row.incomplete);
    assert_int_equal(row.cell_count, COUNT(scores));
    assert_memory_equal(row.cells, scores, sizeof(scores));
}

TEST_MAIN(pooling)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_have_names),
        cmocka_unit_test(limits_are_reached_or_not),
        cmocka_unit_test(limits_have_names),
        cmocka_unit_test(a_summary_has_its_shape),
        cmocka_unit_test(rows_keep_what_a_table_shows),
    };
    message_hush(true);
    return cmocka_run_group_tests_name("pooling", tests, NULL, NULL);
}
