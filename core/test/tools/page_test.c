/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests the pieces of an HTML page: curves that keep their extremes, round scales, the worst
 * frames, escaped text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/chart.h"
#include "report/page.h"
#include "report/series.h"
#include "report/text.h"
#include "testing.h"

/* Makes a report of one metric, whose frames are `step` apart. */
typedef struct Made {
    StoredReport report;
    StoredMetric metric;
} Made;

static void make(Made *made, size_t count, unsigned first, unsigned step)
{
    *made = (Made){ .report = { .path = "made.json",
                                .numbers = calloc(count, sizeof(unsigned)),
                                .frame_count = count,
                                .metric_count = 1,
                                .fps = (double)NAN,
                                .elapsed = (double)NAN },
                    .metric = { .name = (char *)"vmaf", .values = calloc(count, sizeof(double)) } };
    made->report.metrics = &made->metric;
    for (size_t i = 0; i < count; i++) {
        made->report.numbers[i] = first + (unsigned)i * step;
        made->metric.values[i] = 50.0 + 10.0 * sin((double)i * 0.37);
    }
}

static void take_statistics(Made *made)
{
    made->metric.figures.size = sizeof(made->metric.figures);
    made->metric.count = made->report.frame_count;
    assert_int_equal(
        vmaf_statistics(made->metric.values, made->metric.count, &made->metric.figures), 0);
}

static void unmake(Made *made)
{
    free(made->report.numbers);
    free(made->metric.values);
}

static double decoded(const Series *series, uint16_t code)
{
    return series->low + code * (series->high - series->low) / SERIES_TOP;
}

static void a_short_curve_has_every_frame(void **state)
{
    Made made;
    Series series;
    make(&made, 100, 6, 2);
    take_statistics(&made);
    assert_int_equal(series_make(&series, &made.report, &made.metric, 100), 0);
    assert_int_equal(series.positions.first, 6);
    assert_int_equal(series.positions.step, 2);
    assert_int_equal(series.positions.count, 100);
    assert_int_equal(series.per, 1);
    assert_int_equal(series.code_count, 100);
    for (unsigned i = 0; i < 100; i++)
        assert_true(fabs(decoded(&series, series.codes[i]) - made.metric.values[i]) <=
                    (series.high - series.low) / SERIES_TOP);
    series_clear(&series);
    unmake(&made);
}

static void gaps_stay_gaps(void **state)
{
    Made made;
    Series series;
    make(&made, 4, 0, 1);
    made.report.numbers[3] = 7; /* 0 1 2 7 */
    take_statistics(&made);
    made.metric.values[1] = (double)NAN;
    assert_int_equal(series_make(&series, &made.report, &made.metric, 100), 0);
    assert_int_equal(series.positions.count, 8);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(series.codes[i] == SERIES_GAP, i == 1 || (i > 2 && i < 7));
    series_clear(&series);
    unmake(&made);
}

/* One frame of a long film is bad and one is good: both must be visible, wherever they are. */
static void a_reduced_curve_keeps_its_extremes(void **state)
{
    enum { FRAMES = 100003, ROOM = 4000 };
    static const size_t places[] = { 0, 1, 24, 25, 26, 50000, FRAMES - 2, FRAMES - 1 };
    Made made;
    make(&made, FRAMES, 0, 1);
    for (size_t p = 0; p < COUNT(places); p++) {
        const size_t bad = places[p], good = places[COUNT(places) - 1 - p];
        const double bad_was = made.metric.values[bad], good_was = made.metric.values[good];
        Series series;
        made.metric.values[bad] = 1.25;
        made.metric.values[good] = 99.75;
        take_statistics(&made);
        assert_int_equal(series_make(&series, &made.report, &made.metric, ROOM), 0);
        assert_true(series.code_count <= ROOM);
        assert_true(series.per > 1);
        assert_true(decoded(&series, series.codes[bad / series.per * 2]) == 1.25);
        assert_true(decoded(&series, series.codes[good / series.per * 2 + 1]) == 99.75);
        series_clear(&series);

        char *path = NULL;
        size_t size = 0;
        FILE *const file = open_memstream(&path, &size);
        series_draw(file, &made.report, &made.metric,
                    &(Area){ 0, FRAMES - 1, 1.25, 99.75, CHART_WIDTH, CHART_HEIGHT });
        fclose(file);
        double x, y, lowest = -1.0, highest = 1000.0;
        int used;
        for (const char *at = path; *at && sscanf(at + 1, "%lf %lf%n", &x, &y, &used) == 2;
             at += used + 1) {
            lowest = fmax(lowest, y);
            highest = fmin(highest, y);
        }
        assert_true(lowest == CHART_HEIGHT);
        assert_true(highest == 0.0);
        assert_true(size < 40000); /* two points a column */
        free(path);
        made.metric.values[bad] = bad_was;
        made.metric.values[good] = good_was;
    }
    unmake(&made);
}

