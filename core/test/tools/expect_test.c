/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How many pairs a run expects. */
#include "vmaf/expect.h"
#include "testing.h"

static void whole_videos(void **state)
{
    const PartChoice whole = { .kind = PART_WHOLE };
    assert_int_equal(expect_pairs(&whole, 100, 0, 1), 100);
    assert_int_equal(expect_pairs(&whole, 100, 0, 3), 300);
    assert_int_equal(expect_pairs(&whole, 100, 40, 2), 80);
    assert_int_equal(expect_pairs(&whole, 100, 400, 1), 100);
    assert_int_equal(expect_pairs(&whole, 0, 40, 1), 40);
    assert_int_equal(expect_pairs(&whole, 0, 0, 2), 0);
}

static void parts(void **state)
{
    const PartChoice third = { .kind = PART_SHARD, .index = 2, .count = 3 };
    assert_int_equal(expect_pairs(&third, 100, 0, 1), 34);
    assert_int_equal(expect_pairs(&third, 100, 60, 1), 21);
    assert_int_equal(expect_pairs(&third, 0, 0, 1), 0);
}

static void frames(void **state)
{
    const PartChoice some = { .kind = PART_FRAMES, .first = 20, .last = 49 };
    assert_int_equal(expect_pairs(&some, 100, 0, 1), 30);
    assert_int_equal(expect_pairs(&some, 0, 0, 1), 30);
    assert_int_equal(expect_pairs(&some, 30, 0, 1), 10);
    assert_int_equal(expect_pairs(&some, 20, 0, 1), 0);
    assert_int_equal(expect_pairs(&some, 100, 25, 1), 5);
    const PartChoice rest = { .kind = PART_FRAMES, .first = 20, .last = UINT64_MAX };
    assert_int_equal(expect_pairs(&rest, 100, 0, 1), 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_videos),
        cmocka_unit_test(parts),
        cmocka_unit_test(frames),
    };
    return cmocka_run_group_tests_name("expect", tests, NULL, NULL);
}
