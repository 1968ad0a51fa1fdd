/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests the default number of threads of a run. */
#include <sched.h>

#include "vmaf/run.h"
#include "testing.h"

static void quotas_are_whole_cpus(void **state)
{
    static const struct {
        const char *text;
        unsigned cpus;
    } cases[] = {
        { "max 100000\n", 0 },
        { "100000 100000\n", 1 },
        { "150000 100000", 2 },
        { "50000 100000", 1 },
        { "1600000 100000", 16 },
        { "0 100000", 0 },
        { "100000 0", 0 },
        { "", 0 },
        { "-1 100000", 0 },
        { "18446744073709551615 1", 0 },
        { "5", 0 },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(cpus_of_quota(cases[i].text), cases[i].cpus);
}

static void memory_bounds_threads(void **state)
{
    const unsigned all = threads_by_default(1);
    assert_int_equal(all, cpus_allowed() > 1 ? cpus_allowed() : 0);
    assert_int_equal(threads_by_default(SIZE_MAX), 0);
    assert_int_equal(threads_by_default(0), all);
}

/* Must run last: the process then stays on one CPU. */
static void affinity_bounds_cpus(void **state)
{
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
    assert_true(cpus_allowed() >= 1 && cpus_allowed() <= (unsigned)CPU_COUNT(&all));
    CPU_ZERO(&one);
    for (unsigned i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    assert_int_equal(cpus_allowed(), 1);
    assert_int_equal(threads_by_default(1), 0);
}

TEST_MAIN(cpus)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotas_are_whole_cpus),
        cmocka_unit_test(memory_bounds_threads),
        cmocka_unit_test(affinity_bounds_cpus),
    };
    return cmocka_run_group_tests_name("cpus", tests, NULL, NULL);
}
