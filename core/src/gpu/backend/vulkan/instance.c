/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/backend/vulkan/vk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static bool has_layer(const VkGlobal *vkg, const char *name)
{
    VkLayerProperties layers[64];
    uint32_t count = 64;
    if (vkg->EnumerateInstanceLayerProperties(&count, layers) < 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(layers[i].layerName, name))
            return true;
    return false;
}

static bool has_extension(const VkGlobal *vkg, const char *name, const char *layer)
{
    VkExtensionProperties extensions[256];
    uint32_t count = 256;
    if (vkg->EnumerateInstanceExtensionProperties(layer, &count, extensions) < 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(extensions[i].extensionName, name))
            return true;
    return false;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                 void *user)
{
    VulkanInstance *instance = user;
    atomic_fetch_add(&instance->messages, 1);
    if (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT)
        log_error("vulkan validation: %s", data->pMessage);
    else
        log_warning("vulkan validation: %s", data->pMessage);
    return VK_FALSE;
}

static int create_handle(VulkanInstance *instance, const VkGlobal *vkg, bool validation)
{
    static const char *const layer = "VK_LAYER_KHRONOS_validation";
    const char *extensions[4];
    uint32_t extension_count = 0;
    VkInstanceCreateFlags flags = 0;

    /* MoltenVK lists its devices only for instances with this extension. */
    if (has_extension(vkg, "VK_KHR_portability_enumeration", NULL)) {
        extensions[extension_count++] = "VK_KHR_portability_enumeration";
        flags |= 1; /* VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR */
    }
    if (validation) {
        if (!has_layer(vkg, layer)) {
            log_error("vulkan: validation needs %s, which is not installed", layer);
            return -ENOTSUP;
        }
        extensions[extension_count++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
        if (has_extension(vkg, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME, layer))
            extensions[extension_count++] = VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME;
    }

    const VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = instance,
    };
    const VkValidationFeatureEnableEXT enables[] = {
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT,
    };
    const VkValidationFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .pNext = &messenger,
        .enabledValidationFeatureCount = 1,
        .pEnabledValidationFeatures = enables,
    };
    const VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "libvmaf",
        .apiVersion = VK_API_VERSION_1_2,
    };
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = validation ? &features : NULL,
        .flags = flags,
        .pApplicationInfo = &application,
        .enabledLayerCount = validation,
        .ppEnabledLayerNames = &layer,
        .enabledExtensionCount = extension_count,
        .ppEnabledExtensionNames = extensions,
    };
    VkResult result = vkg->CreateInstance(&info, NULL, &instance->handle);
    if (result < 0) {
        instance->handle = VK_NULL_HANDLE;
        /* The loader returns this if no driver is installed. */
        if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
            return -ENODEV;
        log_error("vulkan: cannot create an instance (VkResult %d)", result);
        return result == VK_ERROR_OUT_OF_HOST_MEMORY ? -ENOMEM : -EIO;
    }
    const int err = vk_load_instance(&instance->vki, instance->handle, NULL);
    if (err)
        return err;
    if (validation && instance->vki.CreateDebugUtilsMessengerEXT &&
        instance->vki.CreateDebugUtilsMessengerEXT(instance->handle, &messenger, NULL,
                                                   &instance->messenger) < 0)
        instance->messenger = VK_NULL_HANDLE;
    return 0;
}

int vulkan_instance_create(VulkanInstance **out, bool validation)
{
    *out = NULL;
    const VkGlobal *vkg = vk_global();
    if (!vkg)
        return -ENOSYS;
    VulkanInstance *instance = mem_zalloc(sizeof(*instance));
    if (!instance)
        return -ENOMEM;
    const int err = create_handle(instance, vkg, validation);
    if (err) {
        vulkan_instance_destroy(instance);
        return err;
    }
    *out = instance;
    return 0;
}

void vulkan_instance_destroy(VulkanInstance *instance)
{
    if (!instance)
        return;
    if (instance->messenger && instance->vki.DestroyDebugUtilsMessengerEXT)
        instance->vki.DestroyDebugUtilsMessengerEXT(instance->handle, instance->messenger, NULL);
    if (instance->handle && instance->vki.DestroyInstance)
        instance->vki.DestroyInstance(instance->handle, NULL);
    mem_free(instance);
}

