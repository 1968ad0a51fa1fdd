/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests which Vulkan devices count as software, with a made-up driver. */
#include <stdio.h>
#include <string.h>

#include "gpu/backend/vulkan/vk.h"
#include "testing.h"

/* ---- a driver with one device ---- */

static VkPhysicalDeviceType type;
static VkDriverId driver_id;
static const char *name;
static VkDeviceSize memory_size;

static void VKAPI_CALL properties(VkPhysicalDevice handle, VkPhysicalDeviceProperties *out)
{
    *out = (VkPhysicalDeviceProperties){ .apiVersion = VK_API_VERSION_1_3, .deviceType = type };
    snprintf(out->deviceName, sizeof(out->deviceName), "%s", name);
}

static void VKAPI_CALL properties2(VkPhysicalDevice handle, VkPhysicalDeviceProperties2 *out)
{
    properties(handle, &out->properties);
    for (VkBaseOutStructure *next = out->pNext; next; next = next->pNext) {
        if (next->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES)
            continue;
        VkPhysicalDeviceDriverProperties *const driver = (void *)next;
        driver->driverID = driver_id;
        snprintf(driver->driverName, sizeof(driver->driverName), "made up");
    }
}

static void VKAPI_CALL memory(VkPhysicalDevice handle, VkPhysicalDeviceMemoryProperties *out)
{
    *out = (VkPhysicalDeviceMemoryProperties){ .memoryHeapCount = 1 };
    out->memoryHeaps[0] = (VkMemoryHeap){ memory_size, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT };
}

static void VKAPI_CALL families(VkPhysicalDevice handle, uint32_t *count,
                                VkQueueFamilyProperties *out)
{
    *count = 1;
    out[0] = (VkQueueFamilyProperties){ .queueFlags = VK_QUEUE_COMPUTE_BIT, .queueCount = 1 };
}

static void VKAPI_CALL features2(VkPhysicalDevice handle, VkPhysicalDeviceFeatures2 *out)
{
    out->features.shaderInt64 = VK_TRUE;
}

static GpuDeviceInfo describe(VkPhysicalDeviceType its_type, VkDriverId its_driver,
                              const char *its_name)
{
    static const VkInst vki = {
        .GetPhysicalDeviceProperties = properties,
        .GetPhysicalDeviceProperties2 = properties2,
        .GetPhysicalDeviceMemoryProperties = memory,
        .GetPhysicalDeviceQueueFamilyProperties = families,
        .GetPhysicalDeviceFeatures2 = features2,
    };
    GpuDeviceInfo info;
    type = its_type;
    driver_id = its_driver;
    name = its_name;
    vulkan_describe(&vki, NULL, &info);
    return info;
}

static enum VmafDeviceType type_of(VkPhysicalDeviceType its_type, VkDriverId its_driver,
                                   const char *its_name)
{
    return describe(its_type, its_driver, its_name).type;
}

/* ---- tests ---- */

static void test_hardware(void **unused)
{
    memory_size = 1 << 30;
    assert_int_equal(VMAF_DEVICE_DISCRETE,
                     type_of(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, VK_DRIVER_ID_MESA_RADV,
                             "AMD Radeon RX 6800 (RADV NAVI21)"));
    assert_int_equal(VMAF_DEVICE_VIRTUAL,
                     type_of(VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, VK_DRIVER_ID_MESA_VENUS,
                             "Virtio-GPU Venus (NVIDIA H200)"));
    assert_int_equal(VMAF_DEVICE_OTHER, type_of(VK_PHYSICAL_DEVICE_TYPE_OTHER, 0, "Some GPU"));
}

/* The driver decides, not the type: a layer may pass a software device on as another type. */
static void test_software(void **unused)
{
    static const VkPhysicalDeviceType types[] = {
        VK_PHYSICAL_DEVICE_TYPE_OTHER,        VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
        VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU,
        VK_PHYSICAL_DEVICE_TYPE_CPU,
    };
    memory_size = 1 << 30;
    for (unsigned i = 0; i < COUNT(types); i++) {
        assert_int_equal(VMAF_DEVICE_SOFTWARE,
                         type_of(types[i], VK_DRIVER_ID_MESA_LLVMPIPE, "Plain name"));
        assert_int_equal(VMAF_DEVICE_SOFTWARE,
                         type_of(types[i], VK_DRIVER_ID_GOOGLE_SWIFTSHADER, "Plain name"));
        assert_int_equal(VMAF_DEVICE_SOFTWARE,
                         type_of(types[i], VK_DRIVER_ID_MESA_VENUS,
                                 "Virtio-GPU Venus (llvmpipe (LLVM 19.1.7, 256 bits))"));
        assert_int_equal(VMAF_DEVICE_SOFTWARE,
                         type_of(types[i], 0, "SwiftShader Device (Subzero)"));
        assert_int_equal(VMAF_DEVICE_SOFTWARE,
                         type_of(types[i], 0, "Microsoft Basic Render Driver"));
    }
    assert_int_equal(VMAF_DEVICE_SOFTWARE, type_of(VK_PHYSICAL_DEVICE_TYPE_CPU, 0, "Plain name"));
}

/* A device without memory computes nothing. */
static void test_null(void **unused)
{
    memory_size = 0;
    const GpuDeviceInfo info = describe(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                                        VK_DRIVER_ID_MESA_RADV, "Null hardware (RADV NAVI21)");
    assert_non_null(strstr(info.missing, "hardware"));
}

TEST_MAIN(vulkan_types)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hardware),
        cmocka_unit_test(test_software),
        cmocka_unit_test(test_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
