/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests which frames are paired, from lists of times. In all of them no frame of the reference
 * is paired twice, no video goes back, and no other frame would have been nearer. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/pairing.h"
#include "testing.h"

#define VIDEOS 3
#define FRAMES_MAX 400
#define MS 1000000

/* A video: the times of its frames in ms, and how it ends. */
typedef struct List {
    int64_t time[FRAMES_MAX];
    unsigned count;
    enum FrameStatus end;
    unsigned next;    /* the next frame to look at */
    unsigned in_hand; /* number of the frame taken last, from 1; 0: none */
} List;

typedef struct Pair {
    unsigned ref, dist; /* numbers of frames, from 0 */
} Pair;

typedef struct Outcome {
    Pair pairs[FRAMES_MAX];
    unsigned count;
    PairingProgress part;
} Outcome;

static enum FrameStatus look(void *arg, unsigned video, int64_t *time)
{
    const List *const list = &((const List *)arg)[video];
    *time = VIDEO_NO_TIME;
    if (list->next == list->count)
        return list->end;
    *time = list->time[list->next] == VIDEO_NO_TIME ? VIDEO_NO_TIME : list->time[list->next] * MS;
    return FRAME_WHOLE;
}

static void take(void *arg, unsigned video)
{
    List *const list = &((List *)arg)[video];
    assert_true(list->next < list->count);
    list->in_hand = ++list->next;
}

/* Fills in `count` frames at a rate, the first at `start`. */
static void steady(List *list, unsigned count, double fps, int64_t start)
{
    *list = (List){ .count = count, .end = FRAME_NONE };
    for (unsigned i = 0; i < count; i++)
        list->time[i] = start + (int64_t)(i * 1000 / fps + 0.5);
}

static void from_text(List *list, const char *text)
{
    *list = (List){ .end = FRAME_NONE };
    for (char *end; *text; text = *end ? end + 1 : end) {
        list->time[list->count++] = *text == '?' ? VIDEO_NO_TIME : strtoll(text, &end, 10);
        if (*text == '?')
            end = (char *)text + 1;
    }
}

static void run(PairingConfig config, List *lists, Outcome *outcomes)
{
    Pairing *pairing;
    PairingVideo none[VIDEOS] = { { 0 } };
    config.look = look;
    config.take = take;
    config.arg = lists;
    if (!config.count)
        config.count = 2;
    if (!config.videos)
        config.videos = none;
    memset(outcomes, 0, config.count * sizeof(*outcomes));
    assert_int_equal(pairing_create(&pairing, &config), 0);
    while (pairing_step(pairing)) {
        for (unsigned v = 1; v < config.count; v++) {
            Outcome *const outcome = &outcomes[v];
            if (pairing_progress(pairing, v)->state != PAIR_READY)
                continue;
            assert_true(lists[0].in_hand > 0 && lists[v].in_hand > 0);
            assert_true(outcome->count < FRAMES_MAX);
            outcome->pairs[outcome->count++] = (Pair){ lists[0].in_hand - 1, lists[v].in_hand - 1 };
        }
    }
    for (unsigned v = 1; v < config.count; v++) {
        outcomes[v].part = *pairing_progress(pairing, v);
        assert_int_equal(outcomes[v].part.state, PAIR_OVER);
        assert_int_equal(outcomes[v].part.pairs, outcomes[v].count);
    }
    pairing_destroy(pairing);
}

/* "0-0 1-1" */
static void expect(const Outcome *outcome, const char *pairs)
{
    char text[4096] = "";
    for (unsigned i = 0; i < outcome->count; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u-%u", i ? " " : "",
                 outcome->pairs[i].ref, outcome->pairs[i].dist);
    assert_string_equal(text, pairs);
}

static void expect_in_step(const Outcome *outcome, unsigned count, unsigned ref, unsigned dist)
{
    assert_int_equal(outcome->count, count);
    assert_int_equal(outcome->part.first[SIDE_REF], ref);
    assert_int_equal(outcome->part.first[SIDE_DIST], dist);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(outcome->pairs[i].ref, i + ref);
        assert_int_equal(outcome->pairs[i].dist, i + dist);
    }
}

