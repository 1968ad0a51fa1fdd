/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Plans that compute the same compare equal, and others do not; mistakes in a plan are found when
 * it is created. No device is needed. */
#include <errno.h>
#include <string.h>

#include "gpu/plan.h"
#include "testing.h"

/* A plan with one of everything, and a change to one detail of it. */
enum Change {
    SAME,
    PLANE,
    BACK,
    SCRATCH_SIZE,
    SCRATCH_ZEROED,
    TABLE_DATA,
    TABLE_SIZE,
    RESULT_SIZE,
    RESULT_ZEROED,
    KERNEL,
    BUFFERS_SWAPPED,
    ONE_BUFFER_LESS,
    PARAMS,
    PARAMS_SIZE,
    GROUPS,
    STAGE,
    ONE_PASS_MORE,
    ONE_BUFFER_MORE,
    SIDE,
    CHANGES,

    NO_SUCH_PLANE,
    TWO_RESULTS,
    TOO_MANY_BUFFERS,
    TOO_MANY_PARAMS,
    DECLINED,
};
static enum Change change;

static int make_plan(const Feature *f, GpuPlan *plan)
{
    const uint32_t table[4] = { 1, 2, 3, change == TABLE_DATA ? 5 : 4 };
    const uint32_t params[3] = { 7, 8, change == PARAMS ? 10 : 9 };
    const GpuBuf picture = change == SIDE ? gpu_dist(plan, 0) : gpu_ref(plan, change == PLANE);
    const GpuBuf before = gpu_prev_ref(plan, 0, change == BACK ? 2 : 1);
    const size_t scratch_size = change == SCRATCH_SIZE ? 128 : 64;
    const GpuBuf scratch = change == SCRATCH_ZEROED ? gpu_scratch_zeroed(plan, scratch_size)
                                                    : gpu_scratch(plan, scratch_size);
    const GpuBuf numbers = gpu_table(plan, table, change == TABLE_SIZE ? 12 : 16);
    const GpuBuf result = gpu_result(plan, change == RESULT_SIZE ? 8 : 4, change == RESULT_ZEROED);
    if (change == ONE_BUFFER_MORE)
        gpu_scratch(plan, 4);
    GpuPass pass = {
        .kernel = change == KERNEL ? "other" : "some",
        .buffers = { picture, before, scratch, numbers, result },
        .buffer_count = change == ONE_BUFFER_LESS ? 4 : 5,
        .params = params,
        .params_size = change == PARAMS_SIZE ? 8 : 12,
        .workgroups = { 3, change == GROUPS ? 2 : 1 },
    };
    if (change == BUFFERS_SWAPPED) {
        pass.buffers[0] = before;
        pass.buffers[1] = picture;
    }
    if (change == STAGE)
        gpu_next_stage(plan);
    if (change == TOO_MANY_BUFFERS)
        pass.buffer_count = GPU_MAX_BINDINGS + 1;
    if (change == TOO_MANY_PARAMS)
        pass.params_size = GPU_MAX_PARAMS + 4;
    gpu_pass(plan, &pass);
    if (change == ONE_PASS_MORE)
        gpu_pass(plan, &pass);
    if (change == NO_SUCH_PLANE)
        gpu_ref(plan, 1);
    if (change == TWO_RESULTS)
        gpu_result(plan, 4, false);
    return change == DECLINED ? -ENOTSUP : 0;
}

static int plan_with(enum Change what, enum VmafPixelFormat format, GpuPlan **plan)
{
    static const FeatureGpu gpu = { .plan = make_plan };
    static const FeatureDef def = { .name = "toy", .gpu = &gpu };
    Feature f = { .def = &def };
    assert_int_equal(0, shape_init(&f.shape, format, 8, 64, 32));
    change = what;
    *plan = NULL;
    return plan_create(plan, &f);
}

static void test_same(void **unused)
{
    GpuPlan *plan;
    assert_int_equal(0, plan_with(SAME, VMAF_PIX_FMT_YUV420P, &plan));
    for (enum Change what = SAME; what < CHANGES; what++) {
        GpuPlan *other;
        assert_int_equal(0, plan_with(what, VMAF_PIX_FMT_YUV420P, &other));
        if (plan_same(plan, other) != (what == SAME) || plan_same(other, plan) != (what == SAME)) {
            print_error("change %d\n", what);
            fail();
        }
        plan_destroy(other);
    }
    plan_destroy(plan);
}

/* The contents of a pass: a plane that was asked for twice is one buffer, and 0 workgroups mean
 * 1. */
static void test_contents(void **unused)
{
    GpuPlan *plan;
    assert_int_equal(0, plan_with(SAME, VMAF_PIX_FMT_YUV420P, &plan));
    const GpuBuf again = gpu_ref(plan, 0), stride = { gpu_plane_stride(plan, 0) };
    assert_int_equal(plan->passes[0].buffers[0], again.id);
    assert_int_equal(64 / 4, stride.id);
    assert_int_equal(3, plan->passes[0].workgroups[0]);
    assert_int_equal(1, plan->passes[0].workgroups[2]);
    plan_destroy(plan);
    plan_destroy(NULL);
}

static void test_mistakes(void **unused)
{
    GpuPlan *plan;
    assert_int_equal(-EINVAL, plan_with(NO_SUCH_PLANE, VMAF_PIX_FMT_YUV400P, &plan));
    assert_int_equal(-EINVAL, plan_with(TWO_RESULTS, VMAF_PIX_FMT_YUV420P, &plan));
    assert_int_equal(-EINVAL, plan_with(TOO_MANY_BUFFERS, VMAF_PIX_FMT_YUV420P, &plan));
    assert_int_equal(-EINVAL, plan_with(TOO_MANY_PARAMS, VMAF_PIX_FMT_YUV420P, &plan));
    assert_int_equal(-ENOTSUP, plan_with(DECLINED, VMAF_PIX_FMT_YUV420P, &plan));
}

TEST_MAIN(plan)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_same),
                                        cmocka_unit_test(test_contents),
                                        cmocka_unit_test(test_mistakes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
