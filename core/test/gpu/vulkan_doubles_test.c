/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Vulkan does not say how fast doubles are, so NVIDIA chips that are fast at them are recognised by
 * other properties. Uses a fake driver that only answers. */
#include <stdio.h>
#include <string.h>

#include "testing.h"
#include "gpu/backend/vulkan/vk.h"

#define COOPERATIVE "VK_KHR_cooperative_matrix"
#define COOPERATIVE_NV "VK_NV_cooperative_matrix"
#define BUILTINS "VK_NV_shader_sm_builtins"

typedef struct Chip {
    const char *name;
    uint32_t vendor;
    const char *extensions[3];
    uint32_t warps; /* that fit on a multiprocessor */
    bool fast;
} Chip;

static const Chip chips[] = {
    { "Tesla V100-SXM2-16GB", 0x10de, { COOPERATIVE_NV, BUILTINS }, 64, true },
    { "NVIDIA H200", 0x10de, { COOPERATIVE, COOPERATIVE_NV, BUILTINS }, 64, true },
    { "NVIDIA B200", 0x10de, { COOPERATIVE, BUILTINS }, 64, true },
    { "NVIDIA B300 SXM6 AC", 0x10de, { COOPERATIVE, BUILTINS }, 64, false },
    { "NVIDIA GB300", 0x10de, { COOPERATIVE, BUILTINS }, 64, false },
    { "NVIDIA GeForce RTX 4090", 0x10de, { COOPERATIVE, COOPERATIVE_NV, BUILTINS }, 48, false },
    { "Tesla T4", 0x10de, { COOPERATIVE, COOPERATIVE_NV, BUILTINS }, 32, false },
    { "NVIDIA GeForce GTX 1080", 0x10de, { BUILTINS }, 64, false },
    { "NVIDIA H200, in an old driver", 0x10de, { COOPERATIVE_NV }, 64, false },
    { "AMD Instinct MI300X", 0x1002, { COOPERATIVE, BUILTINS }, 64, false },
};
static const Chip *chip;
static unsigned questions; /* about the multiprocessors */

static VkResult VKAPI_CALL list_extensions(VkPhysicalDevice physical, const char *layer,
                                           uint32_t *count, VkExtensionProperties *out)
{
    *count = 0;
    for (unsigned i = 0; i < COUNT(chip->extensions) && chip->extensions[i]; i++, ++*count)
        if (out)
            snprintf(out[i].extensionName, sizeof(out[i].extensionName), "%s", chip->extensions[i]);
    return VK_SUCCESS;
}

static void VKAPI_CALL get_properties(VkPhysicalDevice physical, VkPhysicalDeviceProperties2 *out)
{
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV *asked = out->pNext;
    assert_int_equal(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV,
                     asked->sType);
    asked->shaderWarpsPerSM = chip->warps;
    questions++;
}

static VkBool32 float64;
static void VKAPI_CALL get_features(VkPhysicalDevice physical, VkPhysicalDeviceFeatures2 *out)
{
    out->features.shaderFloat64 = float64;
}

static VulkanDevice device_of(const Chip *of)
{
    VulkanDevice dev = { .vki = { .EnumerateDeviceExtensionProperties = list_extensions,
                                  .GetPhysicalDeviceProperties2 = get_properties,
                                  .GetPhysicalDeviceFeatures2 = get_features } };
    dev.properties.vendorID = of->vendor;
    snprintf(dev.properties.deviceName, sizeof(dev.properties.deviceName), "%s", of->name);
    chip = of;
    questions = 0;
    return dev;
}

static void test_chips(void **unused)
{
    for (unsigned i = 0; i < COUNT(chips); i++) {
        const VulkanDevice dev = device_of(&chips[i]);
        if (vulkan_has_fast_doubles(&dev) != chips[i].fast)
            fail_msg("%s", chips[i].name);
        /* A driver must not be asked with structures of extensions that the device lacks. */
        unsigned builtins = 0;
        while (builtins < COUNT(chip->extensions) && chip->extensions[builtins] &&
               strcmp(chip->extensions[builtins], BUILTINS))
            builtins++;
        const bool has = builtins < COUNT(chip->extensions) && chip->extensions[builtins];
        assert_true(questions == 0 || (has && chip->vendor == 0x10de));
    }
}

static void test_feature(void **unused)
{
    const VulkanDevice dev = device_of(&chips[0]);
    for (float64 = VK_FALSE; float64 <= VK_TRUE; float64++)
        assert_int_equal(float64, vulkan_has_doubles(&dev));
}

TEST_MAIN(vulkan_doubles)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_chips),
                                        cmocka_unit_test(test_feature) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
