/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Doubles in kernels: whether a device has them, and whether they are fast, which Vulkan does not tell. */
#include <string.h>

#include "gpu/backend/vulkan/vk.h"

bool vulkan_has_doubles(const VulkanDevice *dev)
{
    VkPhysicalDeviceFeatures2 features = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 };
    dev->vki.GetPhysicalDeviceFeatures2(dev->physical, &features);
    return features.features.shaderFloat64;
}

#define NVIDIA 0x10de
#define WARPS_WHERE_FAST 64

static bool has(const VulkanDevice *dev, const char *extension)
{
    return vulkan_has_extension(&dev->vki, dev->physical, extension);
}

static uint32_t warps_per_multiprocessor(const VulkanDevice *dev)
{
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV multiprocessor = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV,
    };
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &multiprocessor,
    };
    dev->vki.GetPhysicalDeviceProperties2(dev->physical, &properties);
    return multiprocessor.shaderWarpsPerSM;
}

/* NVIDIA's chips can be told apart by two marks. Those that multiply matrices are Volta and later; of these a multiprocessor
 * has room for 64 warps where doubles run at half the rate of floats (V100, A100, H100, H200, B200), for 32 (Turing)
 * or 48 (others since Ampere) where they run at 1/32 or 1/64. B300 alone has room for 64, and few doubles. */
bool vulkan_has_fast_doubles(const VulkanDevice *dev)
{
    return dev->properties.vendorID == NVIDIA && !strstr(dev->properties.deviceName, "B300") &&
           (has(dev, "VK_KHR_cooperative_matrix") || has(dev, "VK_NV_cooperative_matrix")) &&
           has(dev, "VK_NV_shader_sm_builtins") &&
           warps_per_multiprocessor(dev) == WARPS_WHERE_FAST;
}