static const PairingVideo at_25[] = { { 25, 1, 0, 0 }, { 25, 1, 0, 0 }, { 25, 1, 0, 0 } };

static void equal_rates_are_pairs_by_number(void **state)
{
    static const struct {
        unsigned num, den;
    } rates[] = { { 25, 1 }, { 24000, 1001 }, { 60000, 1001 }, { 1, 1 }, { 120, 1 }, { 30, 1 } };
    for (unsigned i = 0; i < COUNT(rates); i++) {
        for (unsigned with = 0; with < 2; with++) { /* with and without a known rate */
            const double fps = (double)rates[i].num / rates[i].den;
            const PairingVideo videos[] = { { rates[i].num, rates[i].den, 0, 0 },
                                            { rates[i].num, rates[i].den, 0, 0 } };
            List lists[2];
            Outcome outcomes[2];
            steady(&lists[0], 300, fps, 0);
            steady(&lists[1], 300, fps, 1400); /* its container begins later */
            run((PairingConfig){ .by = PAIR_BY_TIME, .videos = with ? videos : NULL }, lists,
                outcomes);
            expect_in_step(&outcomes[1], 300, 0, 0);
            assert_int_equal(outcomes[1].part.repeated + outcomes[1].part.left_out, 0);
            assert_int_equal(outcomes[1].part.begins[1] - outcomes[1].part.begins[0], 1400 * MS);
            assert_int_equal(outcomes[1].part.ref, FRAME_NONE);
            assert_int_equal(outcomes[1].part.dist, FRAME_NONE);
        }
    }
}

/* Times rounded in different ways, as by containers that count in milliseconds and in 90 kHz
 * ticks. */
static void rounding_does_not_matter(void **state)
{
    const PairingVideo videos[] = { { 60000, 1001, 0, 0 }, { 60000, 1001, 0, 0 } };
    List lists[2];
    Outcome outcomes[2];
    for (unsigned side = 0; side < 2; side++) {
        steady(&lists[side], 300, 59.94, 0);
        for (unsigned i = 1; i < 300; i++)
            lists[side].time[i] += (int)(i * 7 % 13) - 6;
        steady(&lists[!side], 300, 59.94, 0);
        run((PairingConfig){ .by = PAIR_BY_TIME, .videos = videos }, lists, outcomes);
        expect_in_step(&outcomes[1], 300, 0, 0);
    }
}

static void a_dropped_frame_is_replaced_by_the_nearest(void **state)
{
    List lists[2];
    Outcome outcomes[2];
    from_text(&lists[0], "0 40 80 120 160 200");
    from_text(&lists[1], "0 40 160 200");
    run((PairingConfig){ .by = PAIR_BY_TIME, .videos = at_25 }, lists, outcomes);
    expect(&outcomes[1], "0-0 1-1 2-1 3-2 4-2 5-3");
    assert_int_equal(outcomes[1].part.repeated, 2);
    assert_int_equal(outcomes[1].part.left_out, 0);
}

static void more_frames_than_the_reference_are_left_out(void **state)
{
    List lists[2];
    Outcome outcomes[2];
    from_text(&lists[0], "0 40 80 120");
    from_text(&lists[1], "0 20 40 60 80 100 120 140");
    run((PairingConfig){ .by = PAIR_BY_TIME,
                         .videos = (PairingVideo[]){ { 25, 1, 0, 0 }, { 50, 1, 0, 0 } } },
        lists, outcomes);
    expect(&outcomes[1], "0-0 1-2 2-4 3-6");
    assert_int_equal(outcomes[1].part.left_out, 3);
    assert_int_equal(outcomes[1].part.dist, FRAME_NONE); /* neither is longer than the other */
    steady(&lists[0], 4, 25, 0);
    steady(&lists[1], 16, 100, 0);
    run((PairingConfig){ .by = PAIR_BY_TIME,
                         .videos = (PairingVideo[]){ { 25, 1, 0, 0 }, { 100, 1, 0, 0 } } },
        lists, outcomes);
    expect(&outcomes[1], "0-0 1-4 2-8 3-12");
    assert_int_equal(outcomes[1].part.left_out, 9); /* only those between two pairs */
}

