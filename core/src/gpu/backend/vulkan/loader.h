/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Opens the Vulkan loader at run time and fills tables of functions, one for each instance and
 * device. There are no global vk* symbols, so a static libvmaf does not clash with another user of
 * Vulkan. */
#ifndef VULKAN_LOADER_H
#define VULKAN_LOADER_H

#define VK_NO_PROTOTYPES
#ifdef _WIN32
#define VK_USE_PLATFORM_WIN32_KHR
#endif
#include <vulkan/vulkan.h>

#define VK_GLOBAL_FUNCTIONS(X)                                                                     \
    X(CreateInstance)                                                                              \
    X(EnumerateInstanceLayerProperties)                                                            \
    X(EnumerateInstanceExtensionProperties)

#define VK_INSTANCE_FUNCTIONS(X)                                                                   \
    X(DestroyInstance)                                                                             \
    X(EnumeratePhysicalDevices)                                                                    \
    X(EnumerateDeviceExtensionProperties)                                                          \
    X(GetPhysicalDeviceProperties)                                                                 \
    X(GetPhysicalDeviceProperties2)                                                                \
    X(GetPhysicalDeviceFeatures2)                                                                  \
    X(GetPhysicalDeviceMemoryProperties)                                                           \
    X(GetPhysicalDeviceFormatProperties)                                                           \
    X(GetPhysicalDeviceFormatProperties2)                                                          \
    X(GetPhysicalDeviceImageFormatProperties2)                                                     \
    X(GetPhysicalDeviceQueueFamilyProperties)                                                      \
    X(CreateDevice)                                                                                \
    X(GetDeviceProcAddr)

/* NULL without the extension. */
#define VK_INSTANCE_OPTIONAL(X)                                                                    \
    X(CreateDebugUtilsMessengerEXT)                                                                \
    X(DestroyDebugUtilsMessengerEXT)

#define VK_DEVICE_FUNCTIONS(X)                                                                     \
    X(DestroyDevice)                                                                               \
    X(GetDeviceQueue)                                                                              \
    X(QueueSubmit)                                                                                 \
    X(QueueWaitIdle)                                                                               \
    X(AllocateMemory)                                                                              \
    X(FreeMemory)                                                                                  \
    X(MapMemory)                                                                                   \
    X(CreateBuffer)                                                                                \
    X(DestroyBuffer)                                                                               \
    X(CreateImage)                                                                                 \
    X(DestroyImage)                                                                                \
    X(GetImageMemoryRequirements2)                                                                 \
    X(BindImageMemory2)                                                                            \
    X(GetBufferMemoryRequirements)                                                                 \
    X(BindBufferMemory)                                                                            \
    X(CreateShaderModule)                                                                          \
    X(DestroyShaderModule)                                                                         \
    X(CreatePipelineCache)                                                                         \
    X(DestroyPipelineCache)                                                                        \
    X(GetPipelineCacheData)                                                                        \
    X(CreateComputePipelines)                                                                      \
    X(DestroyPipeline)                                                                             \
    X(CreatePipelineLayout)                                                                        \
    X(DestroyPipelineLayout)                                                                       \
    X(CreateDescriptorSetLayout)                                                                   \
    X(DestroyDescriptorSetLayout)                                                                  \
    X(CreateDescriptorPool)                                                                        \
    X(DestroyDescriptorPool)                                                                       \
    X(AllocateDescriptorSets)                                                                      \
    X(FreeDescriptorSets)                                                                          \
    X(UpdateDescriptorSets)                                                                        \
    X(CreateCommandPool)                                                                           \
    X(DestroyCommandPool)                                                                          \
    X(AllocateCommandBuffers)                                                                      \
    X(BeginCommandBuffer)                                                                          \
    X(EndCommandBuffer)                                                                            \
    X(CmdBindPipeline)                                                                             \
    X(CmdBindDescriptorSets)                                                                       \
    X(CmdPushConstants)                                                                            \
    X(CmdDispatch)                                                                                 \
    X(CmdCopyBuffer)                                                                               \
    X(CmdFillBuffer)                                                                               \
    X(CmdCopyImageToBuffer)                                                                        \
    X(CmdPipelineBarrier)                                                                          \
    X(CmdResetQueryPool)                                                                           \
    X(CmdWriteTimestamp)                                                                           \
    X(CreateQueryPool)                                                                             \
    X(DestroyQueryPool)                                                                            \
    X(GetQueryPoolResults)                                                                         \
    X(CreateSemaphore)                                                                             \
    X(DestroySemaphore)

/* Core in Vulkan 1.2; in 1.1 an extension with suffix KHR. */
#define VK_DEVICE_TIMELINE(X) X(WaitSemaphores)

/* For external memory and queues with flags; may be NULL. */
#ifdef _WIN32
#define VK_DEVICE_WINDOWS(X) X(GetMemoryWin32HandlePropertiesKHR)
#else
#define VK_DEVICE_WINDOWS(X)
#endif
#define VK_DEVICE_OPTIONAL(X)                                                                      \
    VK_DEVICE_WINDOWS(X)                                                                           \
    X(GetMemoryFdPropertiesKHR)                                                                    \
    X(GetMemoryHostPointerPropertiesEXT)                                                           \
    X(GetDeviceQueue2)

typedef struct VkGlobal {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
#define FIELD(name) PFN_vk##name name;
    VK_GLOBAL_FUNCTIONS(FIELD)
} VkGlobal;

typedef struct VkInst {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
    VK_INSTANCE_FUNCTIONS(FIELD)
    VK_INSTANCE_OPTIONAL(FIELD)
} VkInst;

typedef struct VkDev {
    VK_DEVICE_FUNCTIONS(FIELD)
    VK_DEVICE_TIMELINE(FIELD)
    VK_DEVICE_OPTIONAL(FIELD)
#undef FIELD
} VkDev;

/* Opens the loader on first use and keeps it open. Returns NULL if the machine has none.
 * Thread-safe. */
const VkGlobal *vk_global(void);

/* Fill a table. Return -ENOSYS (logged) if a function of Vulkan 1.1 is missing. `find` belongs to
 * the instance; NULL stands for the loader's function. */
int vk_load_instance(VkInst *table, VkInstance instance, PFN_vkGetInstanceProcAddr find);
int vk_load_device(VkDev *table, const VkInst *vki, VkDevice device);

#endif
