/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Kernels with doubles replace those without on devices that are fast at doubles. Both have the
 * same buffers, parameters and workgroups. */
#include <stdlib.h>

#include "base/log.h"
#include "gpu/backend/host/host.h"
#include "testing.h"
#include "variants.h"

static GpuDevice *open_device(void)
{
    GpuDevice *device;
    assert_int_equal(0, host_open(&(HostParams){ 0 }, &device));
    return device;
}

/* The kernel's info without _f64. NULL: this one is no variant, or has no other. */
static const KernelInfo *plain_of(const KernelInfo *variant)
{
    char name[128];
    if (!is_variant(variant->name))
        return NULL;
    snprintf(name, sizeof(name), "%.*s", (int)(strlen(variant->name) - strlen(VARIANT)),
             variant->name);
    return kernel_info_find(name);
}

static void a_variant_fits_where_its_kernel_does(void **unused)
{
    unsigned pairs = 0;
    for (const KernelInfo *info = kernel_infos; info->name; info++) {
        const KernelInfo *plain = plain_of(info);
        if (!is_variant(info->name))
            continue;
        if (!plain)
            fail_msg("%s is a variant of nothing", info->name);
        assert_int_equal(plain->buffer_count, info->buffer_count);
        assert_int_equal(plain->params_size, info->params_size);
        assert_int_equal(plain->workgroup[0], info->workgroup[0]);
        assert_int_equal(plain->workgroup[1], info->workgroup[1]);
        pairs++;
    }
    assert_true(pairs > 0);
}

static void a_device_runs_what_it_is_fast_at(void **unused)
{
    GpuDevice *device = open_device();
    unsigned pairs = 0;
    for (const KernelInfo *info = kernel_infos; info->name; info++) {
        const KernelInfo *plain = plain_of(info) ? plain_of(info) : info;
        const bool alone = plain == info && !has_variant(info->name);
        device->tuning.doubles = false;
        assert_ptr_equal(plain, gpu_kernel_for(device, plain->name));
        device->tuning.doubles = true;
        assert_int_equal(alone, gpu_kernel_for(device, plain->name) == plain);
        if (plain != info) {
            assert_ptr_equal(info, gpu_kernel_for(device, plain->name));
            pairs++;
        }
    }
    for (unsigned doubles = 0; doubles < 2; doubles++) {
        device->tuning.doubles = doubles;
        assert_null(gpu_kernel_for(device, "no such kernel"));
    }
    assert_true(pairs > 0);
    gpu_device_release(device);
}

/* The environment's setting affects devices that are opened later. */
static void the_environment_wins(void **unused)
{
    static const struct {
        const char *text;
        bool unless_asked,
            on; /* for devices that can use doubles: the result without the variable, and with 1 */
    } cases[] = {
        { NULL, false, false },  { NULL, true, true },   { "", true, true },
        { "", false, false },    { "0", true, false },   { "1", false, true },
        { "0", false, false },   { "1", true, true },    { "2", true, true },
        { "yes", false, false }, { "01", false, false }, { "1 ", false, false },
    };
    GpuDevice *device = open_device();
    assert_false(device->tuning.doubles);
    for (unsigned i = 0; i < COUNT(cases); i++) {
        if (cases[i].text)
            setenv("VMAF_GPU_DOUBLES", cases[i].text, 1);
        gpu_device_choose_doubles(device, true, cases[i].unless_asked);
        assert_int_equal(cases[i].on, device->tuning.doubles);
        gpu_device_choose_doubles(device, false, cases[i].unless_asked);
        assert_false(device->tuning.doubles);
    }
    gpu_device_release(device);
    setenv("VMAF_GPU_DOUBLES", "1", 1);
    device = open_device();
    assert_true(device->tuning.doubles);
    gpu_device_release(device);
    unsetenv("VMAF_GPU_DOUBLES");
}

TEST_MAIN(doubles)
{
    log_set_level(VMAF_LOG_LEVEL_NONE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_variant_fits_where_its_kernel_does),
        cmocka_unit_test(a_device_runs_what_it_is_fast_at),
        cmocka_unit_test(the_environment_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
