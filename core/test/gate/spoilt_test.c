/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* gpu_check, which the self-test uses, detects a spoilt kernel in every kind of image. This program
 * is linked with one. */
#include <errno.h>
#include <string.h>

#include "gpu/backend.h"
#include "gpu/selftest.h"
#include "testing.h"

static GpuDevice *device;

static int check(const char *extractor, unsigned bpc, char *kernels, size_t size)
{
    GpuCheck check = { .def = feature_find(extractor), .seed = 1 };
    assert_int_equal(0, shape_init(&check.shape, VMAF_PIX_FMT_YUV420P, bpc, 219, 183));
    return gpu_check(device, &check, kernels, size);
}

static void a_spoilt_kernel_is_found(void **state)
{
    char kernels[512] = "";
    assert_int_equal(1, check("vif", 8, kernels, sizeof(kernels)));
    assert_non_null(strstr(kernels, "vif_stats_2"));
}

static void the_others_are_good(void **state)
{
    assert_int_equal(0, check("adm", 10, NULL, 0));
    assert_int_equal(0, check("psnr", 8, NULL, 0));
}

/* 77, which skips it, when there is no device. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spoilt_kernel_is_found),
        cmocka_unit_test(the_others_are_good),
    };
    const GpuBackend *backend = argc > 1 ? gpu_backend_find(argv[1]) : NULL;
    GpuProbe *probe;
    if (!backend || !backend->probe || backend->probe(backend, false, &probe))
        return 77;
    int result = 77;
    if (probe->count && !backend->open(probe, 0, &device)) {
        result = cmocka_run_group_tests(tests, NULL, NULL);
        gpu_device_release(device);
    }
    backend->probe_end(probe);
    return result;
}
