/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every feature, with each allocation of its setup failing in turn: it must return -ENOMEM and leak
 * nothing. */
#include <errno.h>

#include "base/cpu.h"
#include "engine/feature.h"
#include "base/mem.h"
#include "testing.h"

/* A size that all features accept. */
static int set_up(const FeatureDef *def, void *options)
{
    Feature f = { .def = def, .options = options, .cpu = cpu_flags(0), .planes = 7 };
    assert_int_equal(shape_init(&f.shape, VMAF_PIX_FMT_YUV420P, 8, 400, 300), 0);
    int err = def->init ? def->init(&f) : 0;
    void *scratch = NULL;
    if (!err && def->scratch_create)
        err = def->scratch_create(&f, &scratch);
    if (!err && def->scratch_destroy)
        def->scratch_destroy(scratch);
    if (def->close)
        def->close(&f);
    return err;
}

static void failing_allocations_are_reported(void **state)
{
    for (const FeatureDef *const *def = feature_registry; *def; def++) {
        void *options = mem_zalloc((*def)->options_size + 1);
        assert_non_null(options);
        assert_int_equal(option_parse((*def)->options, (*def)->name, NULL, options), 0);
        mem_fail_after(0);
        assert_int_equal(set_up(*def, options), 0);
        const unsigned long allocations = mem_fail_after(1);
        for (unsigned long n = 1; n <= allocations; n++) {
            mem_fail_after(n);
            assert_int_equal(set_up(*def, options), -ENOMEM);
        }
        mem_fail_after(0);
        mem_free(options);
    }
}

TEST_MAIN(memory)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(failing_allocations_are_reported) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
