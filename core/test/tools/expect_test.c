/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How many pairs a run expects, by the frames of its videos and by the part that it measures. */
#include "input/reader.h"
#include "vmaf/sync.h"
#include "testing.h"

static void whole_videos(void **state)
{
    const PartChoice whole = { .kind = PART_WHOLE };
    assert_int_equal(sync_pairs_of_run(&whole, 100, 1), 100);
    assert_int_equal(sync_pairs_of_run(&whole, 100, 3), 300);
    assert_int_equal(sync_pairs_of_run(&whole, 0, 2), 0);
}

static void parts(void **state)
{
    const PartChoice third = { .kind = PART_SHARD, .index = 2, .count = 3 };
    assert_int_equal(sync_pairs_of_run(&third, 100, 1), 34);
    assert_int_equal(sync_pairs_of_run(&third, 60, 1), 21);
    assert_int_equal(sync_pairs_of_run(&third, 0, 1), 0);
}

static void frames(void **state)
{
    const PartChoice some = { .kind = PART_FRAMES, .first = 20, .last = 49 };
    assert_int_equal(sync_pairs_of_run(&some, 100, 1), 30);
    assert_int_equal(sync_pairs_of_run(&some, 0, 1), 30);
    assert_int_equal(sync_pairs_of_run(&some, 30, 1), 10);
    assert_int_equal(sync_pairs_of_run(&some, 20, 1), 0);
    assert_int_equal(sync_pairs_of_run(&some, 25, 1), 5);
    const PartChoice rest = { .kind = PART_FRAMES, .first = 20, .last = UINT64_MAX };
    assert_int_equal(sync_pairs_of_run(&rest, 100, 1), 80);
}

/* ---- videos ---- */

/* Videos whose width stands for their number of frames. */
static uint64_t frames_left(const Video *video)
{
    return video->native.width;
}

static const VideoReader reader = { .frames_left = frames_left };

static uint64_t expected(const SyncSchedule *schedule, Video ref, Video first, Video second)
{
    Video *const videos[] = { &ref, &first, &second };
    return sync_expected_pairs(schedule, videos);
}

static Video video(unsigned count, unsigned rate)
{
    return (Video){ .reader = &reader,
                    .native = { .width = count },
                    .traits = { .rate_num = rate, .rate_den = rate ? 1 : 0 } };
}

static void by_number(void **state)
{
    SyncVideo videos[3] = { 0 };
    SyncSchedule schedule = { .by = PAIR_BY_NUMBER, .count = 2, .videos = videos };
    const Video none = video(0, 0);
    assert_int_equal(expected(&schedule, video(100, 25), video(80, 25), none), 80);
    assert_int_equal(expected(&schedule, video(60, 25), video(80, 25), none), 60);
    assert_int_equal(expected(&schedule, video(60, 25), video(0, 25), none), 60);
    assert_int_equal(expected(&schedule, video(0, 25), video(80, 25), none), 0);
    videos[0].skip = 10;
    videos[1].pairing.skipped = 5;
    assert_int_equal(expected(&schedule, video(60, 25), video(80, 25), none), 45);
    schedule.limit = 7;
    assert_int_equal(expected(&schedule, video(60, 25), video(80, 25), none), 7);
}

static void of_the_longest_video(void **state)
{
    SyncVideo videos[3] = { 0 };
    const SyncSchedule schedule = { .by = PAIR_BY_NUMBER, .count = 3, .videos = videos };
    assert_int_equal(expected(&schedule, video(100, 25), video(20, 25), video(70, 25)), 70);
    assert_int_equal(expected(&schedule, video(100, 25), video(20, 25), video(700, 25)), 100);
}

static void by_time(void **state)
{
    SyncVideo videos[3] = { 0 };
    SyncSchedule schedule = { .by = PAIR_BY_TIME, .count = 2, .videos = videos };
    const Video none = video(0, 0);
    assert_int_equal(expected(&schedule, video(100, 50), video(30, 25), none), 60);
    schedule.duration = 500000000;
    assert_int_equal(expected(&schedule, video(100, 50), video(30, 25), none), 26);
    schedule =
        (SyncSchedule){ PAIR_AT_RATE, .rate_num = 10, .rate_den = 1, .count = 2, .videos = videos };
    assert_int_equal(expected(&schedule, video(100, 50), video(50, 25), none), 20);
    assert_int_equal(expected(&schedule, video(100, 0), video(50, 25), none), 0);
}

TEST_MAIN(expect)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_videos),
        cmocka_unit_test(parts),
        cmocka_unit_test(frames),
        cmocka_unit_test(by_number),
        cmocka_unit_test(of_the_longest_video),
        cmocka_unit_test(by_time),
    };
    return cmocka_run_group_tests_name("expect", tests, NULL, NULL);
}
