/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/backend/vulkan/loader.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#include "base/library.h"
#include "base/log.h"

#if defined(_WIN32)
static const char *const names[] = { "vulkan-1.dll", NULL };
#elif defined(__APPLE__)
/* Homebrew's folder on Apple silicon is in no search path. */
static const char *const names[] = { "libvulkan.dylib",
                                     "libvulkan.1.dylib",
                                     "libMoltenVK.dylib",
                                     "/opt/homebrew/lib/libvulkan.1.dylib",
                                     "/opt/homebrew/lib/libMoltenVK.dylib",
                                     NULL };
#else
static const char *const names[] = { "libvulkan.so.1", "libvulkan.so", NULL };
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static VkGlobal global;
static int loaded;

static void load_global(void)
{
    void *library = library_open(names);
    if (!library)
        return;
    global.GetInstanceProcAddr =
        (PFN_vkGetInstanceProcAddr)library_function(library, "vkGetInstanceProcAddr");
    if (!global.GetInstanceProcAddr)
        return;
    loaded = 1;
#define LOAD(name)                                                                                 \
    global.name = (PFN_vk##name)global.GetInstanceProcAddr(NULL, "vk" #name);                      \
    loaded &= global.name != NULL;
    VK_GLOBAL_FUNCTIONS(LOAD)
#undef LOAD
}

const VkGlobal *vk_global(void)
{
    pthread_once(&once, load_global);
    return loaded ? &global : NULL;
}

static int missing(const char *name)
{
    log_error("vulkan: the driver lacks the function vk%s; update it", name);
    return -ENOSYS;
}

int vk_load_instance(VkInst *table, VkInstance instance, PFN_vkGetInstanceProcAddr find)
{
    if (!find)
        find = vk_global() ? vk_global()->GetInstanceProcAddr : NULL;
    if (!find)
        return -ENOSYS;
    table->GetInstanceProcAddr = find;
#define LOAD(name)                                                                                 \
    if (!(table->name = (PFN_vk##name)find(instance, "vk" #name)))                                 \
        return missing(#name);
#define LOAD_OPTIONAL(name) table->name = (PFN_vk##name)find(instance, "vk" #name);
    VK_INSTANCE_FUNCTIONS(LOAD)
    VK_INSTANCE_OPTIONAL(LOAD_OPTIONAL)
#undef LOAD
#undef LOAD_OPTIONAL
    return 0;
}

int vk_load_device(VkDev *table, const VkInst *vki, VkDevice device)
{
#define LOAD(name)                                                                                 \
    if (!(table->name = (PFN_vk##name)vki->GetDeviceProcAddr(device, "vk" #name)))                 \
        return missing(#name);
#define LOAD_TIMELINE(name)                                                                        \
    table->name = (PFN_vk##name)vki->GetDeviceProcAddr(device, "vk" #name);                        \
    if (!table->name &&                                                                            \
        !(table->name = (PFN_vk##name)vki->GetDeviceProcAddr(device, "vk" #name "KHR")))           \
        return missing(#name);
#define LOAD_OPTIONAL(name) table->name = (PFN_vk##name)vki->GetDeviceProcAddr(device, "vk" #name);
    VK_DEVICE_FUNCTIONS(LOAD)
    VK_DEVICE_TIMELINE(LOAD_TIMELINE)
    VK_DEVICE_OPTIONAL(LOAD_OPTIONAL)
    return 0;
}
