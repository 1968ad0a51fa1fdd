/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The self-test runs every kernel that a feature uses, with default options, for pictures of any
 * depth. No device is needed. */
#include <string.h>

#include "base/log.h"
#include "gpu/plan.h"
#include "gpu/selftest.h"
#include "testing.h"

typedef struct Planned {
    Feature *feature;
    GpuPlan *plan; /* NULL: the feature has none for this depth */
} Planned;

static Planned make_plan(const FeatureDef *def, unsigned bpc)
{
    Planned planned = { 0 };
    assert_int_equal(0, feature_create(&planned.feature, def, NULL));
    Feature *const f = planned.feature;
    assert_int_equal(0, shape_init(&f->shape, VMAF_PIX_FMT_YUV420P, bpc, 219, 183));
    f->planes = def->flags & FEATURE_CHROMA ? 7 : 1;
    if ((def->init && def->init(f)) || plan_create(&planned.plan, f))
        planned.plan = NULL;
    return planned;
}

static void destroy(const Planned *planned)
{
    plan_destroy(planned->plan);
    if (planned->feature->def->close)
        planned->feature->def->close(planned->feature);
    feature_destroy(planned->feature);
}

static bool has_kernel(const GpuPlan *plan, const char *kernel)
{
    for (unsigned p = 0; plan && p < plan->pass_count; p++)
        if (!strcmp(plan->passes[p].kernel, kernel))
            return true;
    return false;
}

static void test_depths(void **unused)
{
    unsigned plans = 0;
    log_set_level(VMAF_LOG_LEVEL_NONE); /* not every feature supports every depth */
    for (const FeatureDef *const *def = feature_registry; *def; def++) {
        for (unsigned bpc = 8; (*def)->gpu && bpc <= 16; bpc++) {
            const Planned real = make_plan(*def, bpc);
            const Planned tested = make_plan(*def, selftest_bits(selftest_depth(bpc)));
            plans += real.plan != NULL;
            for (unsigned p = 0; real.plan && p < real.plan->pass_count; p++) {
                const char *const kernel = real.plan->passes[p].kernel;
                if (!has_kernel(tested.plan, kernel))
                    fail_msg("%s at %u bits runs %s, which nobody tests", (*def)->name, bpc,
                             kernel);
            }
            destroy(&real);
            destroy(&tested);
        }
    }
    assert_true(plans > 0);
}

TEST_MAIN(selftest)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_depths) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
