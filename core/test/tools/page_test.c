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

/* Finds the smallest (highest) and the largest (lowest) y position of an SVG path. */
static void path_range(const char *path, double *highest, double *lowest)
{
    double x, y;
    int used;
    *lowest = -1.0;
    *highest = 1000.0;
    for (const char *at = path; *at; at += *at == 'Z' ? 1 : used + 1) {
        if (*at == 'Z')
            continue;
        assert_int_equal(sscanf(at + 1, "%lf %lf%n", &x, &y, &used), 2);
        *lowest = fmax(*lowest, y);
        *highest = fmin(*highest, y);
    }
}

/* One frame of a long film is bad and one is good: both must be visible, wherever they are. */
static void a_reduced_curve_keeps_its_extremes(void **state)
{
    enum { FRAMES = 100003, ROOM = 4000 };
    static const size_t places[] = { 0, 1, 24, 25, 26, 50000, FRAMES - 2, FRAMES - 1 };
    static Column columns[COLUMNS];
    const Area area = { 0, FRAMES - 1, 1.25, 99.75, CHART_WIDTH, CHART_HEIGHT };
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
        const uint16_t *const low = &series.codes[bad / series.per * SERIES_FIGURES];
        const uint16_t *const high = &series.codes[good / series.per * SERIES_FIGURES];
        assert_true(decoded(&series, low[FIGURE_MIN]) == 1.25);
        assert_true(decoded(&series, high[FIGURE_MAX]) == 99.75);
        series_clear(&series);

        char *path = NULL;
        size_t size = 0;
        double highest, lowest;
        FILE *const file = open_memstream(&path, &size);
        assert_true(series_is_dense(&made.report, &area));
        assert_int_equal(series_columns(&made.report, &made.metric, &area, columns), 0);
        series_draw_band(file, columns, FIGURE_MIN, FIGURE_MAX, &area);
        fclose(file);
        path_range(path, &highest, &lowest);
        assert_true(lowest == CHART_HEIGHT);
        assert_true(highest == 0.0);
        assert_true(size < 40000); /* two points a column */
        free(path);
        made.metric.values[bad] = bad_was;
        made.metric.values[good] = good_was;
    }
    unmake(&made);
}

/* The line of a dense curve is the mean, in the band that 90 of 100 frames are in. */
static void a_dense_curve_is_a_mean_in_a_band(void **state)
{
    enum { EACH = 101, FRAMES = EACH * COLUMNS };
    static Column columns[COLUMNS];
    const Area area = { 0, FRAMES - 1, 0, 200, CHART_WIDTH, CHART_HEIGHT };
    Made made;
    Series series;
    make(&made, FRAMES, 0, 1);
    for (size_t i = 0; i < FRAMES; i++) /* each column has all scores from 0 to 100 once, mixed */
        made.metric.values[i] = i / EACH == 7 ? (double)NAN : (double)(i * 37 % EACH);
    assert_true(series_is_dense(&made.report, &area));
    assert_false(series_is_dense(&made.report, &(Area){ 0, COLUMNS * DENSE - 2, 0, 1, 1, 1 }));
    assert_int_equal(series_columns(&made.report, &made.metric, &area, columns), 0);
    for (size_t c = 0; c < COLUMNS; c++) {
        const double *const f = columns[c].figures;
        assert_int_equal(columns[c].filled, c != 7);
        if (c == 7 || c == COLUMNS - 1)
            continue;
        assert_true(f[FIGURE_MIN] == 0 && f[FIGURE_MAX] == 100);
        assert_true(fabs(f[FIGURE_MEAN] - 50) < 1e-9);
        assert_true(fabs(f[FIGURE_P5] - 5) < 1e-9 && fabs(f[FIGURE_P95] - 95) < 1e-9);
    }
    char text[8 * 1024] = "", *at = text;
    FILE *file = fmemopen(text, sizeof(text) - 1, "w");
    series_draw_line(file, columns, FIGURE_MEAN, &area);
    fclose(file);
    unsigned lines = 0;
    for (; (at = strchr(at, 'M')); at++)
        lines++;
    assert_int_equal(lines, 2); /* the gap divides it */

    made.metric.figures = (VmafStatistics){ .size = sizeof(made.metric.figures), .max = 100 };
    assert_int_equal(series_make(&series, &made.report, &made.metric, COLUMNS * SERIES_FIGURES), 0);
    assert_int_equal(series.per, EACH);
    assert_int_equal(series.codes[7 * SERIES_FIGURES], SERIES_GAP);
    static const double want[SERIES_FIGURES] = { 0, 5, 50, 95, 100 };
    for (unsigned f = 0; f < SERIES_FIGURES; f++)
        assert_true(fabs(decoded(&series, series.codes[SERIES_FIGURES + f]) - want[f]) < 0.01);
    series_clear(&series);
    unmake(&made);
}