static bool has_compute(const VkInst *vki, VkPhysicalDevice handle)
{
    VkQueueFamilyProperties families[32];
    uint32_t count = 32;
    vki->GetPhysicalDeviceQueueFamilyProperties(handle, &count, families);
    for (uint32_t i = 0; i < count; i++)
        if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT)
            return true;
    return false;
}

static void note_missing(GpuDeviceInfo *c, const char *what)
{
    const size_t used = strlen(c->missing);
    snprintf(c->missing + used, sizeof(c->missing) - used, "%s%s", used ? ", " : "", what);
}

bool vulkan_has_extension(const VkInst *vki, VkPhysicalDevice handle, const char *name)
{
    uint32_t count = 0;
    if (vki->EnumerateDeviceExtensionProperties(handle, NULL, &count, NULL) < 0 || !count)
        return false;
    VkExtensionProperties *list = mem_array(count, sizeof(*list));
    bool found = false;
    if (list && vki->EnumerateDeviceExtensionProperties(handle, NULL, &count, list) >= 0)
        for (uint32_t i = 0; i < count && !found; i++)
            found = !strcmp(list[i].extensionName, name);
    mem_free(list);
    return found;
}

/* True for a device that exists in its driver only, such as RADV's with RADV_FORCE_FAMILY: kernels
 * can be compiled for it, but nothing runs. It has no memory; every device that computes has. */
static bool is_null_device(const GpuDeviceInfo *c)
{
    return c->type != VMAF_DEVICE_SOFTWARE && !c->memory;
}

static void find_missing(const VkInst *vki, VkPhysicalDevice handle,
                         const VkPhysicalDeviceLimits *limits, GpuDeviceInfo *c)
{
    if (is_null_device(c))
        note_missing(c, "hardware (its driver shows a null device, without memory)");
    if (!has_compute(vki, handle))
        note_missing(c, "a compute queue");
    if (c->version_number < VK_API_VERSION_1_1) {
        note_missing(c, "Vulkan 1.1");
        return;
    }
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
    };
    VkPhysicalDeviceFeatures2 features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
        .pNext = &timeline,
    };
    const bool may_ask = c->version_number >= VK_API_VERSION_1_2 ||
                         vulkan_has_extension(vki, handle, "VK_KHR_timeline_semaphore");
    if (!may_ask)
        features.pNext = NULL;
    vki->GetPhysicalDeviceFeatures2(handle, &features);
    if (!timeline.timelineSemaphore)
        note_missing(c, "timeline semaphores");
    if (!features.features.shaderInt64)
        note_missing(c, "64-bit integers in shaders (shaderInt64)");
    if (limits->maxComputeWorkGroupInvocations < 256 || limits->maxComputeWorkGroupSize[0] < 256)
        note_missing(c, "workgroups of 256");
    if (limits->maxComputeSharedMemorySize < 32768)
        note_missing(c, "32 KiB of shared memory");
    if (limits->maxPerStageDescriptorStorageBuffers < GPU_MAX_BINDINGS)
        note_missing(c, "12 storage buffers in a shader");
}

/* True for drivers that compute on the CPU, whatever type they say: a layer or a virtual machine
 * between them and us may pass their device on as another type. */
static bool is_software(const VkPhysicalDeviceProperties *p, VkDriverId driver)
{
    static const char *const names[] = { "llvmpipe", "SwiftShader", "softpipe",
                                         "Microsoft Basic Render" };
    if (p->deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU || driver == VK_DRIVER_ID_MESA_LLVMPIPE ||
        driver == VK_DRIVER_ID_GOOGLE_SWIFTSHADER)
        return true;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strstr(p->deviceName, names[i]))
            return true;
    return false;
}