static void a_variable_rate_is_paired_by_time(void **state)
{
    List lists[2];
    Outcome outcomes[2];
    from_text(&lists[0], "0 33 67 300 333 800 1000");
    from_text(&lists[1], "5 38 72 305 338 805 1005"); /* the same, written again */
    run((PairingConfig){ .by = PAIR_BY_TIME }, lists, outcomes);
    expect_in_step(&outcomes[1], 7, 0, 0);
    from_text(&lists[0], "0 33 67 300 333 800 1000");
    steady(&lists[1], 31, 30, 0);
    run((PairingConfig){ .by = PAIR_BY_TIME,
                         .videos = (PairingVideo[]){ { 7, 1, 0, 0 }, { 30, 1, 0, 0 } } },
        lists, outcomes);
    expect(&outcomes[1], "0-0 1-1 2-2 3-9 4-10 5-24 6-30");
}

static void a_shorter_video_ends_its_pairs(void **state)
{
    List lists[2];
    Outcome outcomes[2];
    steady(&lists[0], 10, 25, 0);
    steady(&lists[1], 7, 25, 0);
    run((PairingConfig){ .by = PAIR_BY_TIME, .videos = at_25 }, lists, outcomes);
    expect_in_step(&outcomes[1], 7, 0, 0);
    assert_int_equal(outcomes[1].part.ref, FRAME_WHOLE);
    assert_int_equal(outcomes[1].part.dist, FRAME_NONE);
    steady(&lists[0], 7, 25, 0);
    steady(&lists[1], 10, 25, 0);
    run((PairingConfig){ .by = PAIR_BY_TIME, .videos = at_25 }, lists, outcomes);
    expect_in_step(&outcomes[1], 7, 0, 0);
    assert_int_equal(outcomes[1].part.ref, FRAME_NONE);
    assert_int_equal(outcomes[1].part.dist, FRAME_WHOLE);
    steady(&lists[0], 10, 25, 0);
    steady(&lists[1], 7, 25, 0);
    lists[1].end = FRAME_CUT;
    run((PairingConfig){ .by = PAIR_BY_TIME, .videos = at_25 }, lists, outcomes);
    expect_in_step(&outcomes[1], 7, 0, 0);
    assert_int_equal(outcomes[1].part.dist, FRAME_CUT);
}

static void offsets_move_a_video(void **state)
{
    static const int64_t shifts[] = { 0, 3, -3 }; /* frames */
    for (unsigned i = 0; i < COUNT(shifts); i++) {
        const unsigned ref = shifts[i] < 0 ? 3 : 0, dist = shifts[i] > 0 ? 3 : 0;
        List lists[2];
        Outcome outcomes[2];
        PairingVideo videos[] = { { 25, 1, 0, 0 }, { 25, 1, shifts[i] * 40 * MS, 0 } };
        steady(&lists[0], 20, 25, 0);
        steady(&lists[1], 20, 25, 0);
        run((PairingConfig){ .by = PAIR_BY_TIME, .videos = videos }, lists, outcomes);
        expect_in_step(&outcomes[1], 20 - ref - dist, ref, dist);
        assert_int_equal(outcomes[1].part.left_out, 0);
        if (shifts[i] > 0)
            continue;
        for (unsigned by = PAIR_BY_NUMBER; by <= PAIR_BY_TIME; by++) { /* the same in frames */
            videos[1] = (PairingVideo){ 25, 1, 0, ref };
            steady(&lists[0], 20, 25, 0);
            steady(&lists[1], 20, 25, 0);
            run((PairingConfig){ .by = by, .videos = videos }, lists, outcomes);
            expect_in_step(&outcomes[1], 20 - ref, ref, 0);
        }
    }
}