static void frame_marks_are_round(void **state)
{
    static const struct {
        bool by_time;
        double span; /* seconds or frames */
        unsigned marks;
        double step;
    } cases[] = {
        { true, 5.96, 8, 1 },       { true, 5.96, 4, 2 },       { true, 4000, 8, 600 },
        { true, 0.8, 8, 0.1 },      { true, 259200, 3, 86400 }, { true, 400000, 2, 259200 },
        { false, 20, 8, 5 },        { false, 149, 8, 20 },      { false, 5, 8, 1 },
        { false, 99999, 8, 20000 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const double step = cases[i].by_time ? chart_time_step(cases[i].span, cases[i].marks)
                                             : chart_frame_step(cases[i].span, cases[i].marks);
        assert_true(fabs(step - cases[i].step) < 1e-6);
    }
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

static void times_run_evenly_between_frames(void **state)
{
    Made made;
    make(&made, 4, 10, 2);
    double times[4] = { 1.0, 1.5, 3.5, 3.5 };
    StoredReport *const reports[] = { &made.report, &made.report };
    assert_null(clock_make(reports, 2).report); /* the report has no times */
    made.report.times = times;
    const Clock clock = clock_make(reports, 2);
    assert_ptr_equal(clock.report, &made.report);
    assert_true(fabs(clock.rate - 2.4) < 1e-9); /* six frames in 2.5 seconds */
    static const struct {
        double frame, time;
    } cases[] = {
        { 10, 1.0 }, { 11, 1.25 }, { 13, 2.5 }, { 13.5, 3.0 }, { 7.6, 0.0 }, { 18.4, 4.5 }
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(fabs(clock_time(&clock, cases[i].frame) - cases[i].time) < 1e-9);
        assert_true(fabs(clock_frame(&clock, cases[i].time) - cases[i].frame) < 1e-9);
    }
    unmake(&made);
}

/* page.js gets a start and a step if they give each time exactly, otherwise the distances of all
 * times. */
static void the_clock_is_written(void **state)
{
    static const struct {
        double times[4];
        size_t room;
        const char *text;
    } cases[] = {
        { { 1, 1.5, 2, 2.5 }, 9, "\"start\":1,\"every\":0.5}" },
        { { 0, 0.033, 0.067, 0.1 }, 9, "\"start\":0,\"every\":0.03333" },
        { { 0, 0.001, 0.259, 0.3 }, 9, "\"distances\":\"AQACASkA\"}" },
        { { 0, 70, 70, 70.001 }, 9, "\"distances\":\"//9xEQAAAQA=\"}" },
        { { 0, 0.001, 0.259, 0.3 }, 2, "\"step\":2,\"count\":2," },
        { { 0, 1, 2, 1e9 }, 9, "\"start\":0,\"every\":333333333" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Made made;
        char text[512] = "";
        make(&made, 4, 0, 1);
        made.report.times = (double *)cases[i].times;
        const Clock clock = { &made.report, 25.0 };
        FILE *const file = fmemopen(text, sizeof(text), "w");
        assert_non_null(file);
        assert_int_equal(clock_write(file, &clock, cases[i].room), 0);
        fclose(file);
        if (!strstr(text, cases[i].text))
            fail_msg("%s lacks %s", text, cases[i].text);
        unmake(&made);
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
    assert_int_equal(worst_frames(&made.report, &made.metric, true, frames), WORST_MAX);
    assert_int_equal(frames[0], 529);
    assert_int_equal(frames[1], 504); /* a second of 25 frames before it */
    assert_int_equal(frames[2], 100);
    for (unsigned i = 0; i < WORST_MAX; i++)
        for (unsigned j = 0; j < i; j++)
            assert_true(labs((long)frames[i] - (long)frames[j]) >= 25);

    /* Times count, not frames: each frame now lasts a tenth of a second. */
    double *const times = malloc(1000 * sizeof(*times));
    for (unsigned i = 0; i < 1000; i++)
        times[i] = i * 0.1;
    made.report.times = times;
    assert_int_equal(worst_frames(&made.report, &made.metric, false, frames), WORST_MAX);
    assert_int_equal(frames[0], 529);
    assert_int_equal(frames[1], 519);
    made.report.times = NULL;
    free(times);

    made.report.frame_count = 60; /* the worst is in the middle: room for one more second */
    assert_int_equal(worst_frames(&made.report, &made.metric, false, frames), 2);
    assert_int_equal(worst_frames(&made.report, &made.metric, true, frames), WORST_MAX);

    made.report.frame_count = 5; /* less than two seconds, and frame 3 has no score */
    assert_int_equal(worst_frames(&made.report, &made.metric, true, frames), 4);
    for (unsigned i = 1; i < 4; i++)
        assert_true(made.metric.values[frames[i - 1]] <= made.metric.values[frames[i]]);
    unmake(&made);
}

/* Twelve videos have twelve colours, and no two of a page look the same. */
static void colours_differ(void **state)
{
    for (size_t i = 0; i < HTML_REPORTS_MAX; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(page_colour(i), page_colour(j));
    char name[16];
    for (unsigned i = 0; i < 12; i++) {
        snprintf(name, sizeof(name), "c%u", i);
        assert_string_equal(page_colour(i), name);
    }
    for (unsigned theme = 0; theme < 2; theme++) { /* light, then dark */
        const char *const from = strstr(made_style, theme ? "prefers-color-scheme: dark" : ":root");
        char colours[12][8];
        for (unsigned i = 0; i < 12; i++) {
            snprintf(name, sizeof(name), "--c%u: #", i);
            const char *const found = strstr(from, name);
            assert_non_null(found);
            snprintf(colours[i], sizeof(colours[i]), "%s", found + strlen(name) - 1);
            for (unsigned j = 0; j < i; j++)
                assert_string_not_equal(colours[i], colours[j]);
        }
    }
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
    assert_string_equal(time_text(text, 3600.0), "1:00:00.000");
    assert_string_equal(time_text(text, 1001.0 / 30000), "0:00:00.033");
    assert_string_equal(figure_text(text, (double)NAN), "–");
    assert_string_equal(figure_text(text, (double)INFINITY), "∞");
    assert_string_equal(figure_text(text, (double)-INFINITY), "-∞");
    assert_string_equal(figure_text(text, -0.5), "-0.5000");
    assert_string_equal(figure_text(text, 93.456), "93.46");
}

/* A long film with hostile names makes a page of a few megabytes. */
static void a_page_is_written(void **state)
{
    Made made[2];
    PageWorst worst[2] = { 0 };
    PageShots shots[2] = { 0 };
    unsigned cuts[] = { 0, 70000, 70004, 190000 };
    StoredReport *const reports[] = { &made[0].report, &made[1].report };
    char *text = NULL;
    size_t size = 0;
    for (unsigned i = 0; i < 2; i++) {
        make(&made[i], 200000, 0, 1);
        made[i].metric.name = (char *)"<script>alert(1)</script>";
        take_statistics(&made[i]);
        made[i].report.shots = cuts;
        made[i].report.shot_count = i ? COUNT(cuts) : 0; /* only the second has shots */
        assert_int_equal(page_shots_make(&shots[i], reports[i]), 0);
        worst[i].count = worst_frames(reports[i], &made[i].metric, true, worst[i].frames);
        strcpy(worst[i].why, "</p><img src=x>");
    }
    FILE *const file = open_memstream(&text, &size);
    assert_int_equal(page_write(file, &(Page){ reports, 2, worst, shots }), 0);
    fclose(file);
    assert_true(size < 4 << 20);
    assert_null(strstr(text, "<script>alert"));
    assert_null(strstr(text, "<img"));
    assert_non_null(strstr(text, "\"shots\":[0,70000,70004,190000]"));
    assert_non_null(strstr(text, "<summary>All shots: 4</summary>"));
    assert_null(strstr(text, ":nan"));
    assert_null(strstr(text, " nan"));
    assert_non_null(strstr(text, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert_non_null(strstr(text, "</body></html>\n"));
    free(text);
    for (unsigned i = 0; i < 2; i++) {
        page_shots_clear(&shots[i]);
        unmake(&made[i]);
    }
}

TEST_MAIN(page)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_curve_has_every_frame),
        cmocka_unit_test(gaps_stay_gaps),
        cmocka_unit_test(a_reduced_curve_keeps_its_extremes),
        cmocka_unit_test(a_dense_curve_is_a_mean_in_a_band),
        cmocka_unit_test(scales_are_round),
        cmocka_unit_test(frame_marks_are_round),
        cmocka_unit_test(times_run_evenly_between_frames),
        cmocka_unit_test(the_clock_is_written),
        cmocka_unit_test(the_worst_frames_are_apart),
        cmocka_unit_test(colours_differ),
        cmocka_unit_test(text_cannot_break_a_page),
        cmocka_unit_test(a_page_is_written),
    };
    return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
