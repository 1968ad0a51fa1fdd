/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Compiles every Vulkan kernel of this build with the driver of a device, and prints what the
 * compiler says of each. Nothing runs, so RADV's null device (RADV_FORCE_FAMILY) will do: its
 * compiler is that of the real chip. The library cannot open such a device, because it refuses
 * semaphores.
 *
 * usage: pipelines [WORD]      the first device whose name has WORD; default: the first device
 *        pipelines --names     lists the kernels
 *
 * Prints "device<TAB>NAME<TAB>DRIVER", then a line "KERNEL<TAB>STATISTIC=VALUE<TAB>…" for each
 * kernel, where the driver tells statistics (VK_KHR_pipeline_executable_properties). Exits 0 when
 * all kernels compile, 1 when one does not, 77 when there is no such device. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/backend/vulkan/loader.h"
#include "gpu/kernel_image.h"
#include "gpu/kernels.h"

#define STATISTICS "VK_KHR_pipeline_executable_properties"
#define MAX_STATISTICS 32

typedef struct Compiler {
    VkInstance instance;
    VkInst vki;
    VkPhysicalDevice physical;
    VkDevice device;
    VkDev vkd;
    bool has_doubles;
    /* NULL if the device lacks the extension. */
    PFN_vkGetPipelineExecutableStatisticsKHR get_statistics;
} Compiler;

static bool has_extension(const Compiler *c, const char *name)
{
    static VkExtensionProperties list[1024];
    uint32_t count = sizeof(list) / sizeof(list[0]);
    if (c->vki.EnumerateDeviceExtensionProperties(c->physical, NULL, &count, list) < 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(list[i].extensionName, name))
            return true;
    return false;
}

static bool open_instance(Compiler *c)
{
    const VkApplicationInfo app = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .apiVersion = VK_API_VERSION_1_2,
    };
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &app,
    };
    return vk_global() && vk_global()->CreateInstance(&info, NULL, &c->instance) == VK_SUCCESS &&
           !vk_load_instance(&c->vki, c->instance, NULL);
}

static bool find_device(Compiler *c, const char *word)
{
    VkPhysicalDevice devices[16];
    uint32_t count = sizeof(devices) / sizeof(devices[0]);
    if (c->vki.EnumeratePhysicalDevices(c->instance, &count, devices) < 0)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceDriverProperties driver = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
        };
        VkPhysicalDeviceProperties2 properties = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
            .pNext = &driver,
        };
        c->vki.GetPhysicalDeviceProperties2(devices[i], &properties);
        if (!strstr(properties.properties.deviceName, word))
            continue;
        c->physical = devices[i];
        printf("device\t%s\t%s\n", properties.properties.deviceName, driver.driverInfo);
        return true;
    }
    return false;
}

static bool open_device(Compiler *c)
{
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR statistics = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
        .pipelineExecutableInfo = VK_TRUE,
    };
    VkPhysicalDeviceFeatures2 features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
    };
    c->vki.GetPhysicalDeviceFeatures2(c->physical, &features);
    if (!features.features.shaderInt64) {
        fprintf(stderr, "the device has no 64-bit integers in shaders\n");
        return false;
    }
    c->has_doubles = features.features.shaderFloat64;
    const bool tells = has_extension(c, STATISTICS);
    features.features =
        (VkPhysicalDeviceFeatures){ .shaderInt64 = VK_TRUE, .shaderFloat64 = c->has_doubles };
    features.pNext = tells ? &statistics : NULL;
    const char *const names[] = { STATISTICS };
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = tells,
        .ppEnabledExtensionNames = names,
    };
    if (c->vki.CreateDevice(c->physical, &info, NULL, &c->device) != VK_SUCCESS ||
        vk_load_device(&c->vkd, &c->vki, c->device))
        return false;
    if (tells)
        c->get_statistics =
            (PFN_vkGetPipelineExecutableStatisticsKHR)(void *)c->vki.GetDeviceProcAddr(
                c->device, "vkGetPipelineExecutableStatisticsKHR");
    return true;
}