static void all_videos_are_brought_to_a_rate(void **state)
{
    List lists[2];
    Outcome outcomes[2];
    const PairingVideo videos[] = { { 25, 1, 0, 0 }, { 50, 1, 0, 0 } };
    const PairingConfig config = { .by = PAIR_AT_RATE, .videos = videos, .rate_den = 1 };
    PairingConfig at = config;
    steady(&lists[0], 4, 25, 0);
    steady(&lists[1], 8, 50, 0);
    at.rate_num = 25;
    run(at, lists, outcomes);
    expect(&outcomes[1], "0-0 1-2 2-4 3-6");
    assert_int_equal(outcomes[1].part.ref, FRAME_NONE);
    assert_int_equal(outcomes[1].part.dist, FRAME_NONE);
    steady(&lists[0], 4, 25, 0);
    steady(&lists[1], 8, 50, 0);
    at.rate_num = 50;
    run(at, lists, outcomes);
    expect(&outcomes[1], "0-0 0-1 1-2 1-3 2-4 2-5 3-6 3-7");
    steady(&lists[0], 10, 25, 0);
    steady(&lists[1], 20, 50, 0);
    at.rate_num = 10;
    run(at, lists, outcomes);
    expect(&outcomes[1], "0-0 2-5 5-10 7-15");
}

static void limits_end_the_pairs(void **state)
{
    for (unsigned by = PAIR_BY_NUMBER; by <= PAIR_AT_RATE; by++) {
        List lists[2];
        Outcome outcomes[2];
        PairingConfig config = {
            .by = by, .videos = at_25, .rate_num = 25, .rate_den = 1, .limit = 5
        };
        steady(&lists[0], 20, 25, 0);
        steady(&lists[1], 6, 25, 0);
        run(config, lists, outcomes);
        expect_in_step(&outcomes[1], 5, 0, 0);
        assert_int_equal(outcomes[1].part.ref, FRAME_NONE);
        assert_int_equal(outcomes[1].part.dist, FRAME_NONE);
        assert_true(lists[0].next <= 6);
        if (by == PAIR_BY_NUMBER)
            continue;
        config.limit = 0;
        config.duration = 200 * (int64_t)MS;
        steady(&lists[0], 20, 25, 0);
        steady(&lists[1], 20, 25, 0);
        run(config, lists, outcomes);
        expect_in_step(&outcomes[1], 5, 0, 0);
    }
}

/* Each video has its own partners, ends and offsets. */
static void videos_are_paired_independently(void **state)
{
    for (unsigned by = PAIR_BY_NUMBER; by <= PAIR_BY_TIME; by++) {
        List lists[3];
        Outcome outcomes[3];
        const PairingVideo videos[] = { { 25, 1, 0, 0 }, { 25, 1, 0, 0 }, { 25, 1, 0, 4 } };
        steady(&lists[0], 12, 25, 0);
        steady(&lists[1], 5, 25, 0);
        steady(&lists[2], 20, 25, 0);
        lists[1].end = FRAME_ERROR;
        run((PairingConfig){ .by = by, .videos = videos, .count = 3 }, lists, outcomes);
        expect_in_step(&outcomes[1], 5, 0, 0);
        expect_in_step(&outcomes[2], 8, 4, 0);
        assert_int_equal(outcomes[1].part.dist, FRAME_ERROR);
        assert_int_equal(outcomes[2].part.ref, FRAME_NONE);
        assert_int_equal(outcomes[2].part.dist, FRAME_WHOLE);
    }
}