void vulkan_describe(const VkInst *vki, VkPhysicalDevice handle, GpuDeviceInfo *c)
{
    *c = (GpuDeviceInfo){ 0 };
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
    };
    VkPhysicalDeviceIDProperties id = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
    };
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
    };
    vki->GetPhysicalDeviceProperties(handle, &properties.properties);
    c->version_number = properties.properties.apiVersion;
    if (c->version_number >= VK_API_VERSION_1_1) {
        properties.pNext = &id;
        if (c->version_number >= VK_API_VERSION_1_2 ||
            vulkan_has_extension(vki, handle, "VK_KHR_driver_properties"))
            id.pNext = &driver;
        vki->GetPhysicalDeviceProperties2(handle, &properties);
        memcpy(c->uuid, id.deviceUUID, sizeof(c->uuid));
    }
    const VkPhysicalDeviceProperties *p = &properties.properties;
    c->type = is_software(p, driver.driverID)
                  ? VMAF_DEVICE_SOFTWARE
                  : (enum VmafDeviceType)p->deviceType; /* both enums have the same numbers */
    snprintf(c->version, sizeof(c->version), "%u.%u.%u", VK_API_VERSION_MAJOR(p->apiVersion),
             VK_API_VERSION_MINOR(p->apiVersion), VK_API_VERSION_PATCH(p->apiVersion));
    snprintf(c->name, sizeof(c->name), "%s", p->deviceName);
    if (driver.driverName[0])
        snprintf(c->driver, sizeof(c->driver), "%.100s %.100s", driver.driverName,
                 driver.driverInfo);
    else
        snprintf(c->driver, sizeof(c->driver), "driver 0x%x", p->driverVersion);

    VkPhysicalDeviceMemoryProperties memory;
    vki->GetPhysicalDeviceMemoryProperties(handle, &memory);
    for (uint32_t i = 0; i < memory.memoryHeapCount; i++)
        if ((memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) &&
            memory.memoryHeaps[i].size > c->memory)
            c->memory = memory.memoryHeaps[i].size;
    find_missing(vki, handle, &p->limits, c);
}

/* Sort key for numbering devices: a GPU comes before a software device. */
static int rank(enum VmafDeviceType type)
{
    switch (type) {
    case VMAF_DEVICE_DISCRETE:
        return 0;
    case VMAF_DEVICE_INTEGRATED:
        return 1;
    case VMAF_DEVICE_VIRTUAL:
        return 2;
    case VMAF_DEVICE_SOFTWARE:
        return 4;
    default:
        return 3;
    }
}

/* Lists the devices that can compute, in the order of their numbers. */
static int find_devices(VulkanProbe *probe)
{
    const VkInst *vki = &probe->instance->vki;
    VkPhysicalDevice handles[64];
    uint32_t found = 64;
    const VkResult result = vki->EnumeratePhysicalDevices(probe->instance->handle, &found, handles);
    if (result < 0 || !found)
        return result == VK_ERROR_OUT_OF_HOST_MEMORY ? -ENOMEM : 0;

    probe->handles = mem_array(found, sizeof(*probe->handles));
    probe->gpu.devices = mem_array(found, sizeof(*probe->gpu.devices));
    if (!probe->handles || !probe->gpu.devices)
        return -ENOMEM;
    GpuDeviceInfo *infos = mem_array(found, sizeof(*infos));
    if (!infos)
        return -ENOMEM;
    for (uint32_t i = 0; i < found; i++)
        vulkan_describe(vki, handles[i], &infos[i]);
    for (int kind = 0; kind <= 4; kind++) {
        for (uint32_t i = 0; i < found; i++) {
            if (rank(infos[i].type) != kind || !has_compute(vki, handles[i]))
                continue;
            probe->handles[probe->gpu.count] = handles[i];
            probe->gpu.devices[probe->gpu.count++] = infos[i];
        }
    }
    mem_free(infos);
    return 0;
}

int vulkan_probe(const GpuBackend *backend, bool validation, GpuProbe **out)
{
    *out = NULL;
    VulkanProbe *probe = mem_zalloc(sizeof(*probe));
    if (!probe)
        return -ENOMEM;
    probe->gpu.backend = backend;
    int err = vulkan_instance_create(&probe->instance, validation);
    if (!err)
        err = find_devices(probe);
    if (err)
        vulkan_probe_end(&probe->gpu);
    else
        *out = &probe->gpu;
    return err;
}

void vulkan_probe_end(GpuProbe *gpu)
{
    VulkanProbe *probe = (VulkanProbe *)gpu;
    vulkan_instance_destroy(probe->instance);
    mem_free(probe->handles);
    mem_free(probe->gpu.devices);
    mem_free(probe);
}