static void print_statistics(const Compiler *c, VkPipeline pipeline)
{
    VkPipelineExecutableStatisticKHR found[MAX_STATISTICS];
    uint32_t count = MAX_STATISTICS;
    for (unsigned i = 0; i < MAX_STATISTICS; i++)
        found[i] = (VkPipelineExecutableStatisticKHR){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR,
        };
    const VkPipelineExecutableInfoKHR which = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
        .pipeline = pipeline,
    };
    if (c->get_statistics(c->device, &which, &count, found) < 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        if (found[i].format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR)
            printf("\t%s=%llu", found[i].name, (unsigned long long)found[i].value.u64);
}

static VkPipelineLayout make_layout(const Compiler *c, const KernelInfo *info)
{
    VkDescriptorSetLayoutBinding bindings[GPU_MAX_BINDINGS];
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    for (unsigned i = 0; i < info->buffer_count; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        };
    const VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = info->buffer_count,
        .pBindings = bindings,
    };
    if (c->vkd.CreateDescriptorSetLayout(c->device, &set_info, NULL, &set) != VK_SUCCESS)
        return VK_NULL_HANDLE;
    const VkPushConstantRange range = {
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        .size = info->params_size,
    };
    const VkPipelineLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &set,
        .pushConstantRangeCount = info->params_size ? 1 : 0,
        .pPushConstantRanges = &range,
    };
    if (c->vkd.CreatePipelineLayout(c->device, &layout_info, NULL, &layout) != VK_SUCCESS)
        layout = VK_NULL_HANDLE;
    c->vkd.DestroyDescriptorSetLayout(c->device, set, NULL);
    return layout;
}

static bool compile(const Compiler *c, const KernelInfo *info, const void *spirv, size_t size)
{
    VkShaderModule module = VK_NULL_HANDLE;
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkPipelineLayout layout = make_layout(c, info);
    const VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = size,
        .pCode = spirv,
    };
    if (!layout)
        return false;
    if (c->vkd.CreateShaderModule(c->device, &module_info, NULL, &module) == VK_SUCCESS) {
        const VkComputePipelineCreateInfo pipeline_info = {
            .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
            .flags = c->get_statistics ? VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR : 0,
            .stage = {
                .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module,
                .pName = "main",
            },
            .layout = layout,
        };
        if (c->vkd.CreateComputePipelines(c->device, VK_NULL_HANDLE, 1, &pipeline_info, NULL,
                                          &pipeline) != VK_SUCCESS)
            pipeline = VK_NULL_HANDLE;
        c->vkd.DestroyShaderModule(c->device, module, NULL);
    }
    if (pipeline) {
        printf("%s", info->name);
        if (c->get_statistics)
            print_statistics(c, pipeline);
        printf("\n");
        c->vkd.DestroyPipeline(c->device, pipeline, NULL);
    }
    c->vkd.DestroyPipelineLayout(c->device, layout, NULL);
    return pipeline != VK_NULL_HANDLE;
}

/* Returns the number of kernels that do not compile. */
static unsigned compile_all(const Compiler *c)
{
    unsigned failed = 0;
    for (const KernelInfo *info = kernel_infos; info->name; info++) {
        KernelImage image;
        void *spirv = NULL;
        if (!c->has_doubles && strstr(info->name, "_f64"))
            continue;
        if (!kernel_image_find(spirv_packs, info->name, &image) ||
            kernel_image_unpack(&image, &spirv) || !compile(c, info, spirv, image.packed.size)) {
            fprintf(stderr, "%s does not compile\n", info->name);
            failed++;
        }
        mem_free(spirv);
    }
    return failed;
}

int main(int argc, char **argv)
{
    Compiler c = { 0 };
    if (argc > 1 && !strcmp(argv[1], "--names")) {
        for (const KernelInfo *info = kernel_infos; info->name; info++)
            printf("%s\n", info->name);
        return 0;
    }
    if (!open_instance(&c) || !find_device(&c, argc > 1 ? argv[1] : "")) {
        fprintf(stderr, "no Vulkan device%s%s\n", argc > 1 ? " called " : "",
                argc > 1 ? argv[1] : "");
        return 77;
    }
    if (!open_device(&c))
        return 1;
    const unsigned failed = compile_all(&c);
    c.vkd.DestroyDevice(c.device, NULL);
    c.vki.DestroyInstance(c.instance, NULL);
    return failed ? 1 : 0;
}