static void missing_and_wrong_times_are_corrected(void **state)
{
    List lists[2];
    Outcome outcomes[2];
    from_text(&lists[0], "0 40 80 120 160");
    from_text(&lists[1], "0 40 ? 120 160");
    run((PairingConfig){ .by = PAIR_BY_TIME, .videos = at_25 }, lists, outcomes);
    expect_in_step(&outcomes[1], 5, 0, 0);
    from_text(&lists[0], "0 40 80 120 160");
    from_text(&lists[1], "? ? ? ? ?");
    run((PairingConfig){ .by = PAIR_BY_TIME, .videos = at_25 }, lists, outcomes);
    expect_in_step(&outcomes[1], 5, 0, 0);
    from_text(&lists[0], "0 40 40 80"); /* a time that occurs twice stands for two frames */
    from_text(&lists[1], "0 40 40 80");
    run((PairingConfig){ .by = PAIR_BY_TIME }, lists, outcomes);
    expect(&outcomes[1], "0-0 1-1 2-2 3-3");
    from_text(&lists[0], "0 40 80 120 160");
    from_text(&lists[1], "100 60 100 220 260"); /* goes back: ignored as a time */
    run((PairingConfig){ .by = PAIR_BY_TIME, .videos = at_25 }, lists, outcomes);
    expect(&outcomes[1], "0-0 1-2 2-3 3-3 4-4");
}

static int64_t distance(const List *list, unsigned frame, int64_t time)
{
    const int64_t d = list->time[frame] - list->time[0] - time;
    return d < 0 ? -d : d;
}

/* Random times: no frame is paired twice, none goes back, and none is paired when another was
 * nearer. */
static void random_times_keep_the_rules(void **state)
{
    srand(1);
    for (unsigned round = 0; round < 2000; round++) {
        static List lists[2];
        static Outcome outcomes[2];
        for (unsigned v = 0; v < 2; v++) {
            lists[v] = (List){ .count = 1 + rand() % 60, .end = FRAME_NONE };
            for (unsigned i = 0; i < lists[v].count; i++)
                lists[v].time[i] = i ? lists[v].time[i - 1] + 1 + rand() % 60 : rand() % 1000;
        }
        run((PairingConfig){ .by = PAIR_BY_TIME }, lists, outcomes);
        const Outcome *const o = &outcomes[1];
        assert_true(o->count > 0);
        for (unsigned i = 0; i < o->count; i++) {
            const Pair *const pair = &o->pairs[i];
            const int64_t time = lists[0].time[pair->ref] - lists[0].time[0];
            assert_int_equal(pair->ref, o->pairs[0].ref + i);
            assert_true(!i || pair->dist >= o->pairs[i - 1].dist);
            for (unsigned f = 0; f < lists[1].count; f++)
                assert_true(distance(&lists[1], f, time) >= distance(&lists[1], pair->dist, time));
        }
        assert_true(o->part.repeated + 1 <= o->count);
    }
}

static void frames_have_exact_times(void **state)
{
    assert_int_equal(frame_time(0, 25, 1), 0);
    assert_int_equal(frame_time(1, 25, 1), 40 * MS);
    assert_int_equal(frame_time(24000, 24000, 1001), 1001000000000);
    assert_int_equal(frame_time(1, 24000, 1001), 41708333);
    assert_int_equal(frame_time(2, 24000, 1001), 83416667);
    assert_int_equal(frame_time(5, 0, 1), 0);
    assert_int_equal(frame_duration(50, 1), 20 * MS);
}

TEST_MAIN(pairing)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_rates_are_pairs_by_number),
        cmocka_unit_test(rounding_does_not_matter),
        cmocka_unit_test(a_dropped_frame_is_replaced_by_the_nearest),
        cmocka_unit_test(more_frames_than_the_reference_are_left_out),
        cmocka_unit_test(a_variable_rate_is_paired_by_time),
        cmocka_unit_test(a_shorter_video_ends_its_pairs),
        cmocka_unit_test(offsets_move_a_video),
        cmocka_unit_test(all_videos_are_brought_to_a_rate),
        cmocka_unit_test(limits_end_the_pairs),
        cmocka_unit_test(videos_are_paired_independently),
        cmocka_unit_test(missing_and_wrong_times_are_corrected),
        cmocka_unit_test(random_times_keep_the_rules),
        cmocka_unit_test(frames_have_exact_times),
    };
    return cmocka_run_group_tests_name("pairing", tests, NULL, NULL);
}
