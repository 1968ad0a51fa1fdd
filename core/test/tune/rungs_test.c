/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests the rungs of a ladder, their playlist and their peak rates. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "testing.h"
#include "extras/tune/playlist.h"
#include "extras/tune/rungs.h"

/* A large size that is good at high rates, and a small one that is good at low rates. */
static const double large_settings[] = { 40, 35, 30, 25, 20 };
static const RatePoint large_points[] = {
    { 200, 30 }, { 400, 55 }, { 800, 75 }, { 1600, 90 }, { 3200, 97 }
};
static const double small_settings[] = { 40, 35, 30, 25, 20 };
static const RatePoint small_points[] = {
    { 100, 40 }, { 200, 55 }, { 400, 66 }, { 800, 72 }, { 1600, 75 }
};
static const SizeCurve curves[] = { { large_settings, large_points, 5 },
                                    { small_settings, small_points, 5 } };

static void each_score_has_its_cheapest_size(void **state)
{
    Rung rungs[7];
    const size_t count = rungs_by_score(curves, 2, 40, 97, 6, rungs);
    assert_int_equal(count, 6);
    assert_int_equal(rungs[0].size, 1);
    assert_true(rungs[0].setting == 40 && rungs[0].score == 40);
    assert_true(fabs(rungs[0].rate - 100) < 1e-9);
    assert_int_equal(rungs[5].size, 0);
    assert_true(rungs[5].setting == 20 && fabs(rungs[5].rate - 3200) < 1e-9);
    for (size_t i = 1; i < count; i++) {
        Rung other;
        assert_true(rungs[i].rate > rungs[i - 1].rate);
        assert_true(fabs(rungs[i].score - rungs[i - 1].score - 57.0 / 5) < 1e-9);
        assert_true(rungs[i].size <= rungs[i - 1].size);
        if (rung_at_score(&curves[1 - rungs[i].size], rungs[i].score, &other))
            assert_true(other.rate >= rungs[i].rate);
    }
    /* Scores that no size reaches have no rung. */
    assert_int_equal(rungs_by_score(curves, 2, 97, 99, 3, rungs), 1);
}

static void each_rate_has_its_best_size(void **state)
{
    static const double rates[] = { 3200, 200, 400, 1600, 50 };
    Rung rungs[5];
    assert_int_equal(rungs_by_rate(curves, 2, rates, 5, rungs), 4);
    assert_true(rungs[0].size == 1 && rungs[0].rate == 200 && fabs(rungs[0].score - 55) < 1e-9);
    assert_true(rungs[1].size == 1 && fabs(rungs[1].score - 66) < 1e-9);
    assert_true(rungs[2].size == 0 && fabs(rungs[2].setting - 25) < 1e-9);
    assert_true(rungs[3].size == 0 && rungs[3].rate == 3200);
}

static void the_dearest_segment_counts(void **state)
{
    Packet at[100];
    Packets packets = { .at = at, .count = 100 };
    for (unsigned i = 0; i < 100; i++) /* ten seconds, out of order */
        at[i] = (Packet){ (i ^ 1) / 10.0, i >= 40 && i < 60 ? 1000 : 100, false };
    assert_true(fabs(packets_peak(&packets, 2) - 20 * 1000 * 8 / 2.0 / 1000) < 1e-6);
    assert_true(fabs(packets_peak(&packets, 4) - (20 * 1000 + 20 * 100) * 8 / 4.0 / 1000) < 1e-6);
    assert_true(fabs(packets_peak(&packets, 60) - 28000 * 8 / 10.0 / 1000) < 1e-6);
    for (unsigned i = 0; i < 3; i++) /* pictures that are shown longer than a segment lasts */
        at[i] = (Packet){ i * 10.0, 1000 + i, false };
    packets.count = 3;
    assert_true(fabs(packets_peak(&packets, 6) - 1002 * 8 / 6.0 / 1000) < 1e-6);
    packets.count = 0;
    assert_true(packets_peak(&packets, 6) == 0.0);
}

static void a_playlist_lists_the_rungs(void **state)
{
    char text[512] = "";
    Original source = { .media = { .frames = 2501, .span = 104.271 } }; /* 23.976, rounded */
    const PlannedRung rungs[] = {
        { { .source = &source, .bitrate = 400.2, .media = { .width = 640, .height = 360 } },
          500,
          { .text = "avc1.64001e", .range = "SDR" } },
        { { .source = &source, .bitrate = 2000, .media = { .width = 1280, .height = 720 } },
          2000,
          { .range = "SDR" } },
    };
    FILE *const file = fmemopen(text, sizeof(text), "w");
    playlist_write(rungs, 2, true, file);
    fclose(file);
    assert_string_equal(text, "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-INDEPENDENT-SEGMENTS\n"
                              "#EXT-X-STREAM-INF:BANDWIDTH=628000,AVERAGE-BANDWIDTH=528200,"
                              "RESOLUTION=640x360,FRAME-RATE=23.976,"
                              "CODECS=\"avc1.64001e,mp4a.40.2\",VIDEO-RANGE=SDR\n"
                              "640x360-400k.m3u8\n"
                              "#EXT-X-STREAM-INF:BANDWIDTH=2128000,AVERAGE-BANDWIDTH=2128000,"
                              "RESOLUTION=1280x720,FRAME-RATE=23.976\n1280x720-2000k.m3u8\n");
}

TEST_MAIN(rungs)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_score_has_its_cheapest_size),
        cmocka_unit_test(each_rate_has_its_best_size),
        cmocka_unit_test(the_dearest_segment_counts),
        cmocka_unit_test(a_playlist_lists_the_rungs),
    };
    return cmocka_run_group_tests_name("rungs of a ladder", tests, NULL, NULL);
}
