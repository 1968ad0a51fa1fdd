/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The sets that a mask leaves on. */
#include "base/cpu.h"
#include "testing.h"

static void disabling_a_set_disables_those_that_require_it(void **state)
{
    const unsigned have = cpu_flags(0);
    for (unsigned bit = CPU_SSE2; bit <= CPU_AVX512ICL; bit <<= 1)
        assert_int_equal(cpu_flags(bit), have & (bit - 1));
}

static void a_full_mask_leaves_nothing(void **state)
{
    assert_int_equal(cpu_flags(UINT64_MAX), 0);
    assert_int_equal(cpu_flags(CPU_SSE2), 0);
}

TEST_MAIN(cpu)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disabling_a_set_disables_those_that_require_it),
        cmocka_unit_test(a_full_mask_leaves_nothing),
    };
    return cmocka_run_group_tests_name("cpu", tests, NULL, NULL);
}
