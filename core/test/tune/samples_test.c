/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests where samples are taken from a source. */
#include <stdlib.h>
#include <string.h>

#include "testing.h"
#include "extras/tune/samples.h"

/* Makes a source of 100 s with 10 packets a second: 80 s are cheap, the rest is expensive. */
static Packets make_packets(Packet at[1000])
{
    for (unsigned i = 0; i < 1000; i++)
        at[i] = (Packet){ 3.0 + i / 10.0, i < 400 || i >= 600 ? 100 : 5000, i % 25 == 0 };
    return (Packets){ .at = at, .count = 1000 };
}

static void dear_scenes_have_their_share(void **state)
{
    Packet at[1000];
    const Packets packets = make_packets(at);
    double starts[50], from[5];
    for (unsigned i = 0; i < 50; i++)
        starts[i] = i * 2.0;
    assert_int_equal(samples_choose(starts, 50, &packets, 100, 2, 5, from), 5);
    unsigned dear = 0;
    for (unsigned i = 0; i < 5; i++) {
        dear += from[i] >= 40 && from[i] < 60;
        assert_true(from[i] >= 0 && from[i] + 2 <= 100);
        assert_true(!i || from[i] - from[i - 1] >= 2);
    }
    assert_int_equal(dear, 1); /* a fifth of the time, a fifth of the samples */
}

static void there_may_be_too_few_places(void **state)
{
    Packet at[1000];
    const Packets packets = make_packets(at);
    const double starts[] = { 0, 1, 2, 3, 99 };
    double from[4];
    assert_int_equal(samples_choose(starts, 5, &packets, 100, 2, 4, from), 2);
    assert_int_equal(samples_choose(starts, 0, &packets, 100, 2, 4, from), 0);
}

static void scenes_differ_by_their_pictures(void **state)
{
    KeyFrame a, b;
    memset(&a, 0, sizeof(a));
    memset(&b, 0, sizeof(b));
    memset(b.luma, 11, sizeof(b.luma));
    assert_false(is_other_scene(&a, &b));
    memset(b.luma, 12, sizeof(b.luma));
    assert_true(is_other_scene(&a, &b));
}

TEST_MAIN(samples)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dear_scenes_have_their_share),
        cmocka_unit_test(there_may_be_too_few_places),
        cmocka_unit_test(scenes_differ_by_their_pictures),
    };
    return cmocka_run_group_tests_name("samples of a source", tests, NULL, NULL);
}
