/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every feature with GPU code gives the result of its scalar code on the host device, whatever
 * order threads, workgroups, commands and queues run in. With a feature's name as argument it tests
 * that feature only. */
#include <errno.h>
#include <string.h>

#include "gpu/selftest.h"
#include "gpu/feature_gpu.h"
#include "gpu/backend/host/host.h"
#include "testing.h"
#include "variants.h"

#define W 219
#define H 183

static const char *wanted; /* NULL: all */
static unsigned runs, failures, seed;

/* Each check runs on a device of its own, with the next seed and schedule, and with uploads on the
 * copy queue or on the kernels' queue. */
static void check_with(const GpuCheck *check, bool doubles, char kernels[512])
{
    GpuDevice *device;
    kernels[0] = '\0';
    const HostParams params = { .schedule = seed % HOST_SCHEDULES, .seed = seed };
    assert_int_equal(0, host_open(&params, &device));
    device->tuning.doubles = doubles;
    device->tuning.own_upload_bytes = seed / HOST_SCHEDULES % 2 ? SIZE_MAX : 0;
    const int result = gpu_check(device, check, kernels, 512);
    gpu_device_release(device);
    seed++;
    if (result == -ENOTSUP)
        return;
    runs++;
    if (result) {
        failures++;
        print_error(
            "%s: %ux%u, format %d, %u bits, content %d, schedule %d, seed %u: result %d (%s)\n",
            check->def->name, check->shape.w[0], check->shape.h[0], check->shape.pix_fmt,
            check->shape.bpc, check->content, params.schedule, seed - 1, result, kernels);
    }
}

/* Also with doubles, if some of its kernels have a variant with them. */
static void check_one(const GpuCheck *check)
{
    char kernels[512];
    check_with(check, false, kernels);
    if (any_has_two_forms(kernels))
        check_with(check, true, kernels);
}

/* Checks the kernels for large pictures. They are slow here, so there is one check at 8 bits and
 * one above. */
static void check_large(const FeatureDef *def)
{
    for (unsigned bpc = 8; bpc <= 10 && def->gpu->large_w; bpc += 2) {
        GpuCheck check = { .def = def, .seed = 2 };
        assert_int_equal(0, shape_init(&check.shape, VMAF_PIX_FMT_YUV422P, bpc, def->gpu->large_w,
                                       def->gpu->large_h));
        check_one(&check);
    }
}

static void test_features(void **unused)
{
    static const unsigned depths[] = { 8, 10, 12, 16 };
    for (const FeatureDef *const *def = feature_registry; *def; def++) {
        if (!(*def)->gpu || (wanted && strcmp(wanted, (*def)->name)))
            continue;
        const FeatureGpu *const gpu = (*def)->gpu;
        runs = 0;
        for (unsigned d = 0; d < COUNT(depths); d++)
            for (enum CheckContent content = 0; content < CHECK_CONTENTS; content++) {
                if (SANITIZED && depths[d] == 12) /* same kernels as at 10 and 16 bits */
                    continue;
                GpuCheck check = { .def = *def, .seed = 1, .content = content };
                assert_int_equal(0, shape_init(&check.shape, VMAF_PIX_FMT_YUV420P, depths[d],
                                               gpu->test_w ? gpu->test_w : W,
                                               gpu->test_h ? gpu->test_h : H));
                check_one(&check);
                check.joined_options = gpu->joined_options;
                if (check.joined_options)
                    check_one(&check);
            }
        check_large(*def);
        print_message("%s: %u runs\n", (*def)->name, runs);
        assert_true(runs > 0);
    }
    assert_int_equal(0, failures);
}

TEST_MAIN(host_features)
{
    wanted = argc > 1 ? argv[1] : NULL;
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_features) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
