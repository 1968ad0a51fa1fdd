/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The caller's estimate of the work reaches the code that chooses queues. */
#include <errno.h>

#include "libvmaf/device.h"
#include "testing.h"
#include "gpu/backend/vulkan/vk.h"

static GpuExpected seen;
static bool no_driver;

void __real_vulkan_queues_choose(VulkanQueueChoice *choice, const VkQueueFamilyProperties *families,
                                 uint32_t count, const GpuExpected *expected,
                                 const GpuTuning *tuning);
void __wrap_vulkan_queues_choose(VulkanQueueChoice *choice, const VkQueueFamilyProperties *families,
                                 uint32_t count, const GpuExpected *expected,
                                 const GpuTuning *tuning);
void __wrap_vulkan_queues_choose(VulkanQueueChoice *choice, const VkQueueFamilyProperties *families,
                                 uint32_t count, const GpuExpected *expected,
                                 const GpuTuning *tuning)
{
    seen = *expected;
    __real_vulkan_queues_choose(choice, families, count, expected, tuning);
}

static void assert_seen(size_t size, uint64_t pairs, size_t pair_bytes)
{
    const VmafDeviceOptions options = { .size = size,
                                        .backend = "vulkan",
                                        .allow_software = 1,
                                        .expected_pairs = 1234,
                                        .expected_pair_bytes = 5678 };
    VmafDevice *device;
    seen = (GpuExpected){ 1, 1 };
    const int err = vmaf_device_open(&device, &options);
    no_driver = err == -ENOSYS || err == -ENODEV;
    if (no_driver)
        skip();
    assert_int_equal(err, 0);
    vmaf_device_close(&device);
    assert_int_equal(seen.pairs, pairs);
    assert_int_equal(seen.pair_bytes, pair_bytes);
}

static void expectations_are_passed_on(void **state)
{
    (void)state;
    assert_seen(sizeof(VmafDeviceOptions), 1234, 5678);
}

static void an_older_caller_expects_nothing(void **state)
{
    (void)state;
    assert_seen(offsetof(VmafDeviceOptions, expected_pairs), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(expectations_are_passed_on),
                                        cmocka_unit_test(an_older_caller_expects_nothing) };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return no_driver ? 77 : failed;
}