static void scales_are_round(void **state)
{
    static const struct {
        double low, high;
        Axis want;
    } cases[] = {
        { 41.0, 99.3, { 40, 100, 20 } },
        { 0.0, 100.0, { 0, 100, 25 } },
        { -3.0, 7.0, { -5, 7.5, 2.5 } },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const Axis axis = axis_make(cases[i].low, cases[i].high, 4);
        assert_true(axis.low == cases[i].want.low);
        assert_true(axis.high == cases[i].want.high);
        assert_true(axis.step == cases[i].want.step);
    }
    static const double same[] = { 0.0, 1.0, 60.0, -5.0, 1e-9 };
    for (size_t i = 0; i < COUNT(same); i++) {
        const Axis axis = axis_make(same[i], same[i], 4);
        assert_true(axis.low <= same[i] && axis.high >= same[i] && axis.low < axis.high);
    }
}

static void the_worst_frames_are_apart(void **state)
{
    Made made;
    size_t frames[WORST_MAX];
    make(&made, 1000, 0, 1);
    for (unsigned i = 0; i < 30; i++)
        made.metric.values[500 + i] = 10.0 - 0.1 * i; /* 529 is the worst */
    made.metric.values[100] = 20.0;
    made.metric.values[3] = (double)NAN;
    assert_int_equal(worst_frames(&made.report, &made.metric, frames), WORST_MAX);
    assert_int_equal(frames[0], 529);
    assert_int_equal(frames[1], 504); /* a second of 25 frames before it */
    assert_int_equal(frames[2], 100);
    for (unsigned i = 0; i < WORST_MAX; i++)
        for (unsigned j = 0; j < i; j++)
            assert_true(labs((long)frames[i] - (long)frames[j]) >= 25);

    made.report.frame_count = 5; /* less than two seconds, and frame 3 has no score */
    assert_int_equal(worst_frames(&made.report, &made.metric, frames), 4);
    for (unsigned i = 1; i < 4; i++)
        assert_true(made.metric.values[frames[i - 1]] <= made.metric.values[frames[i]]);
    unmake(&made);
}

static const char *printed(void (*put)(FILE *file, const char *text), const char *text)
{
    static char out[256];
    memset(out, 0, sizeof(out));
    FILE *const file = fmemopen(out, sizeof(out) - 1, "w");
    put(file, text);
    fclose(file);
    return out;
}

static void put_as_base64(FILE *file, const char *text)
{
    put_base64(file, (const uint8_t *)text, strlen(text));
}

static void text_cannot_break_a_page(void **state)
{
    assert_string_equal(printed(put_html, "<a href=\"x\">&é"),
                        "&lt;a href=&quot;x&quot;&gt;&amp;é");
    assert_string_equal(printed(put_script_string, "</script>\"\\\n"),
                        "\"\\u003c/script\\u003e\\\"\\\\\\u000a\"");
    assert_string_equal(printed(put_as_base64, "f"), "Zg==");
    assert_string_equal(printed(put_as_base64, "fo"), "Zm8=");
    assert_string_equal(printed(put_as_base64, "foobar"), "Zm9vYmFy");
    char text[TIME_TEXT_SIZE];
    assert_string_equal(time_text(text, 90000, 25.0), "1:00:00.000");
    assert_string_equal(time_text(text, 1, 30000.0 / 1001), "0:00:00.033");
    assert_string_equal(figure_text(text, (double)NAN), "–");
    assert_string_equal(figure_text(text, -0.5), "-0.5000");
    assert_string_equal(figure_text(text, 93.456), "93.46");
}

/* A long film with hostile names makes a page of a few megabytes. */
static void a_page_is_written(void **state)
{
    Made made[2];
    PageWorst worst[2] = { 0 };
    StoredReport *const reports[] = { &made[0].report, &made[1].report };
    char *text = NULL;
    size_t size = 0;
    for (unsigned i = 0; i < 2; i++) {
        make(&made[i], 200000, 0, 1);
        made[i].metric.name = (char *)"<script>alert(1)</script>";
        take_statistics(&made[i]);
        worst[i].count = worst_frames(reports[i], &made[i].metric, worst[i].frames);
        strcpy(worst[i].why, "</p><img src=x>");
    }
    FILE *const file = open_memstream(&text, &size);
    assert_int_equal(page_write(file, &(Page){ reports, 2, worst }), 0);
    fclose(file);
    assert_true(size < 4 << 20);
    assert_null(strstr(text, "<script>alert"));
    assert_null(strstr(text, "<img"));
    assert_null(strstr(text, ":nan"));
    assert_null(strstr(text, " nan"));
    assert_non_null(strstr(text, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert_non_null(strstr(text, "</body></html>\n"));
    free(text);
    for (unsigned i = 0; i < 2; i++)
        unmake(&made[i]);
}

TEST_MAIN(page)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_curve_has_every_frame),
        cmocka_unit_test(gaps_stay_gaps),
        cmocka_unit_test(a_reduced_curve_keeps_its_extremes),
        cmocka_unit_test(scales_are_round),
        cmocka_unit_test(the_worst_frames_are_apart),
        cmocka_unit_test(text_cannot_break_a_page),
        cmocka_unit_test(a_page_is_written),
    };
    return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
