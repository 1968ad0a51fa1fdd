/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests whether the CPU or the device decodes faster (input/decode_speed.h) in the cases that
 * docs/adr/0057 names. */
#include "input/decode_speed.h"
#include "testing.h"

static const DecodeLoad hd = { .codec = "h264",
                               .width = 1920,
                               .height = 1080,
                               .depth = 8,
                               .videos = 2,
                               .cpus = 16,
                               .threads = 8 };

static bool device_wins(DecodeLoad load, unsigned engines)
{
    return decode_speed_device(&load, engines) > decode_speed_cpu(&load);
}

/* Measured with 16 CPUs and seven engines: 454 pairs a second on the CPU, 1,190 decoded alone. */
static void measured_speeds_are_met(void **state)
{
    DecodeLoad load = hd;
    assert_in_range((unsigned)decode_speed_cpu(&load), 380, 540);
    load.scored_on_device = true;
    assert_in_range((unsigned)decode_speed_cpu(&load), 930, 1190);
    assert_in_range((unsigned)decode_speed_device(&load, 7), 1000, 1300);
}

static void the_cpu_that_scores_does_not_decode(void **state)
{
    assert_true(device_wins(hd, 7));
    DecodeLoad few = hd;
    few.cpus = few.threads = 2;
    assert_true(device_wins(few, 1));
}

static void many_cpus_beat_few_engines(void **state)
{
    DecodeLoad load = hd;
    load.scored_on_device = true;
    assert_true(device_wins(load, 7));
    assert_false(device_wins(load, 2));
    load.cpus = load.threads = 4;
    assert_true(device_wins(load, 2));
}

static void codecs_depths_and_sizes_count(void **state)
{
    DecodeLoad load = hd, other = hd;
    load.scored_on_device = other.scored_on_device = true;
    other.codec = "mpeg2video";
    assert_true(decode_speed_cpu(&other) > decode_speed_cpu(&load));
    other.codec = "unheard of";
    assert_true(decode_speed_cpu(&other) < decode_speed_cpu(&load));
    other = load;
    other.depth = 10;
    assert_true(decode_speed_cpu(&other) < decode_speed_cpu(&load));
    other = load;
    other.frame_bits = 4e6;
    assert_true(decode_speed_cpu(&other) < decode_speed_cpu(&load));
    other = load;
    other.width = 96;
    other.height = 80;
    assert_false(device_wins(other, 1)); /* an engine takes longer for a frame than a CPU */
}

/* Each encode of a ladder is decoded and scored. */
static void more_videos_take_longer(void **state)
{
    DecodeLoad load = hd;
    load.videos = 6;
    assert_true(decode_speed_cpu(&load) < decode_speed_cpu(&hd) / 3);
    assert_true(decode_speed_device(&load, 7) < decode_speed_device(&hd, 7) / 3 + 1);
}

TEST_MAIN(decode_speed)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_speeds_are_met),
        cmocka_unit_test(the_cpu_that_scores_does_not_decode),
        cmocka_unit_test(many_cpus_beat_few_engines),
        cmocka_unit_test(codecs_depths_and_sizes_count),
        cmocka_unit_test(more_videos_take_longer),
    };
    return cmocka_run_group_tests_name("decode_speed", tests, NULL, NULL);
}
