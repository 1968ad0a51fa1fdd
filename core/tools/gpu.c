/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/context.h"
#include "base/mem.h"
#include "gpu.h"
#include "libvmaf/libvmaf_vulkan.h"
#include "message.h"

struct Gpu {
    VmafVulkanState *vulkan;
};

/* Frames on their way on the device: enough to hide a slow read. */
#define OUTSTANDING_FRAMES 8

static int start_vulkan(Gpu **out, const Options *options, bool quiet, VmafContext *vmaf)
{
    Gpu *const gpu = mem_zalloc(sizeof(*gpu));
    if (!gpu)
        return -ENOMEM;
    const VmafVulkanOptions wish = {
        .size = sizeof(wish),
        .device = options->device,
        .allow_software = options->allow_software,
        .max_outstanding_frames = OUTSTANDING_FRAMES,
        .quiet = quiet,
    };
    int err = vmaf_vulkan_state_init_with_options(&gpu->vulkan, &wish);
    if (!err)
        err = vmaf_vulkan_import_state(vmaf, gpu->vulkan);
    if (err) {
        gpu_destroy(gpu);
        return err;
    }
    *out = gpu;
    return 0;
}

int gpu_create(Gpu **gpu, const Options *options, VmafContext *vmaf)
{
    int err = -ENOSYS;
    switch (options->backend) {
    case BACKEND_CPU:
        return 0;
    case BACKEND_AUTO:
        if (!options->gpumask && !(options->backends_off & 1u << BACKEND_VULKAN))
            err = start_vulkan(gpu, options, true, vmaf);
        if (err)
            say("no GPU to use: using the CPU");
        return 0;
    case BACKEND_VULKAN:
        if (vmaf_vulkan_available())
            err = start_vulkan(gpu, options, false, vmaf);
        break;
    default:
        break;
    }
    if (err == -ENOSYS && !(options->backend == BACKEND_VULKAN && vmaf_vulkan_available()))
        say("the %s backend is not in this build; leave --backend out to use the CPU",
            backend_names[options->backend]);
    else if (err)
        say("the %s backend cannot run here (--list_devices shows what there is); leave --backend out "
            "to use the CPU",
            backend_names[options->backend]);
    return err;
}

void gpu_destroy(Gpu *gpu)
{
    if (!gpu)
        return;
    vmaf_vulkan_state_free(&gpu->vulkan);
    mem_free(gpu);
}

/* The extractors on one side, comma-separated; counts them. */
static unsigned list_extractors(char *text, size_t size, const Scheduler *scheduler, bool on_gpu,
                                const char **device)
{
    unsigned count = 0;
    size_t used = 0;
    *text = 0;
    for (unsigned i = 0; i < scheduler_feature_count(scheduler) && used < size; i++) {
        const char *backend, *name;
        scheduler_place(scheduler, i, &backend, &name);
        if (!backend == on_gpu)
            continue;
        if (on_gpu)
            *device = name;
        used += (size_t)snprintf(text + used, size - used, "%s%s", count++ ? ", " : "",
                                 scheduler_feature(scheduler, i)->def->name);
    }
    return count;
}

void gpu_tell_places(const Gpu *gpu, const VmafContext *vmaf, bool quiet)
{
    char there[512], here[512];
    const char *device = NULL;
    if (!gpu)
        return;
    const unsigned on_gpu = list_extractors(there, sizeof(there), vmaf->scheduler, true, &device);
    const unsigned on_cpu = list_extractors(here, sizeof(here), vmaf->scheduler, false, &device);
    if (!on_gpu)
        say("Warning: none of the extractors has GPU code; all run on the CPU: %s", here);
    else if (!quiet && on_cpu)
        say("on %s: %s; on the CPU: %s", device ? device : "the GPU", there, here);
    else if (!quiet)
        say("on %s: %s", device ? device : "the GPU", there);
}

static const char *type_name(enum VmafVulkanDeviceType type)
{
    switch (type) {
    case VMAF_VULKAN_DEVICE_TYPE_INTEGRATED:
        return "integrated GPU";
    case VMAF_VULKAN_DEVICE_TYPE_DISCRETE:
        return "discrete GPU";
    case VMAF_VULKAN_DEVICE_TYPE_VIRTUAL:
        return "virtual GPU";
    case VMAF_VULKAN_DEVICE_TYPE_SOFTWARE:
        return "software";
    default:
        return "other";
    }
}

static void print_device(const VmafVulkanDeviceInfo *info)
{
    printf("%u: %s\n", info->index, info->name);
    printf("   type: %s\n   driver: %s\n", type_name(info->type), info->driver);
    printf("   Vulkan: %u.%u.%u\n", info->api_version >> 22 & 0x7f, info->api_version >> 12 & 0x3ff,
           info->api_version & 0xfff);
    printf("   memory: %llu MiB\n   UUID: ", (unsigned long long)(info->memory >> 20));
    for (unsigned i = 0; i < sizeof(info->uuid); i++)
        printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", info->uuid[i]);
    if (info->missing[0])
        printf("\n   cannot be used, it lacks: %s\n", info->missing);
    else
        printf("\n   can be used%s\n",
               info->type == VMAF_VULKAN_DEVICE_TYPE_SOFTWARE ? " when it is named" : "");
}

int gpu_list_devices(void)
{
    if (!vmaf_vulkan_available()) {
        say("no GPU backend in this build");
        return -ENOSYS;
    }
    VmafVulkanDeviceInfo info = { .size = sizeof(info) };
    unsigned count = 0;
    int err;
    while (!(err = vmaf_vulkan_device_info(count, &info))) {
        print_device(&info);
        count++;
    }
    if (err == -ENOSYS)
        say("no Vulkan loader (libvulkan) on this machine");
    else if (!count)
        say("no Vulkan device on this machine");
    return count ? 0 : err;
}
