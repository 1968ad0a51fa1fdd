/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tells whether a device has doubles and whether they are fast. Vulkan does not report the
 * latter. */
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

/* Recognises NVIDIA's chips with fast doubles by two properties. Volta and later chips have
 * cooperative matrices. Among these, a multiprocessor holds 64 warps where doubles run at half the
 * rate of floats (V100, A100, H100, H200, B200), and 32 (Turing) or 48 warps (others since Ampere)
 * where they run at 1/32 or 1/64. The one exception is B300, with 64 warps and slow doubles. */
bool vulkan_has_fast_doubles(const VulkanDevice *dev)
{
    return dev->properties.vendorID == NVIDIA && !strstr(dev->properties.deviceName, "B300") &&
           (has(dev, "VK_KHR_cooperative_matrix") || has(dev, "VK_NV_cooperative_matrix")) &&
           has(dev, "VK_NV_shader_sm_builtins") &&
           warps_per_multiprocessor(dev) == WARPS_WHERE_FAST;
}
